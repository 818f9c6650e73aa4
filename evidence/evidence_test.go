package evidence_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"candor"
	"candor/evidence"
)

// question makes a ranking of one hit: the weight of each word of the question, which of
// them the passage holds, and the share of the highest score.
func question(share float64, weights []float64, matched ...int) candor.Ranking {
	r := candor.Ranking{Unseen: absent}
	for _, w := range weights {
		found := 1
		if w >= absent {
			found = 0
		}
		r.Terms = append(r.Terms, candor.Term{Weight: w, Found: found})
		r.Ceiling += 2.2 * w
	}
	if len(matched) > 0 {
		r.Hits = []candor.Hit{{Slot: 7, Score: share * r.Ceiling, Matched: matched}}
	}
	return r
}

var none candor.Ranking

// Weights as they come out in a vault of 11,000 chunks, and in one of two.
const absent, rare, common = 10.0, 8.9, 3.5

func TestGates(t *testing.T) {
	for _, c := range []struct {
		name     string
		lexical  candor.Ranking
		answered bool
		reason   string
	}{
		{"both words of two", question(0.45, []float64{common, rare}, 0, 1), true, ""},
		{"hotel cap in a vault of one note", question(0.41, []float64{2.7, 2.7}, 0, 1), true, ""},
		{"one rare word alone", question(0.4, []float64{rare}, 0), true, ""},
		{"office dog: the common word of two", question(0.40, []float64{5, 7.3}, 0), false, "covered 0.41 of 0.75 needed"},
		{"office dog: the rarer word of two", question(0.45, []float64{5, 7.3}, 1), false, "covered 0.59 of 0.75 needed"},
		{"head of astrology: a stray rare word", question(0.46, []float64{4.1, rare}, 1), false, "covered 0.68 of 0.75 needed"},
		{"a rare exact word beside a common one", question(0.46, []float64{2.3, rare}, 1), true, ""},
		{"wifi password london office", question(0.16, []float64{8.1, 5.1, 8.4, 5}, 2), false, "relevance 0.16 of 0.24 needed"},
		{"zeppelin maintenance schedule", question(0.29, []float64{absent, 5.4, common}, 1, 2), false, "covered 0.28 of 0.49 needed"},
		{"four of nine words, well placed", question(0.26, []float64{5, 5, 5, 5, 5, 5, 5, 5, 5}, 0, 1, 2, 3), true, ""},
		{"all words, once each in a very long passage", question(0.12, []float64{5, 5, 5, 5, 5, 5}, 0, 1, 2, 3, 4, 5), false, "relevance 0.12 of 0.26 needed"},
		{"nothing found", question(0, []float64{absent, absent}), false, "no passage holds a word of the question"},
		{"no words", none, false, "the question has no word to look for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := evidence.Default().Assess(c.lexical, none)
			if v.Abstained == c.answered || !strings.Contains(v.Reason, c.reason) || v.Abstained != (v.Reason != "") {
				t.Errorf("abstained %v: %q; want answered %v, reason with %q", v.Abstained, v.Reason, c.answered, c.reason)
			}
			if v.Stands(7) != c.answered {
				t.Errorf("the hit stands: %v", v.Stands(7))
			}
		})
	}
}

// TestWhatIsMissing: two words of three, the third being of some kind.
func TestWhatIsMissing(t *testing.T) {
	reach := func(kind candor.Term) evidence.Reach {
		r := question(0.3, []float64{5, 5, 5}, 0, 1)
		r.Terms[2] = kind
		r.Terms[2].Weight = 5
		return evidence.Default().Assess(r, none).Best
	}
	last := reach(candor.Term{Text: "word", Found: 1}).Coverage
	for _, c := range []struct {
		name string
		kind candor.Term
	}{
		{"a name", candor.Term{Text: "slackwater", Found: 1, Name: true}},
		{"a word that is nowhere", candor.Term{Text: "zeppelin"}},
		{"a year", candor.Term{Text: "2024", Found: 1}},
		{"a year that is nowhere", candor.Term{Text: "1999"}},
	} {
		now := reach(c.kind).Coverage
		if now >= last {
			t.Errorf("%s costs no more: coverage %.2f after %.2f", c.name, now, last)
		}
		last = now
	}
	number, name := reach(candor.Term{Text: "r60", Found: 1}), reach(candor.Term{Text: "heron", Found: 1, Name: true})
	if number != name {
		t.Errorf("a number %+v is not what a name is, %+v", number, name)
	}
}

// TestWhereWordsStand: the same words count for less where they stand apart, and where
// only common ones are shared.
func TestWhereWordsStand(t *testing.T) {
	ask := func(closeness, share float64, weights ...float64) evidence.Verdict {
		r := question(share, weights, 0, 1)
		r.Hits[0].Close = closeness * (weights[0] + weights[1])
		return evidence.Default().Assess(r, none)
	}
	if near, apart := ask(1, 0.28, 5, 5, 5, 5), ask(0.5, 0.28, 5, 5, 5, 5); near.Abstained || !apart.Abstained {
		t.Errorf("close together: margin %.2f, apart: margin %.2f; want an answer and an abstention", near.Margin, apart.Margin)
	}
	if rare, usual := ask(1, 0.22, rare, rare, rare, rare), ask(1, 0.22, 2, 2, 2, 2); rare.Margin <= usual.Margin {
		t.Errorf("rare words: margin %.2f, common words: margin %.2f", rare.Margin, usual.Margin)
	}
}

