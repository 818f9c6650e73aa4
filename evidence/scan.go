package evidence

import (
	"math"
	"strconv"
	"strings"
)

// scanner finds the values of one statement.
type scanner struct {
	statement
	out []value
}

// read fills in the values of a statement.
func (s *statement) read() {
	x := scanner{statement: *s}
	for i := 0; i < len(x.tokens); {
		i = max(x.at(i), i+1)
	}
	x.modal()
	gone := s.gone()
	for i := range x.out {
		x.out[i].gone = gone
	}
	s.values = x.out
}

// gone reports whether a statement says of something that it is no more.
func (s *statement) gone() bool {
	for i, t := range s.tokens {
		if ended[t.text] > 0 || i > 0 && (s.tokens[i-1].text == "no" && t.text == "longer" || s.tokens[i-1].text == "nicht" && t.text == "mehr") {
			return true
		}
	}
	return false
}

// text is the word at a place, "" beyond the ends.
func (x *scanner) text(i int) string {
	if i < 0 || i >= len(x.tokens) {
		return ""
	}
	return x.tokens[i].text
}

// at reads what begins at a token, and gives where to go on.
func (x *scanner) at(i int) int {
	t := x.tokens[i]
	if solo[t.text] > 0 {
		x.out = append(x.out, value{dim: counting + "person", lo: 0, hi: 1, at: i})
		return i + 1
	}
	if next := x.date(i); next > i {
		return next
	}
	if next := x.clock(i); next > i {
		return next
	}
	if m := months[t.text]; m > 0 && t.name {
		if day, ok := number(x.text(i + 1)); ok && day >= 1 && day <= 31 {
			return x.day(i+1, m, int(day), i+2)
		}
	}
	n, ok := number(t.text)
	if !ok || t.joined {
		return i
	}
	v := value{lo: n, hi: n, at: i}
	end := i + 1
	if through[x.text(end)] > 0 {
		if high, ok := number(x.text(end + 1)); ok && high > n {
			v.hi, end = high, end+2
		}
	}
	if m := months[x.text(end)]; m > 0 && end == i+1 && n >= 1 && n <= 31 {
		return x.day(i, m, int(n), end+1)
	}
	return x.quantity(v, end)
}

// number reads digits or a word for a number.
func number(text string) (float64, bool) {
	if n := numbers[text]; n > 0 {
		return float64(n), true
	}
	text = strings.TrimRight(text, ".")
	if !numeric(text) {
		return 0, false
	}
	// A comma or a stop before exactly three digits parts thousands, the last sign else a fraction.
	for _, sep := range []string{",", "."} {
		parts := strings.Split(text, sep)
		grouped := len(parts) > 1 && len(parts[0]) <= 3 && parts[0] != "0"
		for _, p := range parts[1:] {
			grouped = grouped && len(p) >= 3 && (len(p) == 3 || p[3] == '.')
		}
		if grouped && (sep == "," || len(parts) > 2) {
			text = strings.Join(parts, "")
		}
	}
	n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return n, err == nil
}

// date reads 2026-12-08.
func (x *scanner) date(i int) int {
	parts := strings.Split(x.text(i), "-")
	if len(parts) != 3 || len(parts[0]) != 4 {
		return i
	}
	var n [3]int
	for k, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil {
			return i
		}
		n[k] = v
	}
	x.add(value{dim: dated, lo: float64(n[0]*10000 + n[1]*100 + n[2]), at: i})
	return i + 1
}

// day adds a day of a month, with the year if one follows.
func (x *scanner) day(at, month, day, next int) int {
	v := value{dim: dayOfYear, lo: float64(month*100 + day), at: at}
	if year, err := strconv.Atoi(x.text(next)); err == nil && year > 1900 && year < 2100 {
		v.dim, v.lo, next = dated, v.lo+float64(year*10000), next+1
	}
	x.add(v)
	return next
}

// clock reads 9:30, 9:30 to 15:00, 15 Uhr, 9 am.
func (x *scanner) clock(i int) int {
	from, next, ok := x.time(i)
	if !ok {
		return i
	}
	if through[x.text(next)] > 0 {
		if till, end, ok := x.time(next + 1); ok {
			x.out = append(x.out, value{dim: hours, lo: from, hi: till, at: i})
			return end
		}
	}
	x.add(value{dim: clock, lo: from, at: i})
	return next
}

