package fusion_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"candor"
	"candor/fusion"
)

func TestBlend(t *testing.T) {
	const p, q, r = 1, 2, 3
	words := fusion.Scores{Weight: 1, Slots: []int{p, q}, Scores: []float64{1, 0.9}}
	for _, c := range []struct {
		name string
		legs []fusion.Scores
		want []int
	}{
		{"no legs", nil, nil},
		{"a wide gap outweighs a narrow one", []fusion.Scores{words, {Weight: 1, Slots: []int{q, p}, Scores: []float64{0.8, 0.4}}}, []int{q, p}},
		{"weight 0 is the other leg alone", []fusion.Scores{words, {Slots: []int{r}, Scores: []float64{9}}}, []int{p, q}},
		{"equal sums go by the first leg", []fusion.Scores{words, {Weight: 1, Slots: []int{q, p}, Scores: []float64{0.6, 0.5}}}, []int{p, q}},
		{"what a leg left out has its floor", []fusion.Scores{words, {Weight: 1, Slots: []int{q, r}, Scores: []float64{0.6, 0.55}, Floor: 0.55}}, []int{p, q, r}},
		{"a score that is no number is the floor", []fusion.Scores{words, {Weight: 1, Slots: []int{q, p}, Scores: []float64{math.NaN(), math.Inf(1)}}}, []int{p, q}},
		{"slots without a score are left out", []fusion.Scores{{Weight: 1, Slots: []int{p, q}, Scores: []float64{1}}}, []int{p}},
		{"a repeat keeps its first score", []fusion.Scores{{Weight: 1, Slots: []int{p, q, p}, Scores: []float64{0.2, 0.1, 5}}}, []int{p, q}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, slots(fusion.Blend(c.legs...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// scored draws a ranking of a leg.
func scored(t *rapid.T, name string) candor.Ranking {
	var r candor.Ranking
	score := rapid.Float64Range(0.1, 30).Draw(t, name+" best")
	for _, slot := range ranking.Draw(t, name) {
		r.Hits = append(r.Hits, candor.Hit{Slot: slot, Score: score})
		score *= rapid.Float64Range(0.5, 1).Draw(t, "step")
	}
	if len(r.Hits) > 0 {
		r.Ceiling = r.Hits[0].Score * rapid.Float64Range(1, 20).Draw(t, name+" ceiling")
	}
	return r
}

func params(t *rapid.T) fusion.Params {
	return fusion.Params{
		Method:   rapid.SampledFrom([]fusion.Method{fusion.RRF, fusion.Linear}).Draw(t, "method"),
		K:        rapid.Float64Range(1, 100).Draw(t, "k"),
		Lexical:  rapid.Float64Range(0.1, 2).Draw(t, "lexical"),
		Semantic: rapid.Float64Range(0.1, 2).Draw(t, "semantic"),
		Ceiling:  rapid.Bool().Draw(t, "ceiling"),
	}
}

func scaled(r candor.Ranking, by float64) candor.Ranking {
	out := candor.Ranking{Hits: slices.Clone(r.Hits), Ceiling: r.Ceiling * by}
	for i := range out.Hits {
		out.Hits[i].Score *= by
	}
	return out
}

func TestFuseLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, lexical, semantic := params(t), scored(t, "lexical"), scored(t, "semantic")
		fused := p.Fuse(lexical, semantic)
		seen := map[int]bool{}
		for i, h := range fused {
			if seen[h.Slot] {
				t.Fatalf("slot %d twice", h.Slot)
			}
			seen[h.Slot] = true
			if i > 0 && fused[i-1].Score < h.Score {
				t.Fatalf("not sorted at %d", i)
			}
			if h.Score != h.Shares[0]+h.Shares[1] {
				t.Fatalf("shares of %d do not sum up", h.Slot)
			}
		}
		for _, h := range slices.Concat(lexical.Hits, semantic.Hits) {
			if !seen[h.Slot] {
				t.Fatalf("slot %d is lost", h.Slot)
			}
		}
		if diff := cmp.Diff(fused, p.Fuse(lexical, semantic)); diff != "" {
			t.Fatalf("not repeatable: %s", diff)
		}
		// A leg that found nothing does not disturb the other.
		if got, want := slots(p.Fuse(lexical, candor.Ranking{})), slots(fusion.Params{}.Fuse(lexical, candor.Ranking{})); !slices.Equal(got, want) {
			t.Fatalf("alone %v, want %v", got, want)
		}
		// The unit of the lexical score does not matter: it is another in each vault.
		by := math.Exp2(float64(rapid.IntRange(-4, 4).Draw(t, "by")))
		if got, want := slots(p.Fuse(scaled(lexical, by), semantic)), slots(fused); !slices.Equal(got, want) {
			t.Fatalf("lexical scores times %v: %v, want %v", by, got, want)
		}
	})
}

// TestCeiling: where the best lexical hit is a poor one, meaning counts for more over the
// ceiling; where it is a good one, words do.
func TestCeiling(t *testing.T) {
	semantic := candor.Ranking{Hits: []candor.Hit{{Slot: 2, Score: 0.7}, {Slot: 1, Score: 0.3}}}
	for ceiling, want := range map[float64]int{12: 1, 100: 2} {
		lexical := candor.Ranking{Hits: []candor.Hit{{Slot: 1, Score: 10}}, Ceiling: ceiling}
		p := fusion.Params{Method: fusion.Linear, Ceiling: true, Lexical: 0.5, Semantic: 0.5}
		if got := slots(p.Fuse(lexical, semantic)); got[0] != want {
			t.Errorf("ceiling %g: %v first, want %d", ceiling, got, want)
		}
		p.Ceiling = false
		if got := slots(p.Fuse(lexical, semantic)); got[0] != 1 {
			t.Errorf("over the best: %v", got)
		}
	}
}

// TestHigherScoreHelps: a hit whose cosine rises does not fall.
func TestHigherScoreHelps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, lexical, semantic := params(t), scored(t, "lexical"), scored(t, "semantic")
		if len(semantic.Hits) < 2 {
			return
		}
		i := rapid.IntRange(1, len(semantic.Hits)-1).Draw(t, "i")
		risen := candor.Ranking{Hits: slices.Clone(semantic.Hits)}
		h := risen.Hits[i]
		h.Score = risen.Hits[0].Score * 1.5
		copy(risen.Hits[1:i+1], risen.Hits[:i])
		risen.Hits[0] = h
		place := func(r candor.Ranking) int { return slices.Index(slots(p.Fuse(lexical, r)), h.Slot) }
		if before, after := place(semantic), place(risen); after > before {
			t.Fatalf("%v: rose to the top of its leg and fell from %d to %d", p, before, after)
		}
	})
}

func TestParams(t *testing.T) {
	for want, p := range map[string]fusion.Params{
		"rrf, k 60, lexical 1, semantic 1":                  {},
		"rrf, k 10, lexical 1, semantic 0.5":                {K: 10, Lexical: 1, Semantic: 0.5},
		"blend, lexical 0.65, semantic 0.35":                {Method: fusion.Linear, K: 3, Lexical: 0.65, Semantic: 0.35},
		"blend over the ceiling, lexical 0.5, semantic 0.5": {Method: fusion.Linear, Ceiling: true, Lexical: 0.5, Semantic: 0.5},
		"rrf, k 60, lexical 0.5, semantic 0.25":             {Ceiling: true, Method: fusion.RRF, K: -1, Lexical: 0.5, Semantic: 0.25},
	} {
		if got := fmt.Sprint(p); got != want || !p.Valid() {
			t.Errorf("%q, valid %v; want %q", got, p.Valid(), want)
		}
	}
	for _, p := range []fusion.Params{{Method: "sum"}, {Lexical: 1}, {Lexical: -1, Semantic: 1}, {Lexical: math.NaN(), Semantic: 1}} {
		if p.Valid() {
			t.Errorf("%+v is taken", p)
		}
	}
}
