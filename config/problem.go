package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Problem is one fault of a configuration.
type Problem struct {
	Line int    // in the file, 1-based; 0 when no line is at fault
	Key  string // as in "profiles.staff.allow[0]"; "" for the whole file
	What string // what is wrong
	Hint string // what to write instead
}

// Error is all that is wrong with a configuration, in the order of its lines.
type Error struct {
	File     string // as the user named it; "" without a file
	Problems []Problem
}

// Error gives each problem a line of its own, in the form that editors follow.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.text(e.File)
	}
	return strings.Join(lines, "\n")
}

func (p Problem) text(file string) string {
	var b strings.Builder
	if file != "" {
		b.WriteString(file)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.What)
	if p.Hint != "" {
		b.WriteString("\n  hint: " + p.Hint)
	}
	return b.String()
}

// sort orders by line; what is on no line comes last.
func (e *Error) sort() {
	slices.SortStableFunc(e.Problems, func(a, b Problem) int {
		return cmp.Compare(uint(a.Line)-1, uint(b.Line)-1)
	})
}

// meant are words that other programs use for our keys.
var meant = map[string]string{
	"exclude": "deny", "ignore": "deny", "block": "deny", "include": "allow", "path": "root", "dir": "root",
	"folder": "root", "host": "url", "languages": "language", "vault": "vaults", "profile": "profiles",
}

// nearest gives the known word that name was most likely meant to be, or "".
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, least := "", len(name)/2+1
	consider := func(word, means string) {
		if d := edits(name, word); d < least && slices.Contains(known, means) {
			best, least = means, d
		}
	}
	for _, word := range known {
		consider(word, word)
	}
	for _, word := range slices.Sorted(maps.Keys(meant)) {
		consider(word, meant[word])
	}
	return best
}

// edits is the Damerau-Levenshtein distance (adjacent swaps) of two short words.
func edits(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