func (x *scanner) time(i int) (hour float64, next int, ok bool) {
	h, m, colon := strings.Cut(x.text(i), ":")
	n, err := strconv.Atoi(h)
	if err != nil || n > 24 {
		return 0, i, false
	}
	minute := 0
	if colon {
		if minute, err = strconv.Atoi(m); err != nil || minute > 59 || len(m) != 2 {
			return 0, i, false
		}
	}
	next = i + 1
	switch x.text(next) {
	case "uhr", "o'clock", "a.m", "am":
		next++
	case "pm", "p.m":
		next++
		n = n%12 + 12
	default:
		if !colon {
			return 0, i, false
		}
	}
	return float64(n) + float64(minute)/60, next, true
}

// add adds a value that is one point.
func (x *scanner) add(v value) { v.hi = v.lo; x.out = append(x.out, v) }

// quantity adds a number as what follows it, precedes it or heads its column says.
func (x *scanner) quantity(v value, end int) int {
	v = x.bounded(v)
	if u, ok := units[x.text(v.at-1)]; ok && strings.HasPrefix(u.dim, "money") && !x.tokens[v.at-1].name {
		return x.measured(v, u, end)
	}
	next := end
	if adverbs[x.text(next)] > 0 {
		next++
	}
	if t := x.text(next); t == "working" || t == "business" {
		if units[x.text(next+1)].factor == 86400 {
			return x.measured(v, unit{"workday", 1}, next+2)
		}
	}
	if x.text(next) == "per" && x.text(next+1) == "cent" {
		return x.measured(v, unit{"percent", 1}, next+2)
	}
	if u, ok := units[x.text(next)]; ok && next < len(x.tokens) {
		return x.measured(v, u, next+1)
	}
	if x.heads != nil {
		return x.column(v, end)
	}
	if v.at > 0 && !x.tokens[v.at-1].end && v.lo == v.hi && uncounted[x.text(v.at-1)] == 0 {
		x.out = append(x.out, value{dim: labelled + x.tokens[v.at-1].stem, lo: v.lo, hi: v.hi, at: v.at})
	}
	if next < len(x.tokens) && !x.tokens[next-1].end {
		x.count(v, x.tokens[next])
	}
	return end
}

// count adds a number of things.
func (x *scanner) count(v value, of token) {
	if uncounted[of.text] > 0 || strings.ContainsAny(of.text, digits) {
		return
	}
	v.dim = counted(of)
	x.out = append(x.out, v)
}

// counted is the dimension of a number of things: people are people, tries are times.
func counted(of token) string {
	switch {
	case people[of.text] > 0:
		return counting + "person"
	case tries[of.text] > 0:
		return counting + "time"
	}
	return counting + of.stem
}

// column adds a number that stands alone in its cell, by the words over it.
func (x *scanner) column(v value, end int) int {
	alone := (v.at == 0 || x.tokens[v.at-1].end) && x.tokens[end-1].end
	for _, head := range x.heads[v.at] {
		if !alone {
			break
		}
		if u, ok := units[head.text]; ok {
			return x.measured(v, u, end)
		}
		x.out = append(x.out, value{dim: labelled + head.stem, lo: v.lo, hi: v.hi, at: v.at})
	}
	return end
}

func (x *scanner) measured(v value, u unit, end int) int {
	v.dim, v.lo, v.hi = u.dim, v.lo*u.factor, v.hi*u.factor
	if each[x.text(end)] > 0 && end+1 < len(x.tokens) {
		v.rate = x.tokens[end+1].stem
	}
	x.out = append(x.out, v)
	return end
}

// bounded widens a number by what stands before it: at least, at most, about.
func (x *scanner) bounded(v value) value {
	for k := v.at - 1; k >= max(v.at-3, 0); k-- {
		if x.tokens[k].end {
			break
		}
		switch word := x.text(k); {
		case atLeast[word] > 0:
			v.hi = math.Inf(1)
			return v
		case atMost[word] > 0:
			v.lo = math.Inf(-1)
			return v
		case roughly[word] > 0:
			v.about = true
			return v
		}
	}
	return v
}

// modal adds what a statement allows, forbids or requires.
func (x *scanner) modal() {
	for i, t := range x.tokens {
		yes, no := 1., 0.
		for k := max(i-2, 0); k < min(i+3, len(x.tokens)); k++ {
			if negates[x.text(k)] > 0 && k != i {
				yes, no = 0, 1
			}
		}
		switch {
		case permits[t.text] > 0:
			x.add(value{dim: allowed, lo: yes, at: i})
		case forbids[t.text] > 0:
			x.add(value{dim: allowed, lo: no, at: i})
		case t.text == "must" && yes == 0:
			x.add(value{dim: allowed, at: i})
		case requires[t.text] > 0:
			x.add(value{dim: required, lo: yes, at: i})
		case optional[t.text] > 0:
			x.add(value{dim: required, lo: no, at: i})
		}
	}
}
