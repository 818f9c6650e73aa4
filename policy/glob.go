package policy

import (
	"errors"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"candor"
)

// Bounds of a glob. They bound the work for one path, since a client's filter is a
// glob too and braces multiply.
const (
	maxGlob     = 512  // bytes of a pattern
	maxExpanded = 4096 // bytes after braces are written out
	maxParts    = 63   // parts of one alternative: states in a word
)

// Glob compiles a pattern of this package's dialect, as for a filter over paths:
// wildcards match hidden names too. Its errors do not repeat the pattern.
func Glob(pattern string) (func(candor.Path) bool, error) {
	g, err := compile(pattern)
	if err != nil {
		return nil, err
	}
	return func(p candor.Path) bool {
		var buf [16]string
		return g.match(split(string(p), buf[:0]), true)
	}, nil
}

// glob is a pattern with its braces written out.
type glob []alternative

// alternative is a pattern without braces, cut into parts. Its positions are the
// states of a small automaton: a word of bits, state i being "part i is next".
type alternative []part

// part is one part of a pattern.
type part struct {
	kind kind
	text string // literal: the name; pattern: the doublestar pattern
}

type kind uint8

const (
	literal kind = iota
	pattern
	deep // "**"
)

func compile(source string) (glob, error) {
	source = norm.NFC.String(source)
	switch {
	case source == "":
		return nil, errors.New("empty glob: write ** for everything")
	case len(source) > maxGlob:
		return nil, errors.New("glob is over 512 bytes: use several")
	case !utf8.ValidString(source) || strings.Contains(source, deepMark):
		return nil, errors.New("glob is not text")
	case !doublestar.ValidatePattern(source):
		return nil, errors.New(`malformed glob: close each [ and {, or write a \ before it`)
	}
	budget := maxExpanded
	sources, ok := expand(markDeep(source), &budget)
	if !ok {
		return nil, errors.New("glob has too many alternatives: use several")
	}
	g := make(glob, 0, len(sources))
	for _, s := range sources {
		alt, err := parse(s)
		if err != nil {
			return nil, err
		}
		g = append(g, alt)
	}
	return g, nil
}

// deepMark stands for a "**" that is a whole part while braces are written out, so that
// no "**" comes of two stars that only then touch.
const deepMark = "\x00"

func markDeep(s string) string {
	var b strings.Builder
	for {
		at := scan(s, func(i int, c byte) bool {
			return c == '*' && strings.HasPrefix(s[i:], "**") &&
				(i == 0 || strings.IndexByte("/{,", s[i-1]) >= 0) &&
				(i+2 == len(s) || strings.IndexByte("/},", s[i+2]) >= 0)
		})
		if at < 0 {
			return b.String() + s
		}
		b.WriteString(s[:at] + deepMark)
		s = s[at+2:]
	}
}

// expand writes the braces of a valid pattern out. Doublestar can match braces itself,
// but in time that doubles with each pair.
func expand(s string, budget *int) (all []string, ok bool) {
	start := index(s, '{')
	if start < 0 {
		*budget -= len(s) + 1
		return []string{s}, *budget >= 0
	}
	depth, from := 0, start+1
	var choices []string
	end := scan(s[start:], func(i int, c byte) bool {
		at := start + i
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c != ',' || depth > 1:
			return false
		}
		if depth == 0 || c == ',' {
			choices = append(choices, s[from:at])
			from = at + 1
		}
		return depth == 0
	})
	for _, choice := range choices {
		more, ok := expand(s[:start]+choice+s[start+end+1:], budget)
		if !ok {
			return nil, false
		}
		all = append(all, more...)
	}
	return all, true
}

// scan calls stop for each byte of a pattern that is neither escaped nor in a set,
// until it says true, and gives that index, else -1.
func scan(s string, stop func(i int, c byte) bool) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			i += setLen(s[i:]) - 1
		default:
			if stop(i, s[i]) {
				return i
			}
		}
	}
	return -1
}

// index finds a byte that is neither escaped nor in a set.
func index(s string, c byte) int {
	return scan(s, func(_ int, b byte) bool { return b == c })
}

