package provenance

import (
	"slices"
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
	kind    kind
	text    string // folded
	written string // a word before it was folded
	stem    string // what it is compared by
	q       quantity
	clause  int  // how many clause borders stand before it
	cell    int  // of a table row: its column
	joint   bool // "and", ";" or the like stands before it: a new statement may begin
	follow  bool // it follows the term before without a border between
	filler  bool
	turns   bool // it negates its clause
	bounds  bool // it belongs to the bound of a number
	lead    bool // a capital, but it is the first word
}

// sentence is a list of terms.
type sentence struct {
	terms   []term
	negated map[int]bool // the clauses that a word turns around
}

// sentenceOf notes which clauses of a list of terms are negated.
func sentenceOf(terms []term) sentence {
	s := sentence{terms: terms}
	for _, t := range terms {
		if t.turns {
			if s.negated == nil {
				s.negated = map[int]bool{}
			}
			s.negated[t.clause] = true
		}
	}
	return s
}

// lexer turns the words of one sentence into terms.
type lexer struct {
	terms  []term
	border bool // a comma or a break came since the last term
	joint  bool
	german bool
	first  bool
	clause int
	list   bool // a negated list: its commas are no borders of clauses
	code   bool // the word stands in back quotes
}

// shortClause is how many words "Not paid:" and its like have at most.
const shortClause = 3

// lex reads one sentence, given as its white-space separated words.
func lex(words []string) sentence {
	l := &lexer{first: true, terms: make([]term, 0, len(words)+2)}
	l.german = germanWords(words) >= 2
	for i, w := range words {
		l.word(w, i+1 < len(words) && capital(words[i+1]))
	}
	terms := joinUnits(joinDates(l.terms))
	joinRanges(terms)
	return sentenceOf(terms)
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
	joints  = "-/–—+=&·" // between the parts of a word
	opening = "([{\"'“‘„«*_~`<|"
	closing = ".,;:!?)]}\"'”’»*_~`>|…"
)

// word takes the next white-space separated word apart.
func (l *lexer) word(raw string, nextCapital bool) {
	if w, ok := boundSigns[raw]; ok {
		l.add(term{text: w, filler: true})
		return
	}
	lead := len(raw) - len(strings.TrimLeft(raw, opening))
	if lead > 0 && strings.ContainsAny(raw[:lead], "(\"“") {
		l.border = true
	}
	if strings.HasSuffix(raw[:lead], "<") { // "<5", "<=5"
		after := strings.TrimPrefix(raw[lead:], "=")
		if _, _, ok := signed(after); ok {
			l.add(term{text: "under", filler: true})
			lead = len(raw) - len(after)
		}
	}
	core := strings.TrimRight(raw[lead:], closing)
	tail := raw[lead+len(core):]
	if core != "" {
		n := len(l.terms)
		l.code = strings.Contains(raw[:lead], "`")
		l.core(core, nextCapital && tail == "")
		if strings.HasPrefix(raw, "(") && strings.Contains(tail, ")") {
			l.alias(n)
		}
	}
	if strings.Contains(tail, ":") && len(l.terms) <= shortClause && sentenceOf(l.terms).isNegated() {
		l.list = true // "Not paid: fines, alcohol" negates all of it
	}
	if strings.ContainsAny(tail, ",;:()…") || strings.HasSuffix(raw, "–") || raw == "-" {
		l.border = true
		l.joint = l.joint || strings.Contains(tail, ";")
	}
}

