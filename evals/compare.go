package evals

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// CompareOptions say how sure an interval is to be.
type CompareOptions struct {
	Confidence float64 // of two-sided intervals; 0 is 0.95
	Seed       uint64  // 0 is Seed
}

// Comparison is two records of one suite, paired by topic: B against A.
type Comparison struct {
	Suite      string         `json:"suite"`
	A          string         `json:"a"` // tags
	B          string         `json:"b"`
	Confidence float64        `json:"confidence"`
	Differs    []string       `json:"differs"` // what the fingerprints differ in; never nil
	Deltas     []Delta        `json:"deltas"`  // over all topics, then each slice
	Topics     []TopicDelta   `json:"topics"`  // by size of the difference in nDCG@10
	Latency    [2]Latency     `json:"latency_ms"`
	Cost       [2]Cost        `json:"cost"`
	Curves     [2]CurveDigest `json:"curves"`
}

// Delta is one score's difference over one group of topics.
type Delta struct {
	Group  string  `json:"group"` // "all", a slice, or slice/sub-slice
	Score  string  `json:"score"`
	N      int     `json:"n"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	Delta  float64 `json:"delta"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"` // two-sided, by randomization
	Wins   int     `json:"wins"`
	Losses int     `json:"losses"`
	Ties   int     `json:"ties"`
}

// TopicDelta is one topic that the two rank differently.
type TopicDelta struct {
	Topic string   `json:"topic"`
	Slice Slice    `json:"slice"`
	A     float64  `json:"a"`
	B     float64  `json:"b"`
	TopA  []string `json:"top_a"`
	TopB  []string `json:"top_b"`
}

// CurveDigest is the abstention curve in two numbers.
type CurveDigest struct {
	AUC         float64 `json:"auc"`
	RefusedAt95 float64 `json:"refused_at_95"` // refused while 95% are answered
}

// Compare pairs two records topic by topic. Records of different topics cannot be
// paired and are refused.
func Compare(a, b Record, opt CompareOptions) (Comparison, error) {
	if a.Digest != b.Digest {
		return Comparison{}, fmt.Errorf("compare %s (%s) and %s (%s): their topics or judgements differ: measure both again on the same ones", a.Tag, a.Suite, b.Tag, b.Suite)
	}
	opt.Confidence = cmp.Or(opt.Confidence, 0.95)
	opt.Seed = cmp.Or(opt.Seed, Seed)
	c := Comparison{
		Suite: a.Suite, A: a.Tag, B: b.Tag, Confidence: opt.Confidence,
		Differs: a.Fingerprint.Diff(b.Fingerprint),
		Latency: [2]Latency{a.Latency, b.Latency}, Cost: [2]Cost{a.Cost, b.Cost},
		Curves: [2]CurveDigest{digestCurve(a), digestCurve(b)},
	}
	groups := []group{{}} // all topics
	if parts := a.groups(); len(parts) > 1 {
		groups = append(groups, parts...)
	}
	p := pairing{a: a, others: b.byTopic(), opt: opt}
	for _, g := range groups {
		for _, score := range ScoreNames {
			if d, ok := p.delta(g, score); ok {
				c.Deltas = append(c.Deltas, d)
			}
		}
	}
	c.Topics = topicDeltas(a, b)
	return c, nil
}

func digestCurve(r Record) CurveDigest {
	sample := r.Confidences()
	return CurveDigest{AUC(sample), RefusedAt(AbstentionCurve(sample), 0.95)}
}

// pairing is two records put side by side.
type pairing struct {
	a      Record
	others map[string]Outcome // of the second, by topic
	opt    CompareOptions
}

// delta compares one score over one group; the zero group is all topics.
func (p pairing) delta(g group, score string) (Delta, bool) {
	d := Delta{Group: "all", Score: score}
	if g != (group{}) {
		d.Group = g.String()
	}
	var as, bs, deltas []float64
	for _, o := range p.a.Outcomes {
		va, ok := o.Scores[score]
		vb, both := p.others[o.Topic].Scores[score]
		if !ok || !both || d.Group != "all" && !g.has(o) {
			continue
		}
		as, bs, deltas = append(as, va), append(bs, vb), append(deltas, vb-va)
		d.count(vb - va)
	}
	if d.N = len(deltas); d.N == 0 {
		return d, false
	}
	d.A, d.B, d.Delta = Mean(as), Mean(bs), Mean(deltas)
	d.Low, d.High = Bootstrap(deltas, p.opt.Seed).Interval(p.opt.Confidence)
	d.P = RandomizationTest(deltas, p.opt.Seed)
	return d, true
}

func (d *Delta) count(delta float64) {
	switch {
	case delta > 1e-9:
		d.Wins++
	case delta < -1e-9:
		d.Losses++
	default:
		d.Ties++
	}
}

func topicDeltas(a, b Record) []TopicDelta {
	others := b.byTopic()
	var out []TopicDelta
	for _, o := range a.Outcomes {
		va, ok := o.Scores[NDCG10]
		p, both := others[o.Topic]
		if vb := p.Scores[NDCG10]; ok && both && math.Abs(vb-va) > 1e-9 {
			out = append(out, TopicDelta{o.Topic, o.Slice, va, vb, o.Top, p.Top})
		}
	}
	slices.SortStableFunc(out, func(x, y TopicDelta) int {
		return cmp.Or(cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)), strings.Compare(x.Topic, y.Topic))
	})
	return out
}

// Find gives the delta of one score over one group.
func (c Comparison) Find(group, score string) (Delta, bool) {
	for _, d := range c.Deltas {
		if d.Group == group && d.Score == score {
			return d, true
		}
	}
	return Delta{}, false
}

// Diff names the parts in which two fingerprints differ; never nil.
func (f Fingerprint) Diff(g Fingerprint) []string {
	out := []string{}
	for _, part := range []struct{ name, a, b string }{
		{"mode", string(f.Mode), string(g.Mode)},
		{"vault", f.Vault, g.Vault},
		{"policy", f.Policy, g.Policy},
		{"chunker", f.Chunker, g.Chunker},
		{"redact", f.Redact, g.Redact},
		{"analyzer", f.Analyzer, g.Analyzer},
		{"gates", f.Gates, g.Gates},
		{"fusion", f.Fusion, g.Fusion},
		{"model", f.Model, g.Model},
	} {
		if part.a != part.b {
			out = append(out, part.name)
		}
	}
	return out
}
