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
	"runtime"
	"time"

	"candor"
	"candor/demo"
	"candor/evals"
	"candor/evals/baseline"
)

// evalCmd measures.
type evalCmd struct {
	Measure  evalRunCmd      `cmd:"" name:"run" help:"Measure one mode on a judged collection or on topics."`
	Compare  evalCompareCmd  `cmd:"" help:"Compare two measured runs, topic by topic."`
	Report   evalReportCmd   `cmd:"" help:"Write a report on two measured runs, made for a pull request."`
	Hybrid   evalHybridCmd   `cmd:"" help:"Decide, on your own questions, whether hybrid answers may be used; exit 1 if not."`
	Baseline evalBaselineCmd `cmd:"" help:"Print the scorecard of lexical answers; exit 1 if a gate fails."`
	Claims   evalClaimsCmd   `cmd:"" help:"Judge labelled claims about the demo by fact and source; exit 1 if a threshold is missed."`
	Add      evalAddCmd      `cmd:"" help:"Add a question of your own to the topics."`
	Draft    evalDraftCmd    `cmd:"" help:"Propose topics from the notes, to be reviewed."`
	Review   evalReviewCmd   `cmd:"" help:"Go through the proposed topics in the terminal."`
}

// evalRunCmd measures one mode.
type evalRunCmd struct {
	Mode string `enum:"lexical,semantic,hybrid" default:"lexical" help:"lexical, semantic or hybrid."`
	collectionFlags
	Topics   string `placeholder:"PATH" xor:"suite" help:"Topics, a file or a folder; else evals.topics of the configuration."`
	Out      string `placeholder:"RUN" help:"Write the TREC run here and the record beside it, as RUN.json."`
	Markdown bool   `help:"Print the report as Markdown."`
}

// Run measures and prints a report.
func (c *evalRunCmd) Run(ctx context.Context, a *app) error {
	start := time.Now()
	sys, suite, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	defer sys.site.close()
	ready := time.Since(start)
	if sys.site.leg != nil {
		if p, err := sys.site.fill(ctx, a); err != nil {
			return fmt.Errorf("%d of %d texts have a vector: %w", p.Have, p.Total, embedderHint(err))
		}
	}
	rec, run, err := evals.Measure(ctx, sys, suite, evals.Options{Tag: c.Mode, Progress: a.progress("asked")})
	if err != nil {
		return err
	}
	rec.Cost = sys.cost(ready)
	if c.Out != "" {
		if err := evals.Save(c.Out, rec, run); err != nil {
			return err
		}
	}
	if a.JSON {
		return evals.WriteRecord(a.Stdout, rec)
	}
	return rec.Report(a.Stdout, format(c.Markdown))
}

// open makes the system and the suite that the flags name.
func (c *evalRunCmd) open(ctx context.Context, a *app) (*measured, evals.Suite, error) {
	if c.BEIR != "" {
		return a.openBEIR(ctx, &c.collectionFlags, candor.Mode(c.Mode))
	}
	if c.Off != "" || c.Split != "" || c.Near != "" {
		return nil, evals.Suite{}, errors.New("--off, --near and --split go with --beir")
	}
	s, topics, err := a.openTopics(ctx, c.Topics, candor.Mode(c.Mode))
	if err != nil {
		return nil, evals.Suite{}, err
	}
	return a.measure(s), evals.NewSuite("topics", topics), nil
}

// openTopics opens the configured site in one mode, and its topics.
func (a *app) openTopics(ctx context.Context, flag string, mode candor.Mode) (*site, []evals.Topic, error) {
	s, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if a.Demo {
		err = s.demoOllama(a)
	}
	var topics []evals.Topic
	if err == nil {
		topics, err = s.topics(a, flag)
	}
	if err == nil {
		err = s.force(a, mode)
	}
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return s, topics, nil
}

