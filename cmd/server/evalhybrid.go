package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"candor"
	"candor/evals"
	"candor/evals/baseline"
	"candor/evals/hybrid"
	"candor/internal/keys"
	"candor/retrieval/semantic"
)

// evalHybridCmd decides on hybrid.
type evalHybridCmd struct {
	collectionFlags
	Topics     string  `placeholder:"PATH" xor:"suite" help:"Topics, a file or a folder; else evals.topics of the configuration."`
	Confidence float64 `placeholder:"SHARE" help:"Confidence that a yes needs, such as 0.8; else evals.confidence."`
	Out        string  `placeholder:"RUN" help:"Write both records here, as RUN.lexical.json and RUN.hybrid.json."`
	Report     string  `placeholder:"DIR" help:"Write report.md, report.html and report.json into this folder."`
}

// Run asks every topic of both legs, decides, and records the verdict: exit 1 if it is no.
func (c *evalHybridCmd) Run(ctx context.Context, a *app) error {
	sys, suite, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	s := sys.site
	defer s.close()
	if p, err := s.fill(ctx, a); err != nil {
		return notMeasured(c.Report, fmt.Errorf("%d of %d texts have a vector: %w", p.Have, p.Total, err))
	}
	found, v, err := c.decide(ctx, a, sys, suite)
	if err != nil {
		return notMeasured(c.Report, err)
	}
	if dir := s.verdictDir(); dir != "" && !a.Demo && c.BEIR == "" {
		if err := v.Save(dir, s.keys.Subkey(keys.Verdict)); err != nil {
			return err
		}
	}
	if err := c.save(a, found, v); err != nil {
		return err
	}
	if err := a.show(v, func() { a.out.verdict(v) }); err != nil {
		return err
	}
	if !v.Yes {
		return errNo
	}
	return nil
}

// notMeasured is the error of a measurement that could not be made. It stands in the
// report too, if there is to be one: a pull request without numbers has to say so.
func notMeasured(dir string, err error) error {
	hinted := embedderHint(err)
	if away, ok := errors.AsType[*semantic.Unavailable](err); ok {
		err = errors.New(away.ModeReason())
	}
	if dir != "" {
		failed := os.MkdirAll(dir, 0o755)
		if failed == nil {
			failed = os.WriteFile(filepath.Join(dir, "report.md"), []byte(hybrid.NotMeasured(err.Error())), 0o644)
		}
		hinted = errors.Join(hinted, failed)
	}
	return fmt.Errorf("hybrid not measured: %w", hinted)
}

// open makes the system and the suite that the flags name, with both legs.
func (c *evalHybridCmd) open(ctx context.Context, a *app) (*measured, evals.Suite, error) {
	if c.BEIR != "" {
		return a.openBEIR(ctx, &c.collectionFlags, candor.ModeHybrid)
	}
	s, topics, err := a.openTopics(ctx, c.Topics, candor.ModeHybrid)
	if err != nil {
		return nil, evals.Suite{}, err
	}
	return a.measure(s), evals.NewSuite("topics", topics), nil
}

// decide measures by cross-fitting, probes the hard zeros under what was learned, and
// makes the verdict. A judged collection has none to probe.
func (c *evalHybridCmd) decide(ctx context.Context, a *app, sys *measured, suite evals.Suite) (hybrid.Measured, hybrid.Verdict, error) {
	s := sys.site
	confidence := cmp.Or(c.Confidence, s.cfg.Evals.Confidence)
	print, err := sys.Fingerprint(ctx)
	if err != nil {
		return hybrid.Measured{}, hybrid.Verdict{}, err
	}
	found, err := hybrid.Measure(ctx, sys, suite, hybrid.Options{
		Gates: gates(s.cfg.Evidence), Confidence: confidence, System: print, Progress: a.progress("asked"),
	})
	if err != nil {
		return found, hybrid.Verdict{}, err
	}
	s.forced.Fusion, s.forced.Gates = found.Params.Fusion, &found.Params.Gates
	var card baseline.Card
	if c.BEIR == "" {
		opt := baseline.Options{Progress: a.progress("probed"), Never: a.planted()}
		if card, err = baseline.Run(ctx, sys, suite.Topics, opt); err != nil {
			return found, hybrid.Verdict{}, err
		}
	}
	model, _ := s.leg.Model()
	v, err := found.Decide(hybrid.Case{
		Setup: s.setup(model), Elsewhere: c.Topics != "", Zeros: hardZeros(card), Confidence: confidence, Now: time.Now(), Candor: version(),
	})
	return found, v, err
}

