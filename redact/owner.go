package redact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

type ownerRule struct {
	name string
	re   *regexp.Regexp
}

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
		out = append(out, ownerRule{r.Name, re})
	}
	return out, nil
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
	for _, m := range o.re.FindAllStringSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		if len(m) > 3 && m[2] >= 0 {
			start, end = m[2], m[3]
		}
		if start < end {
			spans = append(spans, span{start, end, o.name})
		}
	}
	return spans
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
