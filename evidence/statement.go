package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// statement is a sentence, a list item's sentence or a table row.
type statement struct {
	text, lower string
	header      *header // of a row
	// Filled in where it is one of the foremost:
	tokens []token
	heads  [][]token // of a row: the header of the cell that each token stands in
	values []value
	filled bool
}

// token is a word or a number as written, with what tells names apart.
type token struct {
	text   string // lower case
	stem   string
	name   bool // a capital, or letters and digits in one word
	first  bool // begins the statement
	joined bool // a hyphen binds it to its neighbour: six-minute
	end    bool // a comma, colon or bracket follows
}

// Bounds on what is read of one passage.
const (
	maxRead       = 16 << 10 // bytes
	maxStatements = 200
	typical       = 64 // bytes of a statement
)

// statements takes a passage apart. Code blocks say nothing that could be compared.
func statements(text, context string) []statement {
	r := reader{out: make([]statement, 0, 4+len(text)/typical)}
	if context != "" {
		r.row(context)
	}
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	for line := range strings.SplitSeq(text, "\n") {
		if r.line(line); len(r.out) >= maxStatements {
			break
		}
	}
	r.flush()
	return r.out
}

// reader takes lines and makes statements.
type reader struct {
	out    []statement
	block  strings.Builder
	header *header // of the table that is being read
	fenced bool
}

func (r *reader) line(line string) {
	text := strings.TrimSpace(line)
	fence := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
	switch {
	case fence:
		r.fenced = !r.fenced
		r.flush()
	case r.fenced:
	case strings.HasPrefix(text, "|"):
		r.flush()
		r.row(text)
		return
	case text == "", text[0] == '#':
		r.flush()
	default:
		if item(text) {
			r.flush()
		}
		r.block.WriteString(text)
		r.block.WriteByte(' ')
	}
	r.header = nil
}

// item reports whether a line begins a list item.
func item(line string) bool {
	marker := strings.TrimLeft(line, digits)
	if len(marker) < 2 {
		return false
	}
	if len(marker) == len(line) {
		return strings.ContainsRune("-*+", rune(marker[0])) && marker[1] == ' '
	}
	return (marker[0] == '.' || marker[0] == ')') && marker[1] == ' '
}

// flush ends a block and cuts it into sentences.
func (r *reader) flush() {
	text := r.block.String()
	if text == "" {
		return
	}
	r.block.Reset()
	if item(text) {
		text = text[strings.IndexByte(text, ' ')+1:]
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text // a letter that grows, as few do: better its case than another place
	}
	for text = strings.TrimRight(text, " "); text != ""; {
		n := sentence(text)
		r.out = append(r.out, statement{text: text[:n], lower: lower[:n]})
		text, lower = text[n:], lower[n:]
	}
}

// sentence is the length of the first sentence: up to a stop before a capital.
func sentence(text string) int {
	for i := 0; i+2 < len(text); i++ {
		n := strings.IndexByte(text[i:len(text)-2], ' ')
		if n < 0 {
			break
		}
		if i += n; i == 0 || strings.IndexByte(".!?", text[i-1]) < 0 {
			continue
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[i:], " *_\"'("))
		if unicode.IsUpper(next) {
			return i
		}
	}
	return len(text)
}

// row reads a line of a table; the first one is its header.
func (r *reader) row(line string) {
	line = strings.Trim(line, "|")
	switch {
	case strings.Trim(line, "|:- ") == "":
	case r.header == nil:
		h := newHeader(line)
		r.header = &h
	default:
		r.out = append(r.out, statement{text: line, lower: strings.ToLower(line), header: r.header})
	}
}

// header is the first row of a table.
type header struct {
	lower string
	cells [][]token
}

func newHeader(line string) header {
	h := header{lower: strings.ToLower(line)}
	for cell := range strings.SplitSeq(line, "|") {
		h.cells = append(h.cells, tokenize(cell))
	}
	return h
}

// split fills in the words of a statement; of a row, each with the header of its cell.
func (s *statement) split() {
	if s.header == nil {
		s.tokens = tokenize(s.text)
		return
	}
	i := 0
	for cell := range strings.SplitSeq(s.text, "|") {
		var head []token
		if i < len(s.header.cells) {
			head = s.header.cells[i]
		}
		i++
		for _, t := range tokenize(cell) {
			s.tokens, s.heads = append(s.tokens, t), append(s.heads, head)
		}
		if n := len(s.tokens); n > 0 {
			s.tokens[n-1].end = true
		}
	}
}

