package baseline

import (
	"fmt"
	"slices"
	"strings"

	"candor/evals"
)

// Word is what the gate says.
type Word struct {
	Pass    bool     `json:"pass"`
	Reasons []string `json:"reasons"` // why it does not pass; never nil
	Notes   []string `json:"notes"`   // what else a reviewer wants to know; never nil
}

// slack is how far a metric may fall below the committed one: half a unit of the
// last digit that a baseline holds.
const slack = 0.00005

// Gate judges a card: by its hard zeros, by the plain unsupported topics, all of
// which must be refused, and by the committed baseline, which nothing may fall
// below. Without a baseline only the first two judge.
func (c Card) Gate(committed *Baseline) Word {
	w := Word{Reasons: []string{}, Notes: []string{}}
	c.hardZeros(&w)
	c.plain(&w)
	if committed == nil {
		w.note("no committed baseline to compare with: candor eval baseline --write makes one")
	} else {
		c.against(*committed, &w)
	}
	w.Pass = len(w.Reasons) == 0
	return w
}

func (w *Word) fail(format string, args ...any) {
	w.Reasons = append(w.Reasons, fmt.Sprintf(format, args...))
}

func (w *Word) note(format string, args ...any) {
	w.Notes = append(w.Notes, fmt.Sprintf(format, args...))
}

func (c Card) hardZeros(w *Word) {
	for _, z := range Zeros {
		if n := c.Count(z); n > 0 {
			w.fail("%s: %d, must be 0", z, n)
		}
		if slices.Contains(c.Wanted, z) && c.Probes[z] == 0 {
			w.fail("%s: nothing was probed", z)
		}
	}
}

// plain wants every plain unsupported topic refused, and some answer at all: a gate
// that refuses everything would pass the rest.
func (c Card) plain(w *Word) {
	asked, answered, answerable, passed := 0, 0, 0, 0
	for _, r := range c.Results {
		switch {
		case r.Slice == evals.Unsupported && (r.Sub == "" || r.Sub == "plain"):
			asked++
			if r.Verdict != Pass {
				answered++
			}
		case r.Slice == evals.Answerable:
			answerable++
			if r.Verdict == Pass {
				passed++
			}
		}
	}
	if answered > 0 {
		w.fail("plain unsupported questions: %d of %d answered, must be 0", answered, asked)
	}
	if answerable > 0 && passed == 0 {
		w.fail("answerable questions: none of %d passed", answerable)
	}
}

// against compares with the committed baseline, topic by topic where topics have
// changed, so that a new topic is no regression.
func (c Card) against(b Baseline, w *Word) {
	for _, part := range c.Fingerprint.Diff(b.Fingerprint) {
		w.note("%s is not what the baseline was written with", part)
	}
	now, shared := c.shared(b)
	if c.Topics != b.Topics {
		w.note("the topics have changed since the baseline: %d of %d are compared", shared, len(c.Results))
	}
	for _, g := range now {
		if g.now < g.then {
			w.fail("%s: %d of %d pass, %d in the baseline; now failing: %s", g.name, g.now, g.n, g.then, strings.Join(g.fallen, ", "))
		} else if len(g.fallen) > 0 {
			w.note("%s: now failing: %s", g.name, strings.Join(g.fallen, ", "))
		}
		if len(g.risen) > 0 {
			w.note("%s: now passing: %s", g.name, strings.Join(g.risen, ", "))
		}
	}
	if c.Topics == b.Topics {
		metrics(c.Metrics(), b.Metrics, w)
	}
}

// change is one slice then and now, over the topics that both have.
type change struct {
	name          string
	n, then, now  int
	fallen, risen []string
}

func (c Card) shared(b Baseline) (out []change, shared int) {
	for _, slice := range evals.Slices {
		g := change{name: string(slice)}
		for _, r := range c.Results {
			then, ok := b.Verdicts[r.Topic]
			if r.Slice == slice && ok {
				g.add(r, then)
			}
		}
		if g.n > 0 {
			out = append(out, g)
			shared += g.n
		}
	}
	return out, shared
}

func (g *change) add(r Result, then Verdict) {
	g.n++
	if then == Pass {
		g.then++
	}
	if r.Verdict == Pass {
		g.now++
	}
	switch {
	case then == Pass && r.Verdict != Pass:
		g.fallen = append(g.fallen, r.Topic)
	case then != Pass && r.Verdict == Pass:
		g.risen = append(g.risen, r.Topic)
	}
}

func metrics(now, then Metrics, w *Word) {
	for _, m := range []struct {
		name      string
		now, then float64
	}{
		{"hit@1", now.Hit1, then.Hit1},
		{"recall@5", now.Recall5, then.Recall5},
		{"MRR@10", now.MRR, then.MRR},
	} {
		if m.now < m.then-slack {
			w.fail("%s: %.4f, was %.4f", m.name, m.now, m.then)
		} else if m.now > m.then+slack {
			w.note("%s: %.4f, was %.4f", m.name, m.now, m.then)
		}
	}
}
