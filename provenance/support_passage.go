package provenance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds on what is read, so that hostile text costs no more than a long note.
const (
	maxClaim     = 2 << 10  // bytes of a claim; a longer one is not judged
	maxEvidence  = 64 << 10 // bytes of a passage
	maxSentences = 2048     // statements of a passage
	maxWords     = 400      // words of a statement; a longer one is cut in pieces
)

// statement is what a passage says in one place: a sentence, a part of one between
// semicolons, or a row of a table.
type statement struct {
	sentence
	block  int // statements of one paragraph or list item have the same
	row    bool
	head   bool     // a heading: it speaks for all that follows
	denied bool     // a heading that asks what is answered with no
	intro  int      // the statement that introduces the list, -1
	titles [][]term // of a row: the header of each column
}

// spot is a place of a word.
type spot struct{ statement, term int }

// passage is a text in statements, with where each word stands.
type passage struct {
	text       string // folded, spaces made one
	statements []statement
	spots      map[string][]spot
	near       map[string][]string // stems by their first five letters
	turns      []spot              // where words of direction stand
}

// stemPrefix is how many letters two stems share to be looked at as forms of one word.
const stemPrefix = 5

// read takes a passage apart.
func read(text string) *passage {
	text = cut(text, maxEvidence)
	p := &passage{text: flat(text), spots: map[string][]spot{}, near: map[string][]string{}}
	b := blocks{p: p, intro: -1}
	for line := range strings.Lines(text) {
		b.line(strings.TrimLeft(strings.TrimSpace(line), "> ")) // a mark of quotation is no bound
	}
	b.flush()
	p.dateByHeadings()
	for i := range p.statements {
		p.deny(i)
		p.index(i)
	}
	return p
}

// dateByHeadings gives dates without a year the one that the headings name, if it is one.
func (p *passage) dateByHeadings() {
	year := 0
	for _, st := range p.statements {
		for _, t := range st.terms {
			y := t.q.y
			if yearOf(t) {
				y = int(t.q.value)
			}
			if !st.head || y == 0 {
				continue
			}
			if year != 0 && year != y {
				return
			}
			year = y
		}
	}
	for _, st := range p.statements {
		for i := range st.terms {
			if q := &st.terms[i].q; q.of == date && q.m != 0 && q.y == 0 {
				q.y = year
			}
		}
	}
}

// deny turns a heading around that is a question answered with no.
func (p *passage) deny(i int) {
	st := &p.statements[i]
	if !st.head || i+1 >= len(p.statements) || p.statements[i+1].head {
		return
	}
	answer := p.statements[i+1].terms
	if len(answer) == 1 && (answer[0].text == "no" || answer[0].text == "nein" || answer[0].text == "never" || answer[0].text == "not") {
		st.denied, st.negated = true, map[int]bool{}
		for _, t := range st.terms {
			st.negated[t.clause] = true
		}
	}
}

func (p *passage) index(i int) {
	for j, t := range p.statements[i].terms {
		if t.stem == "" || t.filler && directions[t.stem].pair == 0 {
			continue
		}
		if _, ok := p.spots[t.stem]; !ok && len(t.stem) >= stemPrefix {
			p.near[t.stem[:stemPrefix]] = append(p.near[t.stem[:stemPrefix]], t.stem)
		}
		p.spots[t.stem] = append(p.spots[t.stem], spot{i, j})
		if t.kind == codeTerm {
			for _, part := range strings.FieldsFunc(t.stem, notLetter) {
				if len(part) > 2 && wordStem(part) != t.stem {
					p.spots[wordStem(part)] = append(p.spots[wordStem(part)], spot{i, j})
				}
			}
		}
		if directions[t.stem].pair != 0 && t.kind != quantityTerm {
			p.turns = append(p.turns, spot{i, j})
		}
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// find gives the places of a word, of what says the same, and of its other forms.
func (p *passage) find(t term) []spot {
	out := p.spots[t.stem]
	if t.kind == codeTerm {
		if len(out) == 0 {
			out = p.spots[wordStem(t.stem)]
		}
		return out
	}
	out = slices.Clip(out) // what is appended goes into a copy
	for _, s := range alike[t.stem] {
		if s != t.stem {
			out = append(out, p.spots[s]...)
		}
	}
	if len(t.stem) >= stemPrefix && t.kind == wordTerm {
		for _, s := range p.near[t.stem[:stemPrefix]] {
			if s != t.stem && sameWord(s, t.stem) {
				out = append(out, p.spots[s]...)
			}
		}
	}
	return out
}

// sameWord reports whether two stems that begin alike are forms of one word.
func sameWord(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i >= len(a)-1 && len(b)-len(a) <= 5
}

// blocks gathers lines into paragraphs, list items and rows.
type blocks struct {
	p      *passage
	words  []string
	header []string // the cells of the table's header
	intro  int
	block  int
	item   bool
}

func (b *blocks) line(line string) {
	switch {
	case line == "":
		b.flush()
		b.header = nil
	case strings.HasPrefix(line, "|"):
		b.flush()
		b.row(line)
	case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "---"):
		b.flush()
	case strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " "):
		b.flush()
		b.header, b.intro = nil, -1
		b.add(statement{sentence: lex(strings.Fields(strings.TrimLeft(line, "#"))), head: true})
		b.block++
	default:
		if rest, ok := listItem(line); ok {
			b.flush()
			b.item, line = true, rest
		}
		b.words = append(b.words, strings.Fields(line)...)
	}
}

