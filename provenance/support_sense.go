package provenance

import (
	"fmt"
	"slices"
	"strings"
)

// halfTurned is the weight of the words that are negated on one side alone, over that of
// the words that are not, from which the statements are opposed. With fewer, those words
// cover nothing.
const (
	halfTurned  = 0.5
	leastTurned = 0.4 // of all words that are compared or missing
)

// polarity compares where the words of the statement are negated. Words that stand
// there both ways tell nothing.
func (j *judge) polarity(f *finding, s sentence, places [][]spot, at int) {
	var same, other float64
	for i, t := range s.terms {
		w := weight(t)
		if w == 0 {
			continue
		}
		agree, differ := j.polarities(places[i], s.negated[t.clause], at)
		switch {
		case agree:
			same += w
		case differ:
			other += w
		}
	}
	if other > 0 && other >= halfTurned*same && other >= leastTurned*(same+other+(1-f.subject)*f.all) {
		f.conflict = "the one is negated where the other is not"
	} else if other > 0 {
		f.covered = max(0, f.covered-other)
		f.coverage = quotient(f.covered, f.all)
	}
}

// polarities says whether a word stands in the sentence, else beside it, with the
// same and with the other polarity. Beside it, what the claim denies may well be said of
// something else: only what the passage denies differs.
func (j *judge) polarities(places []spot, negated bool, at int) (agree, differ bool) {
	besideAgree, denied := false, false
	for _, sp := range places {
		st := &j.p.statements[sp.statement]
		if st.head && !st.denied {
			continue
		}
		is := st.negated[st.terms[sp.term].clause] == negated
		switch {
		case sp.statement == at || st.denied:
			agree, differ = agree || is, differ || !is
		case j.beside(at, sp.statement):
			besideAgree, denied = besideAgree || is, denied || !is && !negated
		}
	}
	if agree || differ {
		return agree, differ
	}
	return besideAgree, denied
}

// sameStem is how much sooner the very word of the claim decides than another one.
const sameStem = 1.25

// direct compares words of direction. Of the clauses that have such a word about the
// same thing, the one that covers most of the claim decides.
func (j *judge) direct(f *finding, s sentence, places [][]spot) {
	var overlap func(clause) float64
	for i, t := range s.terms {
		d, ok := directions[t.stem]
		if !ok || t.kind == quantityTerm || t.bounds {
			continue
		}
		if overlap == nil {
			overlap = j.overlaps(s, places)
		}
		most, agree := 0.0, false
		for _, at := range j.p.turns {
			st := &j.p.statements[at.statement]
			o := st.terms[at.term]
			e := directions[o.stem]
			if e.pair != d.pair || o.bounds || o.stem != t.stem && !sameObject(s.terms, i, st.terms, at.term) {
				continue
			}
			same := (e.sign == d.sign) == (s.negated[t.clause] == st.negated[o.clause])
			w := overlap(clause{at.statement, o.clause})
			if o.stem == t.stem {
				w *= sameStem
			}
			if w > most || w == most && same {
				most, agree = w, same
			}
		}
		if most > 0 && !agree {
			f.conflict = fmt.Sprintf("the claim has %q where the passage has the opposite", t.text)
			return
		}
	}
}

// turned looks for a word of which the passage has only the opposite: encrypted and
// unencrypted.
func (j *judge) turned(f *finding, s sentence, places [][]spot) {
	for i, t := range s.terms {
		if t.kind != wordTerm || len(t.stem) < stemPrefix || len(places[i]) > 0 {
			continue
		}
		for _, begin := range turning {
			other, isTurned := strings.CutPrefix(t.stem, begin)
			if len(j.p.spots[begin+t.stem]) > 0 || isTurned && len(other) >= stemPrefix && len(j.p.spots[other]) > 0 {
				f.conflict = fmt.Sprintf("the claim has %q where the passage has the opposite", t.text)
				return
			}
		}
	}
}

// clause is a clause of a sentence of the passage.
type clause struct{ statement, clause int }

// overlaps weighs the claim's words in each clause and in the rest of its sentence, once
// each; what stands in the clause itself counts twice.
func (j *judge) overlaps(s sentence, places [][]spot) func(clause) float64 {
	whole, part := map[int]float64{}, map[clause]float64{}
	for i, t := range s.terms {
		w := weight(t)
		last, lastPart := -1, clause{-1, -1}
		for _, sp := range places[i] {
			in := clause{sp.statement, j.p.statements[sp.statement].terms[sp.term].clause}
			if in.statement != last {
				whole[in.statement] += w
			}
			if in != lastPart {
				part[in] += w
			}
			last, lastPart = in.statement, in
		}
	}
	return func(c clause) float64 { return whole[c.statement] + part[c] }
}

// sameObject reports whether two words of direction have a telling word in common
// among those around them.
func sameObject(a []term, i int, b []term, k int) bool {
	for _, x := range around(a, i) {
		for _, y := range around(b, k) {
			if x.kind == quantityTerm && y.kind == quantityTerm && x.q.same(y.q) ||
				x.stem != "" && (x.stem == y.stem || slices.Contains(alike[x.stem], y.stem)) {
				return true
			}
		}
	}
	return false
}

// around gives the three telling terms before a place and the three after.
func around(terms []term, i int) []term {
	out := make([]term, 0, 6)
	for k, n := i-1, 0; k >= 0 && n < 3; k-- {
		if !terms[k].filler {
			out = append(out, terms[k])
			n++
		}
	}
	for k, n := i+1, 0; k < len(terms) && n < 3; k++ {
		if !terms[k].filler {
			out = append(out, terms[k])
			n++
		}
	}
	return out
}
