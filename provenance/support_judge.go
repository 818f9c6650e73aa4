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
	subject      float64 // the same of its words alone
	words        int     // words that were weighed
	conflict     string  // what differs
	missing      string  // what does not stand there
}

// numberWeight is what a number that agrees adds to the coverage.
const numberWeight = 0.5

// nearlyBest is how near to the best another sentence comes that is judged as well.
const nearlyBest = 0.85

// statement judges one statement of a claim by the sentences that cover most of it.
func (j *judge) statement(s sentence) finding {
	places := make([][]spot, len(s.terms))
	for i, t := range s.terms {
		if !t.filler && t.kind != quantityTerm {
			places[i] = j.p.find(t)
		}
		if t.lead && slices.ContainsFunc(places[i], j.isName) {
			s.terms[i].kind = nameTerm
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

// isName reports whether a word is a name where it stands: only the first word of a
// claim can have a capital for another reason.
func (j *judge) isName(sp spot) bool {
	st := &j.p.statements[sp.statement]
	t := &st.terms[sp.term]
	return t.kind == nameTerm || st.row && t.lead
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

// scores gives each sentence the weight of what it covers of a statement, alone and
// with its headings. Headings are judged only where nothing stands under them.
func (j *judge) scores(s sentence, places [][]spot) []float64 {
	out := make([]float64, len(j.p.statements))
	seen := make([]bool, len(out))
	for i, t := range s.terms {
		w := weight(t)
		clear(seen)
		headed := false
		for _, sp := range places[i] {
			headed = headed || j.p.statements[sp.statement].head
			seen[sp.statement] = true
		}
		for at, st := range j.p.statements {
			switch {
			case t.kind == quantityTerm && j.holds(at, t.q):
				out[at]++
			case t.filler || t.kind == quantityTerm:
			case seen[at] && headed:
				out[at] += 1.1 * w // said again: rather here than elsewhere
			case seen[at] || headed:
				out[at] += w
			case st.row && inTitles(st.titles, t):
				out[at] += 0.01
			}
		}
	}
	if slices.ContainsFunc(j.p.statements, func(st statement) bool { return !st.head }) {
		for at, st := range j.p.statements {
			if st.head {
				out[at] = -1
			}
		}
	}
	return out
}

// ranked gives the sentences that score at least the bar, best first, four at most.
func ranked(scores []float64, bar float64) []int {
	var out []int
	for i, v := range scores {
		if v >= 0 && v >= bar {
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
		j.pairs(&f, s, places, at)
	}
	if f.conflict == "" && !j.p.statements[at].answers() {
		j.polarity(&f, s, places, at)
	}
	if f.conflict == "" {
		j.direct(&f, s, places)
	}
	if f.conflict == "" {
		j.turned(&f, s, places)
	}
	if f.conflict == "" && j.p.statements[at].row {
		j.columns(&f, s, places, at)
	}
	return f
}

// cover weighs what stands in the sentence, in its headings and beside it.
func (j *judge) cover(f *finding, s sentence, places [][]spot, at int) {
	rival := j.namesOthers(s, places, at)
	numbers, numbersAll := 0.0, 0.0
	for i, t := range s.terms {
		w := weight(t)
		if t.kind == quantityTerm && t.q.of != ordinal {
			f.all += numberWeight
			if j.holds(at, t.q) {
				f.covered += numberWeight
				numbers += numberWeight
			}
			numbersAll += numberWeight
		}
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
		case beside && !rival:
			f.covered += w
		case lone(s, i) && j.p.statements[at].speaks():
		case t.kind != wordTerm && f.missing == "":
			f.missing = fmt.Sprintf("%q does not stand there", t.text)
		}
	}
	f.coverage = quotient(f.covered, f.all)
	f.subject = quotient(f.covered-numbers, f.all-numbersAll)
}

// quotient is a share, all of nothing being all.
func quotient(part, all float64) float64 {
	if all <= 0 {
		return 1
	}
	return part / all
}

// namesOthers reports whether the sentence has a name that the claim does not: then a
// name of the claim that stands only beside it is somebody else's.
func (j *judge) namesOthers(s sentence, places [][]spot, at int) bool {
	claimed := map[int]bool{}
	for i := range s.terms {
		for _, sp := range places[i] {
			if sp.statement == at {
				claimed[sp.term] = true
			}
		}
	}
	for k, t := range j.p.statements[at].terms {
		if t.kind == nameTerm && !claimed[k] {
			return true
		}
	}
	return false
}

// speaks reports whether a sentence is told by its author, who then needs no name.
func (st *statement) speaks() bool {
	return slices.ContainsFunc(st.terms, func(t term) bool { return t.text == "we" || t.text == "us" || t.text == "our" })
}

// lone reports whether a name of the claim is a single word, as a company's is.
func lone(s sentence, i int) bool {
	return s.terms[i].kind == nameTerm && (i == 0 || s.terms[i-1].kind != nameTerm) &&
		(i+1 == len(s.terms) || s.terms[i+1].kind != nameTerm)
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
		if rivalled(t.q, st.terms, s.terms) {
			if f.conflict == "" {
				f.conflict = fmt.Sprintf("the claim has %s where the passage has another", t.q.text)
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

// rivalled reports whether a quantity of the sentence could stand for the claim's, and
// no other quantity of the claim accounts for it.
func rivalled(q quantity, have, claimed []term) bool {
	for _, t := range have {
		if t.kind != quantityTerm || !q.rivals(t.q) {
			continue
		}
		if !slices.ContainsFunc(claimed, func(c term) bool { return c.kind == quantityTerm && c.q.same(t.q) }) {
			return true
		}
	}
	return false
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
