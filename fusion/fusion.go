// Package fusion merges the rankings of legs. It is pure: the same rankings give the
// same result.
//
// Reciprocal is reciprocal rank fusion, the default: a hit at rank r of a leg, counted
// from 1, gets the leg's weight / (k + r), and its score is the sum over the legs. A
// leg that does not have a hit gives it nothing. The raw scores are not looked at, since
// they have no common scale.
//
// Blend is its challenger: a weighted sum of scores that were brought to one scale. It
// keeps how far apart two hits are, which ranks forget, and needs weights that fit the
// model. It is used only where a verdict names it.
package fusion

import (
	"cmp"
	"slices"
)

// DefaultK is the usual constant: the higher, the less the first ranks stand out.
const DefaultK = 60

// Depth is how deep each leg should be asked, at least: what a leg leaves out gets
// nothing from it, so short lists distort the sum.
const Depth = 100

// Leg is one ranking.
type Leg struct {
	Weight float64 // 0 or less: the leg counts nothing and adds no hit
	Slots  []int   // best first; a repeated slot keeps its first rank
}

// Hit is one fused hit.
type Hit struct {
	Slot   int
	Score  float64
	Ranks  []int     // in each leg, from 1; 0 where the leg does not have it
	Shares []float64 // of each leg in Score
}

// Reciprocal fuses the legs with constant k; k of 0 or less is DefaultK. The order is
// total: score, then the rank in the first leg, in the second and so on, absence last.
func Reciprocal(k float64, legs ...Leg) []Hit {
	if !(k > 0) {
		k = DefaultK
	}
	var hits []Hit
	at := map[int]int{}
	for i, leg := range legs {
		if !(leg.Weight > 0) {
			continue
		}
		for r, slot := range leg.Slots {
			n, ok := at[slot]
			if !ok {
				n = len(hits)
				at[slot] = n
				hits = append(hits, Hit{Slot: slot, Ranks: make([]int, len(legs)), Shares: make([]float64, len(legs))})
			}
			if h := &hits[n]; h.Ranks[i] == 0 {
				h.Ranks[i] = r + 1
				h.Shares[i] = leg.Weight / (k + float64(r+1))
				h.Score += h.Shares[i]
			}
		}
	}
	slices.SortFunc(hits, compare)
	return hits
}

// compare orders hits, best first.
func compare(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	for i := range a.Ranks {
		if c := cmp.Compare(a.Ranks[i], b.Ranks[i]); c != 0 {
			switch 0 {
			case a.Ranks[i]:
				return 1
			case b.Ranks[i]:
				return -1
			}
			return c
		}
	}
	return 0
}
