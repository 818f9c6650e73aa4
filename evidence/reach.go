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
	scoreBrevity, mostScore       = 2, 0.3
	coverageBrevity, mostCoverage = 4, 0.6
)

// lone is the coverage that a single word of several must have by itself: it has to
// weigh three times as much as all the others together.
const lone = 0.75

// raise gives the bars for a question of so many content words. A bar that the owner
// set higher than its most stays.
func (g Gates) raise(words int) Gates {
	raise := func(bar, brevity, most float64) float64 {
		return max(bar, min(bar*(1+brevity/float64(max(words, 1))), most))
	}
	g.MinScore = raise(g.MinScore, scoreBrevity, mostScore)
	g.MinCoverage = raise(g.MinCoverage, coverageBrevity, mostCoverage)
	return g
}

// reached is how far the chunk in a slot got.
type reached struct {
	slot int
	Reach
}

// reaches joins the hits of both legs, lexical ones first.
func reaches(lexical, semantic candor.Ranking) []reached {
	total := 0.0
	for _, t := range lexical.Terms {
		total += t.Weight
	}
	all := make([]reached, 0, len(lexical.Hits)+len(semantic.Hits))
	at := make(map[int]int, len(lexical.Hits))
	for _, h := range lexical.Hits {
		r := Reach{Words: len(h.Matched)}
		for _, i := range h.Matched {
			r.Coverage += lexical.Terms[i].Weight
		}
		r.Coverage = ratio(r.Coverage, total)
		r.Score = ratio(h.Score, lexical.Ceiling)
		at[h.Slot] = len(all)
		all = append(all, reached{h.Slot, r})
	}
	for _, h := range semantic.Hits {
		if i, ok := at[h.Slot]; ok {
			all[i].Cosine = h.Score
			continue
		}
		all = append(all, reached{h.Slot, Reach{Cosine: h.Score}})
	}
	return all
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// margin is how far a hit is above the bars (1 is just there): by its words, or else
// by its cosine.
func (g Gates) margin(r Reach, words int) float64 {
	m := math.Min(over(r.Score, g.MinScore), over(r.Coverage, g.coverageBar(r, words)))
	if g.MinCosine > 0 {
		m = math.Max(m, over(r.Cosine, g.MinCosine))
	}
	return m
}

// coverageBar is the coverage that a hit needs.
func (g Gates) coverageBar(r Reach, words int) float64 {
	if r.Words < 2 && words > 1 && g.MinCoverage > 0 {
		return math.Max(lone, g.MinCoverage)
	}
	return g.MinCoverage
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
func (g Gates) reason(best Reach, lexical candor.Ranking, hits int) string {
	if len(lexical.Terms) == 0 && hits == 0 {
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
	bar("relevance", best.Score, g.MinScore)
	bar("words of the question covered", best.Coverage, g.coverageBar(best, len(lexical.Terms)))
	bar("similarity of meaning", best.Cosine, g.MinCosine)
	return "the best passage falls short: " + strings.Join(parts, ", ")
}
