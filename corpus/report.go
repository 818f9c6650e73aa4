package corpus

import (
	"cmp"
	"maps"
	"slices"

	"candor"
)

// Problem is one thing that the owner of a vault should know of a note.
type Problem struct {
	Path candor.Path `json:"path"`
	Why  string      `json:"why"`
}

// Masked counts what was masked of one kind in one note.
type Masked struct {
	Path  candor.Path `json:"path"`
	Kind  string      `json:"kind"`
	Count int         `json:"count"`
}

// Report is what the owner of the vaults may know, across all profiles. It is never
// part of an answer to a client.
type Report struct {
	Skipped []Problem // files that were not read
	Damaged []Problem // notes that were read with a fault
	Masked  []Masked
	Hidden  []Problem // notes whose own front matter leaves no reader
}

// Report tells what reading the vaults met.
func (c *Corpus) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Report{}
	slices.SortFunc(c.skipped, bySkip)
	for _, s := range c.skipped {
		r.Skipped = append(r.Skipped, Problem{Path: s.Path, Why: s.Reason})
	}
	for _, p := range slices.Sorted(maps.Keys(c.absent)) {
		r.Hidden = append(r.Hidden, Problem{Path: p, Why: "its front matter names no profile that may read it"})
	}
	taken := map[candor.Path]bool{}
	for _, p := range slices.Sorted(maps.Keys(c.notes)) {
		n := c.notes[p]
		if why := n.problem(); why != "" {
			r.Damaged = append(r.Damaged, Problem{Path: n.Path, Why: why})
		}
		if taken[n.Path] {
			r.Damaged = append(r.Damaged, Problem{Path: n.Path, Why: "another note has the same masked name and is kept"})
		}
		taken[n.Path] = true
		r.Masked = append(r.Masked, n.maskCounts()...)
	}
	return r
}

// maskCounts counts the note's masks by kind.
func (n *Note) maskCounts() []Masked {
	kinds := map[string]int{}
	for _, f := range n.findings {
		kinds[f.Kind]++
	}
	if n.masked {
		kinds["file name"]++
	}
	var out []Masked
	for kind, count := range kinds {
		out = append(out, Masked{Path: n.Path, Kind: kind, Count: count})
	}
	slices.SortFunc(out, func(a, b Masked) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}
