package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"candor"
	"candor/cache"
	"candor/evals"
	"candor/evals/baseline"
	"candor/evals/hybrid"
	"candor/fusion"
	"candor/internal/keys"
	"candor/kb"
	"candor/markdown"
	"candor/retrieval"
	"candor/retrieval/lexical"
	"candor/retrieval/semantic"
)

// verdictDir is where the verdict on this set of vaults lies; "" without a home.
func (s *site) verdictDir() string {
	if s.cfg.Places.State == "" || s.keys.InMemory() != "" {
		return ""
	}
	return filepath.Join(s.cfg.Places.State, "verdicts", s.name())
}

// openVerdict reads the recorded verdict and, where it says yes, opens the semantic leg.
// Without one nothing is opened: no vectors, no network client.
func (s *site) openVerdict(a *app) error {
	s.verdict = new(atomic.Pointer[ruling])
	if !s.asksVerdict() {
		return nil
	}
	found := s.readRuling(ruling{})
	if s.verdict.Store(&found); !found.Yes() {
		return nil
	}
	if err := s.openVectors(a); err != nil {
		// The vectors are a gain, not a need.
		fmt.Fprintln(a.Stderr, "candor: answers are lexical:", plain(err.Error()))
		s.leg, s.fault = nil, "the cache of vectors cannot be opened"
	}
	return nil
}

// asksVerdict reports whether the configuration leaves hybrid to the verdict.
func (s *site) asksVerdict() bool {
	return s.cfg.Ollama != nil && s.cfg.Retrieval.Mode != string(candor.ModeLexical)
}

// recorded is the verdict as last read.
func (s *site) recorded() ruling {
	if v := s.verdict.Load(); v != nil {
		return *v
	}
	return ruling{}
}

// meet gives the embedder a moment to say which model it is, where answers depend on it.
func (s *site) meet(ctx context.Context) {
	if s.leg == nil || s.forced != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	_, _ = s.leg.Identify(ctx) // without an answer the mode says why
}

// meetTime is how long a command waits for the embedder to say which model it is.
const meetTime = 3 * time.Second

// tuning says how a profile searches at this moment: hybrid while the verdict holds.
func (s *site) tuning(profile string) kb.Tuning {
	if s.forced != nil {
		return *s.forced
	}
	switch {
	case s.cfg.Retrieval.Mode == string(candor.ModeLexical):
		return kb.Tuning{Mode: candor.ModeLexical, Reason: "the configuration says lexical"}
	case s.cfg.Ollama == nil:
		return kb.Tuning{Mode: candor.ModeLexical, Reason: "no ollama section in the configuration"}
	}
	t := kb.Tuning{Mode: candor.ModeLexical, Model: s.cfg.Ollama.Model, Reason: s.fault}
	if s.fault != "" {
		return t
	}
	now := hybrid.Conditions{}
	if s.leg != nil {
		model, known := s.leg.Model()
		if !known {
			t.Reason = "the embedder has not answered yet"
			return t
		}
		now.Setup, now.Vectors = s.setup(model), s.bases[profile].Vectors()
	}
	verdict := s.recorded()
	now.Topics = verdict.topics
	holds, reason := verdict.Holds(now)
	t.Reason = reason
	if !holds {
		return t
	}
	v := verdict.Verdict()
	t.Mode, t.Fusion, t.Gates = candor.ModeHybrid, v.Params.Fusion, &v.Params.Gates
	return t
}

// setup names what a verdict depends on beside the constants that it teaches.
func (s *site) setup(m semantic.Model) hybrid.Setup {
	p := s.leg.Prefixes()
	return hybrid.Setup{
		Model: m.Fingerprint, QueryPrefix: p.Query, DocumentPrefix: p.Document,
		Chunker: s.chunker(), Analyzer: s.analyzer(), Fusion: fusion.Version,
		Pin: fmt.Sprint(retrieval.Pin{}), Gates: fmt.Sprint(gates(s.cfg.Evidence)),
	}
}

// chunker names what cuts the notes.
func (s *site) chunker() string {
	words := s.cfg.Limits.ChunkWords
	if words == 0 {
		words = markdown.DefaultWords
	}
	return fmt.Sprintf("%s, %d words", chunkerVersion, words)
}

// analyzer names what makes words of text.
func (s *site) analyzer() string { return digest(s.cfg.Language, lexical.Defaults()) }

