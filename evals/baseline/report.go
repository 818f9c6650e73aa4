package baseline

import (
	"fmt"
	"io"

	"candor/evals"
)

// Report writes the scorecard and the gate's word, which stands last.
func (c Card) Report(w io.Writer, word Word, format evals.Format) error {
	for _, t := range []evals.Table{c.slices(), c.metrics(), c.zeros(), c.falseAnswers(), c.violations()} {
		if err := t.Write(w, format); err != nil {
			return err
		}
	}
	return word.Write(w)
}

// Write writes the gate's word: pass or fail, then why.
func (w Word) Write(out io.Writer) error {
	head := "gate: pass"
	if !w.Pass {
		head = "gate: FAIL"
	}
	if _, err := fmt.Fprintln(out, head); err != nil {
		return err
	}
	for _, r := range w.Reasons {
		if _, err := fmt.Fprintln(out, "  -", r); err != nil {
			return err
		}
	}
	for _, n := range w.Notes {
		if _, err := fmt.Fprintln(out, "  note:", n); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) slices() evals.Table {
	t := evals.Table{Title: "Slices", Header: []string{
		"slice", "n", "pass", "fail", "miss", "false abstention", "false answer", "violation",
	}}
	for _, g := range c.Groups() {
		t.Add(g.Name, g.N, g.Pass, g.Fail, g.Misses, g.FalseAbstentions, g.FalseAnswers, g.Violations)
	}
	return t
}

func (c Card) metrics() evals.Table {
	m := c.Metrics()
	t := evals.Table{Title: "As served", Header: []string{"score", "value"}}
	t.Add("hit@1", m.Hit1)
	t.Add("recall@5", m.Recall5)
	t.Add("MRR@10", m.MRR)
	t.Add("refused, of unsupported and denied", m.Refused)
	t.Add("false abstentions, of answerable", m.FalseAbstention)
	return t
}

func (c Card) zeros() evals.Table {
	t := evals.Table{Title: "Hard zeros", Header: []string{"violation", "count", "probes"}}
	for _, z := range Zeros {
		if c.Probes[z] > 0 || c.Count(z) > 0 {
			t.Add(z, c.Count(z), c.Probes[z])
		}
	}
	return t
}

func (c Card) falseAnswers() evals.Table {
	t := evals.Table{Title: "False answers", Header: []string{"topic", "slice", "path", "score"}}
	for _, f := range c.FalseAnswers {
		slice := string(f.Slice)
		if f.Sub != "" {
			slice += "/" + f.Sub
		}
		t.Add(f.Topic, slice, f.Path, f.Score)
	}
	return t
}

func (c Card) violations() evals.Table {
	t := evals.Table{Title: "Violations", Header: []string{"violation", "topic", "profile", "slice", "where"}}
	for _, f := range c.Violations {
		t.Add(f.Zero, f.Topic, f.Profile, f.Slice, f.Where)
	}
	return t
}
