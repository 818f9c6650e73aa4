package fusion

import (
	"math"
	"slices"
)

// Scores is one ranking with its scores, which must share a scale with those of the
// other legs.
type Scores struct {
	Weight float64   // 0 or less: the leg counts nothing and adds no hit
	Slots  []int     // best first; a repeated slot keeps its first place
	Scores []float64 // one for each of Slots; one that is not finite is the Floor
	// Floor is the score of a hit that the leg does not have. A leg that ends at some
	// depth has scored what it leaves out too, and below its last hit.
	Floor float64
}

// Blend fuses the legs by the weighted sum of their scores. The order is total, as that
// of Reciprocal; a hit's shares sum up to its score.
func Blend(legs ...Scores) []Hit {
	var hits []Hit
	at := map[int]int{}
	for i, leg := range legs {
		if !(leg.Weight > 0) {
			continue
		}
		for r, slot := range leg.Slots[:min(len(leg.Slots), len(leg.Scores))] {
			n, ok := at[slot]
			if !ok {
				n = len(hits)
				at[slot] = n
				hits = append(hits, Hit{Slot: slot, Ranks: make([]int, len(legs)), Shares: floors(legs)})
			}
			if h := &hits[n]; h.Ranks[i] == 0 {
				h.Ranks[i] = r + 1
				if s := leg.Scores[r]; !math.IsNaN(s) && !math.IsInf(s, 0) {
					h.Shares[i] = leg.Weight * s
				}
			}
		}
	}
	for i := range hits {
		for _, share := range hits[i].Shares {
			hits[i].Score += share
		}
	}
	slices.SortFunc(hits, compare)
	return hits
}

// floors are the shares of a hit that no leg has.
func floors(legs []Scores) []float64 {
	out := make([]float64, len(legs))
	for i, leg := range legs {
		if leg.Weight > 0 {
			out[i] = leg.Weight * leg.Floor
		}
	}
	return out
}
