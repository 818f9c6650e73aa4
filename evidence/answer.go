package evidence

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"candor"
)

// answer is what a passage says to a question.
type answer struct {
	*reading
	said []said // its foremost statements, best first
	asks bool   // a heading asks the question itself
}

// said is a statement with how it stands to the question.
type said struct {
	*statement
	held   []float64 // by term: 1 in the statement, less around it, 0 nowhere in the passage
	score  float64   // all of it, as a share of the question's weight
	own    float64   // the share in the statement itself
	headed float64   // the share in the heading right over it
}

// maxForemost is how many of the foremost statements of a passage are read.
const maxForemost = 16

// read finds the foremost statements of a passage.
func (q *question) read(p *candor.Chunk, r *reading) answer {
	a := answer{reading: r}
	r.begin(p)
	there, enough := q.may(r)
	if !enough {
		return a
	}
	for _, h := range append([]string{p.Title}, p.Heading...) {
		a.asks = a.asks || strings.HasSuffix(h, "?") && q.share(h) >= headed
	}
	heading := 0.0
	if n := len(p.Heading); n > 0 && p.Heading[n-1] != p.Title {
		heading = q.share(p.Heading[n-1])
	}
	list := r.statements(p)
	a.said = make([]said, 0, len(list))
	held := make([]float64, (len(list)+1)*len(q.terms))
	around := held[:len(q.terms)]
	q.hold(around, overIt, r.title)
	for i := range list {
		s := said{statement: &list[i], headed: heading, held: held[(i+1)*len(q.terms):][:len(q.terms)]}
		for k, w := range q.stems {
			if there[k] && (says(s.lower, w) || s.header != nil && says(s.header.lower, w)) {
				s.held[k] = 1
			}
		}
		for k, h := range s.held {
			if h > 0 {
				around[k] = max(around[k], besideIt)
			}
		}
		a.said = append(a.said, s)
	}
	a.keep(q, around)
	return a
}

// may tells which words of the question could be inside a passage, whose beginnings are
// there at all, and whether those in and around it could be enough.
func (q *question) may(r *reading) (there []bool, enough bool) {
	there = make([]bool, len(q.stems))
	sum := 0.0
	for i, w := range q.stems {
		there[i] = strings.Contains(r.lower, w.stem) || strings.Contains(r.context, w.stem)
		if there[i] || strings.Contains(r.title, w.stem) {
			sum += q.terms[i].Weight / q.weight
		}
	}
	return there, sum >= foreign
}

// keep scores the statements, and keeps the foremost of them.
func (a *answer) keep(q *question, around []float64) {
	best := 0.0
	for i := range a.said {
		s := &a.said[i]
		for k, t := range q.terms {
			if s.held[k] == 1 {
				s.own += t.Weight / q.weight
			}
			s.held[k] = max(s.held[k], around[k])
			s.score += s.held[k] * t.Weight / q.weight
		}
		best = max(best, s.score)
	}
	a.said = slices.DeleteFunc(a.said, func(s said) bool { return s.score < foremost*best || s.score < foreign })
	slices.SortStableFunc(a.said, func(x, y said) int { return cmp.Compare(y.score, x.score) })
	a.said = a.said[:min(len(a.said), maxForemost)]
}

// hold sets what each word of the question counts that a text in lower case has.
func (q *question) hold(held []float64, counts float64, lower string) {
	for i, w := range q.stems {
		if held[i] < counts && says(lower, w) {
			held[i] = counts
		}
	}
}

// share is how much of the question a text holds.
func (q *question) share(text string) (sum float64) {
	held := make([]float64, len(q.terms))
	q.hold(held, 1, strings.ToLower(text))
	for i, h := range held {
		sum += h * q.terms[i].Weight / q.weight
	}
	return sum
}

// with gives the foremost statements with a value of a dimension: more than one only
// where they are equally so.
func (a *answer) with(dim string) []said {
	var out []said
	for _, s := range a.said {
		if x, _ := alike(s.values, nil, dim); len(x) > 0 && (len(out) == 0 || s.score == out[0].score) {
			out = append(out, s)
		}
	}
	return out
}

// fileName is the name of a note's file as words.
func fileName(p candor.Path) string {
	name := path.Base(string(p))
	return strings.ReplaceAll(strings.TrimSuffix(name, path.Ext(name)), "-", " ")
}

// isGerman reports whether a text in lower case is German rather than English, by its
// little words.
func isGerman(lower string) bool {
	count := func(words ...string) (n int) {
		for _, w := range words {
			n += strings.Count(lower, w)
		}
		return n
	}
	return count(" der ", " die ", " das ", " und ", " ist ", " nicht ", " für ") > count(" the ", " and ", " is ", " of ", " to ", " not ")
}

// prune drops the statements that can be part of no conflict, and takes the others apart
// into words and values. It reports whether two notes are left.
func prune(answers []answer, passages []*candor.Chunk) bool {
	english, german, best := false, false, 0.0
	for _, a := range answers {
		if len(a.said) > 0 {
			english, german, best = english || !a.german, german || a.german, max(best, a.said[0].score)
		}
	}
	floor := foreign
	if !english || !german {
		if floor = both; best < well {
			return false
		}
	}
	first, two := candor.Path(""), false
	for i := range answers {
		a := &answers[i]
		a.said = slices.DeleteFunc(a.said, func(s said) bool { return s.score < floor })
		if len(a.said) > 0 {
			two = two || first != "" && passages[i].Path != first
			first = passages[i].Path
		}
	}
	for i := 0; two && i < len(answers); i++ {
		for k := range answers[i].said {
			answers[i].fill(answers[i].said[k].statement)
		}
	}
	return two
}
