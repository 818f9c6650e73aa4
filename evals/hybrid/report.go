package hybrid

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"candor/evals"
)

// Report is two runs over the same topics, made for a reviewer who has to decide: the
// lexical run and the hybrid one with their verdict, main and a branch, or two models.
type Report struct {
	A, B      evals.Record // B is held against A
	Verdict   *Verdict     // of B; nil compares only
	Reproduce []string     // the commands that gave it
}

const (
	biggest  = 10 // wins, and losses, that are listed
	depth    = 3  // documents of each ranking
	maxName  = 60 // characters of an id
	maxRows  = 40 // slices that are listed
	maxMoved = 20 // ids in a list
)

// view is what every form of a report shows.
type view struct {
	Line      string           `json:"line"` // the outcome, first of all
	Yes       bool             `json:"yes"`  // a verdict of yes, or B surely better
	A         string           `json:"a"`
	B         string           `json:"b"`
	Suite     string           `json:"suite"`
	Reasons   []string         `json:"reasons"`
	Notes     []string         `json:"notes"`
	Level     float64          `json:"confidence"` // of the two-sided intervals
	Metrics   []evals.Delta    `json:"metrics"`
	Slices    []evals.Delta    `json:"slices"`
	Wins      int              `json:"wins"`
	Losses    int              `json:"losses"`
	Ties      int              `json:"ties"`
	Won       []move           `json:"won"` // the biggest first
	Lost      []move           `json:"lost"`
	Deltas    []point          `json:"deltas"` // every question's, the highest first
	Answered  []string         `json:"now_answered"`
	Refused   []string         `json:"now_refused"`
	Curves    [2]curve         `json:"abstention"`
	Latency   [2]evals.Latency `json:"latency_ms"`
	Cost      [2]evals.Cost    `json:"cost"`
	Differs   []string         `json:"differs"`
	Params    string           `json:"params,omitempty"`
	Verdict   *Verdict         `json:"verdict,omitempty"`
	Reproduce []string         `json:"reproduce"`
}

// move is a topic that moved, with both rankings.
type move struct {
	Topic string   `json:"topic"`
	Slice string   `json:"slice"`
	A     float64  `json:"a"`
	B     float64  `json:"b"`
	TopA  []string `json:"top_a"`
	TopB  []string `json:"top_b"`
}

// point is one question's difference.
type point struct {
	Topic string  `json:"topic"`
	Delta float64 `json:"delta"`
}

// curve is the abstention of one run.
type curve struct {
	AUC    float64            `json:"auc"`
	At95   float64            `json:"refused_at_95"`
	Points []evals.CurvePoint `json:"points"`
}

// view computes what is shown.
func (r Report) view() (*view, error) {
	c, err := compare(r.A, r.B, evals.CompareOptions{})
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	v := &view{
		A: r.A.Tag, B: r.B.Tag, Suite: r.A.Suite, Level: c.Confidence, Reasons: []string{}, Notes: []string{},
		Latency: c.Latency, Cost: c.Cost, Differs: c.Differs, Verdict: r.Verdict,
		Curves: [2]curve{abstention(r.A), abstention(r.B)}, Reproduce: append([]string{}, r.Reproduce...),
	}
	v.tables(c)
	v.moves(c, pair(r.A, r.B))
	v.outcome(r)
	return v, nil
}

// compare pairs two runs. Topics with drafted wording are compared apart.
func compare(a, b evals.Record, opt evals.CompareOptions) (evals.Comparison, error) {
	c, err := evals.Compare(only(a, false), only(b, false), opt)
	if err != nil {
		return c, err
	}
	apart, err := evals.Compare(only(a, true), only(b, true), opt)
	if err != nil {
		return c, err
	}
	for _, d := range apart.Deltas {
		if d.Group == "all" {
			d.Group = Drafted
			c.Deltas = append(c.Deltas, d)
		}
	}
	return c, nil
}

// only keeps the outcomes with drafted wording, or those without.
func only(r evals.Record, want bool) evals.Record {
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o evals.Outcome) bool { return evals.IsDrafted(o.Sub) != want })
	return r
}

// tables fills in metrics and slices.
func (v *view) tables(c evals.Comparison) {
	for _, d := range c.Deltas {
		switch {
		case d.Group == "all":
			v.Metrics = append(v.Metrics, d)
		case d.Score == evals.NDCG10 || d.Score == evals.Answered || d.Score == evals.Refused:
			v.Slices = append(v.Slices, d)
		}
	}
	if d, ok := c.Find("all", evals.NDCG10); ok {
		v.Wins, v.Losses, v.Ties = d.Wins, d.Losses, d.Ties
	}
}

