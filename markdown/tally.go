package markdown

// tally measures text.
type tally struct {
	words int   // separated by white space
	bytes int   // that are not white space
	kinds uint8 // the classes of all bytes, or-ed
}

// The classes of a byte.
const (
	isSpace     uint8 = 1 << iota
	isWord            // letter, digit, or part of a character beyond ASCII
	isInline          // may begin a link, tag or code span
	inDelimiter       // may begin a table's delimiter row
)

var class = classes()

func classes() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			t[i] = isSpace
		case c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
			t[i] = isWord
		case c == '[' || c == '#':
			t[i] = isInline
		case c == '|' || c == ':' || c == '-':
			t[i] = inDelimiter
		}
	}
	return t
}

// count measures a line.
func count(s string) tally {
	var t tally
	spaces, gap := 0, isSpace
	for i := 0; i < len(s); i++ {
		k := class[s[i]]
		space := k & isSpace
		t.words += int(gap &^ space)
		spaces += int(space)
		t.kinds |= k
		gap = space
	}
	t.bytes = len(s) - spaces
	return t
}

func (t *tally) add(o tally) {
	t.words += o.words
	t.bytes += o.bytes
	t.kinds |= o.kinds
}

// weight is the size of a text in words of prose, so that scripts without spaces and
// long codes count for what they are.
func (t tally) weight() int { return max(t.words, t.bytes/8) }

// hasText reports whether there is a word in it at all.
func (t tally) hasText() bool { return t.kinds&isWord != 0 }
