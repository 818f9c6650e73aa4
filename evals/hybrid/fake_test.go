package hybrid_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"candor"
	"candor/evals"
	"candor/evals/hybrid"
	"candor/evidence"
)

// world is Legs over an invented vault whose truth is known: which passage answers each
// topic, and how far each leg sees it.
type world struct {
	suite evals.Suite
	pairs map[string]hybrid.Pair // by question
}

// leg makes the scores of one leg: how much the right passage stands out of the noise.
type leg func(random *rand.Rand, topic int) (signal, noise float64)

// Legs of the worlds.
func fair(*rand.Rand, int) (float64, float64)  { return 0.5, 0.35 }
func sharp(*rand.Rand, int) (float64, float64) { return 0.9, 0.25 }
func blind(*rand.Rand, int) (float64, float64) { return 0, 0.5 }

// passages is the size of the invented vault.
const passages = 120

func path(slot int) candor.Path { return candor.Path(fmt.Sprintf("note-%03d.md", slot)) }

func cite(slot int) candor.Citation {
	return candor.Citation{ID: candor.CitationID(path(slot), candor.Span{Start: 1, End: 2}, "00000000"), Path: path(slot), StartLine: 1, EndLine: 2}
}

// newWorld invents n answerable topics and half as many without an answer.
func newWorld(n int, seed uint64, lexical, semantic leg) world {
	random := rand.New(rand.NewPCG(seed, 1))
	w := world{pairs: map[string]hybrid.Pair{}}
	var topics []evals.Topic
	for i := range n + n/2 {
		t := evals.Topic{ID: fmt.Sprintf("t%03d", i), Question: fmt.Sprintf("question %d", i), Slice: evals.Unsupported}
		answer := -1
		if i < n {
			answer = random.IntN(passages)
			t.Slice, t.Sub = evals.Answerable, []string{"fact", "how", "paraphrase"}[i%3]
			t.Expect = []evals.Expected{{Path: path(answer), Grade: 1}}
		}
		topics = append(topics, t)
		w.pairs[t.Question] = hybrid.Pair{
			Lexical:  ranking(random, answer, i, lexical, 40),
			Semantic: ranking(random, answer, i, semantic, 100),
			Cite:     cite,
			Took:     hybrid.Took{Lexical: time.Millisecond, Semantic: 9 * time.Millisecond},
		}
	}
	w.suite = evals.NewSuite("invented", topics)
	return w
}

// ranking draws scores from 0 to 1. Both words of the question stand in each passage, so
// that its score alone decides at the gates.
func ranking(random *rand.Rand, answer, topic int, l leg, limit int) candor.Ranking {
	signal, noise := l(random, topic)
	r := candor.Ranking{Terms: []candor.Term{{Text: "a", Weight: 1}, {Text: "b", Weight: 1}}, Ceiling: 1}
	for slot := range passages {
		s := noise * random.Float64()
		if slot == answer {
			s += signal * (0.3 + 0.7*random.Float64())
		}
		r.Hits = append(r.Hits, candor.Hit{Slot: slot, Score: s, Matched: []int{0, 1}})
	}
	slices.SortFunc(r.Hits, func(a, b candor.Hit) int {
		if a.Score > b.Score {
			return -1
		}
		return 1
	})
	r.Hits = r.Hits[:limit]
	return r
}

func (w world) Legs(_ context.Context, q evals.Question) (hybrid.Pair, error) {
	p, ok := w.pairs[q.Text]
	if !ok {
		return p, &candor.InputError{Field: "query", Why: "seems to hold a secret"}
	}
	return p, nil
}

var held = []hybrid.HardZero{{Name: "leak", Probes: 9, Wanted: true}, {Name: "secret"}}

var setup = hybrid.Setup{Model: "m1", Chunker: "140 words", Analyzer: "en", Fusion: "1", Pin: "2 0.4 0.6", Gates: "0.3"}

var options = hybrid.Options{Gates: evidence.Gates{MinScore: 0.34, Tail: 0.6}, System: evals.Fingerprint{Model: "m1"}}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// measure runs a world.
func measure(t *testing.T, w world) hybrid.Measured {
	t.Helper()
	m, err := hybrid.Measure(t.Context(), w, w.suite, options)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// once holds the world that most tests look at.
var once struct {
	sync.Once
	measured hybrid.Measured
	verdict  hybrid.Verdict
}

// better is a world in which hybrid is better, measured and decided.
func better(t *testing.T) (hybrid.Measured, hybrid.Verdict) {
	t.Helper()
	once.Do(func() {
		once.measured = measure(t, newWorld(60, 1, fair, sharp))
		var err error
		once.verdict, err = once.measured.Decide(hybrid.Case{Setup: setup, Zeros: held, Now: noon, Candor: "1.0.0"})
		if err != nil {
			t.Fatal(err)
		}
	})
	return once.measured, once.verdict
}

// decide runs a world and decides.
func decide(t *testing.T, w world) hybrid.Verdict {
	t.Helper()
	v, err := measure(t, w).Decide(hybrid.Case{Setup: setup, Zeros: held, Now: noon, Candor: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
