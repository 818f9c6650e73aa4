package redact

import (
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

type ownerRule struct {
	name string
	re   *regexp.Regexp
	size int // instructions of the compiled pattern: what a byte may cost
}

// The bounds on the owner's patterns. One that is larger than ownerSize is refused; a
// line on which size times bytes is over ownerWork is masked unseen.
const (
	ownerSize = 256
	ownerWork = 8 << 20
)

var ownerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)

func compileOwner(rules []Rule) ([]ownerRule, error) {
	out := make([]ownerRule, 0, len(rules))
	for _, r := range rules {
		if !ownerName.MatchString(r.Name) {
			return nil, fmt.Errorf("redaction rule %q: a name is 1 to 40 letters, digits, '-' or '_'", r.Name)
		}
		re, err := compilePattern(r.Pattern)
		if err != nil {
			return nil, fmt.Errorf("redaction rule %q: %w", r.Name, err)
		}
		size, err := sizeOf(r.Pattern)
		if err != nil {
			return nil, fmt.Errorf("redaction rule %q: %w", r.Name, err)
		}
		out = append(out, ownerRule{r.Name, re, size})
	}
	return out, nil
}

// sizeOf gives the instructions of a pattern, each of which may be tried at each byte.
func sizeOf(pattern string) (int, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0, err
	}
	if len(prog.Inst) > ownerSize {
		return 0, fmt.Errorf("the pattern is too large: x{20,90} counts as 90 letters; write x{20,}")
	}
	return len(prog.Inst), nil
}

// probes are texts without a secret or a word in common. A pattern that matches both
// would mask every note.
var probes = [2]string{"the quick brown fox jumps over a lazy dog", "Zwei Boxkämpfer jagten Eva quer durch Sylt, 1987!"}

func compilePattern(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, fmt.Errorf("the pattern is empty; write what the secret looks like")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%w; patterns are in RE2 syntax", err)
	}
	every := func(s string) bool { return re.MatchString(s) }
	if re.MatchString("") || every(probes[0]) && every(probes[1]) {
		return nil, fmt.Errorf("the pattern matches ordinary text; make it narrower")
	}
	if slices.ContainsFunc([]string{" ", "\n", "a", "0", "."}, every) {
		return nil, fmt.Errorf("the pattern matches a single character; make it longer")
	}
	return re, nil
}

// find adds the spans of the rule's matches to spans.
func (o ownerRule) find(text string, spans []span) []span {
	budget := textFloor + textFactor*len(text)
	for at := 0; at < len(text); {
		end := o.affordable(text, at)
		spans, budget = o.within(text[:end], at, spans, budget)
		if at = end; at < len(text) {
			at = lineEndAt(text, end)
			spans = append(spans, span{end, at, kindUnscanned})
		}
	}
	return spans
}

// affordable gives where the first line begins that is too long for the rule, or the
// end of the text.
func (o ownerRule) affordable(text string, at int) int {
	most := ownerWork / o.size
	for at+most < len(text) {
		i := strings.LastIndexByte(text[at:at+most], '\n')
		if i < 0 {
			return at
		}
		at += i + 1
	}
	return len(text)
}

// within adds the matches from a place to the end of text. What is read again behind a
// match is booked; over the budget the rest is masked unseen.
func (o ownerRule) within(text string, at int, spans []span, budget int) ([]span, int) {
	m := o.re.FindStringSubmatchIndex(text[at:])
	for m != nil {
		start, end := m[0], m[1]
		if len(m) > 3 && m[2] >= 0 {
			start, end = m[2], m[3]
		}
		if start < end {
			spans = append(spans, span{at + start, at + end, o.name})
		}
		if at += max(m[1], 1); at >= len(text) {
			break
		}
		// A match may look far beyond its end, so a search behind each could read the
		// text as often as there are matches. What stands behind one is read as if it
		// began there.
		rest := runes{text: text[at:]}
		m = o.re.FindReaderSubmatchIndex(&rest)
		if budget -= rest.at; budget < 0 {
			return append(spans, span{at, len(text), kindUnscanned}), budget
		}
	}
	return spans, budget
}

// runes reads a text and tells how far.
type runes struct {
	text string
	at   int
}

func (r *runes) ReadRune() (rune, int, error) {
	if r.at == len(r.text) {
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += n
	return c, n, nil
}

// allowList holds the values that the owner declared harmless.
type allowList struct {
	exact    map[string]bool
	patterns []*regexp.Regexp
}

func compileAllow(values []string) (allowList, error) {
	a := allowList{exact: map[string]bool{}}
	for i, v := range values {
		if len(v) < 3 || v[0] != '/' || v[len(v)-1] != '/' {
			if strings.TrimSpace(v) == "" {
				return a, fmt.Errorf("redaction allow, entry %d: it is empty; write the value itself or /a pattern/", i+1)
			}
			a.exact[v] = true
			continue
		}
		re, err := compilePattern(v[1 : len(v)-1])
		if err != nil {
			return a, fmt.Errorf("redaction allow, entry %d: %w", i+1, err)
		}
		a.patterns = append(a.patterns, regexp.MustCompile(`\A(?:`+re.String()+`)\z`))
	}
	return a, nil
}

// without drops the spans whose value is allowed.
func (a allowList) without(text string, spans []span) []span {
	if len(a.exact) == 0 && len(a.patterns) == 0 {
		return spans
	}
	return slices.DeleteFunc(spans, func(s span) bool { return a.holds(text[s.start:s.end]) })
}

func (a allowList) holds(value string) bool {
	return a.exact[value] || slices.ContainsFunc(a.patterns, func(re *regexp.Regexp) bool { return re.MatchString(value) })
}
