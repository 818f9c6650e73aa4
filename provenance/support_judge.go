package provenance

import (
	"cmp"
	"fmt"
	"slices"
)

// judge holds one claim's statements against one passage.
type judge struct {
	rules Rules
	p     *passage
}

// finding is what a passage has for one statement of a claim.
type finding struct {
	covered, all float64 // weights
	coverage     float64 // their quotient
	words        int     // words that were weighed
	conflict     string  // what differs
	missing      string  // what does not stand there
}

// nearlyBest is how near to the best another sentence comes that is judged as well.
const nearlyBest = 0.85

// statement judges one statement of a claim by the sentences that cover most of it.
func (j *judge) statement(s sentence) finding {
	places := make([][]spot, len(s.terms))
	for i, t := range s.terms {
		if !t.filler && t.kind != quantityTerm {
			places[i] = j.p.find(t)
		}
	}
	scores := j.scores(s, places)
	best := slices.Max(scores)
	var out *finding
	for _, at := range ranked(scores, best*nearlyBest) {
		f := j.at(s, places, at)
		if out == nil || rank(f) < rank(*out) {
			out = &f
		}
	}
	return *out
}

// rank orders findings: what supports, then what conflicts, then what misses something.
func rank(f finding) int {
	switch {
	case f.conflict == "" && f.missing == "":
		return 0
	case f.conflict != "":
		return 1
	default:
		return 2
	}
}

// scores gives each sentence the weight of what it covers of a statement.
func (j *judge) scores(s sentence, places [][]spot) []float64 {
	out := make([]float64, len(j.p.statements))
	for i, t := range s.terms {
		if t.kind == quantityTerm {
			for at := range j.p.statements {
				if j.holds(at, t.q) {
					out[at]++
				}
			}
			continue
		}
		w := j.rules.weight(t)
		last := -1
		for _, sp := range places[i] {
			if sp.statement != last {
				last = sp.statement
				out[last] += w
			}
		}
	}
	for at, st := range j.p.statements { // a title of a column counts a little
		if st.row {
			for _, t := range s.terms {
				if !t.filler && inTitles(st.titles, t) {
					out[at] += 0.01
				}
			}
		}
	}
	return out
}

