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
	said   []said  // its foremost statements, best first
	title  []token // title and headings
	german bool
	asks   bool // a heading asks the question itself
}

// said is a statement with how it stands to the question.
type said struct {
	*statement
	held   []float64 // by term: 1 in the statement, less around it, 0 nowhere in the passage
	score  float64   // all of it, as a share of the question's weight
	own    float64   // the share in the statement itself
	headed float64   // the share in the heading right over it
}

// read finds the foremost statements of a passage.
func (q *question) read(p *candor.Chunk) answer {
	a := answer{title: tokenize(strings.Join(append([]string{p.Title}, p.Heading...), " . "))}
	for _, h := range append([]string{p.Title}, p.Heading...) {
		a.asks = a.asks || strings.HasSuffix(h, "?") && q.share(tokenize(h)) >= headed
	}
	heading := 0.0
	if n := len(p.Heading); n > 0 && p.Heading[n-1] != p.Title {
		heading = q.share(tokenize(p.Heading[n-1]))
	}
	list := statements(p.Text, p.Context)
	var whole []token
	for _, s := range list {
		whole = append(whole, s.tokens...)
	}
	a.german = german(whole)
	around := q.held(slices.Concat(a.title, tokenize(fileName(p.Path))), overIt, q.held(whole, besideIt, nil))
	best := 0.0
	for i := range list {
		s := said{statement: &list[i], headed: heading}
		s.held = q.held(s.over, 1, q.held(s.tokens, 1, around))
		for k, t := range q.terms {
			s.score += s.held[k] * t.Weight / q.weight
			if s.held[k] == 1 {
				s.own += t.Weight / q.weight
			}
		}
		best = max(best, s.score)
		a.said = append(a.said, s)
	}
	a.said = slices.DeleteFunc(a.said, func(s said) bool { return s.score < foremost*best || s.score < foreign })
	slices.SortStableFunc(a.said, func(x, y said) int { return cmp.Compare(y.score, x.score) })
	for i := range a.said {
		a.said[i].read()
	}
	return a
}

// held gives each word of the question what it counts where the tokens hold it, and else
// what it had.
func (q *question) held(tokens []token, counts float64, had []float64) []float64 {
	out := make([]float64, len(q.terms))
	copy(out, had)
	for i, w := range q.stems {
		if holds(tokens, w) {
			out[i] = max(out[i], counts)
		}
	}
	return out
}

// share is how much of the question a text holds.
func (q *question) share(tokens []token) (sum float64) {
	for i, held := range q.held(tokens, 1, nil) {
		sum += held * q.terms[i].Weight / q.weight
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

// german reports whether a text is German rather than English, by its little words.
func german(tokens []token) bool {
	n := 0
	for _, t := range tokens {
		switch little[t.text] {
		case 1:
			n--
		case 2:
			n++
		}
	}
	return n > 0
}

// little are words of one language that are none of the other.
var little = words("the and is not of with for a on to are be by or at you it as",
	"der die das und ist nicht von mit für den dem ein eine auf im zu sind wird werden")
