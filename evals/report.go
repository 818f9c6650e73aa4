package evals

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report writes what a record says: scores, slices, abstention, cost.
func (r Record) Report(w io.Writer, format Format) error {
	note := "ranking scores with the gates off"
	if r.AsServed {
		note = "ranking scores of what was served"
	}
	if _, err := fmt.Fprintf(w, "%s on %s: %d topics, %s\n\n", r.Tag, r.Suite, len(r.Outcomes), note); err != nil {
		return err
	}
	for _, t := range []Table{r.scores(), r.slices(), r.abstention(), r.cost()} {
		if err := t.Write(w, format); err != nil {
			return err
		}
	}
	return nil
}

func (r Record) scores() Table {
	t := Table{Header: []string{"score", "mean", "n"}}
	for _, name := range ScoreNames {
		if values := r.Values(name, nil); len(values) > 0 {
			t.Add(name, Mean(values), len(values))
		}
	}
	return t
}

func (r Record) slices() Table {
	t := Table{Title: "Slices", Header: []string{"slice", "n", NDCG10, Hit1, Recall5, ServedHit1, Answered, Refused}}
	groups := r.groups()
	if len(groups) < 2 {
		return t
	}
	for _, g := range groups {
		n := 0
		for _, o := range r.Outcomes {
			if g.has(o) {
				n++
			}
		}
		row := []any{g, n}
		for _, name := range t.Header[2:] {
			row = append(row, blankMean(r.Values(name, g.has)))
		}
		t.Add(row...)
	}
	return t
}

func blankMean(values []float64) any {
	if len(values) == 0 {
		return ""
	}
	return Mean(values)
}

func (r Record) abstention() Table {
	t := Table{Title: "Abstention", Header: []string{"measure", "value"}}
	sample := r.Confidences()
	if good, bad := tally(sample); good == 0 || bad == 0 {
		return t
	}
	curve := AbstentionCurve(sample)
	t.Add("AUC", AUC(sample))
	for _, at := range []float64{0.99, 0.95, 0.90} {
		t.Add(fmt.Sprintf("refused at %.0f%% answered", 100*at), RefusedAt(curve, at))
	}
	return t
}

func (r Record) cost() Table {
	t := Table{Title: "Cost", Header: []string{"measure", "value"}}
	t.Add("answer p50, ms", r.Latency.P50)
	t.Add("answer p95, ms", r.Latency.P95)
	if r.Cost.Chunks > 0 {
		t.Add("notes", r.Cost.Notes)
		t.Add("chunks", r.Cost.Chunks)
		t.Add("ready, ms", fmt.Sprintf("%.0f", r.Cost.ReadyMS))
	}
	if r.Cost.Bytes > 0 {
		t.Add("index, MiB", fmt.Sprintf("%.1f", float64(r.Cost.Bytes)/(1<<20)))
	}
	return t
}

// Line is the comparison in one line: the score that decides and its interval.
func (c Comparison) Line() string {
	d, ok := c.Find("all", NDCG10)
	if !ok {
		return fmt.Sprintf("%s against %s on %s: no judged topic", c.B, c.A, c.Suite)
	}
	return fmt.Sprintf("%s against %s on %s: %s %.3f, was %.3f (%+.3f, %g%% interval %+.3f to %+.3f, p %.3f; %d won, %d lost, %d tied)",
		c.B, c.A, c.Suite, d.Score, d.B, d.A, d.Delta, 100*c.Confidence, d.Low, d.High, d.P, d.Wins, d.Losses, d.Ties)
}

// Report writes a comparison: its line, deltas with intervals, the topics that
// moved most, abstention and cost.
func (c Comparison) Report(w io.Writer, format Format) error {
	differs := "nothing that is fingerprinted"
	if len(c.Differs) > 0 {
		differs = strings.Join(c.Differs, ", ")
	}
	if _, err := fmt.Fprintf(w, "%s\n\nDiffers in: %s\n\n", c.Line(), differs); err != nil {
		return err
	}
	for _, t := range []Table{c.deltas(), c.moved("Won", 1), c.moved("Lost", -1), c.costs()} {
		if err := t.Write(w, format); err != nil {
			return err
		}
	}
	return nil
}

// inSlices are the scores that a report shows for each slice; the others it shows
// over all topics only.
var inSlices = []string{NDCG10, ServedHit1, Answered, Refused}

func (c Comparison) deltas() Table {
	t := Table{Title: "Deltas", Header: []string{"slice", "score", "n", c.A, c.B, "delta", "low", "high", "p", "won", "lost", "tied"}}
	for _, d := range c.Deltas {
		if d.Group != "all" && !slices.Contains(inSlices, d.Score) {
			continue
		}
		t.Add(d.Group, d.Score, d.N, d.A, d.B, signedCell(d.Delta), signedCell(d.Low), signedCell(d.High), d.P, d.Wins, d.Losses, d.Ties)
	}
	return t
}

func signedCell(v float64) string { return fmt.Sprintf("%+.3f", v) }

// most is how many topics of each kind a report lists.
const most = 10

func (c Comparison) moved(title string, sign float64) Table {
	t := Table{Title: title, Header: []string{"topic", "slice", c.A, c.B, "first of " + c.A, "first of " + c.B}}
	for _, d := range c.Topics {
		if (d.B-d.A)*sign > 0 && len(t.Rows) < most {
			t.Add(d.Topic, d.Slice, d.A, d.B, first(d.TopA), first(d.TopB))
		}
	}
	return t
}

func first(docs []string) string {
	if len(docs) == 0 {
		return ""
	}
	return docs[0]
}

func (c Comparison) costs() Table {
	t := Table{Title: "Abstention and cost", Header: []string{"measure", c.A, c.B}}
	a, b := c.Curves[0], c.Curves[1]
	if a.AUC > 0 || b.AUC > 0 {
		t.Add("AUC of confidence", a.AUC, b.AUC)
		t.Add("refused at 95% answered", a.RefusedAt95, b.RefusedAt95)
	}
	t.Add("answer p50, ms", c.Latency[0].P50, c.Latency[1].P50)
	t.Add("answer p95, ms", c.Latency[0].P95, c.Latency[1].P95)
	if c.Cost[0].Chunks > 0 && c.Cost[1].Chunks > 0 {
		t.Add("ready, ms", c.Cost[0].ReadyMS, c.Cost[1].ReadyMS)
	}
	return t
}
