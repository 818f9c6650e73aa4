package retrieval_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/fusion"
	"candor/retrieval"
)

// leg answers with slots, best first, after a wait.
type leg struct {
	slots []int
	terms []candor.Term
	err   error
	wait  time.Duration
	deaf  bool // does not obey its context
	limit int
}

func (l *leg) Retrieve(ctx context.Context, _ candor.Query, limit int) (candor.Ranking, error) {
	l.limit = limit
	if l.deaf {
		time.Sleep(l.wait)
	}
	select {
	case <-time.After(l.wait):
	case <-ctx.Done():
		return candor.Ranking{}, ctx.Err()
	}
	r := candor.Ranking{Terms: l.terms, Ceiling: 10}
	for i, s := range l.slots {
		h := candor.Hit{Slot: s, Score: 9 - float64(i)}
		for t, term := range l.terms {
			if term.Found == 0 {
				continue
			}
			h.Matched = append(h.Matched, t)
		}
		r.Hits = append(r.Hits, h)
	}
	return r, l.err
}

func order(r retrieval.Result) []int {
	out := []int{}
	for _, h := range r.Hits {
		out = append(out, h.Slot)
	}
	return out
}

func TestEngine(t *testing.T) {
	broken := errors.New("broken")
	lexical := func() *leg { return &leg{slots: []int{1, 2, 3}} }
	for _, c := range []struct {
		name     string
		engine   retrieval.Engine
		want     []int
		mode     candor.Mode
		reason   string
		deadline time.Duration // most time that it may take
	}{
		{
			"without a semantic leg",
			retrieval.Engine{Lexical: lexical(), Why: "no verdict"},
			[]int{1, 2, 3},
			candor.ModeLexical, "no verdict", 0,
		},
		{
			"both",
			retrieval.Engine{Lexical: lexical(), Semantic: &leg{slots: []int{3, 4}}},
			[]int{3, 1, 2, 4},
			candor.ModeHybrid, "", 0,
		},
		{
			"the semantic leg fails",
			retrieval.Engine{Lexical: lexical(), Semantic: &leg{err: broken}},
			[]int{1, 2, 3},
			candor.ModeLexical, "the embedder did not answer", 0,
		},
		{
			"the semantic leg is late",
			retrieval.Engine{Lexical: lexical(), Semantic: &leg{wait: time.Hour}, Deadline: time.Second},
			[]int{1, 2, 3},
			candor.ModeLexical, "the embedder did not answer in time", time.Second,
		},
		{
			"the semantic leg is late and deaf",
			retrieval.Engine{Lexical: lexical(), Semantic: &leg{wait: time.Minute, deaf: true}},
			[]int{1, 2, 3},
			candor.ModeLexical, "the embedder did not answer in time", retrieval.DefaultDeadline,
		},
		{
			"the lexical leg fails",
			retrieval.Engine{Lexical: &leg{err: broken}, Semantic: &leg{slots: []int{3, 4}}},
			[]int{3, 4},
			candor.ModeSemantic, "the lexical leg failed", 0,
		},
		{
			"the semantic leg measured alone",
			retrieval.Engine{Semantic: &leg{slots: []int{3, 4}}},
			[]int{3, 4},
			candor.ModeSemantic, "asked for the semantic leg alone", 0,
		},
		{
			"a weight of 0 is the other leg alone",
			retrieval.Engine{Lexical: lexical(), Semantic: &leg{slots: []int{3, 4}}, Fusion: fusion.Params{Lexical: 1}},
			[]int{1, 2, 3},
			candor.ModeHybrid, "", 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r, err := c.engine.Search(t.Context(), candor.Query{Text: "q"}, 10)
				took := time.Since(start)
				defer time.Sleep(time.Hour) // lets the deaf one end
				if err != nil {
					t.Fatal(err)
				}
				if took > c.deadline {
					t.Errorf("took %v", took)
				}
				if diff := cmp.Diff(c.want, order(r)); diff != "" {
					t.Error(diff)
				}
				if r.Mode != c.mode || r.ModeReason != c.reason {
					t.Errorf("mode %q because %q", r.Mode, r.ModeReason)
				}
			})
		})
	}
}

func TestEngineFails(t *testing.T) {
	lost, down := errors.New("lost"), errors.New("down")
	for name, e := range map[string]retrieval.Engine{
		"no legs":       {},
		"lexical alone": {Lexical: &leg{err: lost}},
		"both":          {Lexical: &leg{err: lost}, Semantic: &leg{err: down}},
	} {
		if _, err := e.Search(t.Context(), candor.Query{}, 10); err == nil {
			t.Errorf("%s: no error", name)
		} else if name == "both" && (!errors.Is(err, lost) || !errors.Is(err, down)) {
			t.Errorf("%s: %v hides a cause", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := retrieval.Engine{Lexical: &leg{}, Semantic: &leg{wait: time.Hour}}
	if _, err := e.Search(ctx, candor.Query{}, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLegsAreAskedDeep: what a leg leaves out gets nothing from it, so both give 100.
func TestLegsAreAskedDeep(t *testing.T) {
	lexical, semantic := &leg{slots: []int{1, 2, 3}}, &leg{slots: []int{1, 2, 3}}
	e := retrieval.Engine{Lexical: lexical, Semantic: semantic}
	r, err := e.Search(t.Context(), candor.Query{}, 2)
	if err != nil || len(r.Hits) != 2 {
		t.Fatal(r.Hits, err)
	}
	if lexical.limit < 100 || semantic.limit < 100 {
		t.Errorf("asked for %d and %d", lexical.limit, semantic.limit)
	}
}

func TestPin(t *testing.T) {
	gyrfalcon := candor.Term{Text: "gyrfalcon", Weight: 9, Found: 1}
	config := candor.Term{Text: "config", Weight: 1, Found: 45}
	birds := []int{8, 9, 7}
	for _, c := range []struct {
		name  string
		terms []candor.Term
		pin   retrieval.Pin
		want  bool
	}{
		{"a word that one chunk holds", []candor.Term{gyrfalcon}, retrieval.Pin{}, true},
		{"beside a common one", []candor.Term{config, gyrfalcon}, retrieval.Pin{}, true},
		{"a common word", []candor.Term{config}, retrieval.Pin{}, false},
		{"beside a word that no chunk holds", []candor.Term{gyrfalcon, {Text: "eyrie", Weight: 10}}, retrieval.Pin{}, false},
		{"switched off", []candor.Term{gyrfalcon}, retrieval.Pin{Found: -1}, false},
		{"under a stricter score", []candor.Term{gyrfalcon}, retrieval.Pin{Score: 0.95}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := retrieval.Engine{
				Lexical:  &leg{slots: []int{5, 8}, terms: c.terms},
				Semantic: &leg{slots: birds}, Pin: c.pin,
			}
			r, err := e.Search(t.Context(), candor.Query{}, 10)
			if err != nil {
				t.Fatal(err)
			}
			want := []int{8, 5, 9, 7}
			if c.want {
				want = []int{5, 8, 9, 7}
			}
			if diff := cmp.Diff(want, order(r)); diff != "" || r.Hits[0].Pinned != c.want {
				t.Errorf("pinned %v\n%s", r.Hits[0].Pinned, diff)
			}
		})
	}
}
