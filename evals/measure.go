package evals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"candor"
)

// Names of the scores that are taken as served, with the gates on.
const (
	ServedHit1 = "served hit@1" // the first passage given is right; an abstention is not
	Answered   = "answered"     // of questions that have an answer
	Refused    = "refused"      // of questions that have none
)

// ScoreNames are all scores in the order of reports.
var ScoreNames = scoreNames()

func scoreNames() (names []string) {
	for _, m := range Metrics {
		names = append(names, m.Name)
	}
	return append(names, ServedHit1, Answered, Refused)
}

// Options say how to measure.
type Options struct {
	Tag      string                // names the run; "" is the mode
	Depth    int                   // of the ranking; 0 is 100
	Served   int                   // hits a user asks for; 0 is 10
	Progress func(done, total int) // called after each topic, if set
}

func (o Options) withDefaults() Options {
	o.Depth = cmp.Or(o.Depth, 100)
	o.Served = cmp.Or(o.Served, 10)
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

// Outcome is what one topic came to.
type Outcome struct {
	Topic string `json:"topic"`
	Slice Slice  `json:"slice"`
	Sub   string `json:"sub,omitempty"`
	// Scores has those that mean something for the topic.
	Scores     map[string]float64 `json:"scores"`
	Abstained  bool               `json:"abstained"`
	Confidence float64            `json:"confidence"`
	// Top is the first ten documents; left out for denied and secret topics.
	Top []string `json:"top,omitempty"`
}

// Measure asks every topic, one after the other, and gives the record and the run.
func Measure(ctx context.Context, sys System, suite Suite, opt Options) (Record, Run, error) {
	opt = opt.withDefaults()
	fp, err := sys.Fingerprint(ctx)
	if err != nil {
		return Record{}, nil, fmt.Errorf("measure %s: %w", suite.Name, err)
	}
	rec := Record{
		Version: RecordVersion, Suite: suite.Name, Digest: suite.Digest,
		Tag: cmp.Or(opt.Tag, string(fp.Mode)), Fingerprint: fp,
	}
	m := measurer{sys: sys, suite: suite, opt: opt, run: Run{}}
	for i, t := range suite.Topics {
		out, err := m.topic(ctx, t)
		if err != nil {
			return Record{}, nil, fmt.Errorf("measure %s: topic %s: %w", suite.Name, t.ID, err)
		}
		rec.Outcomes = append(rec.Outcomes, out)
		opt.Progress(i+1, len(suite.Topics))
	}
	rec.AsServed = m.asServed
	rec.Latency = latency(m.times)
	return rec, m.run, nil
}

// measurer is the state of one Measure.
type measurer struct {
	sys      System
	suite    Suite
	opt      Options
	run      Run
	times    []float64 // ms of each answer as served
	asServed bool
}

func (m *measurer) topic(ctx context.Context, t Topic) (Outcome, error) {
	begin := time.Now()
	served, err := Ask(ctx, m.sys, Question{Text: t.Question, Profile: t.Profile, Limit: m.opt.Served})
	if err != nil {
		return Outcome{}, err
	}
	m.times = append(m.times, float64(time.Since(begin).Microseconds())/1000)
	deep, err := Ask(ctx, m.sys, Question{Text: t.Question, Profile: t.Profile, Limit: m.opt.Depth, GatesOff: true})
	if errors.Is(err, ErrNotOffered) {
		deep, err, m.asServed = served, nil, true
	}
	if err != nil {
		return Outcome{}, err
	}
	ranking := m.suite.label(t, deep.Hits)
	m.run[t.ID] = ranking
	out := Outcome{
		Topic: t.ID, Slice: t.Slice, Sub: t.Sub, Scores: map[string]float64{},
		Abstained: served.Abstained, Confidence: served.Confidence,
	}
	m.score(&out, ranking, m.suite.label(t, served.Hits))
	if t.Slice != Denied && t.Slice != Secret {
		out.Top = topDocs(ranking)
	}
	return out, nil
}

func (m *measurer) score(out *Outcome, deep, served []Scored) {
	judged := m.suite.Qrels[out.Topic]
	switch {
	case len(judged) > 0:
		out.Scores = Score(deep, judged)
		out.Scores[ServedHit1] = Score(served, judged)[Hit1]
		out.Scores[Answered] = indicator(!out.Abstained)
	case out.Slice == Unsupported || out.Slice == Denied:
		out.Scores[Refused] = indicator(out.Abstained)
	}
}

// Ask searches once. A query that the server will not take is an abstention.
func Ask(ctx context.Context, sys System, q Question) (Answer, error) {
	a, err := sys.Search(ctx, q)
	if refused, ok := errors.AsType[*candor.InputError](err); ok {
		return Answer{Abstained: true, Reason: refused.Error(), Raw: refused.Error()}, nil
	}
	return a, err
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func latency(ms []float64) Latency {
	slices.Sort(ms)
	return Latency{P50: Quantile(ms, 0.5), P95: Quantile(ms, 0.95), Max: Quantile(ms, 1)}
}
