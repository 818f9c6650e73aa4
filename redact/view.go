package redact

import (
	"html"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// view is a text as a reader sees it: without invisible characters, emphasis, escapes
// and line continuations, entities decoded, wide letters made plain. It holds only the
// lines in which something was changed.
type view struct {
	text  string
	marks []mark // ascending in view
}

// mark says that from view on, bytes are those from source on, one for one; a piece
// that was decoded has a mark before and after it.
type mark struct {
	view, source int
	decoded      bool // the piece up to the next mark stands for source as a whole
}

// original maps a span of the view to the text.
func (v *view) original(s span) span {
	return span{v.source(s.start, false), v.source(s.end-1, true), s.kind}
}

// source gives where a byte of the view comes from: its begin, or the end behind it.
func (v *view) source(at int, end bool) int {
	i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i].view > at }) - 1
	m := v.marks[i]
	switch {
	case m.decoded && end:
		return v.marks[i+1].source
	case m.decoded:
		return m.source
	case end:
		return m.source + at - m.view + 1
	}
	return m.source + at - m.view
}

// viewBuilder writes a view piece by piece.
type viewBuilder struct {
	source string
	out    []byte
	marks  []mark
	copied int // source up to here is in the view or left out of it
}

// newView gives nil for a text in which nothing is to be changed.
func newView(text string) *view {
	b := viewBuilder{source: text}
	for i := 0; i < len(text); {
		if !suspicious[text[i]] {
			i++
			continue
		}
		size, plain := simplify(text, i)
		if size == 0 {
			i++
			continue
		}
		b.replace(i, i+size, plain)
		i += size
	}
	if len(b.marks) == 0 {
		return nil
	}
	b.copyTo(lineEndAt(text, b.copied))
	b.marks = append(b.marks, mark{view: len(b.out), source: b.copied})
	return &view{string(b.out), b.marks}
}

// replace puts plain in the place of source[start:end].
func (b *viewBuilder) replace(start, end int, plain string) {
	if len(b.marks) == 0 || strings.IndexByte(b.source[b.copied:start], '\n') >= 0 {
		if len(b.marks) > 0 {
			b.copyTo(lineEndAt(b.source, b.copied))
			b.marks = append(b.marks, mark{len(b.out), b.copied, false})
			line := strings.LastIndexByte(b.source[:start], '\n') + 1
			if b.out = append(b.out, '\n'); line != b.copied+1 {
				b.out = append(b.out, 0, '\n') // nothing matches across lines that were not neighbours
			}
		}
		b.copied = strings.LastIndexByte(b.source[:start], '\n') + 1
	}
	b.copyTo(start)
	if plain != "" {
		b.marks = append(b.marks, mark{len(b.out), start, true})
		b.out = append(b.out, plain...)
	}
	b.copied = end
	b.marks = append(b.marks, mark{len(b.out), end, false})
}

func (b *viewBuilder) copyTo(end int) {
	b.marks = append(b.marks, mark{len(b.out), b.copied, false})
	b.out = append(b.out, b.source[b.copied:end]...)
	b.copied = end
}

// suspicious are the bytes at which something may be changed.
var suspicious = func() (t [256]bool) {
	for _, c := range []byte{'*', '_', '~', '%', '&', '\\', '<', '`', 0xC2, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3} {
		t[c] = true
	}
	return t
}()

// simplify gives how many bytes at i a reader does not see as such, and what they are
// to a reader; size 0 for none.
func simplify(text string, i int) (size int, plain string) {
	rest := text[i:]
	switch c := rest[0]; {
	case c == '*':
		return emphasis(text, i)
	case c == '_' || c == '~':
		return doubled(text, i)
	case c == '%':
		return percent(rest)
	case c == '`':
		if strings.HasPrefix(rest, "``") && i > 0 && isWord(text[i-1]) && len(rest) > 2 && isWord(rest[2]) {
			return 2, ""
		}
	case c == '\\':
		return escape(rest)
	case c == '&':
		return entity(rest)
	case c == '<':
		return tag(text, i)
	default:
		return rare(rest)
	}
	return 0, ""
}

