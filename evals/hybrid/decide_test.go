package hybrid_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"candor"
	"candor/evals"
	"candor/evals/hybrid"
	"candor/fusion"
)

func TestDecision(t *testing.T) {
	for _, c := range []struct {
		name   string
		world  world
		yes    bool
		reason string
	}{
		{"a leg that sees more is used", newWorld(60, 1, fair, sharp), true, "nDCG@10 +"},
		{"a random embedder is not", newWorld(60, 2, fair, blind), false, "not "},
		{"nor beside a good lexical leg", newWorld(30, 3, sharp, blind), false, "not "},
		{"eight topics are too few, however good", newWorld(8, 4, blind, sharp), false, "too few topics: 8 count, at least 20 are needed, and about"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := decide(t, c.world)
			if v.Yes != c.yes || !strings.HasPrefix(v.Reason, c.reason) {
				t.Errorf("%v, %s; want %v, %s…\n%+v", v.Yes, v.Reason, c.yes, c.reason, v.Ruling)
			}
		})
	}
}

// TestShuffledLegTurnsRed: what was a yes is a no once one leg's hits are dealt anew.
func TestShuffledLegTurnsRed(t *testing.T) {
	w := newWorld(60, 1, fair, fair) // each sees what the other overlooks
	clean := measure(t, w)
	if r := hybrid.Judge(clean.Lexical, clean.Hybrid, hybrid.Rule{}); !r.Yes {
		t.Fatal("unshuffled:", r.Reasons)
	}
	for name, leg := range map[string]func(*hybrid.Pair) *candor.Ranking{
		"lexical":  func(p *hybrid.Pair) *candor.Ranking { return &p.Lexical },
		"semantic": func(p *hybrid.Pair) *candor.Ranking { return &p.Semantic },
	} {
		random := rand.New(rand.NewPCG(7, 7))
		broken := world{w.suite, map[string]hybrid.Pair{}}
		for _, topic := range w.suite.Topics {
			p := w.pairs[topic.Question]
			shuffle(leg(&p), random)
			broken.pairs[topic.Question] = p
		}
		// The lexical run is the one on record, the hybrid run the broken one.
		if r := hybrid.Judge(clean.Lexical, measure(t, broken).Hybrid, hybrid.Rule{}); r.Yes {
			t.Errorf("%s leg shuffled: yes, %+v", name, r.Main)
		}
	}
}

// shuffle deals the slots of a ranking anew, in a copy.
func shuffle(r *candor.Ranking, random *rand.Rand) {
	r.Hits = slices.Clone(r.Hits)
	random.Shuffle(len(r.Hits), func(i, j int) {
		r.Hits[i].Slot, r.Hits[j].Slot = r.Hits[j].Slot, r.Hits[i].Slot
	})
}

