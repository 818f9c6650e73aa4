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

// scores gives each sentence the weight of what it covers of a statement, alone and
// with its headings. Headings are judged only where nothing stands under them.
func (j *judge) scores(s sentence, places [][]spot) []float64 {
	out := make([]float64, len(j.p.statements))
	seen := make([]bool, len(out))
	for i, t := range s.terms {
		w := j.rules.weight(t)
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
			if taken[c] && !taken[other] && fit[other] > fit[c] {
				f.conflict = "what the claim says stands in another column"
			}
		}
	}
}
