package hybrid

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// deal gives each topic a fold, 0 to n-1. Every slice and sub-slice is spread over the
// folds as evenly as it can be. The deal depends on ids, slices and seed only, so that
// neither the order of a file nor an answer changes it.
func deal(topics []*question, n int, seed uint64) []int {
	order := make([]int, len(topics))
	lots := make([]uint64, len(topics))
	for i, q := range topics {
		order[i] = i
		h := fnv.New64a()
		_, _ = h.Write([]byte(q.ID))
		lots[i] = rand.NewPCG(seed, h.Sum64()).Uint64()
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := topics[a], topics[b]
		return cmp.Or(strings.Compare(string(x.Slice), string(y.Slice)), strings.Compare(x.Sub, y.Sub),
			cmp.Compare(lots[a], lots[b]), strings.Compare(x.ID, y.ID))
	})
	out := make([]int, len(topics))
	for place, i := range order {
		out[i] = place % n
	}
	return out
}

// split gives the positions inside and outside of a fold.
func split(folds []int, fold int) (inside, outside []int) {
	for i, f := range folds {
		if f == fold {
			inside = append(inside, i)
		} else {
			outside = append(outside, i)
		}
	}
	return inside, outside
}

// pick gives the values at positions.
func pick[T any](values []T, at []int) []T {
	out := make([]T, len(at))
	for i, p := range at {
		out[i] = values[p]
	}
	return out
}
