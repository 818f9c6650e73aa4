// Package evidence decides whether what was found answers the question: it lets hits
// stand or abstains and says why.
//
// # Gates
//
// A raw score means nothing across vaults, so both lexical gates are normalised. The
// first is the score over the highest score that the question could reach. The second
// is coverage: the share of the question's content words that the cited passage holds,
// each word weighed by its rarity. Words count for more where they stand close
// together. What is missing costs more if it is a number, a name, above all a year, or
// a word that no passage holds. The bars are higher for a short question, and where the
// rarest word that is shared is a common one. A single shared word of several must by
// itself weigh much more than all the others, so that one common word is never enough.
//
// Both are taken in units of their bars, and a mean that leans to the lesser of the two
// is the margin: a hit stands at 1. A third gate, a cosine, lets a paraphrase stand that
// shares no words; its cut is learned with the verdict of hybrid retrieval and is off
// without one.
//
// The hit with the widest margin decides between an answer and an abstention. Those
// after it may fall short of the bars by a fraction, since the question is known to be
// answerable; where all of them fall shorter the list ends.
package evidence

import (
	"fmt"

	"candor"
)

// Gates are the bars for a long question; those of a short one are higher. A bar of 0
// is off, and one of 0.5 or more is firm: nothing that is reached elsewhere makes up for
// falling short of it.
type Gates struct {
	// MinScore is the share of the highest possible lexical score, 0 to 1.
	MinScore float64
	// MinCoverage is the share of the question's content words, by rarity, 0 to 1.
	MinCoverage float64
	// MinCosine is the calibrated cut of the semantic leg, 0 to 1.
	MinCosine float64
	// Tail is the fraction of the bars that later hits must reach, 0 to 1.
	Tail float64
}

// Default gives the gates that serve every vault; doc/evals.md says what they reach.
func Default() Gates {
	return Gates{MinScore: 0.18, MinCoverage: 0.205, Tail: 0.6}
}

// Reach is how far a hit got on each gate.
type Reach struct {
	Score    float64 // share of the highest possible score
	Coverage float64 // share of the content words by rarity, as the package says
	Words    int     // content words in the passage
	Cosine   float64
}

// Verdict is the outcome for one question.
type Verdict struct {
	Abstained bool
	Reason    string // of an abstention: each bar and what was reached
	Ended     string // why the list of hits ended
	Best      Reach  // the highest reached on each gate by the best hit
	// Margin is how far the best hit got over the bars together: 1 is just enough.
	Margin float64
	stands map[int]bool
}

// Stands reports whether the hit in a slot may be cited.
func (v Verdict) Stands(slot int) bool { return v.stands[slot] }

// Assess judges the hits of both legs. A leg that was not asked is the zero Ranking.
func (g Gates) Assess(lexical, semantic candor.Ranking) Verdict {
	all := reaches(lexical, semantic)
	words := len(lexical.Terms)
	v := Verdict{stands: map[int]bool{}}
	best, bars := -1.0, g.raise(words, 1)
	for i := range all {
		r := &all[i]
		own := g.raise(words, r.common)
		if r.margin = own.margin(r.Reach); r.margin > best && !r.unread {
			best, v.Best, bars = r.margin, r.Reach, own
		}
	}
	v.Margin = max(best, 0)
	if best < 1 {
		v.Abstained, v.Reason = true, bars.reason(v.Best, len(all))
		return v
	}
	short := 0
	for _, r := range all {
		if r.margin >= g.tail() {
			v.stands[r.slot] = true
		} else {
			short++
		}
	}
	v.Ended = "no more passages share a word with the question"
	if short > 0 {
		v.Ended = fmt.Sprintf("%d more fell below %.2f of the bars", short, g.tail())
	}
	return v
}
