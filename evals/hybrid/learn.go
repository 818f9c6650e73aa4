package hybrid

import (
	"math"
	"slices"

	"candor/evals"
	"candor/fusion"
)

// The folds of the cross-fit, and of the one inside it that chooses the method.
const (
	outerFolds = 10
	innerFolds = 5
	deals      = 5 // of the inner one
)

// DefaultGrid gives the constants that are tried, the default of each method first. It is
// coarse: a finer one would learn the noise of a few dozen topics.
func DefaultGrid() []fusion.Params {
	grid := []fusion.Params{fusion.Params{}.Full()}
	for _, k := range []float64{60, 30, 10, 3} {
		for _, w := range []float64{1, 0.75, 0.5, 0.3, 0.15, 1.5} {
			if p := (fusion.Params{Method: fusion.RRF, K: k, Lexical: 1, Semantic: w}); p != grid[0] {
				grid = append(grid, p)
			}
		}
	}
	for _, w := range []float64{5, 4, 3, 2, 1, 6, 7, 8} {
		grid = append(grid, fusion.Params{Method: fusion.Linear, Lexical: (10 - w) / 10, Semantic: w / 10})
	}
	for _, w := range []float64{5, 4, 3, 6, 7} {
		grid = append(grid, fusion.Params{Method: fusion.Linear, Ceiling: true, Lexical: (10 - w) / 10, Semantic: w / 10})
	}
	return grid
}

// class is topics with their score under each of the constants: what is learned from.
type class struct {
	topics []*question
	grid   []fusion.Params
	scores [][]float64 // by topic, by constants
	seed   uint64
}

// newClass scores the topics under every constant of the grid.
func newClass(topics []*question, opt Options) class {
	c := class{topics: topics, grid: opt.Grid, seed: opt.Seed}
	for _, q := range topics {
		row := make([]float64, len(c.grid))
		for i, p := range c.grid {
			row[i] = q.gain(q.fused(p))
		}
		c.scores = append(c.scores, row)
	}
	return c
}

// only is the class of some of its topics.
func (c class) only(at []int) class {
	c.topics, c.scores = pick(c.topics, at), pick(c.scores, at)
	return c
}

// learned is what a class has learned: a place in the grid, and whether the blend won.
type learned struct {
	params int
	blend  Challenge
	deltas []float64 // blend minus RRF, by topic
}

// Challenge is the blend against reciprocal rank fusion, both with learned constants and
// on unseen topics.
type Challenge struct {
	Topics int     `json:"topics"` // 0 where only one of them was to be tried
	RRF    float64 `json:"rrf"`    // nDCG@10
	Blend  float64 `json:"blend"`
	Low    float64 `json:"low"` // one-sided lower bound of the difference; to be read, not to choose by
	Won    bool    `json:"won"`
}

// learn chooses method and constants. The blend has to beat reciprocal rank fusion on
// topics that neither has seen. By how much does not matter: whichever is chosen is then
// measured on topics that had no part in the choice, and a bar of significance was seen
// to choose worse.
func (c class) learn() learned {
	rrf, blend := c.method(fusion.RRF), c.method(fusion.Linear)
	switch {
	case len(blend) == 0:
		return learned{params: c.best(rrf)}
	case len(rrf) == 0:
		return learned{params: c.best(blend)}
	case len(c.topics) < 2:
		return learned{params: rrf[0]}
	}
	got := c.challenge(rrf, blend)
	if got.params = c.best(rrf); got.blend.Won {
		got.params = c.best(blend)
	}
	return got
}

// method gives the constants of one method, as places in the grid.
func (c class) method(m fusion.Method) (out []int) {
	for i, p := range c.grid {
		if p.Full().Method == m {
			out = append(out, i)
		}
	}
	return out
}

// best gives the constants with the highest mean. They must be better than the default,
// the first, by more than one standard error of the difference: the best of many is best
// by luck too, and with tens of topics that costs more than a coarse default does (the
// one-standard-error rule of Breiman et al., "Classification and regression trees",
// 1984).
func (c class) best(among []int) int {
	best, high := among[0], -1.0
	for _, p := range among {
		sum := 0.0
		for _, row := range c.scores {
			sum += row[p]
		}
		if sum > high+1e-9 {
			best, high = p, sum
		}
	}
	gains := make([]float64, len(c.scores))
	for i, row := range c.scores {
		gains[i] = row[best] - row[among[0]]
	}
	if mean, sd := moments(gains); mean*math.Sqrt(float64(len(gains))) <= sd {
		return among[0]
	}
	return best
}

// challenge cross-fits both methods, over several deals: which topics happen to teach
// which others would else decide between two that are near.
func (c class) challenge(rrf, blend []int) learned {
	n := min(innerFolds, len(c.topics))
	a, b := make([]float64, len(c.topics)), make([]float64, len(c.topics))
	for d := range deals {
		folds := deal(c.topics, n, c.seed+1+uint64(d)<<32)
		for fold := range n {
			inside, outside := split(folds, fold)
			taught := c.only(outside)
			p, q := taught.best(rrf), taught.best(blend)
			for _, i := range inside {
				a[i] += c.scores[i][p] / deals
				b[i] += c.scores[i][q] / deals
			}
		}
	}
	deltas := make([]float64, len(a))
	for i := range a {
		deltas[i] = b[i] - a[i]
	}
	got := Challenge{Topics: len(a), RRF: evals.Mean(a), Blend: evals.Mean(b)}
	got.Won = got.Blend > got.RRF+1e-9
	return learned{blend: got, deltas: deltas}
}

// index finds the topics of a class among others.
func (c class) index(of []*question) []int {
	var out []int
	for i, q := range c.topics {
		if slices.Contains(of, q) {
			out = append(out, i)
		}
	}
	return out
}