// hardZeros are the violations of a scorecard, zero by zero.
func hardZeros(card baseline.Card) []hybrid.HardZero {
	wanted := map[baseline.Zero]bool{}
	for _, z := range card.Wanted {
		wanted[z] = true
	}
	var out []hybrid.HardZero
	for _, z := range baseline.Zeros {
		out = append(out, hybrid.HardZero{
			Name: string(z), Violations: card.Count(z), Probes: card.Probes[z], Wanted: wanted[z],
		})
	}
	return out
}

// command is what measures the same again, where the same notes and topics are.
func (c *evalHybridCmd) command(a *app) string {
	out := "candor eval hybrid"
	if a.Demo {
		out += " --demo"
	}
	if c.Confidence != 0 {
		out += fmt.Sprintf(" --confidence %g", c.Confidence)
	}
	for _, f := range [][2]string{{"--beir", c.BEIR}, {"--split", c.Split}, {"--off", c.Off}, {"--near", c.Near}, {"--topics", c.Topics}} {
		if f[1] != "" {
			out += " " + f[0] + " " + quoted(f[1])
		}
	}
	return out
}

// save writes the records of both modes, and the reports.
func (c *evalHybridCmd) save(a *app, found hybrid.Measured, v hybrid.Verdict) error {
	if c.Report != "" {
		r := hybrid.Report{A: found.Lexical, B: found.Hybrid, Verdict: &v, Reproduce: []string{c.command(a)}}
		if err := writeReports(c.Report, r); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	for mode, rec := range map[string]evals.Record{"lexical": found.Lexical, "hybrid": found.Hybrid} {
		write := func(w io.Writer) error { return evals.WriteRecord(w, rec) }
		if err := writeFile(c.Out+"."+mode+".json", write); err != nil {
			return err
		}
	}
	return nil
}

// writeReports writes the three forms of a report into a folder.
func writeReports(dir string, r hybrid.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{
		"report.md": r.Markdown, "report.html": r.HTML, "report.json": r.JSON,
	} {
		if err := writeFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes what a function gives.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// evalReportCmd reports any two runs.
type evalReportCmd struct {
	A   string `arg:"" help:"The run that is the yardstick, such as main's."`
	B   string `arg:"" help:"The run that is held against it, such as a branch's."`
	Out string `placeholder:"DIR" help:"Write report.md, report.html and report.json here; else the Markdown goes to stdout."`
}

// Run writes a report for a pull request.
func (c *evalReportCmd) Run(a *app) error {
	first, second, err := loadRecords(c.A, c.B)
	if errors.Is(err, fs.ErrNotExist) {
		if c.Out == "" {
			fmt.Fprint(a.Stdout, hybrid.NotMeasured("a run is missing"))
		}
		return notMeasured(c.Out, errors.New("a run is missing: "+plain(err.Error())))
	}
	if err != nil {
		return err
	}
	r := hybrid.Report{A: first, B: second, Reproduce: []string{"candor eval report " + quoted(c.A) + " " + quoted(c.B)}}
	switch {
	case c.Out != "":
		return writeReports(c.Out, r)
	case a.JSON:
		return r.JSON(a.Stdout)
	}
	return r.Markdown(a.Stdout)
}

// verdict prints a decision, the line that decides first.
func (p printer) verdict(v hybrid.Verdict) {
	word := "no"
	if v.Yes {
		word = "yes"
	}
	fmt.Fprintf(p.w, "%s %s\n", p.bold("hybrid: "+word+"."), v.Reason)
	m := v.Ruling.Main
	fmt.Fprintf(p.w, "nDCG@10 %+.3f over %d topics, at least %+.3f with confidence %g; %d won, %d lost\n",
		m.Delta, m.N, m.Low, v.Confidence, m.Wins, m.Loses)
	for _, score := range evals.ScoreNames {
		if a, ok := v.Lexical[score]; ok {
			fmt.Fprintf(p.w, "  %-14s lexical %.3f  hybrid %.3f\n", score, a, v.Hybrid[score])
		}
	}
	for _, b := range v.Ruling.Slices {
		fmt.Fprintf(p.w, "  %-28s %3d topics  %+.3f\n", b.Group, b.N, b.Delta)
	}
	for _, r := range v.Ruling.Reasons {
		fmt.Fprintf(p.w, "against it: %s\n", r)
	}
	for _, n := range v.Ruling.Notes {
		fmt.Fprintf(p.w, "note: %s\n", n)
	}
	fmt.Fprintf(p.w, "learned: %s\n", v.Params)
}
