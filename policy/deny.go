package policy

import (
	"errors"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// strict is a glob that denies: it is matched on both forms of a path.
type strict struct {
	exact  glob
	folded glob
}

func compileStrict(source string) (strict, error) {
	source = norm.NFC.String(source)
	exact, err := compile(source)
	if err != nil {
		return strict{}, err
	}
	if !foldsWell(source) {
		return strict{}, errors.New("a set in brackets means something else in other case: write each character, [A-Za-z] or {ß,ss}")
	}
	folded, err := compile(fold(source))
	if err != nil {
		return strict{}, err
	}
	return strict{wholeFolders(exact), wholeFolders(folded)}, nil
}

// wholeFolders lets a pattern that ends in a plain name match all that is inside a
// folder of that name: who denies "hr" means its notes.
func wholeFolders(g glob) glob {
	for i, a := range g {
		if a[len(a)-1].kind == literal && len(a) < maxParts {
			g[i] = append(a, part{kind: deep})
		}
	}
	return g
}

func (s strict) match(p names) bool {
	return s.exact.match(p.exact, true) || s.folded.match(p.folded, true)
}

func (s strict) covers(p names) bool {
	return s.exact.covers(p.exact) || s.folded.covers(p.folded)
}

// foldsWell reports whether each set of a valid pattern still denies every spelling of
// what it denies when pattern and path are folded.
func foldsWell(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			n := setLen(s[i:])
			if !newSet(s[i+1 : i+n-1]).foldsWell() {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// set is the inside of a pair of brackets: pairs of first and last character.
type set struct {
	negated bool
	ranges  [][2]rune
}

func newSet(s string) set {
	var one set
	if s[0] == '^' || s[0] == '!' {
		one.negated, s = true, s[1:]
	}
	for s != "" {
		var lo, hi rune
		lo, s = setRune(s)
		hi = lo
		if len(s) > 1 && s[0] == '-' {
			hi, s = setRune(s[1:])
		}
		one.ranges = append(one.ranges, [2]rune{lo, hi})
	}
	return one
}

// setRune takes the next character of a set, escaped or not.
func setRune(s string) (rune, string) {
	if s[0] == '\\' && len(s) > 1 {
		s = s[1:]
	}
	r, n := utf8.DecodeRuneInString(s)
	return r, s[n:]
}

func (s set) has(r rune) bool {
	return slices.ContainsFunc(s.ranges, func(x [2]rune) bool { return x[0] <= r && r <= x[1] })
}

// foldsWell asks of a negated set that it names each character in every case, and of
// another that its folded form has the folded form of each character.
func (s set) foldsWell() bool {
	folded := set{}
	for _, x := range s.ranges {
		lo, _ := foldRune(x[0])
		hi, _ := foldRune(x[1])
		folded.ranges = append(folded.ranges, [2]rune{lo, hi})
	}
	for _, x := range s.ranges {
		for r := x[0]; r <= x[1]; r++ {
			f, single := foldRune(r)
			if !single || !folded.has(f) || s.negated && !s.hasCases(r) {
				return false
			}
		}
	}
	return true
}

func (s set) hasCases(r rune) bool {
	return s.has(unicode.ToLower(r)) && s.has(unicode.ToUpper(r))
}

func foldRune(r rune) (one rune, single bool) {
	f := fold(string(r))
	one, n := utf8.DecodeRuneInString(f)
	return one, n == len(f)
}