// says reports whether a text in lower case holds a word, in whatever form.
func says(lower string, w token) bool {
	for at := 0; ; at++ {
		i := strings.Index(lower[at:], w.stem)
		if i < 0 {
			return false
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(lower[:at]); inside(before) {
			continue
		}
		end := at + strings.IndexFunc(lower[at:]+" ", func(r rune) bool { return !inside(r) })
		if word := lower[at:end]; word == w.text || stem(word) == w.stem {
			return true
		}
		if rest, ok := strings.CutPrefix(lower[at:], w.text); ok {
			if after, _ := utf8.DecodeRuneInString(rest); !inside(after) {
				return true
			}
		}
	}
}

// tokenize gives the words and numbers of a text. A wikilink gives its label, a link its text.
func tokenize(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		if rest := text[i:]; strings.HasPrefix(rest, "](") {
			if n := strings.IndexByte(rest, ')'); n > 0 {
				i += n + 1
				continue
			}
		} else if strings.HasPrefix(rest, "[[") {
			if n := strings.IndexAny(rest, "|]"); n > 0 && rest[n] == '|' {
				i += n + 1
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !inside(r) && !isSymbol(r) {
			if len(out) > 0 && strings.ContainsRune(",;:()\u2014", r) {
				out[len(out)-1].end = true
			}
			i += n
			continue
		}
		if !isSymbol(r) {
			n = length(text[i:])
		}
		out = word(out, text[i:i+n])
		i += n
	}
	return out
}

// inside reports whether a rune is part of a word or number.
func inside(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isSymbol(r rune) bool { return r == '%' || unicode.Is(unicode.Sc, r) }

// length is how far a word reaches: signs bind it on where letters or digits go on.
func length(text string) int {
	for i, r := range text {
		if inside(r) {
			continue
		}
		n := utf8.RuneLen(r)
		next, _ := utf8.DecodeRuneInString(text[min(i+n, len(text)):])
		if strings.ContainsRune("'’.,:-_/@", r) && inside(next) {
			continue
		}
		return i
	}
	return len(text)
}

// word appends the tokens of one word. A date, a time and a name with digits stay whole.
func word(out []token, text string) []token {
	digits, first := strings.ContainsAny(text, digits), len(out) == 0
	lower := strings.ToLower(text)
	upper := lower != text && strings.ContainsFunc(text, unicode.IsUpper)
	letter := -1
	if digits {
		letter = strings.IndexFunc(lower, unicode.IsLetter)
	}
	if letter > 0 && numeric(lower[:letter]) && units[lower[letter:]].dim != "" {
		return append(out, token{text: lower[:letter], stem: lower[:letter], first: first}, token{text: lower[letter:], stem: lower[letter:]})
	}
	if strings.Contains(lower, "-") {
		if parts := strings.Split(lower, "-"); !digits || !upper && !numeric(parts[1]) {
			for i, p := range parts {
				out = append(out, token{text: p, stem: stem(p), joined: true, first: first && i == 0, name: upper && !first})
			}
			return out
		}
	}
	return append(out, token{text: lower, stem: stem(lower), name: upper || letter >= 0, first: first})
}

// numeric reports whether a text is digits and the signs inside numbers.
func numeric(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.,") == "" && strings.ContainsAny(text, digits)
}

// endings are what a word may lose to be compared, longest first.
var endings = []string{"ings", "ing", "ied", "ies", "ed", "en", "es", "er", "s", "e", "y", "n"}

// stem is a rough stem, for English and German alike: enough to find a word of the question
// again, wrong for nothing that matters here.
func stem(word string) string {
	if !ascii(word) || len(word) < 4 {
		return word
	}
	word = strings.TrimSuffix(word, "'s")
	for _, end := range endings {
		if rest, ok := strings.CutSuffix(word, end); ok && len(rest) >= 3 {
			word = rest
			break
		}
	}
	if n := len(word); n > 3 && word[n-1] == word[n-2] && strings.IndexByte("lsz", word[n-1]) < 0 {
		word = word[:n-1]
	}
	if len(word) > 3 {
		word = strings.TrimRight(word, "iy")
	}
	return word
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// holds reports whether the tokens hold a word.
func holds(tokens []token, w token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool {
		return t.text == w.text || t.stem == w.stem || strings.ContainsAny(t.text, joints) && slices.Contains(strings.FieldsFunc(t.text, isJoint), w.text)
	})
}

// joints are the signs inside a name that part it: RS-485, in.slackwater.example.
const joints = "-./:_@"

func isJoint(r rune) bool { return strings.ContainsRune(joints, r) }
