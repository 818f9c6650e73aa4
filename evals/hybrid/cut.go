package hybrid

import (
	"math"
	"slices"

	"candor"
	"candor/evals"
	"candor/evidence"
)

// minRefusals is how many questions without an answer it takes to learn a cosine cut.
const minRefusals = 5

// scales are what the lexical bars may be multiplied by once the cosine has a bar of its
// own: a paraphrase no longer needs them to be low.
var scales = []float64{1, 1.2, 1.4, 1.6}

// reach is what a topic reaches on the gates, whatever the cut.
type reach struct {
	wants  bool   // it has an answer, and so wants one
	passes []bool // the lexical bars, by scale
	cosine float64
}

// bars are the gates that are learned from.
type bars struct {
	base    evidence.Gates
	topics  []*question
	reaches []reach
}

// newBars probes the gates with every topic that wants an answer or a refusal; the others,
// and those with drafted wording, reach nothing and teach nothing.
func newBars(topics []*question, base evidence.Gates) bars {
	b := bars{base: base, topics: topics, reaches: make([]reach, len(topics))}
	for i, q := range topics {
		if !q.teachesGates() {
			continue
		}
		r := reach{wants: len(q.judged) > 0}
		for _, s := range scales {
			said := scaled(base, s).Assess(q.pair.Lexical, candor.Ranking{})
			r.passes = append(r.passes, !said.Abstained)
		}
		if hits := q.pair.Semantic.Hits; len(hits) > 0 {
			r.cosine = hits[0].Score
		}
		b.reaches[i] = r
	}
	return b
}

func (q *question) teachesGates() bool {
	refuse := q.Slice == evals.Unsupported || q.Slice == evals.Denied
	return (refuse || len(q.judged) > 0) && !evals.IsDrafted(q.Sub)
}

// scaled gives the lexical bars times s, without a cosine.
func scaled(g evidence.Gates, s float64) evidence.Gates {
	g.MinScore, g.MinCoverage, g.MinCosine = min(g.MinScore*s, 1), min(g.MinCoverage*s, 1), 0
	return g
}

// tally counts right outcomes.
type tally struct {
	answered, refused, wanting, others int
	turnedAnswers, turnedRefusals      int // outcomes that are not those of the lexical gates
}

// count is what a setting does to topics.
func (b bars) count(at []int, s setting) (t tally) {
	for _, i := range at {
		r := b.reaches[i]
		if r.passes == nil {
			continue
		}
		pass := r.passes[s.scale] || s.cut > 0 && r.cosine >= s.cut
		turned := 0
		if pass != r.passes[0] {
			turned = 1
		}
		switch {
		case r.wants && pass:
			t.answered++
		case !r.wants && !pass:
			t.refused++
		}
		if r.wants {
			t.wanting++
			t.turnedAnswers += turned
		} else {
			t.others++
			t.turnedRefusals += turned
		}
	}
	return t
}

func (t *tally) add(o tally) {
	t.answered += o.answered
	t.refused += o.refused
	t.wanting += o.wanting
	t.others += o.others
	t.turnedAnswers += o.turnedAnswers
	t.turnedRefusals += o.turnedRefusals
}

func (t tally) noWorse(than tally) bool {
	return t.answered >= than.answered && t.refused >= than.refused
}

// surelyBetter reports whether the balance is better by more than one standard error, and
// neither share worse by more than the point or the question that the decision bears too.
func (t tally) surelyBetter(than tally) bool {
	if t.answered < than.answered-slack(t.wanting) || t.refused < than.refused-slack(t.others) {
		return false
	}
	a, r := float64(max(t.wanting, 1)), float64(max(t.others, 1))
	se := math.Sqrt(float64(t.turnedAnswers)/(a*a)+float64(t.turnedRefusals)/(r*r)) / 2
	return t.balance()-than.balance() > se
}

// slack is one in a hundred, and at least one.
func slack(n int) int { return max(1, n/100) }

// balance is the mean of the two shares.
func (t tally) balance() float64 {
	return (float64(t.answered)/float64(max(t.wanting, 1)) + float64(t.refused)/float64(max(t.others, 1))) / 2
}

// learn gives the gates for topics at positions. What they teach is taken only where it
// does their balance better, and neither share worse by more than the decision bears, on
// topics that did not teach it; else, and
// with too few topics of either kind, the lexical gates stay and the cosine lets nothing
// pass.
func (b bars) learn(at []int, seed uint64) evidence.Gates {
	base := b.count(at, setting{})
	if base.others < minRefusals || base.wanting < minRefusals {
		return b.gates(setting{})
	}
	folds := deal(pick(b.topics, at), innerFolds, seed+2)
	var unseen tally
	for fold := range innerFolds {
		inside, outside := split(folds, fold)
		unseen.add(b.count(pick(at, inside), b.fit(pick(at, outside))))
	}
	if !unseen.surelyBetter(base) {
		return b.gates(setting{})
	}
	return b.gates(b.fit(at))
}

// setting is a scale of the lexical bars and a cosine cut, 0 being none.
type setting struct {
	scale int
	cut   float64
}

// gates are those of a setting.
func (b bars) gates(s setting) evidence.Gates {
	g := scaled(b.base, scales[s.scale])
	g.MinCosine = s.cut
	return g
}

// fit gives the setting with the best balance of answered and refused that does neither
// worse than the lexical gates. Of equal cuts it takes the middle, which is farthest from
// the topics on both sides.
func (b bars) fit(at []int) setting {
	base := b.count(at, setting{})
	best, found := base.balance(), []setting{{}}
	for scale := range scales {
		for _, cut := range b.cuts(at) {
			s := setting{scale, cut}
			t := b.count(at, s)
			if !t.noWorse(base) {
				continue
			}
			switch v := t.balance(); {
			case v > best+1e-9:
				best, found = v, []setting{s}
			case v > best-1e-9 && found[0].cut > 0 && found[0].scale == scale:
				found = append(found, s)
			}
		}
	}
	return found[len(found)/2]
}

// cuts are the cosines half way between those that topics reach.
func (b bars) cuts(at []int) []float64 {
	var reached []float64
	for _, i := range at {
		if r := b.reaches[i]; r.passes != nil && r.cosine > 0 {
			reached = append(reached, r.cosine)
		}
	}
	slices.Sort(reached)
	reached = slices.Compact(reached)
	var out []float64
	for i := 1; i < len(reached); i++ {
		out = append(out, (reached[i-1]+reached[i])/2)
	}
	return out
}