// TestUnreadIsNotBest: a hit too far down to be read for where its words stand does not
// make an answer of an abstention.
func TestUnreadIsNotBest(t *testing.T) {
	r := question(0.1, []float64{5, 5, 5, 5}, 0, 1)
	r.Hits[0].Close = 5
	r.Hits = append(r.Hits, candor.Hit{Slot: 9, Score: 0.09 * r.Ceiling, Matched: []int{0, 1, 2, 3}})
	if v := evidence.Default().Assess(r, none); !v.Abstained || v.Best.Words != 2 {
		t.Errorf("abstained %v, best %+v", v.Abstained, v.Best)
	}
}

func TestBarsOff(t *testing.T) {
	weak := question(0.01, []float64{absent, absent, common}, 2)
	for name, c := range map[string]struct {
		gates    evidence.Gates
		answered bool
	}{
		"all off is the sabotage run": {evidence.Gates{}, true},
		"coverage alone refuses":      {evidence.Gates{MinCoverage: 0.3}, false},
		"score alone refuses":         {evidence.Gates{MinScore: 0.18}, false},
	} {
		if v := c.gates.Assess(weak, none); v.Abstained == c.answered {
			t.Errorf("%s: abstained %v", name, v.Abstained)
		}
	}
}

func TestOwnBarsAreKept(t *testing.T) {
	strict := evidence.Gates{MinScore: 0.7, MinCoverage: 0.9}
	v := strict.Assess(question(0.5, []float64{3, 3}, 0, 1), none)
	if want := "relevance 0.50 of 0.70 needed"; !strings.Contains(v.Reason, want) {
		t.Errorf("reason %q, want %q", v.Reason, want)
	}
	if v = (evidence.Gates{MinScore: 0.55, MinCoverage: 0.2}).Assess(question(0.54, []float64{3, 3}, 0, 1), none); !v.Abstained {
		t.Errorf("a firm bar gave way: margin %.2f", v.Margin)
	}
}

func TestCosine(t *testing.T) {
	gates := evidence.Default()
	paraphrase := candor.Ranking{Hits: []candor.Hit{{Slot: 1, Score: 0.6}, {Slot: 2, Score: 0.2}}}
	words := question(0.01, []float64{absent, absent})
	if v := gates.Assess(words, paraphrase); !v.Abstained {
		t.Error("an uncalibrated cosine let a paraphrase pass")
	}
	gates.MinCosine = 0.5
	v := gates.Assess(words, paraphrase)
	if v.Abstained || !v.Stands(1) || v.Stands(2) {
		t.Errorf("abstained %v, stands %v %v; want the paraphrase alone", v.Abstained, v.Stands(1), v.Stands(2))
	}
	if v = gates.Assess(words, candor.Ranking{Hits: paraphrase.Hits[1:]}); !strings.Contains(v.Reason, "meaning 0.20 of 0.50") {
		t.Errorf("reason %q", v.Reason)
	}
	exact := question(0.4, []float64{rare}, 0)
	if v = gates.Assess(exact, candor.Ranking{Hits: []candor.Hit{{Slot: 7, Score: 0.01}}}); v.Abstained {
		t.Error("a poor cosine voided an exact rare word:", v.Reason)
	}
}

func TestListEnds(t *testing.T) {
	r := question(0.4, []float64{5, 5, 5}, 0, 1, 2)
	r.Hits = append(r.Hits,
		candor.Hit{Slot: 8, Score: 0.2 * r.Ceiling, Matched: []int{0, 1}},
		candor.Hit{Slot: 9, Score: 0.1 * r.Ceiling, Matched: []int{0}})
	v := evidence.Default().Assess(r, none)
	got := []bool{v.Stands(7), v.Stands(8), v.Stands(9), v.Stands(10)}
	if diff := cmp.Diff([]bool{true, true, false, false}, got); diff != "" {
		t.Error(diff)
	}
	if want := "1 more fell below 0.60 of the bars"; v.Ended != want {
		t.Errorf("ended %q, want %q", v.Ended, want)
	}
}

// TestMoreEvidenceNeverHurts: an answer stays one when its passage covers another word or
// scores higher, and no numbers, however odd, are refused without a reason.
func TestMoreEvidenceNeverHurts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0.01, 12), 1, 20).Draw(t, "weights")
		var matched []int
		for i := range weights {
			if rapid.Bool().Draw(t, "matched") {
				matched = append(matched, i)
			}
		}
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		more := rapid.Float64Range(share, 1).Draw(t, "more")
		before := evidence.Default().Assess(question(share, weights, matched...), none)
		if before.Abstained == (before.Reason == "") {
			t.Fatalf("abstained %v with reason %q", before.Abstained, before.Reason)
		}
		all := make([]int, len(weights))
		for i := range all {
			all[i] = i
		}
		if after := evidence.Default().Assess(question(more, weights, all...), none); !before.Abstained && after.Abstained {
			t.Fatalf("more evidence was refused: %s", after.Reason)
		}
	})
}
