package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// lower gives s in NFKC and without case and silent characters, accents kept.
func lower(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case isSilent(r):
			return -1
		case r == '’':
			return '\''
		case r == '‐' || r == '‑':
			return '-'
		}
		return r
	}, s)
	return norm.NFC.String(cases.Fold().String(norm.NFKC.String(s)))
}

// fold takes the accents off a lower-case word: marks of Latin and Greek letters, the
// strokes that do not decompose, and ё. Marks of other scripts are letters of their own.
func fold(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	drop := false
	for _, r := range norm.NFD.String(s) {
		switch {
		case r < utf8.RuneSelf:
			drop = true
		case unicode.Is(unicode.Mn, r):
			if drop || r == 0x0308 && strings.HasSuffix(b.String(), "е") {
				continue
			}
		default:
			drop = unicode.In(r, unicode.Latin, unicode.Greek)
			if plain, ok := strokes[r]; ok {
				b.WriteString(plain)
				continue
			}
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// strokes are letters that no decomposition takes apart.
var strokes = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ħ': "h", 'ı': "i", 'æ': "ae", 'œ': "oe", 'ð': "d", 'þ': "th", 'ŧ': "t",
}

var digraphs = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

// spelled gives the spelling of a lower-case word without umlauts, "" if it has none.
func spelled(s string) string {
	if ascii(s) {
		return ""
	}
	if t := digraphs.Replace(s); t != s {
		return fold(t)
	}
	return ""
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cut shortens s to at most n bytes without breaking a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
