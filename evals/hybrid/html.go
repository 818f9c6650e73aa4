package hybrid

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"candor/evals"
)

//go:embed report.html
var page string

// pageTemplate is parsed once; that it parses is held by every test of the page.
var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"f":      func(v float64) string { return fmt.Sprintf("%.3f", v) },
	"signed": signed,
	"short":  short,
	"ids":    ids,
	"join":   func(s []string) string { return strings.Join(s, ", ") },
	"pct":    func(v float64) string { return fmt.Sprintf("%g%%", 100*v) },
}).Parse(page))

// HTML writes the report as one page that needs nothing else: no script, no font, no
// address.
func (r Report) HTML(w io.Writer) error {
	v, err := r.view()
	if err != nil {
		return err
	}
	if len(v.Slices) > maxRows {
		v.Slices = v.Slices[:maxRows]
	}
	return pageTemplate.Execute(w, struct {
		*view
		Bars   []bar
		Lines  [2]string
		Spans  []span
		Tables []evals.Table
	}{v, v.bars(), [2]string{polyline(v.Curves[0]), polyline(v.Curves[1])}, v.spans(), []evals.Table{v.curve(), v.cost()}})
}

// The inside of a plot, in the units of its picture.
const (
	plotWidth  = 800.0
	plotHeight = 220.0
	square     = 300.0
)

// bar is one question in the plot of differences.
type bar struct {
	point
	X, Y, Width, Height float64
	Class               string
}

// bars draws every question's difference, the highest first.
func (v *view) bars() []bar {
	out := make([]bar, 0, len(v.Deltas))
	width := plotWidth / float64(max(len(v.Deltas), 1))
	for i, d := range v.Deltas {
		b := bar{point: d, X: float64(i) * width, Y: plotHeight / 2, Width: max(width*0.9, 0.3), Class: "tie"}
		switch half := plotHeight / 2; {
		case d.Delta > 1e-9:
			b.Height, b.Class = half*min(d.Delta, 1), "win"
			b.Y = half - b.Height
		case d.Delta < -1e-9:
			b.Height, b.Class = half*min(-d.Delta, 1), "loss"
		default:
			b.Y, b.Height = half-0.5, 1
		}
		out = append(out, b)
	}
	return out
}

// polyline draws an abstention curve: refused to the right, answered upwards.
func polyline(c curve) string {
	if len(c.Points) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range append(c.Points, evals.CurvePoint{Refused: 1}) {
		fmt.Fprintf(&b, "%.1f,%.1f ", square*p.Refused, square*(1-p.Answered))
	}
	return strings.TrimSpace(b.String())
}

// span is one run in the plot of latency.
type span struct {
	Name                string
	Y, P50, P95, Max    float64 // where it is drawn
	TextP50, TextP95, M string
}

// spans draws the latencies on one scale.
func (v *view) spans() (out []span) {
	top := max(v.Latency[0].Max, v.Latency[1].Max)
	if top <= 0 {
		return nil
	}
	for i, l := range v.Latency {
		at := func(ms float64) float64 { return plotWidth * 0.7 * ms / top }
		text := func(ms float64) string { return fmt.Sprintf("%.1f", ms) }
		out = append(out, span{
			Name: []string{v.A, v.B}[i], Y: 20 + 44*float64(i),
			P50: at(l.P50), P95: at(l.P95), Max: at(l.Max),
			TextP50: text(l.P50), TextP95: text(l.P95), M: text(l.Max),
		})
	}
	return out
}
