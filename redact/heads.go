package redact

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// headsOf gives the lower-case strings with which every match of expr begins, each of
// two bytes or more. ok is false where there is no such set of a useful size.
func headsOf(expr string) (heads []string, ok bool) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, false
	}
	h := headSet(re)
	slices.Sort(h.strings)
	for _, s := range h.strings {
		if len(s) < 2 {
			return nil, false
		}
		if n := len(heads); n == 0 || !strings.HasPrefix(s, heads[n-1]) {
			heads = append(heads, s)
		}
	}
	return heads, len(heads) > 0 && len(heads) <= maxHeads
}

const (
	maxHeads   = 64
	headLength = 12 // longer heads make the automaton larger and nothing faster
)

// headResult is a set of beginnings; whole says that they are whole matches, so that
// what follows may be appended.
type headResult struct {
	strings []string
	whole   bool
}

var anything = headResult{strings: []string{""}}

func headSet(re *syntax.Regexp) headResult {
	switch re.Op {
	case syntax.OpLiteral:
		return headResult{[]string{strings.ToLower(string(re.Rune))}, true}
	case syntax.OpCapture:
		return headSet(re.Sub[0])
	case syntax.OpCharClass:
		return classHeads(re.Rune)
	case syntax.OpConcat:
		return concatHeads(re.Sub)
	case syntax.OpAlternate:
		return alternateHeads(re.Sub)
	case syntax.OpQuest:
		h := headSet(re.Sub[0])
		return headResult{append(h.strings, ""), h.whole}
	case syntax.OpPlus:
		return headResult{headSet(re.Sub[0]).strings, false}
	case syntax.OpRepeat:
		if re.Min == 0 {
			return anything
		}
		return headResult{headSet(re.Sub[0]).strings, false}
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpBeginText:
		return headResult{[]string{""}, true}
	default:
		return anything
	}
}

func classHeads(ranges []rune) headResult {
	set := map[string]bool{}
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 16 {
			return anything
		}
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if c < unicode.MaxASCII { // the folds of k and s beyond ASCII are no keys
				set[strings.ToLower(string(c))] = true
			}
		}
	}
	out := headResult{whole: true}
	for s := range set {
		out.strings = append(out.strings, s)
	}
	if len(out.strings) > 4 {
		return anything
	}
	return out
}

func concatHeads(subs []*syntax.Regexp) headResult {
	out := headResult{[]string{""}, true}
	for _, sub := range subs {
		h := headSet(sub)
		if len(out.strings)*len(h.strings) > maxHeads {
			out.whole = false
			break
		}
		var joined []string
		long := true
		for _, a := range out.strings {
			for _, b := range h.strings {
				joined = append(joined, a+b)
				long = long && len(a+b) >= headLength
			}
		}
		out = headResult{joined, h.whole && !long}
		if !out.whole {
			break
		}
	}
	return out
}

func alternateHeads(subs []*syntax.Regexp) headResult {
	out := headResult{whole: true}
	for _, sub := range subs {
		h := headSet(sub)
		out.strings = append(out.strings, h.strings...)
		out.whole = out.whole && h.whole
	}
	return out
}

// extent is the least and most bytes that an expression can match, and whether its
// shortest match must hold white space (an ASCII view: keys are ASCII).
type extent struct {
	least, most int
	space       bool
}

const boundless = 1 << 20

func measure(expr string) extent {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return extent{most: boundless, space: true}
	}
	return extentOf(re)
}

func extentOf(re *syntax.Regexp) extent {
	switch re.Op {
	case syntax.OpLiteral:
		return extent{len(re.Rune), len(string(re.Rune)), slices.ContainsFunc(re.Rune, unicode.IsSpace)}
	case syntax.OpCharClass:
		return extent{1, 1, holdsSpace(re.Rune)}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return extent{1, 4, true}
	case syntax.OpCapture:
		return extentOf(re.Sub[0])
	case syntax.OpConcat, syntax.OpAlternate:
		return combine(re)
	case syntax.OpStar:
		return extent{0, boundless, extentOf(re.Sub[0]).space}
	case syntax.OpPlus:
		e := extentOf(re.Sub[0])
		return extent{e.least, boundless, e.space}
	case syntax.OpQuest:
		e := extentOf(re.Sub[0])
		return extent{0, e.most, e.space}
	case syntax.OpRepeat:
		e := extentOf(re.Sub[0])
		if re.Max < 0 {
			return extent{e.least * re.Min, boundless, e.space}
		}
		return extent{e.least * re.Min, min(boundless, e.most*re.Max), e.space}
	default:
		return extent{}
	}
}

func combine(re *syntax.Regexp) extent {
	out := extentOf(re.Sub[0])
	for _, sub := range re.Sub[1:] {
		e := extentOf(sub)
		out.space = out.space || e.space
		if re.Op == syntax.OpConcat {
			out.least, out.most = out.least+e.least, min(boundless, out.most+e.most)
			continue
		}
		out.least, out.most = min(out.least, e.least), max(out.most, e.most)
	}
	return out
}

func holdsSpace(ranges []rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= ' ' && ranges[i+1] >= '\t' {
			return true
		}
	}
	return false
}
