package hybrid

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"candor/evals"
)

const (
	// MinTopics is how many counting topics a yes takes. Below, the bounds are not what
	// they say; doc/evals.md has the simulation.
	MinTopics = 20
	// harm is how sure it must be that a slice is worse before it vetoes.
	harm = 0.05
	// worth is the gain that a vault's owner would want to know about: the number of
	// topics that would do is never reckoned for a smaller one.
	worth = 0.02
	// power is how likely the number that would do is to give a yes.
	power = 0.8
)

// Rule says how sure a decision is to be.
type Rule struct {
	Confidence float64 // one-sided; 0 is DefaultConfidence
	Seed       uint64  // 0 is evals.Seed
}

// Ruling is the decision that two runs come to.
type Ruling struct {
	Yes     bool       `json:"yes"`
	Reasons []string   `json:"reasons"` // why not; never nil
	Notes   []string   `json:"notes"`   // what else to know; never nil
	Main    Bound      `json:"main"`
	Slices  []Bound    `json:"slices"` // those that were tested for harm; never nil
	Shares  []ShareDel `json:"shares"` // abstention; never nil
}

// Bound is the difference of one score over one group, hybrid minus lexical.
type Bound struct {
	Group string  `json:"group"`
	Score string  `json:"score"`
	N     int     `json:"n"`
	Delta float64 `json:"delta"`
	Low   float64 `json:"low"`    // one-sided lower bound; of the decision only
	P     float64 `json:"p"`      // one-sided: of a gain in the decision, of harm in a slice
	SD    float64 `json:"sd"`     // of the differences
	Needs int     `json:"needs"`  // topics that would do at this spread; of the decision only
	Wins  int     `json:"wins"`   // topics
	Loses int     `json:"losses"` // topics
}

// ShareDel is a share of outcomes in both modes, and what it may fall by.
type ShareDel struct {
	Score   string  `json:"score"`
	N       int     `json:"n"`
	Lexical float64 `json:"lexical"`
	Hybrid  float64 `json:"hybrid"`
	Slack   float64 `json:"slack"`
}

// Judge decides on two runs over the same topics, apart from the hard zeros.
func Judge(lexical, hybrid evals.Record, rule Rule) Ruling {
	rule.Confidence, rule.Seed = cmp.Or(rule.Confidence, DefaultConfidence), cmp.Or(rule.Seed, evals.Seed)
	r := Ruling{Reasons: []string{}, Notes: []string{}, Slices: []Bound{}, Shares: []ShareDel{}}
	p := pair(lexical, hybrid)
	r.decide(p.deltas("", evals.NDCG10), rule)
	r.harms(p, rule)
	r.shares(p)
	r.skipped(p)
	r.Yes = len(r.Reasons) == 0
	return r
}

// pairs are the outcomes of both modes, topic by topic, without drafted ones.
type pairs struct {
	lexical, hybrid []evals.Outcome
	drafted         int
}

func pair(lexical, hybrid evals.Record) pairs {
	other := map[string]evals.Outcome{}
	for _, o := range hybrid.Outcomes {
		other[o.Topic] = o
	}
	var p pairs
	for _, o := range lexical.Outcomes {
		h, both := other[o.Topic]
		switch {
		case !both:
		case evals.IsDrafted(o.Sub):
			p.drafted++
		default:
			p.lexical, p.hybrid = append(p.lexical, o), append(p.hybrid, h)
		}
	}
	return p
}

// in reports whether an outcome is of a group: "" is all, else a slice or a sub-slice.
func in(o evals.Outcome, group string) bool {
	return group == "" || string(o.Slice) == group || string(o.Slice)+"/"+o.Sub == group
}

// deltas are the differences of a score over a group.
func (p pairs) deltas(group, score string) (out []float64) {
	for i, o := range p.lexical {
		a, ok := o.Scores[score]
		b, both := p.hybrid[i].Scores[score]
		if ok && both && in(o, group) {
			out = append(out, b-a)
		}
	}
	return out
}

// groups are the slices and sub-slices that the topics have, in order.
func (p pairs) groups() []string {
	seen := map[string]bool{}
	for _, o := range p.lexical {
		seen[string(o.Slice)] = true
		if o.Sub != "" {
			seen[string(o.Slice)+"/"+o.Sub] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
		sliceA, subA, _ := strings.Cut(a, "/")
		sliceB, subB, _ := strings.Cut(b, "/")
		place := func(s string) int { return slices.Index(evals.Slices, evals.Slice(s)) }
		return cmp.Or(cmp.Compare(place(sliceA), place(sliceB)), strings.Compare(subA, subB))
	})
}

func (r *Ruling) no(format string, args ...any) {
	r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...))
}

