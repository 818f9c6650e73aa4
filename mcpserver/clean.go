package mcpserver

import (
	"fmt"
	"regexp"
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

// reveal gives text as it can safely be shown: what is invisible is dropped and counted,
// what turns the direction or controls a terminal is written out as \u{…}. Within an
// emoji the joiner and the selector stay.
func reveal(s string) (shown string, dropped int) {
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

// Images in markdown. A renderer fetches them unasked, and the address can carry away
// what a model was made to put there. Only forms that can be told for sure count as
// harmless: descriptions without brackets, escapes or code.
var (
	inlineImage = regexp.MustCompile("^!\\[[^\\[\\]\\\\`<]*\\]\\(\\s*([^\\s()]*)")
	noImage     = regexp.MustCompile("^!(?:\\[[^\\[\\]\\\\`<]*\\]|\\[\\[[^\\[\\]\\\\`<]*\\]\\])(?:[^(\\[]|$)") // ![code], ![[embed]]
	fetching    = regexp.MustCompile(`(?i)^<(img|image|picture|source|video|audio|track|iframe|frame|object|embed|link|script|style|svg|input|base|meta)\b`)
	simpleTag   = regexp.MustCompile(`^<\w+(?:\s+[\w-]+(?:="[^"<>]*"|='[^'<>]*'|=[^\s"'<>=]+)?)*\s*/?>`) // ends where it seems to
)

// longestTag bounds the search for the end of an HTML tag.
const longestTag = 512

// defang makes sure that showing the text as markdown fetches nothing from elsewhere. It
// changes "![" of remote images and "<" of elements that fetch, and nothing else.
func defang(s string) string {
	if !strings.Contains(s, "![") && !strings.ContainsRune(s, '<') {
		return s
	}
	referred := strings.Contains(s, "]:") // addresses may stand apart from their images
	linked := len(s) - max(strings.LastIndex(s, "]("), strings.LastIndex(s, "]["))
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "!<")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		switch {
		case s[0] == '<' && fetchesTag(s):
			b.WriteString("&lt;")
		case s[0] == '!' && fetchesImage(s, referred, len(s) > linked):
			b.WriteString(`!\`)
		default:
			b.WriteByte(s[0])
		}
		s = s[1:]
	}
}

func fetchesTag(s string) bool {
	tag := fetching.FindStringSubmatch(s[:min(len(s), 16)])
	if tag == nil {
		return false
	}
	name := strings.ToLower(tag[1])
	whole := simpleTag.FindString(s[:min(len(s), longestTag)])
	return name == "style" || name == "svg" || whole == "" || isRemote(whole[1:])
}

// fetchesImage reports an image whose address is, or might be, elsewhere. Where nothing
// is referred to and no address follows there is no image: "vec![1]" is code.
func fetchesImage(s string, referred, linked bool) bool {
	if !strings.HasPrefix(s, "![") || !referred && !linked {
		return false
	}
	if referred {
		return true
	}
	if m := inlineImage.FindStringSubmatch(s); m != nil {
		return isRemote(m[1])
	}
	return !noImage.MatchString(s)
}

// isRemote reports whether an address could be other than a path: it has a scheme or a
// host, or characters that could spell one in disguise.
func isRemote(address string) bool {
	return strings.ContainsAny(address, ":&\\<") || strings.Contains(address, "//")
}