// topics reads the topics that a flag or the configuration names; the demo brings its own.
// Proposed ones that nobody has reviewed are left out, aloud.
func (s *site) topics(a *app, flag string) ([]evals.Topic, error) {
	all, err := s.readTopics(a, flag)
	if err != nil {
		return nil, err
	}
	topics, left := evals.Reviewed(all)
	switch {
	case len(topics) == 0:
		return nil, withHint(fmt.Errorf("none of the %d topics has been reviewed", left), "candor eval review goes through them")
	case left > 0:
		fmt.Fprintf(a.Stderr, "candor: %d of %d topics are proposals that nobody has reviewed: left out\n", left, len(all))
	}
	return topics, nil
}

// readTopics reads them all.
func (s *site) readTopics(a *app, flag string) ([]evals.Topic, error) {
	if flag == "" && a.Demo {
		return evals.ReadTopics(demo.Topics(), ".")
	}
	file, err := s.topicsFile(a, flag)
	if err != nil {
		return nil, err
	}
	topics, err := evals.LoadTopics(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(err, "candor eval add \"a question\" --expect PATH#HEADING begins the file")
	}
	return topics, err
}

// topicsFile is what a flag names, else the configuration, else topics.yaml beside it.
func (s *site) topicsFile(a *app, flag string) (string, error) {
	switch {
	case flag != "":
		return flag, nil
	case !a.Demo && s.configuredTopics() != "":
		return s.configuredTopics(), nil
	}
	return "", withHint(errors.New("no topics"), "--topics PATH, or evals.topics in candor.yaml")
}

// topicsName is the file of questions where nothing names another.
const topicsName = "topics.yaml"

// cost is what the run needed beside quality.
func (m *measured) cost(ready time.Duration) evals.Cost {
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	notes, chunks := m.site.corpus.Snapshot(m.site.profile).Size()
	return evals.Cost{Notes: notes, Chunks: chunks, ReadyMS: float64(ready.Milliseconds()), Bytes: int64(mem.HeapAlloc)}
}

// progress shows a counter on a terminal.
func (a *app) progress(what string) func(done, total int) {
	if !interactive(a.Stderr) {
		return nil
	}
	return func(done, total int) {
		fmt.Fprintf(a.Stderr, "\r%s %d of %d", what, done, total)
		if done == total {
			fmt.Fprint(a.Stderr, "\r\x1b[K")
		}
	}
}

// format is how a report is written.
func format(markdown bool) evals.Format {
	if markdown {
		return evals.Markdown
	}
	return evals.Text
}

// evalCompareCmd compares two runs.
type evalCompareCmd struct {
	A        string `arg:"" help:"The run that is the yardstick."`
	B        string `arg:"" help:"The run that is held against it."`
	Markdown bool   `help:"Print the report as Markdown."`
}

// Run prints the deltas.
func (c *evalCompareCmd) Run(a *app) error {
	first, second, err := loadRecords(c.A, c.B)
	if err != nil {
		return err
	}
	cmp, err := evals.Compare(first, second, evals.CompareOptions{})
	if err != nil {
		return err
	}
	return a.showReport(cmp, c.Markdown, cmp.Report)
}

// loadRecords reads two runs that are held against each other.
func loadRecords(a, b string) (first, second evals.Record, err error) {
	if first, err = evals.LoadRecord(a); err == nil {
		second, err = evals.LoadRecord(b)
	}
	return first, second, err
}

// evalBaselineCmd is the gate of CI.
type evalBaselineCmd struct {
	Topics    string `placeholder:"PATH" help:"Topics, a file or a folder; else evals.topics of the configuration."`
	Baseline  string `placeholder:"FILE" help:"The committed baseline; else baseline.json beside the configuration, or the demo's own."`
	Write     bool   `help:"Write the baseline instead of comparing with it."`
	Transport string `enum:"process,stdio,http" default:"process" help:"process; stdio: ask candor serve, one for each profile; http: ask one for all, two profiles at once."`
	Markdown  bool   `help:"Print the report as Markdown."`
}