// emphasis drops asterisks that touch a word.
func emphasis(text string, i int) (int, string) {
	n := 1
	for i+n < len(text) && n < 3 && text[i+n] == '*' {
		n++
	}
	before := i > 0 && isWord(text[i-1])
	after := i+n < len(text) && isWord(text[i+n])
	if n > 1 || before && after {
		return n, ""
	}
	return 0, ""
}

// doubled drops __ and ~~ within a word: marks to some readers, and no part of a key.
func doubled(text string, i int) (int, string) {
	rest := text[i:]
	if i == 0 || len(rest) < 3 || rest[1] != rest[0] || !isAlnum(text[i-1]) || !isAlnum(rest[2]) {
		return 0, ""
	}
	return 2, ""
}

// percent decodes a character of an address that may stand in a key or around one.
func percent(rest string) (int, string) {
	if len(rest) < 3 {
		return 0, ""
	}
	c, err := strconv.ParseUint(rest[1:3], 16, 8)
	if err != nil || !inToken(byte(c)) && strings.IndexByte(":@{}~!$", byte(c)) < 0 {
		return 0, ""
	}
	return 3, string(rune(c))
}

// escape drops the backslash of a markdown escape, and a line continuation whole.
func escape(rest string) (int, string) {
	trimmed := strings.TrimLeft(rest[1:], "\r")
	if strings.HasPrefix(trimmed, "\n") {
		body := strings.TrimLeft(trimmed[1:], " \t>")
		return len(rest) - len(body), ""
	}
	if len(rest) > 1 && strings.IndexByte("_-*{}~#+.!=/:@$&", rest[1]) >= 0 {
		return 1, ""
	}
	return 0, ""
}

// entity decodes an HTML character reference.
func entity(rest string) (int, string) {
	i := strings.IndexByte(rest[:min(len(rest), 12)], ';')
	if i < 3 || !isAlnum(rest[1]) && rest[1] != '#' {
		return 0, ""
	}
	plain := html.UnescapeString(rest[:i+1])
	if plain == rest[:i+1] || strings.ContainsAny(plain, "\n\r") {
		return 0, ""
	}
	if r, _ := utf8.DecodeRuneInString(plain); invisible(r) {
		return i + 1, ""
	}
	return i + 1, plain
}

// inlineTags are the elements that may stand within a word.
var inlineTags = wordSet("b i u s em strong wbr mark span code sub sup small big del ins font kbd a")

// tag drops a comment and the tag of an inline element within a word.
func tag(text string, i int) (int, string) {
	if i == 0 || !inToken(text[i-1]) && text[i-1] != '>' {
		return 0, ""
	}
	n := tagLength(text[i:])
	if n == 0 || strings.HasPrefix(text[i:], "<!--") {
		return n, ""
	}
	name := strings.TrimPrefix(text[i+1:i+n], "/")
	if end := strings.IndexAny(name, " />"); inlineTags[strings.ToLower(name[:end])] {
		return n, ""
	}
	return 0, ""
}

// rare handles characters beyond ASCII: invisible ones go, wide and mathematical
// letters become plain.
func rare(rest string) (int, string) {
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case invisible(r):
		return n, ""
	case r >= 0xFF01 && r <= 0xFF5E:
		if c := byte(r - 0xFF01 + '!'); isWord(c) || c == '{' || c == '}' || c == '=' {
			return n, string(c) // not the punctuation of Chinese
		}
	case r >= 0x1D400 && r <= 0x1D7FF:
		if plain := norm.NFKC.String(rest[:n]); plain != rest[:n] {
			return n, plain
		}
	}
	return 0, ""
}

// invisibles are ranges of characters that show nothing.
var invisibles = [][2]rune{
	{0xAD, 0xAD},
	{0x180E, 0x180E},
	{0x200B, 0x200F},
	{0x202A, 0x202E},
	{0x2060, 0x2069},
	{0xFE00, 0xFE0F},
	{0xFEFF, 0xFEFF},
	{0xE0000, 0xE01EF},
	{0x3164, 0x3164},
}

func invisible(r rune) bool {
	return slices.ContainsFunc(invisibles, func(x [2]rune) bool { return x[0] <= r && r <= x[1] })
}
