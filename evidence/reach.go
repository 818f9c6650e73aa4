package evidence

import (
	"fmt"
	"math"
	"strings"

	"candor"
)

// The bars of a short question are higher: of few words each says more, and one of two
// is found anywhere. A bar is multiplied by 1 + its brevity/words, up to its own most,
// which a passage with each word once still passes.
const (
	scoreBrevity, mostScore       = 1, 0.27
	coverageBrevity, mostCoverage = 4, 0.41
)

// alone is the coverage that a single word of several must have by itself: it has to
// weigh three times as much as all the others together.
const alone = 0.75

// The bars rise with how common the rarest shared word is: by this power of the weight
// of an unseen word over its weight, up to a most, since a vault may speak of one thing.
const rarity, mostCommon = 0.3, 1.3

// together is what words in one place count, in units of those anywhere in the passage.
const together = 2

// What a word counts that the passage lacks, in units of its weight. A word that no
// passage holds counts unseen/words more: in a short question it is what was asked for.
const (
	missing     = 1
	missingName = 1.5 // a name or number
	missingYear = 3
	unseen      = 4
)

// firm is where an owner's bar begins to stand alone: nothing makes up for it.
const firm = 0.5

// bars are the gates as they are for one question and passage.
type bars struct {
	Gates
	words                   int // content words of the question
	firmScore, firmCoverage bool
}

// raise gives the bars for a question of so many content words, by how common the
// rarest shared word is. A bar that the owner set higher than its most stays.
func (g Gates) raise(words int, common float64) bars {
	raise := func(bar, brevity, most float64) float64 {
		return max(bar, common*min(bar*(1+brevity/float64(max(words, 1))), most))
	}
	b := bars{Gates: g, words: words, firmScore: g.MinScore >= firm, firmCoverage: g.MinCoverage >= firm}
	b.MinScore = raise(g.MinScore, scoreBrevity, mostScore)
	b.MinCoverage = raise(g.MinCoverage, coverageBrevity, mostCoverage)
	return b
}

// reached is how far the chunk in a slot got.
type reached struct {
	slot   int
	unread bool    // where its words stand was not looked at: it cannot be the best
	common float64 // what multiplies its bars, from 1
	margin float64
	Reach
}

// reaches joins the hits of both legs, lexical ones first.
func reaches(lexical, semantic candor.Ranking) []reached {
	all := make([]reached, 0, len(lexical.Hits)+len(semantic.Hits))
	at := make(map[int]int, len(lexical.Hits))
	read := false
	for _, h := range lexical.Hits {
		read = read || h.Close > 0
		at[h.Slot] = len(all)
		all = append(all, reach(lexical, h, read))
	}
	for _, h := range semantic.Hits {
		if i, ok := at[h.Slot]; ok {
			all[i].Cosine, all[i].unread = h.Score, false
			continue
		}
		all = append(all, reached{slot: h.Slot, common: 1, Reach: Reach{Cosine: h.Score}})
	}
	return all
}

// reach judges one lexical hit; read says that better ones were read for where their
// words stand.
func reach(lexical candor.Ranking, h candor.Hit, read bool) reached {
	r := reached{slot: h.Slot, unread: read && h.Close == 0, common: 1}
	r.Score, r.Words = ratio(h.Score, lexical.Ceiling), len(h.Matched)
	var held, lost, rarest float64
	next := 0
	for i, t := range lexical.Terms {
		if next < len(h.Matched) && h.Matched[next] == i {
			held, rarest = held+t.Weight, max(rarest, t.Weight)
			next++
			continue
		}
		lost += t.Weight * cost(t, len(lexical.Terms))
	}
	near := h.Close
	if near == 0 {
		near = held
	}
	r.Coverage = ratio((held+together*near)/(1+together), held+lost)
	if rarest > 0 && rarest < lexical.Unseen {
		r.common = math.Min(math.Pow(lexical.Unseen/rarest, rarity), mostCommon)
	}
	return r
}

// cost is what it counts that a passage lacks a word of a question of so many.
func cost(t candor.Term, words int) float64 {
	c := float64(missing)
	switch {
	case isYear(t.Text):
		c = missingYear
	case t.Name || strings.ContainsAny(t.Text, "0123456789"):
		c = missingName
	}
	if t.Found == 0 {
		c += unseen / float64(words)
	}
	return c
}

// isYear holds for 1900 to 2099.
func isYear(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && strings.Trim(s, "0123456789") == ""
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// margin is how far a hit is above the bars (1 is just there): by its words, or else
// by its cosine.
func (b bars) margin(r Reach) float64 {
	m := b.byWords(r)
	if b.MinCosine > 0 {
		m = math.Max(m, over(r.Cosine, b.MinCosine))
	}
	return m
}

// byWords is the margin on the lexical bars. One word of several has its bar to itself.
func (b bars) byWords(r Reach) float64 {
	score, coverage := over(r.Score, b.MinScore), over(r.Coverage, b.coverageBar(r))
	m := mean(score, coverage)
	if b.firmScore {
		m = math.Min(m, score)
	}
	if b.firmCoverage || b.lone(r) {
		m = math.Min(m, coverage)
	}
	return m
}

// lone reports whether one word of several is all that a hit has.
func (b bars) lone(r Reach) bool { return r.Words < 2 && b.words > 1 && b.MinCoverage > 0 }

// coverageBar is the coverage that a hit needs.
func (b bars) coverageBar(r Reach) float64 {
	if b.lone(r) {
		return math.Max(alone, b.MinCoverage)
	}
	return b.MinCoverage
}

// leaning is the exponent of mean: how far it leans to the lesser of the two.
const leaning = -3

// mean is the power mean of two margins. A gate that is off has no part in it.
func mean(a, b float64) float64 {
	switch {
	case math.IsInf(a, 1):
		return b
	case math.IsInf(b, 1):
		return a
	case a <= 0 || b <= 0:
		return 0
	}
	return math.Pow((math.Pow(a, leaning)+math.Pow(b, leaning))/2, 1./leaning)
}

// over is what was reached in units of the bar; a bar that is off is always passed.
func over(value, bar float64) float64 {
	if bar <= 0 {
		return math.Inf(1)
	}
	return value / bar
}

// tail is the margin that hits after the best need.
func (g Gates) tail() float64 { return math.Min(math.Max(g.Tail, 0), 1) }

// reason names each bar and what the best hit reached.
func (b bars) reason(best Reach, hits int) string {
	if b.words == 0 && hits == 0 {
		return "the question has no word to look for"
	}
	if hits == 0 {
		return "no passage holds a word of the question"
	}
	var parts []string
	bar := func(name string, reached, bar float64) {
		if bar > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f of %.2f needed", name, reached, bar))
		}
	}
	bar("relevance", best.Score, b.MinScore)
	bar("words of the question covered", best.Coverage, b.coverageBar(best))
	if b.MinScore > 0 && b.MinCoverage > 0 {
		bar("both together", b.byWords(best), 1)
	}
	bar("similarity of meaning", best.Cosine, b.MinCosine)
	return "the best passage falls short: " + strings.Join(parts, ", ")
}
