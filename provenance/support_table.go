package provenance

import "slices"

// columns holds that what the claim takes from a row stands under the column that it
// names. A column is named by a word of its header that no other header has.
func (j *judge) columns(f *finding, s sentence, places [][]spot, at int) {
	st := &j.p.statements[at]
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

// isNegated reports whether any clause of a statement is negated.
func (s sentence) isNegated() bool { return len(s.negated) > 0 }
