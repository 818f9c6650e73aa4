package mcpserver

import (
	"regexp"
	"strings"
)

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