func (r *Ruling) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// bound is the part of a Bound that needs no test.
func bound(group, score string, deltas []float64) Bound {
	b := Bound{Group: cmp.Or(group, "all"), Score: score, N: len(deltas), P: 1}
	b.Delta, b.SD = moments(deltas)
	for _, d := range deltas {
		if d > 1e-9 {
			b.Wins++
		} else if d < -1e-9 {
			b.Loses++
		}
	}
	return b
}

// decide holds the score that decides against its bound.
func (r *Ruling) decide(deltas []float64, rule Rule) {
	b := bound("", evals.NDCG10, deltas)
	if b.N >= 2 {
		b.Low, b.P = LowerBound(deltas, rule.Confidence, rule.Seed), signFlip(deltas, rule.Seed)
	}
	b.Needs = needs(b, rule.Confidence)
	r.Main = b
	said := fmt.Sprintf("%s %+.3f on %d topics, %g%% lower bound %+.3f", b.Score, b.Delta, b.N, 100*rule.Confidence, b.Low)
	switch {
	case b.N == 0:
		r.no("no topic has an answer to look for; hint: add questions with candor eval add")
	case b.N < MinTopics:
		r.no("too few topics: %d count, at least %d are needed, and about %d would do at the measured spread", b.N, MinTopics, b.Needs)
	case b.Delta <= 0:
		r.no("not better: %s", said)
	case (b.Low <= 0 || b.P > 1-rule.Confidence) && b.Needs <= b.N:
		r.no("too little gain to be seen: %s", said)
	case b.Low <= 0 || b.P > 1-rule.Confidence:
		r.no("not sure to be better: %s; about %d topics would do at the measured spread", said, b.Needs)
	}
}

// needs is the number of topics that would give a yes with the usual power if the
// difference, or else the smallest that is worth having, were true.
func needs(b Bound, confidence float64) int {
	spread := b.SD
	if b.N < 5 || spread == 0 {
		spread = max(spread, 0.25) // as on the public sets
	}
	n := math.Pow((normal(guarded(confidence))+normal(power))*spread/max(b.Delta, worth), 2)
	if moved := b.Wins + b.Loses; moved > 0 { // so many must differ for the signs to tell
		n = max(n, math.Ceil(-math.Log2(1-confidence))*float64(b.N)/float64(moved))
	}
	return max(MinTopics, int(math.Ceil(n)))
}

// harms looks for a slice that is significantly worse. It tests each by itself at 5%: a
// veto in error leaves lexical answers, which do no harm.
func (r *Ruling) harms(p pairs, rule Rule) {
	for _, group := range p.groups() {
		score := evals.NDCG10
		deltas := p.deltas(group, score)
		if len(deltas) == 0 {
			score = evals.Refused
			deltas = p.deltas(group, score)
		}
		if len(deltas) == 0 {
			continue
		}
		b := bound(group, score, deltas)
		for i := range deltas {
			deltas[i] = -deltas[i]
		}
		b.P = signFlip(deltas, rule.Seed)
		r.Slices = append(r.Slices, b)
		if b.P < harm && b.Delta < 0 {
			r.no("slice %s is worse: %s %+.3f on %d topics, p %.3f", group, score, b.Delta, b.N, b.P)
		}
	}
}

// shares holds what is answered and what is refused.
func (r *Ruling) shares(p pairs) {
	for _, score := range []string{evals.Answered, evals.Refused} {
		s := ShareDel{Score: score}
		for i, o := range p.lexical {
			a, ok := o.Scores[score]
			b, both := p.hybrid[i].Scores[score]
			if ok && both {
				s.N++
				s.Lexical += a
				s.Hybrid += b
			}
		}
		if s.N == 0 {
			r.note("no topic can be %s: that share is not measured", score)
			continue
		}
		s.Lexical, s.Hybrid = s.Lexical/float64(s.N), s.Hybrid/float64(s.N)
		s.Slack = max(0.01, 1/float64(s.N))
		r.Shares = append(r.Shares, s)
		if s.Hybrid < s.Lexical-s.Slack-1e-9 {
			r.no("%s share is worse: %.3f, lexical %.3f, at most %.3f less allowed", score, s.Hybrid, s.Lexical, s.Slack)
		}
	}
}

// skipped says aloud what was not looked at.
func (r *Ruling) skipped(p pairs) {
	groups := p.groups()
	for _, s := range evals.Slices {
		if !slices.Contains(groups, string(s)) {
			r.note("slice %s is empty: skipped", s)
		}
	}
	for _, b := range r.Slices {
		if b.N < 5 {
			r.note("slice %s has %d topics: too few to see harm in it", b.Group, b.N)
		}
	}
	if p.drafted > 0 {
		r.note("%d topics with drafted wording are shown and do not count", p.drafted)
	}
}
