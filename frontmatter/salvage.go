package frontmatter

import (
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// maxSalvages is how many fields of a broken header are tried as YAML.
const maxSalvages = 256

// keyLine is a field at the left margin.
var keyLine = regexp.MustCompile(`^["']?([\pL_][\pL\pN_. -]{0,63}?)["']?[ \t]*:(?:[ \t]+(.*))?$`)

// looksLikeHeader reports whether a text that is no YAML was meant as a header: its
// first line that says something is a field.
func looksLikeHeader(header string) bool {
	for line := range strings.Lines(header) {
		line = strings.TrimRight(line, " \t\r\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			return keyLine.MatchString(line)
		}
	}
	return false
}

// salvage reads a header that is no YAML field by field: each is a line at the margin
// with the lines below it that are indented or begin with '-'.
func (r *reader) salvage(header string) {
	r.budget = maxNodes
	var name, value string
	var below strings.Builder
	done := func() {
		if name != "" {
			r.salvaged(name, value, below.String())
		}
		below.Reset()
	}
	for line := range strings.Lines(header) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := keyLine.FindStringSubmatch(line); m != nil {
			done()
			name, value = m[1], m[2]
			continue
		}
		below.WriteString(line)
		below.WriteByte('\n')
	}
	done()
	if r.audiences == 0 && mentionsAudience(header) {
		r.Denied = true
	}
}

// salvaged reads one field: as YAML when it is by itself, else as a plain string, which
// for an audience is a form that denies.
func (r *reader) salvaged(name, value, below string) {
	if r.salvages++; r.salvages <= maxSalvages {
		root, ok := parse("x: " + value + "\n" + below)
		if ok && root != nil && len(root.Content) == 2 {
			r.field(name, root.Content[1])
			return
		}
	}
	r.field(name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Trim(value, `"' `)})
	for line := range strings.Lines(below) {
		if line = strings.TrimLeft(strings.TrimSpace(line), "- "); line != "" {
			r.Words = append(r.Words, line)
		}
	}
}

// audienceKey is how an audience may be written anywhere in a line.
var audienceKey = regexp.MustCompile(`(?i)candor["']?\s*[:：]`)

// mentionsAudience reports whether a header that cannot be read may give an audience.
func mentionsAudience(header string) bool {
	if audienceKey.MatchString(header) {
		return true
	}
	for line := range strings.Lines(strings.ToLower(header)) {
		rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, func(c rune) bool { return !unicode.IsLetter(c) }), "candor")
		if ok && strings.TrimSpace(rest) == "" {
			return true
		}
	}
	return false
}

// hiddenKey is an audience at the margin that a mapping did not hold as a field.
var hiddenKey = regexp.MustCompile(`(?im)^[\x{feff}\x{200b}"'?]*candor["']?[ \t]*[:：]`)

// hidesAudience reports whether YAML swallowed a line that gives an audience, as a
// value that was not closed does.
func hidesAudience(header string) bool { return hiddenKey.MatchString(header) }
