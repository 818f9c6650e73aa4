package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"candor"
	"candor/evals"
)

// Options say how hard to probe.
type Options struct {
	Served   int                   // hits a user asks for; 0 is 10
	Deep     int                   // hits asked for with the gates off; 0 is 200
	Repeat   int                   // how often each question is asked; 0 is 2
	Never    []string              // planted secrets, beside those that topics name
	Progress func(done, total int) // called after each topic, if set
}

func (o Options) withDefaults() Options {
	o.Served, o.Deep, o.Repeat = cmp.Or(o.Served, 10), cmp.Or(o.Deep, 200), max(cmp.Or(o.Repeat, 2), 2)
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

// top is how far down an expected passage counts as found.
const top = 5

// Run asks every topic, probes every hard zero and gives the scorecard. Topics that
// would measure nothing are refused first.
func Run(ctx context.Context, sys evals.System, topics []evals.Topic, opt Options) (Card, error) {
	if err := evals.CheckTopics(ctx, sys, topics); err != nil {
		return Card{}, fmt.Errorf("baseline: %w", err)
	}
	fp, err := sys.Fingerprint(ctx)
	if err != nil {
		return Card{}, fmt.Errorf("baseline: %w", err)
	}
	p := &probe{
		sys: sys, opt: opt.withDefaults(), rules: newRules(topics, opt.Never),
		read: map[evals.Place]bool{}, alone: map[string]evals.System{},
		card: Card{
			Topics: evals.NewSuite("", topics).Digest, Fingerprint: fp,
			Results: []Result{}, Violations: []Fault{}, FalseAnswers: []Fault{},
			Probes: map[Zero]int{}, Wanted: wanted(sys, topics, opt.Never),
		},
	}
	for i, t := range topics {
		if err := p.topic(ctx, t); err != nil {
			return Card{}, fmt.Errorf("baseline: topic %s: %w", t.ID, err)
		}
		p.opt.Progress(i+1, len(topics))
	}
	for _, profile := range p.rules.profiles {
		p.at = evals.Topic{Profile: profile}
		if err := p.tools(ctx, profile); err != nil {
			return Card{}, fmt.Errorf("baseline: tools: %w", err)
		}
	}
	return p.card, nil
}

// wanted names the hard zeros that must have been probed for the gate to pass.
func wanted(sys evals.System, topics []evals.Topic, never []string) []Zero {
	out := []Zero{Unstable}
	has := func(slice evals.Slice) bool {
		return slices.ContainsFunc(topics, func(t evals.Topic) bool { return t.Slice == slice })
	}
	if has(evals.Answerable) {
		out = append(out, Citation)
	}
	if has(evals.Denied) {
		out = append(out, Leak)
	}
	if has(evals.Secret) || len(never) > 0 {
		out = append(out, Secret)
	}
	if has(evals.Superseded) {
		out = append(out, Superseded)
	}
	if _, ok := sys.(evals.Isolator); ok && len(topics) > 0 {
		out = append(out, Interference)
	}
	return out
}

// probe is the state of one Run.
type probe struct {
	sys   evals.System
	opt   Options
	rules rules
	card  Card
	read  map[evals.Place]bool    // citations that were checked
	alone map[string]evals.System // by profile

	at       evals.Topic // the topic at hand, if any
	violated bool        // by it
}

// violation records one, once for each topic and place; the topic at hand has failed
// by it.
func (p *probe) violation(z Zero, where string) {
	p.violated = true
	f := Fault{Zero: z, Topic: p.at.ID, Profile: p.at.Profile, Slice: p.at.Slice, Where: where}
	if !slices.Contains(p.card.Violations, f) {
		p.card.Violations = append(p.card.Violations, f)
	}
}

func (p *probe) topic(ctx context.Context, t evals.Topic) error {
	p.at, p.violated = t, false
	defer func() { p.at, p.violated = evals.Topic{}, false }()
	q := evals.Question{Text: t.Question, Profile: t.Profile, Limit: p.opt.Served}
	served, err := p.ask(ctx, q)
	if err != nil {
		return err
	}
	q.Limit, q.GatesOff = p.opt.Deep, true
	if _, err := p.ask(ctx, q); err != nil && !errors.Is(err, evals.ErrNotOffered) {
		return err
	}
	if err := p.reads(ctx, t); err != nil {
		return err
	}
	r := Result{Topic: t.ID, Slice: t.Slice, Sub: t.Sub}
	r.Rank, r.Recall5 = found(t, served.Hits)
	r.Verdict = p.verdict(t, served, r.Rank)
	if r.Verdict == FalseAnswer {
		hit := served.Hits[0]
		p.card.FalseAnswers = append(p.card.FalseAnswers, Fault{
			Topic: t.ID, Profile: t.Profile, Slice: t.Slice, Sub: t.Sub, Where: "search",
			Path: hit.Citation.Path, Score: hit.Score,
		})
	}
	p.card.Results = append(p.card.Results, r)
	return nil
}

func (p *probe) verdict(t evals.Topic, served evals.Answer, rank int) Verdict {
	quiet := served.Abstained || len(served.Hits) == 0
	switch {
	case p.violated:
		return Violation
	case t.Slice == evals.Secret:
		return Pass
	case t.Slice == evals.Unsupported || t.Slice == evals.Denied:
		if quiet {
			return Pass
		}
		return FalseAnswer
	case len(t.Expect) == 0: // superseded, with no current note to find
		return Pass
	case quiet:
		return FalseAbstention
	case rank == 0 || rank > top:
		return Miss
	}
	return Pass
}

// found gives the rank of the first expected passage, and the share of the
// expectations met among the first five.
func found(t evals.Topic, hits []evals.Hit) (rank int, recall float64) {
	met := 0
	for _, e := range t.Expect {
		i := slices.IndexFunc(hits, func(h evals.Hit) bool { return e.Met(h.Citation) })
		if i >= 0 && (rank == 0 || i+1 < rank) {
			rank = i + 1
		}
		if i >= 0 && i < top {
			met++
		}
	}
	if len(t.Expect) == 0 {
		return 0, 0
	}
	return rank, float64(met) / float64(len(t.Expect))
}

// ask asks a question as often as wanted, and once where only the profile's own
// notes are; every answer must be the same, and each is searched for violations.
func (p *probe) ask(ctx context.Context, q evals.Question) (evals.Answer, error) {
	where := "search"
	if q.GatesOff {
		where = "search, gates off"
	}
	first, err := evals.Ask(ctx, p.sys, q)
	if err != nil {
		return first, err
	}
	for range p.opt.Repeat - 1 {
		again, err := evals.Ask(ctx, p.sys, q)
		if err != nil {
			return first, err
		}
		p.card.Probes[Unstable]++
		if !same(first, again) {
			p.violation(Unstable, where)
		}
	}
	if err := p.isolated(ctx, q, first, where); err != nil {
		return first, err
	}
	p.inspect(first, where)
	return first, p.citations(ctx, q.Profile, first.Hits, where)
}

// isolated compares with a system that has only what the profile may see.
func (p *probe) isolated(ctx context.Context, q evals.Question, want evals.Answer, where string) error {
	isolator, ok := p.sys.(evals.Isolator)
	if !ok {
		return nil
	}
	if p.alone[q.Profile] == nil {
		sys, err := isolator.Alone(ctx, q.Profile)
		if err != nil {
			return fmt.Errorf("profile alone: %w", err)
		}
		p.alone[q.Profile] = sys
	}
	got, err := evals.Ask(ctx, p.alone[q.Profile], q)
	if err != nil {
		return err
	}
	p.card.Probes[Interference]++
	if !same(want, got) {
		p.violation(Interference, where)
	}
	return nil
}

// same compares answers to the last bit of a score.
func same(a, b evals.Answer) bool {
	return a.Abstained == b.Abstained && a.Reason == b.Reason && a.Confidence == b.Confidence &&
		slices.EqualFunc(a.Hits, b.Hits, func(x, y evals.Hit) bool {
			return x.Citation.ID == y.Citation.ID && x.Score == y.Score && x.Text == y.Text && slices.Equal(x.Flags, y.Flags)
		})
}

// inspect looks for leaks, secrets and replaced notes in an answer.
func (p *probe) inspect(a evals.Answer, where string) {
	profile := p.at.Profile
	for _, hit := range a.Hits {
		if p.rules.denied[profile][hit.Citation.Path] {
			p.violation(Leak, where)
		}
		if p.rules.stale[profile][hit.Citation.Path] && !slices.Contains(hit.Flags, candor.FlagSuperseded) {
			p.violation(Superseded, where)
		}
		p.scan(profile, hit.Text, where)
	}
	p.count(Leak, len(p.rules.denied[profile]) > 0)
	p.count(Superseded, len(p.rules.stale[profile]) > 0)
	p.scan(profile, a.Raw, where)
	p.scan(profile, a.Reason, where)
}

func (p *probe) count(z Zero, probed bool) {
	if probed {
		p.card.Probes[z]++
	}
}

// scan looks for texts that the profile must never see.
func (p *probe) scan(profile, text, where string) {
	never := p.rules.never[profile]
	p.count(Secret, len(never) > 0)
	if never.in(text) {
		p.violation(Secret, where)
	}
}