// Run prints the scorecard and the gate's word.
func (c *evalBaselineCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.force(a, candor.ModeLexical); err != nil {
		return err
	}
	topics, err := s.topics(a, c.Topics)
	if err != nil {
		return err
	}
	committed, err := s.committed(a, c)
	if err != nil {
		return err
	}
	sys, err := c.system(a, s)
	if err != nil {
		return err
	}
	card, err := baseline.Run(ctx, sys, topics, baseline.Options{Never: a.planted(), Progress: a.progress("asked")})
	if end := sys.Close(); err == nil {
		err = end
	}
	if err != nil {
		return err
	}
	word := card.Gate(committed)
	if a.JSON {
		err = a.out.json(judged{card, word})
	} else {
		err = card.Report(a.Stdout, word, format(c.Markdown))
	}
	if err != nil {
		return err
	}
	if !word.Pass {
		return errNo
	}
	if c.Write {
		return card.Baseline().Save(s.beside(a, c.Baseline))
	}
	return nil
}

// system is the site as it is to be asked.
func (c *evalBaselineCmd) system(a *app, s *site) (closingSystem, error) {
	if c.Transport == "process" {
		return piped{a.measure(s)}, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, to serve: %w", err)
	}
	return a.wire(s, program, c.Transport == "http"), nil
}

// closingSystem is a system that holds sessions.
type closingSystem interface {
	evals.System
	io.Closer
}

// judged is a scorecard with the gate's word.
type judged struct {
	baseline.Card
	Gate baseline.Word `json:"gate"`
}

// committed is the baseline to hold against; none when a new one is to be written, and
// the demo's own only for the demo's own topics.
func (s *site) committed(a *app, c *evalBaselineCmd) (*baseline.Baseline, error) {
	switch {
	case c.Write:
		return nil, nil
	case a.Demo && c.Baseline == "" && c.Topics == "":
		return baseline.Read(demo.Baseline(), baselineName)
	}
	return baseline.Load(s.beside(a, c.Baseline))
}

// baselineName is the file of a committed baseline unless one is named.
const baselineName = "baseline.json"

// beside is a file next to the configuration, unless its path is absolute; the demo's
// configuration is gone after the run, so its files are where the user is.
func (s *site) beside(a *app, file string) string {
	file = cmp.Or(file, baselineName)
	if a.Demo || s.cfg.File == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(s.cfg.File), file)
}

// planted are the values of the demo's credentials, to be looked for in every answer.
func (a *app) planted() (values []string) {
	if !a.Demo {
		return nil
	}
	for _, s := range demo.Secrets() {
		values = append(values, s.Value)
	}
	return values
}

// evalAddCmd adds a question.
type evalAddCmd struct {
	Question string   `arg:"" help:"The question, in your own words."`
	Expect   []string `placeholder:"PATH#HEADING" help:"What answers it; repeat for several. Without, it must be refused."`
	Topics   string   `placeholder:"FILE" help:"The file to add to; else evals.topics of the configuration."`
}

// Run appends the question to the topics file and prints its id.
func (c *evalAddCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	t := evals.Topic{Question: c.Question, Profile: s.profile, Slice: evals.Unsupported}
	for _, e := range c.Expect {
		expected, err := evals.ParseExpected(e)
		if err != nil {
			return err
		}
		t.Expect, t.Slice = append(t.Expect, expected), evals.Answerable
	}
	if err := evals.CheckTopics(ctx, a.measure(s), []evals.Topic{t}); err != nil {
		return err
	}
	file, err := s.topicsFile(a, c.Topics)
	if err != nil {
		return err
	}
	t, err = evals.AddTopic(file, t)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "added %s to %s\n", t.ID, file)
	return nil
}

// showReport prints a report or its JSON.
func (a *app) showReport(v any, markdown bool, report func(w io.Writer, f evals.Format) error) error {
	if a.JSON {
		return a.out.json(v)
	}
	return report(a.Stdout, format(markdown))
}
