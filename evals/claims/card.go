package claims

import (
	"fmt"
	"io"
	"slices"

	"candor/evals"
	"candor/provenance"
)

// Verdict is what became of one claim.
type Verdict struct {
	ID       int                 `json:"id"`
	Kind     Kind                `json:"kind"`
	Unseen   bool                `json:"unseen"`
	Fact     bool                `json:"fact"` // right, by the label
	Quadrant provenance.Quadrant `json:"quadrant"`
	Cause    provenance.Cause    `json:"cause"`
	Call     provenance.Verdict  `json:"call"`    // of the passage that its call served
	Context  bool                `json:"context"` // supported by something that its answer's calls served

	text string
}

// passes reports whether a claim is judged right on both axes.
func (v Verdict) passes() bool { return v.Quadrant == provenance.BothRight }

// factRight reports whether a claim's fact is judged right.
func (v Verdict) factRight() bool {
	return v.Quadrant == provenance.BothRight || v.Quadrant == provenance.WrongSource
}

// Order is where two notes that differ stand in an answer; 0 is nowhere.
type Order struct {
	Question  string `json:"question"`
	Counts    int    `json:"counts"`
	Otherwise int    `json:"otherwise"`
	Shown     bool   `json:"shown"` // both are flagged as differing
}

// holds reports whether what counts is given, and before what says otherwise.
func (o Order) holds() bool { return o.Counts > 0 && (o.Otherwise == 0 || o.Counts < o.Otherwise) }

// Probe is a try at one way to lose provenance.
type Probe struct {
	Way   string `json:"way"`
	What  string `json:"what"`
	Holds bool   `json:"holds"`
}

// Card is the scorecard of a run.
type Card struct {
	Verdicts  []Verdict `json:"verdicts"`
	Conflicts []Order   `json:"conflicts"`
	Probes    []Probe   `json:"probes"`
}

// Unseen gives the card of the claims that rules were not tuned on.
func (c Card) Unseen() Card {
	c.Verdicts = slices.DeleteFunc(slices.Clone(c.Verdicts), func(v Verdict) bool { return !v.Unseen })
	return c
}

// Rates are the numbers of a card, each with how many claims it is over.
type Rates struct {
	Sourced     Rate `json:"sourced"`      // rightly sourced claims that pass
	WrongSource Rate `json:"wrong_source"` // wrongly sourced claims that pass as rightly sourced
	False       Rate `json:"false"`        // false or half supported claims that pass
	Precision   Rate `json:"precision"`    // claims that pass, over all
	Labelled    Rate `json:"labelled"`     // claims that should pass, over all
	Correct     Rate `json:"correct"`      // claims that pass and should, over those that pass
	Hidden      Rate `json:"hidden"`       // right facts judged to have a wrong source, over right facts
	ByCall      Rate `json:"by_call"`      // right facts that their very call supports
	ByContext   Rate `json:"by_context"`   // right facts that anything served supports
	Conflicts   Rate `json:"conflicts"`    // what counts stands first
	Shown       Rate `json:"shown"`        // both sides are flagged
	Probes      Rate `json:"probes"`       // that hold
}

// Rate is a share.
type Rate struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Rate float64 `json:"rate"`
}

func (r *Rate) add(of, hit bool) {
	if !of {
		return
	}
	r.Of++
	if hit {
		r.N++
	}
	r.Rate = float64(r.N) / float64(r.Of)
}

// Rates computes the numbers.
func (c Card) Rates() Rates {
	var r Rates
	for _, v := range c.Verdicts {
		should := v.Kind == Sourced
		r.Sourced.add(should, v.passes())
		r.WrongSource.add(!v.Kind.source(), v.passes())
		r.False.add(v.Kind.source() && !v.Fact, v.passes())
		r.Precision.add(true, v.passes())
		r.Labelled.add(true, should)
		r.Correct.add(v.passes(), should)
		r.Hidden.add(v.factRight(), v.Quadrant == provenance.WrongSource)
		r.ByCall.add(v.Fact, v.Call == provenance.Supported)
		r.ByContext.add(v.Fact, v.Context)
	}
	for _, o := range c.Conflicts {
		r.Conflicts.add(true, o.holds())
		r.Shown.add(true, o.Shown)
	}
	for _, p := range c.Probes {
		r.Probes.add(true, p.Holds)
	}
	return r
}

// Thresholds are what the claims of the demo must reach.
type Thresholds struct {
	Sourced     float64 // at least
	WrongSource float64 // at most
	False       float64 // at most
	Conflicts   float64 // at least
}

// Default are the thresholds of the gate.
func Default() Thresholds {
	return Thresholds{Sourced: 0.9, WrongSource: 0.05, False: 0.1, Conflicts: 0.8}
}

