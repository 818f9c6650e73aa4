package fusion_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"candor/fusion"
)

func slots(hits []fusion.Hit) []int {
	var out []int
	for _, h := range hits {
		out = append(out, h.Slot)
	}
	return out
}

func TestReciprocal(t *testing.T) {
	const p, q, r, s, u = 1, 2, 3, 4, 5
	for _, c := range []struct {
		name string
		legs []fusion.Leg
		want []int
	}{
		{"no legs", nil, nil},
		{"empty legs", []fusion.Leg{{1, nil}, {1, nil}}, nil},
		{"in both lists, though last, comes first", []fusion.Leg{{1, []int{p, q, r}}, {1, []int{s, u, r}}}, []int{r, p, s, q, u}},
		{"weight 0 is the other leg alone", []fusion.Leg{{0, []int{p, q, r}}, {1, []int{s, u, r}}}, []int{s, u, r}},
		{"negative weight is weight 0", []fusion.Leg{{-1, []int{p}}, {1, []int{s}}}, []int{s}},
		{"equal sums go by the first leg", []fusion.Leg{{1, []int{p, q}}, {1, []int{q, p}}}, []int{p, q}},
		{"a repeat keeps its first rank", []fusion.Leg{{1, []int{p, q, p}}, {1, nil}}, []int{p, q}},
		{"the heavier leg wins", []fusion.Leg{{1, []int{p}}, {2, []int{q}}}, []int{q, p}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, slots(fusion.Reciprocal(60, c.legs...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReciprocalScores(t *testing.T) {
	got := fusion.Reciprocal(0, fusion.Leg{1, []int{7, 8}}, fusion.Leg{0.5, []int{8}})
	want := []fusion.Hit{
		{Slot: 8, Score: 1./62 + 0.5/61, Ranks: []int{2, 1}, Shares: []float64{1. / 62, 0.5 / 61}},
		{Slot: 7, Score: 1. / 61, Ranks: []int{1, 0}, Shares: []float64{1. / 61, 0}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

var ranking = rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 40, rapid.ID[int])

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Float64Range(0.5, 100).Draw(t, "k")
		w := rapid.Float64Range(0.1, 4).Draw(t, "w")
		a, b := ranking.Draw(t, "a"), ranking.Draw(t, "b")
		fused := fusion.Reciprocal(k, fusion.Leg{1, a}, fusion.Leg{w, b})

		union := append(slices.Clone(a), b...)
		slices.Sort(union)
		if got := slices.Sorted(slices.Values(slots(fused))); !slices.Equal(got, slices.Compact(union)) {
			t.Fatalf("fused %v is not the union of %v and %v", got, a, b)
		}
		score := map[int]float64{}
		for i, h := range fused {
			score[h.Slot] = h.Score
			if i > 0 && fused[i-1].Score < h.Score {
				t.Fatalf("not sorted at %d", i)
			}
			if h.Score != h.Shares[0]+h.Shares[1] {
				t.Fatalf("shares of %d do not sum up", h.Slot)
			}
		}
		// Symmetry: legs may change places.
		for _, h := range fusion.Reciprocal(k, fusion.Leg{w, b}, fusion.Leg{1, a}) {
			if h.Score != score[h.Slot] {
				t.Fatalf("slot %d: %v one way, %v the other", h.Slot, score[h.Slot], h.Score)
			}
		}
		// Weight 0 equals the other leg alone.
		if alone := slots(fusion.Reciprocal(k, fusion.Leg{1, a}, fusion.Leg{0, b})); !slices.Equal(alone, a) {
			t.Fatalf("weight 0: %v, want %v", alone, a)
		}
	})
}

func TestRisingHelps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := ranking.Draw(t, "a"), ranking.Draw(t, "b")
		if len(a) < 2 {
			return
		}
		i := rapid.IntRange(1, len(a)-1).Draw(t, "i")
		rising := slices.Clone(a)
		rising[0], rising[i] = rising[i], rising[0]
		slot := a[i]
		at := func(a []int) (int, float64) {
			fused := fusion.Reciprocal(60, fusion.Leg{1, a}, fusion.Leg{1, b})
			n := slices.Index(slots(fused), slot)
			return n, fused[n].Score
		}
		before, low := at(a)
		after, high := at(rising)
		if after > before || high <= low {
			t.Fatalf("rose from rank %d to 1 and fell from place %d to %d", i+1, before, after)
		}
	})
}

func TestNamesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := ranking.Draw(t, "a"), ranking.Draw(t, "b")
		names := rapid.Permutation(seq(61)).Draw(t, "names")
		rename := func(s []int) []int {
			out := make([]int, len(s))
			for i, v := range s {
				out[i] = names[v]
			}
			return out
		}
		plain := fusion.Reciprocal(60, fusion.Leg{1, a}, fusion.Leg{1, b})
		renamed := fusion.Reciprocal(60, fusion.Leg{1, rename(a)}, fusion.Leg{1, rename(b)})
		if got, want := slots(renamed), rename(slots(plain)); !slices.Equal(got, want) {
			t.Fatalf("renaming slots changed the order: %v, want %v", got, want)
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
