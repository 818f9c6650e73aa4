package hybrid

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"candor/evals"
)

// Marker stands at the end of a Markdown report, so that the one comment of a pull
// request that holds it is found and updated.
const Marker = "<!-- candor eval report -->"

// What comes from topics and vaults must not be markup, a mention or a link.
var (
	escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "'", "[", `\[`, "*", `\*`, "_", `\_`,
		"\n", " ", "\r", " ", "://", ":&#8203;//", "|", `\|`)
	mention = regexp.MustCompile(`@([A-Za-z])`)
)

func escape(s string) string { return mention.ReplaceAllString(escapes.Replace(s), "&#64;$1") }

// Markdown writes the report for a pull request: under 60,000 characters, what decides
// first.
func (r Report) Markdown(w io.Writer) error {
	v, err := r.view()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", escape(v.Line))
	if err := v.metrics().Write(&b, evals.Markdown); err != nil {
		return err
	}
	v.list(&b, "Why not", v.Reasons)
	v.list(&b, "Notes", v.Notes)
	sections := []evals.Table{
		v.slices(), v.moved("Won most", v.Won), v.moved("Lost most", v.Lost),
		v.gates(), v.curve(), v.cost(),
	}
	for _, t := range sections {
		if err := t.Write(&b, evals.Markdown); err != nil {
			return err
		}
	}
	v.how(&b)
	_, err = io.WriteString(w, b.String()+Marker+"\n")
	return err
}

func (v *view) list(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "### %s\n\n", title)
	for i, item := range items {
		if i == maxRows {
			fmt.Fprintf(b, "- and %d more\n", len(items)-i)
			break
		}
		fmt.Fprintf(b, "- %s\n", escape(item))
	}
	b.WriteString("\n")
}

func signed(v float64) string { return fmt.Sprintf("%+.3f", v) }

func (v *view) header(first string) []string {
	return []string{first, "n", v.A, v.B, "delta", fmt.Sprintf("%g%% interval", 100*v.Level), "p", "won", "lost", "tied"}
}

func addDelta(t *evals.Table, name string, d evals.Delta) {
	t.Add(name, d.N, d.A, d.B, signed(d.Delta), signed(d.Low)+" to "+signed(d.High), d.P, d.Wins, d.Losses, d.Ties)
}

func (v *view) metrics() evals.Table {
	t := evals.Table{Header: v.header("score")}
	for _, d := range v.Metrics {
		addDelta(&t, d.Score, d)
	}
	return t
}

func (v *view) slices() evals.Table {
	t := evals.Table{Title: "Slices", Header: v.header("slice")}
	for _, d := range v.Slices {
		if len(t.Rows) == maxRows {
			t.Add(fmt.Sprintf("and %d more", len(v.Slices)-maxRows), "", "", "", "", "", "", "", "", "")
			break
		}
		addDelta(&t, short(d.Group)+", "+d.Score, d)
	}
	return t
}

func (v *view) moved(title string, moves []move) evals.Table {
	t := evals.Table{
		Title:  fmt.Sprintf("%s (%d won, %d lost, %d tied)", title, v.Wins, v.Losses, v.Ties),
		Header: []string{"topic", "slice", v.A, v.B, "ranking of " + v.A, "ranking of " + v.B},
	}
	for _, m := range moves {
		t.Add(short(m.Topic), m.Slice, m.A, m.B, ranking(m.TopA), ranking(m.TopB))
	}
	return t
}

// ranking writes the first documents in one cell. It does not begin with a number, which
// would make the column one.
func ranking(docs []string) string { return strings.Join(docs, "; ") }

func (v *view) gates() evals.Table {
	t := evals.Table{Title: "Abstention", Header: []string{"measure", v.A, v.B}}
	if len(v.Curves[0].Points) > 0 && len(v.Curves[1].Points) > 0 {
		t.Add("AUC of confidence", v.Curves[0].AUC, v.Curves[1].AUC)
	}
	t.Add("answered by "+v.B+" only", "", ids(v.Answered))
	t.Add("refused by "+v.B+" only", "", ids(v.Refused))
	return t
}

func ids(topics []string) string {
	shown := make([]string, 0, maxMoved)
	for _, id := range topics[:min(maxMoved, len(topics))] {
		shown = append(shown, short(id))
	}
	if more := len(topics) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.TrimSuffix(fmt.Sprintf("%d: %s", len(topics), strings.Join(shown, ", ")), ": ")
}

// curve is the abstention curve where an owner would look at it.
func (v *view) curve() evals.Table {
	t := evals.Table{Title: "Refused, of questions without an answer", Header: []string{"while answered are", v.A, v.B}}
	a, b := v.Curves[0].Points, v.Curves[1].Points
	if len(a) == 0 || len(b) == 0 {
		return t
	}
	for _, at := range []float64{1, 0.99, 0.98, 0.95, 0.9, 0.8} {
		t.Add(fmt.Sprintf("%g%%", 100*at), evals.RefusedAt(a, at), evals.RefusedAt(b, at))
	}
	return t
}

func (v *view) cost() evals.Table {
	t := evals.Table{Title: "Cost", Header: []string{"measure", v.A, v.B}}
	add := func(name string, a, b float64) {
		if a > 0 || b > 0 {
			t.Add(name, fmt.Sprintf("%.1f", a), fmt.Sprintf("%.1f", b))
		}
	}
	a, b := v.Cost[0], v.Cost[1]
	add("answer p50, ms", v.Latency[0].P50, v.Latency[1].P50)
	add("answer p95, ms", v.Latency[0].P95, v.Latency[1].P95)
	add("slowest answer, ms", v.Latency[0].Max, v.Latency[1].Max)
	add("ready, ms", a.ReadyMS, b.ReadyMS)
	add("index, MiB", float64(a.Bytes)/(1<<20), float64(b.Bytes)/(1<<20))
	add("passages", float64(a.Chunks), float64(b.Chunks))
	return t
}

// how says what was measured and how to do it again.
func (v *view) how(b *strings.Builder) {
	fmt.Fprintf(b, "### How\n\nTopics: %s. ", escape(short(v.Suite)))
	if len(v.Differs) > 0 {
		fmt.Fprintf(b, "The two differ in: %s. ", escape(strings.Join(v.Differs, ", ")))
	}
	if v.Params != "" {
		fmt.Fprintf(b, "Constants: %s. Each topic was measured with constants that it did not teach.", escape(v.Params))
	}
	b.WriteString("\n\n")
	if len(v.Reproduce) > 0 {
		fmt.Fprintf(b, "```\n%s\n```\n\n", strings.ReplaceAll(strings.Join(v.Reproduce, "\n"), "```", "'''"))
	}
}