// Word is what the gate says.
type Word struct {
	Pass    bool     `json:"pass"`
	Reasons []string `json:"reasons"` // why it does not pass; never nil
}

// Gate holds the unseen claims against the thresholds; every probe must hold.
func (c Card) Gate(t Thresholds) Word {
	w := Word{Reasons: []string{}}
	r := c.Unseen().Rates()
	least := func(name string, rate Rate, bar float64) {
		if rate.Of == 0 || rate.Rate < bar {
			w.Reasons = append(w.Reasons, fmt.Sprintf("%s: %d of %d, at least %.0f%% is wanted", name, rate.N, rate.Of, 100*bar))
		}
	}
	most := func(name string, rate Rate, bar float64) {
		if rate.Of == 0 || rate.Rate > bar {
			w.Reasons = append(w.Reasons, fmt.Sprintf("%s: %d of %d, at most %.0f%% is wanted", name, rate.N, rate.Of, 100*bar))
		}
	}
	least("rightly sourced claims that pass", r.Sourced, t.Sourced)
	most("wrongly sourced claims that pass", r.WrongSource, t.WrongSource)
	most("false claims that pass", r.False, t.False)
	least("conflicts in which what counts stands first", r.Conflicts, t.Conflicts)
	for _, p := range c.Probes {
		if !p.Holds {
			w.Reasons = append(w.Reasons, p.Way+": "+p.What)
		}
	}
	if len(c.Probes) == 0 {
		w.Reasons = append(w.Reasons, "nothing was probed")
	}
	w.Pass = len(w.Reasons) == 0
	return w
}

// Report writes the card, the unseen claims by kind first, and the gate's word last.
func (c Card) Report(w io.Writer, word Word, format evals.Format) error {
	tables := []evals.Table{
		c.Unseen().kinds("Unseen claims"), c.kinds("All claims"), c.rates(), c.conflicts(), c.probes(),
	}
	for _, t := range tables {
		if err := t.Write(w, format); err != nil {
			return err
		}
	}
	head := "gate: pass"
	if !word.Pass {
		head = "gate: FAIL"
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for _, r := range word.Reasons {
		if _, err := fmt.Fprintln(w, "  -", r); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) kinds(title string) evals.Table {
	t := evals.Table{Title: title, Header: []string{
		"kind", "n", "both right", "right fact, wrong source", "wrong fact", "both wrong", "cannot be told",
	}}
	for _, k := range Kinds {
		n, by := 0, map[provenance.Quadrant]int{}
		for _, v := range c.Verdicts {
			if v.Kind == k {
				n++
				by[v.Quadrant]++
			}
		}
		if n > 0 {
			t.Add(k, n, by[provenance.BothRight], by[provenance.WrongSource], by[provenance.WrongFact], by[provenance.BothWrong], by[provenance.Unknown])
		}
	}
	return t
}

func (c Card) rates() evals.Table {
	t := evals.Table{Title: "Rates", Header: []string{"of claims", "unseen", "of", "all", "of"}}
	u, a := c.Unseen().Rates(), c.Rates()
	for _, row := range []struct {
		name        string
		unseen, all Rate
	}{
		{"rightly sourced that pass", u.Sourced, a.Sourced},
		{"wrongly sourced that pass", u.WrongSource, a.WrongSource},
		{"false or half supported that pass", u.False, a.False},
		{"citation precision: that pass", u.Precision, a.Precision},
		{"the same by the labels", u.Labelled, a.Labelled},
		{"that pass and should", u.Correct, a.Correct},
		{"wrong-source rate: right facts with a wrong source", u.Hidden, a.Hidden},
		{"right facts supported by their very call", u.ByCall, a.ByCall},
		{"right facts supported by the whole context", u.ByContext, a.ByContext},
		{"conflicts: what counts stands first", u.Conflicts, a.Conflicts},
		{"conflicts: both sides are flagged", u.Shown, a.Shown},
		{"probes that hold", u.Probes, a.Probes},
	} {
		t.Add(row.name, row.unseen.Rate, row.unseen.Of, row.all.Rate, row.all.Of)
	}
	return t
}

func (c Card) conflicts() evals.Table {
	t := evals.Table{Title: "Conflicts", Header: []string{"question", "rank of what counts", "rank of the other", "shown"}}
	for _, o := range c.Conflicts {
		t.Add(o.Question, o.Counts, o.Otherwise, o.Shown)
	}
	return t
}

func (c Card) probes() evals.Table {
	t := evals.Table{Title: "Ways to lose provenance", Header: []string{"way", "probe", "holds"}}
	for _, p := range c.Probes {
		t.Add(p.Way, p.What, p.Holds)
	}
	return t
}