// setLen is the length of the set that a valid pattern begins with.
func setLen(s string) int {
	i := 1
	if i < len(s) && (s[i] == '^' || s[i] == '!') {
		i++
	}
	for ; i < len(s) && s[i] != ']'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(s))
}

// parse cuts a pattern without braces into parts.
func parse(s string) (alternative, error) {
	var alt alternative
	for rest, more := s, true; more; {
		var text string
		if at := index(rest, '/'); at >= 0 {
			text, rest = rest[:at], rest[at+1:]
		} else {
			text, more = rest, false
		}
		p, err := parsePart(text)
		if err != nil {
			return nil, err
		}
		alt = append(alt, p)
	}
	if len(alt) > maxParts {
		return nil, errors.New("glob has over 63 parts")
	}
	return alt, nil
}

func parsePart(text string) (part, error) {
	if text != deepMark {
		text = strings.ReplaceAll(text, deepMark, "*")
	}
	switch {
	case text == "":
		return part{}, errors.New("glob has an empty part: no / at its start or end, and write folder/** for what is in a folder")
	case text == "." || text == "..":
		return part{}, errors.New(`glob has a "." or ".." part, which no path has`)
	case text == deepMark:
		return part{kind: deep}, nil
	case strings.Contains(text, "/"):
		return part{}, errors.New(`glob has an escaped / or one in brackets: only a bare / parts names`)
	case !doublestar.ValidatePattern(text):
		return part{}, errors.New("malformed glob: a set or a brace runs over a /")
	case scan(text, isWild) >= 0 || hasSet(text):
		return part{pattern, text}, nil
	}
	return part{literal, unescape(text)}, nil
}

func isWild(_ int, c byte) bool { return c == '*' || c == '?' }

func hasSet(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == '[' {
			return true
		}
	}
	return false
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (p part) match(name string, dots bool) bool {
	switch {
	case p.kind == literal:
		return p.text == name
	case !dots && hidden(name):
		return false
	}
	return doublestar.MatchUnvalidated(p.text, name)
}

// run gives the states after all names; dots lets wildcards match hidden names.
func (a alternative) run(names []string, dots bool) uint64 {
	states := a.skip(1)
	for _, name := range names {
		var next uint64
		for todo := states; todo != 0; todo &= todo - 1 {
			i := bits.TrailingZeros64(todo)
			switch {
			case i == len(a):
			case a[i].kind == deep:
				if dots || !hidden(name) {
					next |= 1 << i
				}
			case a[i].match(name, dots):
				next |= 1 << (i + 1)
			}
		}
		if states = a.skip(next); states == 0 {
			return 0
		}
	}
	return states
}

// skip adds the states that need no name: those after a "**".
func (a alternative) skip(states uint64) uint64 {
	for i := range a {
		if a[i].kind == deep && states&(1<<i) != 0 {
			states |= 1 << (i + 1)
		}
	}
	return states
}

func (a alternative) done() uint64 { return 1 << len(a) }

// match reports whether the glob matches a path, given as its parts.
func (g glob) match(names []string, dots bool) bool {
	for _, a := range g {
		if a.run(names, dots)&a.done() != 0 {
			return true
		}
	}
	return false
}

// reach reports whether the glob could match a path inside the folder.
func (g glob) reach(folder []string, dots bool) bool {
	for _, a := range g {
		if a.run(folder, dots)&^a.done() != 0 {
			return true
		}
	}
	return false
}

// covers reports whether the glob matches everything inside the folder.
func (g glob) covers(folder []string) bool {
	for _, a := range g {
		if a[len(a)-1].kind == deep && a.run(folder, true)&a.done() != 0 {
			return true
		}
	}
	return false
}

// split cuts a path into its parts, into buf while they fit. The root has none.
func split(path string, buf []string) []string {
	if path == "" || path == "." {
		return buf
	}
	for {
		at := strings.IndexByte(path, '/')
		if at < 0 {
			return append(buf, path)
		}
		buf = append(buf, path[:at])
		path = path[at+1:]
	}
}
