package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says what a character is to the scanner.
type class uint8

const (
	gap     class = iota // not part of a word
	letter               // letter, digit or mark
	silent               // as if it were not there: zero-width, soft hyphen
	packed               // of a script without spaces
	binder               // joins what stands on both sides: . _ - / and the like
	unknown              // beyond ASCII, not yet looked up
)

var asciiClass = func() (t [256]class) {
	for b := range t {
		switch c := byte(b); {
		case c >= 0x80:
			t[b] = unknown
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			t[b] = letter
		case strings.IndexByte("._-/\\:@#+=&'~,", c) >= 0:
			t[b] = binder
		}
	}
	return t
}()

// classify gives the class of the character at the head of s and its bytes.
func classify(s string) (class, int) {
	if c := asciiClass[s[0]]; c != unknown {
		return c, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return runeClass(r), n
}

func runeClass(r rune) class {
	switch {
	case isSilent(r):
		return silent
	case r == '’' || r == '‐' || r == '‑':
		return binder
	case isPacked(r):
		return packed
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return letter
	}
	return gap
}

// isSilent holds for characters that show nothing: text with them reads as without.
func isSilent(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// isPacked holds for scripts that are written without spaces between words.
func isPacked(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF: // Thai, Lao
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17D3: // Myanmar, Khmer
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r >= 0x1100 && r <= 0x11FF, r >= 0xAC00 && r <= 0xD7FB: // Hangul
		return true
	case r == 0x3005, r == 0x3007, r >= 0x3041 && r <= 0x30FA, r >= 0x30FC && r <= 0x318E,
		r >= 0x31F0 && r <= 0x31FF, r >= 0xFF66 && r <= 0xFFDC: // Kana, Bopomofo, half width
		return true
	}
	return unicode.Is(unicode.Han, r)
}

// scanner takes text apart into compounds and runs of packed scripts.
type scanner struct {
	text string
	pos  int
	// of the token that next found
	start, end int
	packed     bool
}

func (s *scanner) token() string { return s.text[s.start:s.end] }

// next finds the next token, false at the end.
func (s *scanner) next() bool {
	for s.pos < len(s.text) {
		c, n := classify(s.text[s.pos:])
		switch c {
		case letter:
			s.start = s.head(s.pos)
			s.end = s.compound(s.pos + n)
			s.pos, s.packed = s.end, false
			return true
		case packed:
			s.start, s.end = s.pos, s.run(s.pos+n)
			s.pos, s.packed = s.end, true
			return true
		}
		s.pos += n
	}
	return false
}

// head gives where a token begins whose first letter is at i: before a '#', '.', '@'
// or hyphens that nothing but a gap precedes.
func (s *scanner) head(i int) int {
	h := i
	for h > s.end && strings.IndexByte("#.@-", s.text[h-1]) >= 0 && i-h < 2 {
		h--
	}
	if h == i || h > 0 && !opens(s.text[h-1]) || s.text[h:i] == "--" && h > 0 && s.text[h-1] == '-' {
		return i
	}
	return h
}

// opens reports whether a token may begin after b with a sign of its own.
func opens(b byte) bool {
	return b <= ' ' || strings.IndexByte("([{\"'`|,;*<>", b) >= 0
}

// compound gives the end of the compound that has been read up to i.
func (s *scanner) compound(i int) int {
	for i < len(s.text) {
		if asciiClass[s.text[i]] == letter {
			i++
			continue
		}
		c, n := classify(s.text[i:])
		switch c {
		case letter, silent:
			i += n
		case binder:
			j := s.bind(i, n)
			if j == i {
				return s.tail(i)
			}
			i = j
		default:
			return i
		}
	}
	return i
}

// bind gives the place after the binder at i when a word goes on behind it, else i.
func (s *scanner) bind(i, n int) int {
	j := i + n
	switch {
	case strings.HasPrefix(s.text[i:], "://"):
		j = i + 3
	case strings.HasPrefix(s.text[i:], "::"), strings.HasPrefix(s.text[i:], "++"):
		j = i + 2
	case s.text[i] == '_':
		for j < len(s.text) && s.text[j] == '_' {
			j++
		}
	case s.text[i] == ',':
		if !digit(s.text, i-1) || !digit(s.text, i+1) {
			return i
		}
	}
	if j < len(s.text) {
		if c, _ := classify(s.text[j:]); c == letter {
			return j
		}
	}
	return i
}

// tail takes in the signs at the end of c++, c# and f#.
func (s *scanner) tail(i int) int {
	if strings.HasPrefix(s.text[i:], "++") {
		return i + 2
	}
	if s.text[i] == '#' && i-s.start <= 2 && !digit(s.text, i-1) {
		return i + 1
	}
	return i
}

// run gives the end of the packed run that has been read up to i.
func (s *scanner) run(i int) int {
	for i < len(s.text) {
		c, n := classify(s.text[i:])
		if c != packed && c != silent {
			break
		}
		i += n
	}
	return i
}

func digit(s string, i int) bool {
	return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9'
}
