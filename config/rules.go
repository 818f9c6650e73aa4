package config

import (
	"math"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

var (
	modelName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$`)
	flagPrefix = regexp.MustCompile(`^[A-Za-z0-9_]{2,16}$`)
	drive      = regexp.MustCompile(`^[A-Za-z]:`)
	oddEscape  = regexp.MustCompile(`\\[A-Za-z0-9_]`)
)

// globFault says what is wrong with a glob over paths.
func globFault(glob string) (what, hint string) {
	switch {
	case glob == "":
		return "must not be empty", "write ** for all"
	case strings.HasPrefix(glob, "/") || drive.MatchString(glob):
		return "must be relative to the vault", `globs look like internal/** or **/salaries/**`
	case strings.HasPrefix(glob, "!"):
		return "cannot be negated", "put the glob under deny instead; deny wins over allow"
	case oddEscape.MatchString(glob):
		return `has \ between folders`, "write / on every system"
	case hasPart(glob, "..") || hasPart(glob, "."):
		return "has a . or .. part, which no path has", "write the path from the top of the vault"
	case strings.Contains(glob, "//") || strings.HasSuffix(glob, "/"):
		return "has an empty part", "write folder/** for what is in a folder"
	case !strings.ContainsAny(glob[strings.LastIndexByte(glob, '/')+1:], `*?[]{}.\`):
		// Refused since the folder's notes would stay visible under a deny glob.
		return "names a folder and so matches no note", "write " + glob + "/** for what is in it"
	case !doublestar.ValidatePattern(glob):
		return "is not a glob", "check its brackets and braces; * and ? stop at /, ** does not"
	}
	return "", ""
}

func hasPart(glob, part string) bool { return strings.Contains("/"+glob+"/", "/"+part+"/") }

// modelFault says what is wrong with the name of a model. A cloud model would be
// forwarded by a local Ollama to another machine.
func modelFault(name string) (what, hint string) {
	_, tag, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
	switch {
	case !modelName.MatchString(name):
		return "is not the name of a model", "write it as ollama list shows it"
	case tag == "cloud" || strings.HasSuffix(tag, "-cloud"):
		return "runs on another machine", "choose a model that Ollama runs here, such as " + defaultModel
	}
	return "", ""
}

func prefixFault(v string) (what, hint string) {
	if len(v) > 256 || strings.ContainsFunc(v, func(c rune) bool { return unicode.IsControl(c) && c != '\n' }) {
		return "must be at most 256 bytes without control characters", ""
	}
	return "", ""
}

// patternFault says what is wrong with a rule of the masker. One that matches nothing
// but an empty string, or everything, would mask each note whole.
func patternFault(pattern string) (what, hint string) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		why := err.Error()
		if e, ok := err.(*syntax.Error); ok {
			why = string(e.Code)
		}
		return "is not a regular expression that can be used: " + why, "the syntax is RE2's"
	}
	if re.MatchString("") {
		return "matches the empty string", "write a pattern that needs at least one character"
	}
	if whole := re.FindString(everyday); whole == everyday {
		return "matches any text", "write a pattern of the secret's own shape"
	}
	return "", ""
}

// everyday is a line that no rule for secrets may take whole.
const everyday = "The quick brown fox asks for 2 days of leave; see note-7."

func allowFault(v string) (what, hint string) {
	inner, isPattern := strings.CutPrefix(v, "/")
	if !isPattern || len(v) < 2 || !strings.HasSuffix(inner, "/") {
		if v == "" {
			return "must not be empty", ""
		}
		return "", ""
	}
	what, hint = patternFault(strings.TrimSuffix(inner, "/"))
	return what, hint
}

func flagFault(v string) (what, hint string) {
	if !flagPrefix.MatchString(v) {
		return "is not a prefix of flags", "write HTB for HTB{…}: 2 to 16 letters, digits or _"
	}
	return "", ""
}

// keepAlive reads every form that Ollama has for it: a duration, a number of seconds,
// below 0 for ever; and a number in quotes, which Ollama itself refuses.
func keepAlive() value[time.Duration] {
	const want = "a duration such as 30m, a number of seconds, 0 or -1"
	s := schema{"anyOf": []schema{
		{"type": "number"},
		{"type": "string", "pattern": `^[+-]?([0-9]+(\.[0-9]+)?(h|m|s|ms|us|ns)?)+$`},
	}}
	return value[time.Duration]{s, func(r *reader, at string, n *yaml.Node) (time.Duration, bool) {
		v, ok := r.scalar(at, n, want)
		if !ok {
			return 0, false
		}
		d, ok := parseKeepAlive(strings.TrimSpace(v))
		if !ok {
			r.fail(at, "must be "+want, "")
		}
		return d, ok
	}}
}

func parseKeepAlive(v string) (time.Duration, bool) {
	d, err := time.ParseDuration(v)
	if err != nil {
		secs, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(secs) || secs > forever.Seconds() {
			return 0, false
		}
		d = time.Duration(math.Max(secs, -1) * float64(time.Second))
	}
	if d < 0 {
		return -1, true
	}
	return d, d <= forever
}