// keepVectors gives chunks their vectors while serving under a verdict, until ctx ends.
func (s *site) keepVectors(ctx context.Context, log *slog.Logger) {
	if s.leg == nil {
		return
	}
	pause := time.NewTicker(fillEvery)
	defer pause.Stop()
	for {
		if !s.recorded().Yes() {
			return
		}
		// Another process may be filling, or the embedder may be down: both pass.
		if _, err := s.leg.Identify(ctx); err == nil {
			if _, err := s.leg.Fill(ctx, s.allChunks(), nil); err != nil && !errors.Is(err, cache.ErrBusy) && ctx.Err() == nil {
				log.Debug("vectors are missing", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// fillEvery is how often a server looks for chunks without a vector.
const fillEvery = 5 * time.Second

// Legs implements hybrid.Legs.
func (m *measured) Legs(ctx context.Context, q evals.Question) (hybrid.Pair, error) {
	at, err := m.seat(q.Profile, true)
	if err != nil {
		return hybrid.Pair{}, err
	}
	l, err := m.base(at).Legs(ctx, q.Text)
	if err != nil {
		return hybrid.Pair{}, err
	}
	return hybrid.Pair{
		Lexical: l.Lexical, Semantic: l.Semantic, Cite: l.Cite, Pinned: l.Pinned,
		Took: hybrid.Took{Lexical: l.LexicalTook, Semantic: l.SemanticTook},
	}, nil
}

// evalHybridCmd decides on hybrid.
type evalHybridCmd struct {
	Topics     string  `placeholder:"PATH" help:"Topics, a file or a folder; else evals.topics of the configuration."`
	Confidence float64 `placeholder:"SHARE" help:"Confidence that a yes needs, such as 0.8; else evals.confidence."`
	Out        string  `placeholder:"RUN" help:"Write both records here, as RUN.lexical.json and RUN.hybrid.json."`
	Report     string  `placeholder:"DIR" help:"Write report.md, report.html and report.json into this folder."`
}

// Run asks every topic of both legs, decides, and records the verdict: exit 1 if it is no.
func (c *evalHybridCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if a.Demo {
		if err := s.demoOllama(a); err != nil {
			return err
		}
	}
	topics, err := s.topics(a, c.Topics)
	if err != nil {
		return err
	}
	if err := s.force(a, candor.ModeHybrid); err != nil {
		return err
	}
	if p, err := s.fill(ctx, a); err != nil {
		return fmt.Errorf("hybrid not measured: %d of %d texts have a vector: %w", p.Have, p.Total, embedderHint(err))
	}
	found, v, err := s.decide(ctx, a, c, topics)
	if err != nil {
		return err
	}
	if dir := s.verdictDir(); dir != "" && !a.Demo {
		if err := v.Save(dir, s.keys.Subkey(keys.Verdict)); err != nil {
			return err
		}
	}
	if err := c.save(found, v); err != nil {
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

// decide measures by cross-fitting, probes the hard zeros under what was learned, and
// makes the verdict.
func (s *site) decide(ctx context.Context, a *app, c *evalHybridCmd, topics []evals.Topic) (hybrid.Measured, hybrid.Verdict, error) {
	confidence := c.Confidence
	if confidence == 0 {
		confidence = s.cfg.Evals.Confidence
	}
	sys := a.measure(s)
	print, err := sys.Fingerprint(ctx)
	if err != nil {
		return hybrid.Measured{}, hybrid.Verdict{}, err
	}
	found, err := hybrid.Measure(ctx, sys, evals.NewSuite("topics", topics), hybrid.Options{
		Gates: gates(s.cfg.Evidence), Confidence: confidence, System: print, Progress: a.progress("asked"),
	})
	if err != nil {
		return found, hybrid.Verdict{}, err
	}
	s.forced.Fusion, s.forced.Gates = found.Params.Fusion, &found.Params.Gates
	opt := baseline.Options{Progress: a.progress("probed"), Never: a.planted()}
	card, err := baseline.Run(ctx, sys, topics, opt)
	if err != nil {
		return found, hybrid.Verdict{}, err
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

// save writes the records of both modes, and the reports.
func (c *evalHybridCmd) save(found hybrid.Measured, v hybrid.Verdict) error {
	if c.Report != "" {
		r := hybrid.Report{A: found.Lexical, B: found.Hybrid, Verdict: &v, Reproduce: []string{"candor eval hybrid"}}
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
