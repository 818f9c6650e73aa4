package provenance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind is what a term is compared as.
type kind uint8

// The kinds: names and codes must stand in the passage, quantities must agree, words
// need only be covered for the most part.
const (
	wordTerm kind = iota
	nameTerm
	codeTerm
	quantityTerm
)

// term is a word, name, code or quantity of a sentence.
type term struct {
	kind   kind
	text   string // folded, as written
	stem   string // what it is compared by
	q      quantity
	clause int // how many clause borders stand before it
	cell   int // of a table row: its column
	joint  bool // "and", ";" or the like stands before it: a new statement may begin
	follow bool // it follows the term before without a border between
	filler bool
}

// sentence is a list of terms with the polarity of each clause.
type sentence struct {
	terms   []term
	negated []bool // by clause
}

// lexer turns the words of one sentence into terms.
type lexer struct {
	out    sentence
	recent []string // the folded words before, for bounds and negation
	border bool     // a comma or a break came since the last term
	joint  bool
	german bool
	first  bool
	cell   int
}

// lex reads one sentence, given as its white-space separated words.
func lex(words []string) sentence {
	l := &lexer{first: true, out: sentence{negated: []bool{false}}}
	l.german = germanWords(words) >= 2
	for i, w := range words {
		l.word(w, i+1 < len(words) && capital(words[i+1]))
	}
	return l.finish()
}

// finish joins numbers with their units and months with their days.
func (l *lexer) finish() sentence {
	l.out.terms = joinUnits(joinDates(l.out.terms))
	return l.out
}

// germanWords counts words that only German has: there every noun has a capital, so a
// capital does not make a name.
func germanWords(words []string) (n int) {
	for _, w := range words {
		switch strings.ToLower(w) {
		case "der", "die", "das", "und", "ist", "wird", "werden", "ein", "eine", "im", "für", "mit", "nicht", "von", "auf", "man", "je", "dem", "den", "hat":
			n++
		}
	}
	return n
}

const (
	opening = "([{\"'“‘„«*_~`<|"
	closing = ".,;:!?)]}\"'”’»*_~`>|…"
)

// word takes the next white-space separated word apart.
func (l *lexer) word(raw string, nextCapital bool) {
	lead := len(raw) - len(strings.TrimLeft(raw, opening))
	if lead > 0 && strings.ContainsAny(raw[:lead], "(\"“") {
		l.border = true
	}
	core := strings.TrimRight(raw[lead:], closing)
	tail := raw[lead+len(core):]
	if core != "" {
		l.core(core, nextCapital && tail == "")
	}
	if strings.ContainsAny(tail, ",;:()…") || strings.HasSuffix(raw, "–") || raw == "-" {
		l.border = true
		l.joint = l.joint || strings.Contains(tail, ";")
	}
}

// core adds the terms of a word without its punctuation.
func (l *lexer) core(core string, nextCapital bool) {
	first := l.first
	l.first = false
	if q, ok := isoDate(core); ok {
		l.quantity(q)
		return
	}
	if q, ok := clockTime(core); ok {
		l.quantity(q)
		return
	}
	if l.number(core) {
		return
	}
	core = strings.TrimSuffix(strings.TrimSuffix(core, "'s"), "’s")
	if code(core) {
		l.add(term{kind: codeTerm, text: core, stem: strings.Trim(strings.ToLower(core), "#/")})
		return
	}
	parts := strings.FieldsFunc(core, func(r rune) bool { return strings.ContainsRune("-/–—+=&·", r) })
	for i, part := range parts {
		l.plain(part, first && i == 0, nextCapital)
	}
}

// number adds a number, a range of two, or a number with the unit stuck to it.
func (l *lexer) number(core string) bool {
	q, rest, ok := signed(core)
	if !ok || len(rest) > 24 {
		return false
	}
	folded := strings.ToLower(rest)
	switch {
	case rest == "":
	case folded == "st" || folded == "nd" || folded == "rd" || folded == "th":
		q.of = ordinal
	case folded[0] == '-' || strings.HasPrefix(folded, "–"):
		after := strings.TrimLeft(folded, "-–")
		u, isUnit := units[after]
		second, tail, isNumber := signed(after)
		switch {
		case isUnit && len(after) > 1:
			q.of, q.value = u.of, q.value*u.factor
		case isNumber && (tail == "" || units[tail].factor != 0):
			l.quantity(q)
			q, folded = second, tail
			if u, ok := units[tail]; ok {
				q.of, q.value = u.of, q.value*u.factor
			}
		case allLetters(after):
			q.noun = true
			l.quantity(q)
			l.plain(after, false, false)
			return true
		default:
			return false
		}
	default:
		u, isUnit := units[folded]
		if !isUnit {
			return false
		}
		q.of, q.value = u.of, q.value*u.factor
	}
	l.quantity(q)
	return true
}

