package evals

import (
	"cmp"
	"slices"
)

// Confidence is how sure a system was of one question, and whether it should be.
type Confidence struct {
	Value      float64
	Answerable bool
}

// CurvePoint is what a gate at Threshold would do: the share of the answerable that
// it answers and the share of the others that it refuses.
type CurvePoint struct {
	Threshold float64 `json:"threshold"`
	Answered  float64 `json:"answered"`
	Refused   float64 `json:"refused"`
}

// AbstentionCurve gives a point for every threshold that changes anything, from
// answering all to answering none. It is the ROC curve of the gate (Fawcett, "An
// introduction to ROC analysis", 2006) with the axes that an owner asks about.
func AbstentionCurve(sample []Confidence) []CurvePoint {
	sorted := slices.Clone(sample)
	slices.SortFunc(sorted, func(a, b Confidence) int { return cmp.Compare(a.Value, b.Value) })
	good, bad := tally(sorted)
	var out []CurvePoint
	lost, refused := 0, 0 // below the threshold
	for i := 0; i < len(sorted); {
		at := sorted[i].Value
		out = append(out, CurvePoint{at, share(good-lost, good), share(refused, bad)})
		for ; i < len(sorted) && sorted[i].Value == at; i++ {
			if sorted[i].Answerable {
				lost++
			} else {
				refused++
			}
		}
	}
	return out
}

// RefusedAt is the share refused at the highest threshold that still answers at
// least the given share of the answerable.
func RefusedAt(curve []CurvePoint, answered float64) float64 {
	best := 0.0
	for _, p := range curve {
		if p.Answered >= answered {
			best = max(best, p.Refused)
		}
	}
	return best
}

// AUC is the chance that an answerable question has more confidence than another,
// ties counted half: the area under the curve, as Mann and Whitney's U.
func AUC(sample []Confidence) float64 {
	sorted := slices.Clone(sample)
	slices.SortFunc(sorted, func(a, b Confidence) int { return cmp.Compare(a.Value, b.Value) })
	good, bad := tally(sorted)
	below, wins := 0, 0.0
	for i := 0; i < len(sorted); {
		g, b, at := 0, 0, sorted[i].Value
		for ; i < len(sorted) && sorted[i].Value == at; i++ {
			if sorted[i].Answerable {
				g++
			} else {
				b++
			}
		}
		wins += float64(g) * (float64(below) + float64(b)/2)
		below += b
	}
	if good == 0 || bad == 0 {
		return 0
	}
	return wins / float64(good) / float64(bad)
}

func tally(sample []Confidence) (good, bad int) {
	for _, c := range sample {
		if c.Answerable {
			good++
		} else {
			bad++
		}
	}
	return good, bad
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