// hidden reports whether of a topic only its id and its count may be shown.
func hidden(s evals.Slice) bool { return s == evals.Denied || s == evals.Secret }

// moves fills in what happened to each topic.
func (v *view) moves(c evals.Comparison, p pairs) {
	for _, t := range c.Topics {
		if hidden(t.Slice) {
			continue
		}
		m := move{t.Topic, string(t.Slice), t.A, t.B, names(t.TopA), names(t.TopB)}
		if t.B > t.A && len(v.Won) < biggest {
			v.Won = append(v.Won, m)
		} else if t.B < t.A && len(v.Lost) < biggest {
			v.Lost = append(v.Lost, m)
		}
	}
	for i, o := range p.lexical {
		h := p.hybrid[i]
		a, ok := o.Scores[evals.NDCG10]
		if b, both := h.Scores[evals.NDCG10]; ok && both {
			v.Deltas = append(v.Deltas, point{o.Topic, b - a})
		}
		switch {
		case o.Abstained && !h.Abstained:
			v.Answered = append(v.Answered, o.Topic)
		case !o.Abstained && h.Abstained:
			v.Refused = append(v.Refused, o.Topic)
		}
	}
	slices.SortStableFunc(v.Deltas, func(a, b point) int {
		return cmp.Or(cmp.Compare(b.Delta, a.Delta), strings.Compare(a.Topic, b.Topic))
	})
}

func names(docs []string) []string {
	out := []string{}
	for _, d := range docs[:min(depth, len(docs))] {
		if plain, err := url.PathUnescape(d); err == nil { // names in a run have no blanks
			d = plain
		}
		out = append(out, short(passageDigest.ReplaceAllString(d, "")))
	}
	return out
}

// passageDigest ends the id of a passage; a reader goes by path and lines.
var passageDigest = regexp.MustCompile(`@[0-9a-f]{8}$`)

// short cuts a name that is too long for a table, in its middle.
func short(s string) string {
	if r := []rune(s); len(r) > maxName {
		return string(r[:maxName/2]) + "…" + string(r[len(r)-maxName/2+1:])
	}
	return s
}

func abstention(r evals.Record) curve {
	sample := only(r, false).Confidences()
	points := evals.AbstentionCurve(sample)
	answerable := slices.ContainsFunc(sample, func(c evals.Confidence) bool { return c.Answerable })
	others := slices.ContainsFunc(sample, func(c evals.Confidence) bool { return !c.Answerable })
	if !answerable || !others {
		return curve{} // one axis would be empty
	}
	return curve{AUC: evals.AUC(sample), At95: evals.RefusedAt(points, 0.95), Points: points}
}

// outcome fills in the line that is read first.
func (v *view) outcome(r Report) {
	i := slices.IndexFunc(v.Metrics, func(d evals.Delta) bool { return d.Score == evals.NDCG10 })
	score := "no topic has an answer"
	var d evals.Delta
	if i >= 0 {
		d = v.Metrics[i]
		score = fmt.Sprintf("%s %.3f, was %.3f (%+.3f, %g%% interval %+.3f to %+.3f); %d won, %d lost, %d tied",
			d.Score, d.B, d.A, d.Delta, 100*v.Level, d.Low, d.High, d.Wins, d.Losses, d.Ties)
	}
	switch {
	case r.Verdict != nil:
		v.verdict(*r.Verdict, score)
	case d.Low > 0:
		v.Yes, v.Line = true, fmt.Sprintf("%s is better than %s: %s.", v.B, v.A, score)
	case d.High < 0:
		v.Line = fmt.Sprintf("%s is worse than %s: %s.", v.B, v.A, score)
	default:
		v.Line = fmt.Sprintf("%s and %s cannot be told apart: %s.", v.B, v.A, score)
	}
}

func (v *view) verdict(d Verdict, score string) {
	v.Yes, v.Reasons, v.Notes, v.Params = d.Yes, d.Ruling.Reasons, d.Ruling.Notes, d.Params.String()
	if d.Yes {
		v.Line = fmt.Sprintf("Yes: hybrid may be used. %s; %g%% lower bound %+.3f.", score, 100*d.Confidence, d.Ruling.Main.Low)
	} else {
		v.Line = fmt.Sprintf("No: hybrid stays off, %s. %s.", d.Reason, score)
	}
}

// NotMeasured is the report where there was no embedder to measure with. It is no pass.
func NotMeasured(why string) string {
	return "**Hybrid not measured:** " + escape(why) + "\n\n" + Marker + "\n"
}

// JSON writes the report for programs.
func (r Report) JSON(w io.Writer) error {
	v, err := r.view()
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}
