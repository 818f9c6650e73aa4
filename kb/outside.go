package kb

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"candor"
	"candor/corpus"
)

// Bounds of the targets that an answer lists of one passage.
const (
	maxOutside      = 32
	maxOutsideBytes = 2048
	maxTargetBytes  = 200
	maxScanned      = 128 << 10 // more than a result can hold
)

// outside lists the targets of a passage's links, images, addresses and HTML that lead
// out of the vault, each once; those inside are what Links answers. left counts targets
// over the bounds. A reader that renders the passage can be held to the list.
func outside(n *corpus.Note, span candor.Span, text string) (targets []string, left int) {
	text, room := cutText(text, maxScanned), maxOutsideBytes
	seen := map[string]bool{}
	for _, target := range slices.Concat(n.Targets(span), written(text)) {
		target = strings.TrimSpace(html.UnescapeString(target))
		if !leadsOut(target) || seen[target] {
			continue
		}
		seen[target] = true
		if cut := cutText(target, maxTargetBytes); cut != target {
			target = cut + "…"
		}
		if room -= jsonSize(target) + 3; room < 0 || len(targets) == maxOutside {
			left++
			continue
		}
		targets = append(targets, target)
	}
	return targets, left
}

// Targets that markdown's links do not have: in the attributes of HTML, in definitions
// and as bare addresses.
var (
	attribute  = regexp.MustCompile(`(?i)[\s"'/](?:href|src|srcset|action|formaction|poster|data|background|cite|ping|xlink:href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))`)
	definition = regexp.MustCompile(`(?m)^[ \t>]*\[[^\]\n]+\]:[ \t]*<?([^\s<>]+)`)
	address    = regexp.MustCompile("(?i)\\b(?:[a-z][a-z0-9+.-]{1,31}://|(?:javascript|data|vbscript|mailto|file):)[^\\s<>\"'`]+")
)

// What a text must hold, in small letters, for the expressions to find anything: most
// passages hold none of it, and looking for it costs far less.
var (
	attrs   = []string{"href", "src", "action", "poster", "data", "background", "cite", "ping"}
	schemes = []string{"://", "javascript:", "data:", "vbscript:", "mailto:", "file:"}
)

func written(text string) []string {
	var all []string
	small := strings.ToLower(text)
	if strings.Contains(small, "=") && containsAny(small, attrs) {
		all = parts(all, attribute, text)
	}
	if strings.Contains(small, "]:") {
		all = parts(all, definition, text)
	}
	if !containsAny(small, schemes) {
		return all
	}
	for line := range strings.Lines(text) { // an address ends before its line does
		if !strings.Contains(line, ":") {
			continue
		}
		for _, m := range address.FindAllString(line, -1) {
			m = strings.TrimRight(m, ".,;:!?]}*_")
			for more := strings.Count(m, ")") - strings.Count(m, "("); more > 0 && strings.HasSuffix(m, ")"); more-- {
				m = strings.TrimRight(m[:len(m)-1], ".,;:!?]}*_")
			}
			all = append(all, m)
		}
	}
	return all
}

func containsAny(text string, of []string) bool {
	return slices.ContainsFunc(of, func(s string) bool { return strings.Contains(text, s) })
}

// parts appends what an expression captures.
func parts(all []string, re *regexp.Regexp, text string) []string {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Join(m[1:], ""))
	}
	return all
}

// scheme is what an address begins with. Renderers drop blanks and controls in it.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// leadsOut reports whether a target is anything but a path or name inside the vault.
func leadsOut(target string) bool {
	target = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, target)
	return scheme.MatchString(target) || strings.HasPrefix(strings.ReplaceAll(target, `\`, "/"), "//")
}