// plain adds a word, or reads what it does to the sentence.
func (l *lexer) plain(w string, first, nextCapital bool) {
	lower := strings.ToLower(norm.NFKC.String(w))
	if lower == "and" || lower == "but" || lower == "und" || lower == "aber" || lower == "which" {
		l.joint = true
	}
	if breaks[lower] {
		l.border = true
	}
	bare := strings.NewReplacer("'", "", "’", "").Replace(lower)
	if q, ok := numberWord(lower); ok {
		l.quantity(q)
		return
	}
	t := term{kind: wordTerm, text: lower, filler: fillers[bare] || negators[bare]}
	upper := capital(w) && months[lower] == 0 && !l.german
	switch {
	case upper && !t.filler && (!first || nextCapital || acronym(w)):
		if _, isUnit := units[lower]; !isUnit {
			t.kind = nameTerm
		}
	}
	if runs := ideographs(lower); runs != nil {
		for _, r := range runs {
			l.add(term{kind: wordTerm, text: r, stem: r})
		}
		return
	}
	t.stem = stemOf(bare)
	l.add(t)
	if negators[bare] {
		l.out.negated[len(l.out.negated)-1] = true
	}
}

// quantity adds a number with the bound that the words before it set.
func (l *lexer) quantity(q quantity) {
	b, length := boundOf(strings.Join(l.recent, " "))
	q.bound = b
	if length > 1 { // "no more than" negates nothing
		l.unnegate(length)
	}
	l.add(term{kind: quantityTerm, text: q.text, q: q})
}

// unnegate takes back the negation that the words of a bound set.
func (l *lexer) unnegate(length int) {
	from := max(0, len(l.out.terms)-length)
	last := len(l.out.negated) - 1
	for i := from; i < len(l.out.terms); i++ {
		l.out.terms[i].filler = true
	}
	still := false
	for _, t := range l.out.terms[:from] {
		still = still || t.clause == last && negators[t.text]
	}
	l.out.negated[last] = still
}

func (l *lexer) add(t term) {
	if l.border {
		l.out.negated = append(l.out.negated, false)
	}
	t.clause, t.joint, t.cell = len(l.out.negated)-1, l.joint, l.cell
	t.follow = !l.border && len(l.out.terms) > 0
	if !t.filler {
		l.joint = false
	} else {
		t.joint = false
	}
	l.border = false
	l.out.terms = append(l.out.terms, t)
	l.recent = append(l.recent, t.text)
	if len(l.recent) > 3 {
		l.recent = l.recent[1:]
	}
}

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
	if u, ok := units[after[at].text]; ok && after[at].kind != codeTerm && after[at].text != "a" {
		c.of, c.value = u.of, c.value*u.factor
		return at + 1
	}
	c.noun = after[0].kind == wordTerm && !after[0].filler || after[0].kind == nameTerm
	return 0
}

func capital(w string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, opening))
	return unicode.IsUpper(r)
}

func acronym(w string) bool {
	return len(w) > 1 && strings.ToUpper(w) == w
}

func allLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return s != ""
}

// code reports whether a word is an identifier: what has a digit, an underscore or an
// inner mark is copied whole by whoever means it.
func code(s string) bool {
	if strings.HasPrefix(s, "#") && len(s) > 1 {
		return true
	}
	for i, r := range s {
		switch {
		case unicode.IsDigit(r), r == '_', r == '@':
			return true
		case (r == '.' || r == ':') && i > 0 && i < len(s)-1:
			return true
		}
	}
	return false
}

// ideographs gives the pairs of neighbours of a word written without spaces, nil for
// words of other scripts.
func ideographs(w string) []string {
	r, _ := utf8.DecodeRuneInString(w)
	if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return nil
	}
	runes := []rune(w)
	if len(runes) == 1 {
		return []string{w}
	}
	out := make([]string, 0, len(runes)-1)
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}