// ranked gives the sentences that score at least the bar, best first, four at most.
func ranked(scores []float64, bar float64) []int {
	var out []int
	for i, v := range scores {
		if v >= bar {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out[:min(len(out), 4)]
}

// holds reports whether a sentence states a quantity.
func (j *judge) holds(at int, q quantity) bool {
	return slices.ContainsFunc(j.p.statements[at].terms, func(t term) bool {
		return t.kind == quantityTerm && q.same(t.q)
	})
}

// at judges a statement by one sentence of the passage.
func (j *judge) at(s sentence, places [][]spot, at int) finding {
	f := finding{}
	j.cover(&f, s, places, at)
	j.quantities(&f, s, at)
	if f.conflict == "" {
		j.polarity(&f, s, places, at)
	}
	if f.conflict == "" {
		j.direct(&f, s, at)
	}
	if f.conflict == "" && j.p.statements[at].row {
		j.columns(&f, s, places, at)
	}
	return f
}

// cover weighs what stands in the sentence, in its headings and beside it.
func (j *judge) cover(f *finding, s sentence, places [][]spot, at int) {
	for i, t := range s.terms {
		w := j.rules.weight(t)
		if w == 0 {
			continue
		}
		f.words++
		f.all += w
		here, beside := j.reach(places[i], at)
		if st := j.p.statements[at]; !here && st.row {
			here = inTitles(st.titles, t)
		}
		switch {
		case here:
			f.covered += w
		case beside && t.kind == wordTerm:
			f.covered += 0.8 * w
		case beside:
			f.covered += w
		case t.kind != wordTerm && f.missing == "":
			f.missing = fmt.Sprintf("%q does not stand there", t.text)
		}
	}
	f.coverage = 1
	if f.all > 0 {
		f.coverage = f.covered / f.all
	}
}

// reach reports whether a word stands in a sentence or its headings, or beside it.
func (j *judge) reach(places []spot, at int) (here, beside bool) {
	for _, sp := range places {
		switch {
		case sp.statement == at || j.p.statements[sp.statement].head:
			return true, true
		case j.beside(at, sp.statement):
			beside = true
		}
	}
	return false, beside
}

// beside reports whether two sentences of prose stand together. Rows do not: what
// stands in the next row is about another thing.
func (j *judge) beside(at, other int) bool {
	a, b := j.p.statements[at], j.p.statements[other]
	if a.intro == other && !b.row {
		return true
	}
	if a.row || b.row || a.head || b.head {
		return false
	}
	return other >= at-2 && other <= at+2 && (a.block == b.block || other >= at-1 && other <= at+1)
}

func inTitles(titles [][]term, t term) bool {
	return slices.ContainsFunc(titles, func(title []term) bool { return inTitle(title, t) })
}

func inTitle(title []term, t term) bool {
	return slices.ContainsFunc(title, func(h term) bool {
		if t.kind == quantityTerm || h.kind == quantityTerm {
			return t.kind == h.kind && t.q.same(h.q)
		}
		return h.stem == t.stem || slices.Contains(alike[t.stem], h.stem)
	})
}

// quantities holds each number of the statement against the sentence.
func (j *judge) quantities(f *finding, s sentence, at int) {
	st := j.p.statements[at]
	for _, t := range s.terms {
		if t.kind != quantityTerm {
			continue
		}
		if found, bounded := j.bounded(s, t, at); found {
			if bounded != "" && f.conflict == "" {
				f.conflict = bounded
			}
			continue
		}
		if st.row && inTitles(st.titles, t) || j.inHeads(t.q) {
			continue
		}
		if r := rivalOf(t.q, st.terms, s.terms); r != "" {
			if f.conflict == "" {
				f.conflict = fmt.Sprintf("the claim has %s where the passage has %s", t.q.text, r)
			}
			continue
		}
		if !j.holdsBeside(at, t.q) && f.missing == "" {
			f.missing = fmt.Sprintf("%s does not stand there", t.q.text)
		}
	}
}

// bounded looks a quantity up in a sentence, and says how the bounds differ if they do.
func (j *judge) bounded(s sentence, c term, at int) (found bool, differs string) {
	st := j.p.statements[at]
	for _, t := range st.terms {
		if t.kind != quantityTerm || !c.q.same(t.q) {
			continue
		}
		if c.q.bound*t.q.bound != -1 || s.negated[c.clause] != st.negated[t.clause] {
			return true, ""
		}
		found, differs = true, fmt.Sprintf("the claim is over %s where the passage is under it, or the other way round", c.q.text)
	}
	return found, differs
}

// rivalOf gives a quantity of the sentence that could stand for the claim's and that
// no other quantity of the claim accounts for.
func rivalOf(q quantity, have, claimed []term) string {
	for _, t := range have {
		if t.kind != quantityTerm || !q.rivals(t.q) {
			continue
		}
		if !slices.ContainsFunc(claimed, func(c term) bool { return c.kind == quantityTerm && c.q.same(t.q) }) {
			return t.q.text
		}
	}
	return ""
}

func (j *judge) inHeads(q quantity) bool {
	for i, st := range j.p.statements {
		if st.head && j.holds(i, q) {
			return true
		}
	}
	return false
}

func (j *judge) holdsBeside(at int, q quantity) bool {
	for i := max(0, at-2); i <= min(at+2, len(j.p.statements)-1); i++ {
		if i != at && j.beside(at, i) && j.holds(i, q) {
			return true
		}
	}
	st := j.p.statements[at]
	return st.intro >= 0 && j.holds(st.intro, q)
}

// polarity compares where the words of the statement are negated. Words that stand
// there both ways tell nothing.
func (j *judge) polarity(f *finding, s sentence, places [][]spot, at int) {
	var same, other float64
	for i, t := range s.terms {
		w := j.rules.weight(t)
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
	if other > 0 && other >= same {
		f.conflict = "the one is negated where the other is not"
	}
}

// polarities says whether a word stands in the sentence, else beside it, with the
// same and with the other polarity.
func (j *judge) polarities(places []spot, negated bool, at int) (agree, differ bool) {
	var besideAgree, besideDiffer bool
	for _, sp := range places {
		st := &j.p.statements[sp.statement]
		if st.head {
			continue
		}
		is := st.negated[st.terms[sp.term].clause] == negated
		switch {
		case sp.statement == at:
			agree, differ = agree || is, differ || !is
		case j.beside(at, sp.statement):
			besideAgree, besideDiffer = besideAgree || is, besideDiffer || !is
		}
	}
	if agree || differ {
		return agree, differ
	}
	return besideAgree, besideDiffer
}

// direct compares words of direction: the opposite word beside the same word.
func (j *judge) direct(f *finding, s sentence, at int) {
	st := j.p.statements[at]
	for i, t := range s.terms {
		d, ok := directions[t.text]
		if !ok {
			continue
		}
		agree, differ := false, ""
		for k, o := range st.terms {
			e, ok := directions[o.text]
			if !ok || e.pair != d.pair || !j.sameObject(s.terms, i, st.terms, k) {
				continue
			}
			if (e.sign == d.sign) == (s.negated[t.clause] == st.negated[o.clause]) {
				agree = true
			} else {
				differ = o.text
			}
		}
		if differ != "" && !agree {
			f.conflict = fmt.Sprintf("the claim has %q where the passage has %q", t.text, differ)
			return
		}
	}
}

// sameObject reports whether two words of direction have a telling word in common
// among the next ones.
func (j *judge) sameObject(a []term, i int, b []term, k int) bool {
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

// around gives the telling terms at most three before and four after a place.
func around(terms []term, i int) []term {
	var out []term
	for k := max(0, i-3); k < min(len(terms), i+5); k++ {
		if k != i && !terms[k].filler {
			out = append(out, terms[k])
		}
	}
	return out
}

// columns holds that what the claim takes from a row stands under the column it means:
// no other column's header fits the claim better while its cell is passed over.
func (j *judge) columns(f *finding, s sentence, places [][]spot, at int) {
	st := j.p.statements[at]
	fit := make([]int, len(st.titles)) // words of the claim in the header
	taken := make([]bool, len(st.titles))
	for i, t := range s.terms {
		if t.filler && t.kind != quantityTerm {
			continue
		}
		for c, title := range st.titles {
			if inTitle(title, t) {
				fit[c]++
			}
		}
		for _, sp := range places[i] {
			if sp.statement == at {
				taken[st.terms[sp.term].cell] = true
			}
		}
		if t.kind == quantityTerm {
			for _, o := range st.terms {
				if o.kind == quantityTerm && t.q.same(o.q) {
					taken[o.cell] = true
				}
			}
		}
	}
	for c := 1; c < len(fit); c++ {
		for other := 1; other < len(fit); other++ {
			if taken[c] && !taken[other] && fit[other] > fit[c] && overlaps(st.titles[c], st.titles[other], fit[c]) {
				f.conflict = "what the claim says stands in another column"
			}
		}
	}
}

// overlaps reports whether two headers could be mixed up: they share a word, or the
// one that was taken has none of the claim's.
func overlaps(_, _ []term, fit int) bool { return fit >= 0 }
