package evidence

import (
	"slices"
	"strings"

	"candor"
)

// Conflicts gives the pairs of passages, by index and in order, that answer the question
// with different numbers, dates or times, or of which one allows what the other forbids.
//
// In each passage it looks for the statements, sentences or rows of a table, that hold
// most of what the question asks about and have a value of the kind that is asked for. Two
// of them disagree where they are about the same words of the question, name no different
// things, and their values cannot both be so. Passages of one note are never compared: a
// note that gives two numbers tells two things. It is precise before it is complete, and
// reads English and German; doc/evals.md says what it finds.
func (c *Comparer) Conflicts(question string, terms []candor.Term, passages []*candor.Chunk) [][2]int {
	q := ask(question, terms)
	if len(q.terms) == 0 || len(q.kinds) == 0 {
		return nil
	}
	answers := make([]answer, len(passages))
	for i, p := range passages {
		answers[i] = q.read(p, c.reading(p))
	}
	if !prune(answers, passages) {
		return nil
	}
	wanted, best := q.foremost(answers)
	var out [][2]int
	for i := range answers {
		for j := i + 1; j < len(answers); j++ {
			if passages[i].Path != passages[j].Path && q.disagree(&answers[i], &answers[j], wanted, best) {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// How much of what the question asks about must be there, as a share of its weight. The
// values were chosen on the demo's odd topics.
const (
	overIt, besideIt = 0.8, 0.4 // what a word counts over a statement, or elsewhere in the passage
	foremost         = 0.8      // a statement, of the best one of the passage or of all
	well             = 0.7      // in or around one statement of a pair
	both             = 0.5      // in or around each of them
	bothModal        = 0.6      // the same, where it is about being allowed
	foreign          = 0.3      // in each, of two languages
	itself           = 0.25     // in both themselves, where another common word counts
	another          = 0.1      // so much, or else
	headed           = 0.5      // in each itself or in the heading right over it
)

// foremost gives the dimensions that the question wants and the best of all statements
// has, and how good that one is.
func (q *question) foremost(answers []answer) (dims []string, best float64) {
	for _, a := range answers {
		for _, s := range a.said {
			own := q.wanted(s.values)
			switch {
			case len(own) == 0 || s.score < best:
			case s.score > best:
				best, dims = s.score, own
			default:
				dims = append(dims, own...)
			}
		}
	}
	slices.Sort(dims)
	return slices.Compact(dims), best
}

// disagree reports whether two passages contradict one another in one of the dimensions.
func (q *question) disagree(a, b *answer, dims []string, best float64) bool {
	if b.asks {
		a, b = b, a
	}
	if b.asks {
		return false // two pages of opinions
	}
	for _, dim := range dims {
		p := pair{a: a, b: b, x: a.with(dim), y: b.with(dim), dim: dim}
		if len(p.x) == 0 || len(p.y) == 0 {
			continue
		}
		most := max(p.x[0].score, p.y[0].score)
		if most < foremost*best || most < well && a.german == b.german {
			continue
		}
		if q.same(p) && p.contradict() {
			return true
		}
	}
	return false
}

// pair is the foremost statements of two passages with a value of a dimension.
type pair struct {
	a, b *answer
	x, y []said
	dim  string
}

// contradict compares values. Of several statements that are equally to the point the
// first counts, unless another says just the same. Under a heading that asks the question
// each statement with one value is an answer to it.
func (p pair) contradict() bool {
	if p.a.asks {
		return slices.ContainsFunc(p.a.said, func(s said) bool {
			u, v := alike(s.values, p.y[0].values, p.dim)
			return len(u) == 1 && !meet(u, v, value.agrees)
		})
	}
	u, v := alike(p.x[0].values, p.y[0].values, p.dim)
	if meet(u, v, value.agrees) {
		return false
	}
	u, v = alike(values(p.x), values(p.y), p.dim)
	return !meet(u, v, value.equals)
}

// meet reports whether a value of one list and one of the other are as wanted.
func meet(a, b []value, fits func(value, value) bool) bool {
	return slices.ContainsFunc(a, func(x value) bool {
		return slices.ContainsFunc(b, func(y value) bool { return fits(x, y) })
	})
}

func values(list []said) []value {
	var out []value
	for _, s := range list {
		out = append(out, s.values...)
	}
	return out
}

// same reports whether two statements are about the same thing, and it is what is asked
// about.
func (q *question) same(p pair) bool {
	x, y := p.x[0], p.y[0]
	if q.apart(p) {
		return false
	}
	if p.a.german != p.b.german {
		return x.own >= foreign && y.own >= foreign
	}
	around, within := 0.0, 0.0
	for i, t := range q.terms {
		held := min(x.held[i], y.held[i])
		if held == 0 && strings.ContainsAny(t.Text, digits) {
			return false
		}
		around += held * t.Weight / q.weight
		if held == 1 {
			within += t.Weight / q.weight
		}
	}
	switch {
	case p.dim == allowed || p.dim == required:
		return around >= bothModal
	case around < both:
		return false
	case p.a.asks && max(x.own, y.own) >= headed:
		return true
	case strings.HasPrefix(p.dim, counting) || strings.HasPrefix(p.dim, labelled):
		return true // what is counted is a common word itself
	}
	return within+another*float64(q.common(x, y)) >= itself ||
		max(x.own, x.headed) >= headed && max(y.own, y.headed) >= headed
}

// A common word counts from so many letters on, and no more than so many of them do.
const shortest, mostWords = 5, 3

// common is how many words two statements share that the question has not.
func (q *question) common(x, y said) int {
	n := 0
	for i, t := range x.tokens {
		if len(t.text) >= shortest && units[t.text].dim == "" && !holds(q.words, t) && holds(y.tokens, t) && !holds(x.tokens[:i], t) {
			n++
		}
	}
	return min(n, mostWords)
}

// apart reports whether each passage names a thing with a number in its name that the
// other does not have: the R40 and the R60. Titles are held against titles.
func (q *question) apart(p pair) bool {
	names := func(list, others []token) bool {
		return slices.ContainsFunc(list, func(t token) bool {
			return t.name && strings.ContainsAny(t.text, digits) && !holds(others, t) && !holds(q.words, t)
		})
	}
	a, b := p.a.names, p.b.names
	x, y := slices.Concat(p.x[0].tokens, a), slices.Concat(p.y[0].tokens, b)
	return names(a, y) && names(b, x) || names(p.x[0].tokens, y) && names(p.y[0].tokens, x)
}