// TestNoTopicTeachesItsOwnMeasurement: whatever is done to one topic, the constants that it
// is measured with stay; and it does teach, so those of others move.
func TestNoTopicTeachesItsOwnMeasurement(t *testing.T) {
	clean := newWorld(20, 5, fair, fair)
	before := measure(t, clean)
	moved := 0
	for _, victim := range clean.suite.Topics {
		w := world{clean.suite, map[string]hybrid.Pair{}}
		for q, p := range clean.pairs {
			w.pairs[q] = p
		}
		poison := w.pairs[victim.Question]
		shuffle(&poison.Semantic, rand.New(rand.NewPCG(3, 3)))
		for i := range poison.Semantic.Hits {
			poison.Semantic.Hits[i].Score = 0.9999 - float64(i)/1e6
		}
		w.pairs[victim.Question] = poison
		after := measure(t, w)
		if before.Unseen[victim.ID] != after.Unseen[victim.ID] {
			t.Fatalf("%s taught what measures it: %v, then %v", victim.ID, before.Unseen[victim.ID], after.Unseen[victim.ID])
		}
		for id, p := range after.Unseen {
			if p != before.Unseen[id] {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no topic taught anything: the poison shows nothing")
	}
}

func TestHardZeros(t *testing.T) {
	m, _ := better(t)
	for want, zeros := range map[string][]hybrid.HardZero{
		"the hard zeros were not probed":            nil,
		"leak: 1 violations with hybrid, must be 0": {{Name: "leak", Violations: 1, Probes: 5, Wanted: true}},
		"secret: nothing was probed":                {{Name: "secret", Wanted: true}},
	} {
		v, err := m.Decide(hybrid.Case{Setup: setup, Zeros: zeros, Now: noon})
		if err != nil {
			t.Fatal(err)
		}
		if v.Yes || v.Reason != want {
			t.Errorf("yes %v: %q, want %q", v.Yes, v.Reason, want)
		}
	}
}

// runs makes two records with given outcomes.
func runs(outcomes ...[2]evals.Outcome) (a, b evals.Record) {
	for _, o := range outcomes {
		a.Outcomes, b.Outcomes = append(a.Outcomes, o[0]), append(b.Outcomes, o[1])
	}
	return a, b
}

// topics makes n topics of a slice with the same scores.
func topics(n int, slice evals.Slice, sub, score string, was, is float64) (out [][2]evals.Outcome) {
	for range n {
		o := evals.Outcome{Topic: slice0(slice, sub, score, len(out)), Slice: slice, Sub: sub}
		a, b := o, o
		a.Scores, b.Scores = map[string]float64{score: was}, map[string]float64{score: is}
		out = append(out, [2]evals.Outcome{a, b})
	}
	return out
}

func slice0(slice evals.Slice, sub, score string, n int) string {
	return strings.Join([]string{string(slice), sub, score, strings.Repeat("i", n)}, "/")
}

func TestRule(t *testing.T) {
	cat := func(parts ...[][2]evals.Outcome) (out [][2]evals.Outcome) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	won := topics(20, evals.Answerable, "a", evals.NDCG10, 0.5, 0.8)
	tied := topics(20, evals.Answerable, "b", evals.NDCG10, 1, 1)
	for _, c := range []struct {
		name     string
		outcomes [][2]evals.Outcome
		yes      bool
		said     string // a reason, or a note of a yes
	}{
		{"wins", cat(won, tied), true, "slice secret is empty: skipped"},
		{"one lucky topic among ties", cat(won[:1], tied), false, "not sure to be better"},
		{"two are luck still", cat(won[:2], tied), false, "not sure to be better"},
		{"nothing but ties", tied, false, "not better"},
		{"a slice that loses is a veto", cat(won, tied, topics(6, evals.Superseded, "", evals.NDCG10, 1, 0.9)), false, "slice superseded is worse"},
		{"too small a slice to tell", cat(won, tied, topics(3, evals.Superseded, "", evals.NDCG10, 1, 0.9)), true, "slice superseded has 3 topics: too few to see harm in it"},
		{"drafted wording does not count for it", cat(topics(40, evals.Answerable, "drafted", evals.NDCG10, 0, 1), tied), false, "not better"},
		{"nor against it", cat(topics(40, evals.Answerable, "drafted", evals.NDCG10, 1, 0), won, tied), true, "40 topics with drafted wording are shown and do not count"},
		{"one question answered wrongly is borne", cat(won, tied, topics(9, evals.Unsupported, "", evals.Refused, 1, 1), topics(1, evals.Unsupported, "x", evals.Refused, 1, 0)), true, ""},
		{"two are not", cat(won, tied, topics(8, evals.Unsupported, "", evals.Refused, 1, 1), topics(2, evals.Unsupported, "x", evals.Refused, 1, 0)), false, "refused share is worse: 0.800, lexical 1.000, at most 0.100 less allowed"},
		{"one point of many is borne", cat(won, tied, topics(297, evals.Unsupported, "", evals.Refused, 1, 1), topics(3, evals.Unsupported, "x", evals.Refused, 1, 0)), true, ""},
		{"more is not", cat(won, tied, topics(296, evals.Unsupported, "", evals.Refused, 1, 1), topics(4, evals.Unsupported, "x", evals.Refused, 1, 0)), false, "refused share is worse"},
		{"no topics", nil, false, "no topic has an answer to look for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := runs(c.outcomes...)
			r := hybrid.Judge(a, b, hybrid.Rule{})
			said := strings.Join(append(r.Reasons, r.Notes...), "\n")
			if r.Yes != c.yes || !strings.Contains(said, c.said) {
				t.Errorf("yes %v, want %v with %q:\n%s", r.Yes, c.yes, c.said, said)
			}
		})
	}
}

func TestConfidenceIsObeyed(t *testing.T) {
	// Three wins among ties: p is 1/8 by signs.
	a, b := runs(append(topics(3, evals.Answerable, "a", evals.NDCG10, 0.3, 0.8), topics(20, evals.Answerable, "b", evals.NDCG10, 1, 1)...)...)
	if r := hybrid.Judge(a, b, hybrid.Rule{Confidence: 0.8}); !r.Yes || r.Main.P != 0.125 {
		t.Errorf("at 80%%: %+v", r)
	}
	if r := hybrid.Judge(a, b, hybrid.Rule{Confidence: 0.95}); r.Yes {
		t.Errorf("at 95%%: %+v", r)
	}
	for _, bad := range []float64{0.3, 1, -1} {
		opt := options
		opt.Confidence = bad
		if _, err := hybrid.Measure(t.Context(), world{}, evals.Suite{}, opt); err == nil || !strings.Contains(err.Error(), "hint:") {
			t.Errorf("confidence %g: %v", bad, err)
		}
	}
}

func TestFixedFusionIsWhatIsMeasured(t *testing.T) {
	w := newWorld(30, 1, fair, sharp)
	opt := options
	opt.Grid = []fusion.Params{{K: 7, Lexical: 2, Semantic: 1}}
	m, err := hybrid.Measure(t.Context(), w, w.suite, opt)
	if err != nil {
		t.Fatal(err)
	}
	for id, p := range m.Unseen {
		if p.Fusion != opt.Grid[0].Full() {
			t.Fatalf("%s was measured with %v", id, p)
		}
	}
	if m.Params.Fusion != opt.Grid[0].Full() || m.Challenge.Topics != 0 {
		t.Errorf("%v, %v", m.Params, m.Challenge)
	}
	opt.Grid[0].Semantic = 0
	if _, err := hybrid.Measure(t.Context(), w, w.suite, opt); err == nil || !strings.Contains(err.Error(), "hint:") {
		t.Errorf("one leg alone: %v", err)
	}
}

// TestRandomEmbedders: of many, about as many pass as the confidence says, however they
// are learned from.
func TestRandomEmbedders(t *testing.T) {
	const owners = 60
	yes := 0
	for seed := range uint64(owners) {
		m := measure(t, newWorld(20, 100+seed, fair, blind))
		if hybrid.Judge(m.Lexical, m.Hybrid, hybrid.Rule{}).Yes {
			yes++
		}
	}
	if yes > owners/5 {
		t.Errorf("%d of %d random embedders passed", yes, owners)
	}
	t.Logf("%d of %d", yes, owners)
}

// TestCosineCutIsLearned: a cosine that tells answers from noise lets paraphrases through
// that the lexical bars refuse, and nothing else.
func TestCosineCutIsLearned(t *testing.T) {
	faint := func(*rand.Rand, int) (float64, float64) { return 0.1, 0.33 }
	m := measure(t, newWorld(40, 6, faint, sharp))
	if cut := m.Params.Gates.MinCosine; cut < 0.2 || cut > 0.45 {
		t.Errorf("the cut is %.3f; noise ends at 0.25", cut)
	}
	was, is := m.Lexical.Mean(evals.Answered), m.Hybrid.Mean(evals.Answered)
	if was > 0.5 || is < 0.9 {
		t.Errorf("answered %.2f, lexical %.2f", is, was)
	}
	if was, is := m.Lexical.Mean(evals.Refused), m.Hybrid.Mean(evals.Refused); is < was-0.05 {
		t.Errorf("refused %.2f, lexical %.2f", is, was)
	}
	few := newWorld(8, 6, faint, sharp) // four without an answer
	if m := measure(t, few); m.Params.Gates.MinCosine != 0 {
		t.Errorf("a cut of %.3f from four refusals", m.Params.Gates.MinCosine)
	}
}

// TestPinStandsAboveFusion: what the engine pins is measured pinned.
func TestPinStandsAboveFusion(t *testing.T) {
	w := newWorld(20, 1, fair, sharp)
	for q, p := range w.pairs {
		p.Pinned = true
		w.pairs[q] = p
	}
	m := measure(t, w)
	for i, o := range m.Hybrid.Outcomes {
		if o.Top[0] != m.Lexical.Outcomes[i].Top[0] {
			t.Errorf("%s: %s first, pinned %s", o.Topic, o.Top[0], m.Lexical.Outcomes[i].Top[0])
		}
	}
}

func TestRefusedQuestionIsAnAbstention(t *testing.T) {
	w := newWorld(20, 1, fair, sharp)
	asked := w.suite.Topics[0]
	delete(w.pairs, asked.Question)
	m := measure(t, w)
	for _, r := range []evals.Record{m.Lexical, m.Hybrid} {
		if o := r.Outcomes[0]; o.Topic != asked.ID || !o.Abstained || o.Scores[evals.NDCG10] != 0 || len(o.Top) != 0 {
			t.Errorf("%s: %+v", r.Tag, o)
		}
	}
}
