package provenance

// joinDates makes "8 December 2026", "December 8, 2026", "June 2026" and the like one
// term each.
func joinDates(terms []term) []term {
	out := terms[:0]
	for i := 0; i < len(terms); i++ {
		t := terms[i]
		m := months[t.text]
		if t.kind == quantityTerm || m == 0 || t.text == "may" && !datedBy(out, terms[i+1:]) {
			out = append(out, t)
			continue
		}
		q := quantity{of: date, m: m, text: t.text}
		if n := len(out); n > 0 && dayOf(out[n-1]) {
			q.d, q.bound = int(out[n-1].q.value), out[n-1].q.bound
			q.text = out[n-1].text + " " + q.text
			t.joint, t.clause = out[n-1].joint, out[n-1].clause
			out = out[:n-1]
		} else if i+1 < len(terms) && dayOf(terms[i+1]) {
			q.d = int(terms[i+1].q.value)
			q.text += " " + terms[i+1].text
			i++
		}
		if i+1 < len(terms) && yearOf(terms[i+1]) {
			q.y = int(terms[i+1].q.value)
			q.text += " " + terms[i+1].text
			i++
		}
		t.kind, t.q, t.filler, t.text = quantityTerm, q, false, q.text
		if t.q.d == 0 && t.q.y == 0 { // a month alone is a word
			t.kind, t.q = wordTerm, quantity{}
		}
		out = append(out, t)
	}
	return out
}

// datedBy reports whether "may" stands beside a day or a year, and so is a month.
func datedBy(before, after []term) bool {
	return len(before) > 0 && dayOf(before[len(before)-1]) || len(after) > 0 && yearOf(after[0])
}

func dayOf(t term) bool {
	return t.kind == quantityTerm && t.q.of <= ordinal && t.q.value >= 1 && t.q.value <= 31 && t.q.value == float64(int(t.q.value))
}

func yearOf(t term) bool {
	return t.kind == quantityTerm && t.q.of == plain && len(t.text) == 4 && t.q.value >= 1000 && t.q.value <= 2999
}

// between are words that may stand between a number and its unit.
var between = set("working full more whole calendar extra per other")

// joinUnits gives numbers the unit that follows, or the currency before.
func joinUnits(terms []term) []term {
	out := terms[:0]
	for i := 0; i < len(terms); i++ {
		t := terms[i]
		if within(terms, i) {
			t = term{kind: quantityTerm, text: "1", q: quantity{value: 1, text: "1", bound: under}, clause: t.clause, joint: t.joint}
		}
		if t.kind != quantityTerm || t.q.of != plain {
			out = append(out, t)
			continue
		}
		used := t.q.readUnit(terms[i+1:])
		if n := len(out); used == 0 && n > 0 && out[n-1].kind == wordTerm && units[out[n-1].text].of.currency() && t.follow {
			t.q.of = units[out[n-1].text].of
			out[n-1].filler = true
		}
		out = append(out, t)
		if used == 2 && between[terms[i+1].text] && terms[i+1].text != "per" {
			out = append(out, terms[i+1])
		}
		i += used
	}
	return out
}

// joinRanges bounds the numbers of "5 to 10 years", "between 5 and 10" and "4-20", and
// gives both the unit of the last.
func joinRanges(terms []term) {
	for i := range terms {
		k := i + 1
		if terms[i].kind != quantityTerm || k >= len(terms) {
			continue
		}
		word := terms[k].text
		if word == "to" || word == "bis" || word == "and" && i > 0 && terms[i-1].text == "between" {
			k++
		} else if !terms[i].q.ranged {
			continue
		}
		if k >= len(terms) || terms[k].kind != quantityTerm {
			continue
		}
		from, to := &terms[i].q, &terms[k].q
		if from.m != 0 && from.y == 0 && from.m <= to.m {
			from.y = to.y
		}
		if from.of == plain && to.of > weekday {
			from.noun, from.of, from.value = false, to.of, from.value*to.factor()
		}
		if from.of == to.of && to.of != clock && to.of != date && from.bound == exact && to.bound == exact {
			from.bound, to.bound = over, under
		}
	}
}

// within reports whether terms[i] is the article of "within a day": one of them.
func within(terms []term, i int) bool {
	if terms[i].kind != wordTerm || i == 0 || i+1 >= len(terms) || terms[i-1].text != "within" {
		return false
	}
	u, ok := units[terms[i+1].text]
	return ok && (terms[i].text == "a" || terms[i].text == "an" || terms[i].text == "one") && u.of == seconds
}

// readUnit takes the unit off the terms after a number and says how many they were.
func (c *quantity) readUnit(after []term) (used int) {
	if len(after) == 0 || !after[0].follow {
		return 0
	}
	if f, ok := scales[after[0].text]; ok {
		c.value *= f
		return 1 + c.readUnit(after[1:])
	}
	if after[0].text == "per" && len(after) > 1 && after[1].text == "cent" {
		c.of = percent
		return 2
	}
	at := 0
	if between[after[0].text] && len(after) > 1 {
		at = 1
	}
	if u, ok := unitOf(after[at].written, after[at].text); ok && after[at].kind != codeTerm && after[at].text != "a" {
		c.of, c.value = u.of, c.value*u.factor
		return at + 1
	}
	c.noun = after[0].kind == wordTerm && !after[0].filler || after[0].kind == nameTerm
	return 0
}
