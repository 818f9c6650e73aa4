package provenance

import (
	"fmt"
	"slices"
)

// columns holds that what the claim takes from a row stands under the column that it
// names. A column is named by a word of its header that no other header has.
func (j *judge) columns(f *finding, s sentence, places [][]spot, at int) {
	st := &j.p.statements[at]
	if f.missing == "" && j.otherRow(places, at) {
		f.missing = "the claim names another row"
	}
	named := namedColumns(st.titles, s)
	if len(named) == 0 {
		return
	}
	for i, t := range s.terms {
		var cells []int
		switch {
		case t.kind == quantityTerm:
			for _, o := range st.terms {
				if o.kind == quantityTerm && t.q.same(o.q) {
					cells = append(cells, o.cell)
				}
			}
		case t.kind == nameTerm || t.kind == codeTerm:
			for _, sp := range places[i] {
				if sp.statement == at {
					cells = append(cells, st.terms[sp.term].cell)
				}
			}
		}
		if len(cells) > 0 && !slices.ContainsFunc(cells, func(c int) bool { return c == 0 || named[c] }) {
			f.conflict = "what the claim says stands in another column"
			return
		}
	}
	for c := range st.titles { // in order, so that equal input gives equal reasons
		if yes, no := yesNo(st.terms, c); named[c] && (yes || no) && no != s.isNegated() {
			f.conflict = "the one is negated where the other is not"
			return
		}
	}
}

// otherRow reports whether the claim has all of another row's first cell and not all of
// this one's.
func (j *judge) otherRow(places [][]spot, at int) bool {
	claimed := map[spot]bool{}
	rows := map[int]bool{}
	for _, list := range places {
		for _, sp := range list {
			if st := &j.p.statements[sp.statement]; st.row && st.terms[sp.term].cell == 0 {
				claimed[sp], rows[sp.statement] = true, true
			}
		}
	}
	named := func(row int) bool {
		for k, t := range j.p.statements[row].terms {
			if t.cell == 0 && !t.filler && !claimed[spot{row, k}] {
				return false
			}
		}
		return rows[row]
	}
	if named(at) {
		return false
	}
	for row := range rows {
		if named(row) {
			return true
		}
	}
	return false
}

// namedColumns gives the columns, the first aside, that a statement names.
func namedColumns(titles [][]term, s sentence) map[int]bool {
	named := map[int]bool{}
	for _, t := range s.terms {
		if t.filler && t.kind != quantityTerm {
			continue
		}
		only, n := 0, 0
		for c, title := range titles {
			if inTitle(title, t) {
				only = c
				n++
			}
		}
		if n == 1 && only > 0 {
			named[only] = true
		}
	}
	return named
}

// yesNo reads a cell that says no more than yes or no.
func yesNo(row []term, cell int) (yes, no bool) {
	n := 0
	for _, t := range row {
		if t.cell == cell {
			n++
			yes = t.text == "yes" || t.text == "ja"
			no = t.text == "no" || t.text == "none" || t.text == "nein"
		}
	}
	return yes && n == 1, no && n == 1
}

// answers reports whether a row says yes or no in a cell: its words are negated there.
func (st *statement) answers() bool {
	for c := range st.titles {
		if yes, no := yesNo(st.terms, c); yes || no {
			return true
		}
	}
	return false
}

// isNegated reports whether any clause of a statement is negated.
func (s sentence) isNegated() bool { return len(s.negated) > 0 }

// pairs holds that a number goes with the name it stands with: in "the R40 followed in
// 2018, the R60 in 2022" the second year is not the first one's.
func (j *judge) pairs(f *finding, s sentence, places [][]spot, at int) {
	st := &j.p.statements[at]
	if st.row {
		return
	}
	mine, others := map[int]bool{}, map[int]bool{} // clauses with a name of the claim, and with others alone
	claimed := map[int]bool{}
	for i, t := range s.terms {
		for _, sp := range places[i] {
			if sp.statement == at && (t.kind == nameTerm || t.kind == codeTerm) {
				claimed[sp.term], mine[st.terms[sp.term].clause] = true, true
			}
		}
	}
	for k, t := range st.terms {
		if (t.kind == nameTerm || t.kind == codeTerm) && !claimed[k] {
			others[t.clause] = true
		}
	}
	for _, t := range s.terms {
		if t.kind == quantityTerm && astray(t.q, st.terms, mine, others) {
			f.conflict = fmt.Sprintf("%s goes with another name", t.q.text)
			return
		}
	}
}

// astray reports whether a number stands only in clauses of other names, while a clause
// of the claim's name has another number in its place.
func astray(q quantity, terms []term, mine, others map[int]bool) bool {
	there, rival := false, false
	for _, o := range terms {
		switch {
		case o.kind != quantityTerm:
		case q.same(o.q) && (!others[o.clause] || mine[o.clause]):
			return false
		case q.same(o.q):
			there = true
		case mine[o.clause] && q.rivals(o.q):
			rival = true
		}
	}
	return there && rival
}
