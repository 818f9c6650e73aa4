package hybrid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"candor"
	"candor/evals"
	"candor/evidence"
	"candor/fusion"
)

// DefaultConfidence is that of the bound which nDCG@10 has to be above 0 with.
const DefaultConfidence = 0.8

// Options say how to learn.
type Options struct {
	Gates      evidence.Gates    // the lexical bars
	Grid       []fusion.Params   // constants to try; nil is DefaultGrid
	Confidence float64           // one-sided, from 0.5 to 1; 0 is DefaultConfidence
	Seed       uint64            // of the folds; 0 is evals.Seed
	System     evals.Fingerprint // of what is measured; the mode, fusion and gates are filled in
	Progress   func(done, total int)
}

func (o Options) withDefaults() (Options, error) {
	o.Confidence, o.Seed = cmp.Or(o.Confidence, DefaultConfidence), cmp.Or(o.Seed, evals.Seed)
	if o.Grid == nil {
		o.Grid = DefaultGrid()
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if !(o.Confidence >= 0.5 && o.Confidence < 1) {
		return o, fmt.Errorf("confidence %g; hint: write one from 0.5 up to 1, such as 0.8", o.Confidence)
	}
	for _, p := range o.Grid {
		if !p.Valid() {
			return o, fmt.Errorf("fusion %s does not use both legs; hint: give both a weight above 0", p)
		}
	}
	if len(o.Grid) == 0 {
		return o, errors.New("no fusion to try")
	}
	return o, nil
}

// Params are the constants that hybrid answers with.
type Params struct {
	Fusion fusion.Params  `json:"fusion"`
	Gates  evidence.Gates `json:"gates"`
}

// String writes the constants for a reader.
func (p Params) String() string {
	cosine := "no cosine cut"
	if p.Gates.MinCosine > 0 {
		cosine = fmt.Sprintf("cosine %.3f", p.Gates.MinCosine)
	}
	return fmt.Sprintf("%s; relevance %.2f, coverage %.2f, %s", p.Fusion, p.Gates.MinScore, p.Gates.MinCoverage, cosine)
}

// Measured is both runs over one suite, topic by topic.
type Measured struct {
	Lexical evals.Record `json:"lexical"`
	Hybrid  evals.Record `json:"hybrid"` // every topic under constants it did not teach
	// Params are learned from all topics: what is served after a yes.
	Params Params `json:"params"`
	// Unseen are the constants that each topic was measured with.
	Unseen    map[string]Params `json:"unseen"`
	Challenge Challenge         `json:"challenge"`
	Topics    []string          `json:"topics"` // their digests; see TopicDigests
}

// Measure asks every topic of both legs once, and learns and measures by cross-fitting.
func Measure(ctx context.Context, legs Legs, suite evals.Suite, opt Options) (Measured, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return Measured{}, err
	}
	a := asker{legs, suite}
	var topics []*question
	for i, t := range suite.Topics {
		q, err := a.ask(ctx, t)
		if err != nil {
			return Measured{}, fmt.Errorf("measure %s: %w", suite.Name, err)
		}
		topics = append(topics, q)
		opt.Progress(i+1, len(suite.Topics))
	}
	m := Measured{Topics: TopicDigests(suite.Topics), Unseen: map[string]Params{}}
	m.Lexical, m.Hybrid = record(suite, opt, candor.ModeLexical), record(suite, opt, candor.ModeHybrid)
	m.fill(topics, opt)
	m.Hybrid.Fingerprint.Fusion = m.Params.Fusion.String()
	m.Hybrid.Fingerprint.Gates = fmt.Sprintf("%+v", m.Params.Gates)
	m.times(topics)
	return m, nil
}

// record is one that has no outcome yet.
func record(suite evals.Suite, opt Options, mode candor.Mode) evals.Record {
	r := evals.Record{Version: evals.RecordVersion, Suite: suite.Name, Digest: suite.Digest, Tag: string(mode), Fingerprint: opt.System}
	r.Fingerprint.Mode = mode
	if mode == candor.ModeLexical {
		r.Fingerprint.Model, r.Fingerprint.Fusion = "", ""
		r.Fingerprint.Gates = fmt.Sprintf("%+v", scaled(opt.Gates, 1))
	}
	return r
}

// fill cross-fits and scores.
func (m *Measured) fill(topics []*question, opt Options) {
	var teaching []*question
	for _, q := range topics {
		if q.counts() {
			teaching = append(teaching, q)
		}
	}
	all, gates := newClass(teaching, opt), newBars(topics, opt.Gates)
	var final learned
	m.Params, final = teach(all, gates, seq(len(topics)))
	if m.Challenge = final.blend; len(final.deltas) > 1 {
		m.Challenge.Low = LowerBound(final.deltas, opt.Confidence, opt.Seed)
	}
	params := crossFit(topics, all, gates)
	for i, q := range topics {
		m.Unseen[q.ID] = params[i]
		base := scaled(opt.Gates, 1)
		m.Lexical.Outcomes = append(m.Lexical.Outcomes, q.outcome(q.lexical(), base.Assess(q.pair.Lexical, candor.Ranking{})))
		m.Hybrid.Outcomes = append(m.Hybrid.Outcomes,
			q.outcome(q.fused(params[i].Fusion), params[i].Gates.Assess(q.pair.Lexical, q.pair.Semantic)))
	}
}

// crossFit gives each topic the constants that all topics of the other folds teach.
func crossFit(topics []*question, all class, gates bars) []Params {
	n := max(1, min(outerFolds, len(topics)))
	folds := deal(topics, n, all.seed)
	out := make([]Params, len(topics))
	for fold := range n {
		inside, outside := split(folds, fold)
		taught := all.only(all.index(pick(topics, outside)))
		p, _ := teach(taught, gates, outside)
		for _, i := range inside {
			out[i] = p
		}
	}
	return out
}

// teach learns fusion from a class and gates from the topics at positions.
func teach(c class, gates bars, at []int) (Params, learned) {
	got := c.learn()
	return Params{Fusion: c.grid[got.params].Full(), Gates: gates.learn(at, c.seed)}, got
}

// times fills in how long answers took.
func (m *Measured) times(topics []*question) {
	var lexical, both []float64
	for _, q := range topics {
		lexical = append(lexical, ms(q.pair.Took.Lexical))
		both = append(both, ms(q.pair.Took.hybrid()))
	}
	m.Lexical.Latency, m.Hybrid.Latency = latency(lexical), latency(both)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func latency(ms []float64) evals.Latency {
	slices.Sort(ms)
	return evals.Latency{P50: evals.Quantile(ms, 0.5), P95: evals.Quantile(ms, 0.95), Max: evals.Quantile(ms, 1)}
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