// alias takes what stands alone in brackets for another name of what stands before: it
// need not stand in the passage too.
func (l *lexer) alias(from int) {
	for i := from; i < len(l.terms); i++ {
		if t := &l.terms[i]; t.kind == nameTerm || t.kind == codeTerm {
			t.kind = wordTerm
		}
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
	if head, tail, ok := strings.Cut(core, "-"); ok && code(head) && len(tail) > 3 && allLetters(tail) && strings.ToLower(tail) == tail {
		l.core(head, false) // "M2-like"
		l.plain(tail, false, false)
		return
	}
	if code(core) || l.code && ascii(core) {
		l.add(term{kind: codeTerm, text: core, stem: strings.Trim(strings.ToLower(core), "#/")})
		return
	}
	if !strings.ContainsAny(core, joints) {
		l.plain(core, first, nextCapital)
		return
	}
	for i, part := range strings.FieldsFunc(core, func(r rune) bool { return strings.ContainsRune(joints, r) }) {
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
		after := strings.TrimLeft(rest, "-–")
		if q.value < 0 { // "-5--2"
			after = strings.TrimPrefix(strings.TrimPrefix(rest, "-"), "–")
		}
		u, isUnit := unitOf(after, strings.ToLower(after))
		second, tail, isNumber := signed(after)
		of, isMeasure := unitOf(tail, strings.ToLower(tail))
		switch {
		case isUnit && len(after) > 1:
			q.of, q.value = u.of, q.value*u.factor
		case isNumber && (tail == "" || isMeasure):
			q.ranged = true
			l.quantity(q)
			q = second
			if isMeasure {
				q.of, q.value = of.of, q.value*of.factor
			}
		case allLetters(after):
			q.noun = true
			l.quantity(q)
			l.plain(strings.ToLower(after), false, false)
			return true
		default:
			return false
		}
	default:
		u, isUnit := unitOf(rest, folded)
		if !isUnit {
			return false
		}
		q.of, q.value = u.of, q.value*u.factor
	}
	l.quantity(q)
	return true
}

// boundSigns are signs that stand alone before a number, by the word that they stand for.
var boundSigns = map[string]string{"<": "under", "<=": "under", "≤": "under", ">": "over", ">=": "over", "≥": "over"}

var apostrophes = strings.NewReplacer("'", "", "’", "")

// plain adds a word, or reads what it does to the sentence.
func (l *lexer) plain(w string, first, nextCapital bool) {
	lower := strings.ToLower(w)
	if !ascii(lower) {
		lower = strings.ToLower(norm.NFKC.String(w))
	}
	switch {
	case lower == "and" || lower == "und":
		l.joint, l.border = true, l.border || l.told() >= 2
	case lower == "but" || lower == "aber" || lower == "which":
		l.joint, l.border = true, true
	case breaks[lower]:
		l.border = true
	}
	bare := lower
	if strings.ContainsAny(lower, "'’") {
		bare = apostrophes.Replace(lower)
	}
	if q, ok := numberWord(lower); ok {
		l.quantity(q)
		return
	}
	t := term{kind: wordTerm, text: lower, written: w, filler: fillers[bare] || negators[bare]}
	upper := capital(w) && len(w) > 1 && months[lower] == 0 && !l.german
	switch {
	case upper && !t.filler && (!first || nextCapital || acronym(w)):
		if _, isUnit := units[lower]; !isUnit {
			t.kind = nameTerm
		}
	case upper && !t.filler:
		t.lead = true
	}
	if runs := ideographs(lower); runs != nil {
		for _, r := range runs {
			l.add(term{kind: wordTerm, text: r, stem: r})
		}
		return
	}
	if t.stem = bare; !t.filler || directions[bare].pair != 0 {
		t.stem = wordStem(bare)
	}
	t.turns = negators[bare] || bare == "to" && l.last("fail", "fails", "failed", "refuse", "refuses", "refused")
	l.add(t)
}

// told counts the words of the clause so far that tell something.
func (l *lexer) told() (n int) {
	for i := len(l.terms) - 1; i >= 0 && l.terms[i].clause == l.clause; i-- {
		if !l.terms[i].filler {
			n++
		}
	}
	return n
}

// last reports whether the last word was one of these.
func (l *lexer) last(words ...string) bool {
	return len(l.terms) > 0 && slices.Contains(words, l.terms[len(l.terms)-1].text)
}

// before gives the last three words, for the bound of a number.
func (l *lexer) before() string {
	var b [3]string
	last := l.terms[max(0, len(l.terms)-len(b)):]
	for i, t := range last {
		b[i] = t.text
	}
	return strings.Join(b[:len(last)], " ")
}

// quantity adds a number with the bound that the words before it set.
func (l *lexer) quantity(q quantity) {
	if n := len(l.terms); l.last("minus") && q.of <= plain && !l.border && (n < 2 || l.terms[n-2].kind != quantityTerm) {
		q.negate()
		l.terms[n-1].filler = true
	}
	b, length := boundOf(l.before())
	if q.bound == exact {
		q.bound = b
	}
	if length > 1 { // "no more than" negates nothing
		l.unnegate(length)
	}
	l.add(term{kind: quantityTerm, text: q.text, q: q})
}

// unnegate takes back the negation that the words of a bound set.
func (l *lexer) unnegate(length int) {
	for i := max(0, len(l.terms)-length); i < len(l.terms); i++ {
		l.terms[i].filler, l.terms[i].turns, l.terms[i].bounds = true, false, true
	}
}

func (l *lexer) add(t term) {
	if l.border && !l.list {
		l.clause++
	}
	t.clause, t.joint = l.clause, l.joint
	t.follow = !l.border && len(l.terms) > 0
	l.border, l.joint = false, false
	l.terms = append(l.terms, t)
}

func capital(w string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, opening))
	return unicode.IsUpper(r)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
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
