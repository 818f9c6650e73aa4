// Package visible shows what text holds and a reader would not see. Invisible characters
// can carry orders to a model, those that turn the direction make text read otherwise than
// it is, and control characters drive a terminal. The same rule serves what is shown to
// clients and what they write.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// vanish are characters that show nothing and can carry hidden text: joiners, fillers,
// variation selectors, tags. They are dropped and counted.
var vanish = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00AD, 0x00AD, 1},
		{0x034F, 0x034F, 1},
		{0x115F, 0x1160, 1},
		{0x17B4, 0x17B5, 1},
		{0x180B, 0x180F, 1},
		{0x200B, 0x200D, 1},
		{0x2060, 0x2065, 1},
		{0x206A, 0x206F, 1},
		{0x3164, 0x3164, 1},
		{0xFE00, 0xFE0F, 1},
		{0xFEFF, 0xFEFF, 1},
		{0xFFA0, 0xFFA0, 1},
		{0xFFF0, 0xFFFB, 1},
	},
	R32: []unicode.Range32{{0x1D173, 0x1D17A, 1}, {0xE0000, 0xE0FFF, 1}},
}

const (
	joiner   = '\u200d'
	selector = '\ufe0f' // asks for the emoji form of the character before it
)

// Text gives text as it can safely be shown: what is invisible is dropped and counted,
// what turns the direction or controls a terminal is written out as \u{…}. Within an
// emoji the joiner and the selector stay.
func Text(s string) (shown string, dropped int) {
	if isPlain(s) {
		return s, 0
	}
	var b strings.Builder
	var kept rune
	for i, r := range s {
		switch {
		case r == selector && isEmoji(kept), r == joiner && joins(kept, s[i+utf8.RuneLen(r):]):
		case unicode.Is(vanish, r):
			dropped++
			continue
		case r == '\u2028', r == '\u2029', unicode.Is(unicode.Cf, r), unicode.IsControl(r) && r != '\n' && r != '\t':
			fmt.Fprintf(&b, `\u{%X}`, r)
			kept = 0
			continue
		}
		b.WriteRune(r)
		kept = r
	}
	return b.String(), dropped
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// joins reports whether a joiner after kept and before rest holds an emoji together.
func joins(kept rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return (isEmoji(kept) || kept == selector) && isEmoji(next)
}

func isEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1F3FB && r <= 0x1F3FF // skin tones
}