// listItem takes the marker off a line of a list.
func listItem(line string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(line, "- "); ok {
		return rest, true
	}
	if rest, ok = strings.CutPrefix(line, "* "); ok {
		return rest, true
	}
	digits := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(digits); n > 0 && n < 4 {
		return strings.CutPrefix(digits, ". ")
	}
	return line, false
}

// flush ends a paragraph or list item.
func (b *blocks) flush() {
	start, from := 0, len(b.p.statements)
	for i := range b.words {
		if next := i + 1; next == len(b.words) || next-start == maxWords || ends(b.words[i], b.words[next]) {
			if s := lex(b.words[start:next]); len(s.terms) > 0 {
				intro := -1
				if b.item {
					intro = b.intro
				}
				b.add(statement{sentence: s, intro: intro})
			}
			start = next
		}
	}
	if !b.item && len(b.p.statements) > from {
		b.intro = len(b.p.statements) - 1
	}
	if len(b.words) > 0 {
		b.block++
	}
	b.words, b.item = b.words[:0], false
}

func (b *blocks) add(s statement) {
	if len(b.p.statements) < maxSentences {
		s.block = b.block
		b.p.statements = append(b.p.statements, s)
	}
}

// row adds a row of a table: each number under the unit of its column's header.
func (b *blocks) row(line string) {
	cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "/"), "|"), "|")
	if strings.Trim(line, "|-: \t") == "" {
		return
	}
	if b.header == nil {
		b.header = cells
		return
	}
	s := statement{row: true, intro: b.intro}
	var terms []term
	clauses := 0
	for i, cell := range cells {
		c := lex(strings.Fields(cell))
		var title []term
		if i < len(b.header) {
			title = lex(strings.Fields(b.header[i])).terms
		}
		for _, t := range c.terms {
			t.cell, t.clause = i, t.clause+clauses
			if t.kind == quantityTerm && t.q.of == plain {
				t.q.underTitle(title)
			}
			terms = append(terms, t)
		}
		if len(c.terms) > 0 {
			clauses = terms[len(terms)-1].clause + 1
		}
		s.titles = append(s.titles, title)
	}
	s.sentence = sentenceOf(terms)
	b.block++
	b.add(s)
}

// underTitle gives a bare number the unit that its column's header names.
func (c *quantity) underTitle(title []term) {
	for _, t := range title {
		if u, ok := unitOf(t.written, t.text); ok && len(t.text) > 1 && t.kind != quantityTerm && (u.of > monthly) {
			c.of, c.value = u.of, c.value*u.factor
			return
		}
	}
}

// ends reports whether a statement ends between two words.
func ends(word, next string) bool {
	word = strings.TrimRight(word, "\"'”’*_`)]")
	last, size := utf8.DecodeLastRuneInString(word)
	switch last {
	case ';', '。', '？', '！':
		return true
	case '?', '!':
		return opens(next)
	case '.':
		stem := word[:len(word)-size]
		if r, _ := utf8.DecodeRuneInString(stem); len(stem) < 2 && !unicode.IsDigit(r) || abbreviations[strings.ToLower(stem)] && (!strings.EqualFold(stem, "no") || digit(next)) {
			return false
		}
		return opens(next)
	default:
		return false
	}
}

func digit(word string) bool {
	return word != "" && word[0] >= '0' && word[0] <= '9'
}

var abbreviations = set("dr mr mrs ms st no vs e.g i.e z.b ca approx fig al bzw")

// opens reports whether a word can begin a sentence.
func opens(word string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, opening))
	return r == utf8.RuneError || !unicode.IsLower(r)
}

// cut shortens a text to at most limit bytes at a rune's border.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// flat gives a text for comparing quotations: folded, runs of space made one.
func flat(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(s)), " ")
}
