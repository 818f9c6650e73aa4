package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"candor"
	"candor/markdown"
)

// replacement says what took a superseded note's place.
type replacement struct {
	by      candor.Path // "" where the successor is not in the snapshot
	byOwn   bool        // the note says so itself
	pointer string      // as its front matter writes it
}

// supersede finds the superseded notes of the snapshot. A note is superseded when its
// own front matter says so, wherever that points (whether the target exists for this
// profile must not matter), or when a note of the same snapshot [Snapshot.claim]s it.
func (s *Snapshot) supersede() map[candor.Path]replacement {
	out := map[candor.Path]replacement{}
	for _, p := range s.order {
		n := s.notes[p]
		for _, pointer := range n.header.SupersededBy {
			r := replacement{byOwn: true, pointer: pointer}
			if to := s.pointed(n, pointer); to != nil && to != n {
				r.by = to.Path
			}
			if old, ok := out[p]; !ok || old.by == "" {
				out[p] = r
			}
		}
		if _, ok := out[p]; !ok && strings.EqualFold(n.header.Status, "superseded") {
			out[p] = replacement{byOwn: true}
		}
	}
	return out
}

// claim adds the notes that others say they supersede. A note cannot take a note that
// is trusted more out of search: such claims are ignored and given back for the owner.
// A review that is overdue counts for nothing here, else what is replaced would change with
// the date and no note.
func (s *Snapshot) claim(replaced map[candor.Path]replacement) (refused []Problem) {
	for _, p := range s.order {
		n := s.notes[p]
		for _, pointer := range n.header.Supersedes {
			to := s.pointed(n, pointer)
			if to == nil || to == n {
				continue
			}
			if n.tier > to.tier {
				why := fmt.Sprintf("its claim to supersede %s is ignored: %[1]s is trusted more", to.Path)
				refused = append(refused, Problem{Path: p, Why: why})
				continue
			}
			if old, ok := replaced[to.Path]; !ok || old.by == "" {
				replaced[to.Path] = replacement{by: p, byOwn: old.byOwn, pointer: old.pointer}
			}
		}
	}
	return refused
}

// pointed resolves a front matter pointer: a path, a wikilink, or a file name.
func (s *Snapshot) pointed(from *Note, pointer string) *Note {
	pointer = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(pointer), "[["), "]]")
	pointer, _, _ = strings.Cut(pointer, "|")
	pointer, _, _ = strings.Cut(pointer, "#")
	if n := s.notes[candor.Path(pointer)]; n != nil {
		return n
	}
	if n, _, ok := s.resolve(from, markdown.Link{Target: pointer}); ok {
		return n
	}
	return s.byName(from, pointer)
}

// Superseded reports whether a note is replaced, and the note at the end of the chain
// of replacements as far as the profile may see it, "" where there is none.
func (s *Snapshot) Superseded(p candor.Path) (by candor.Path, yes bool) {
	r, yes := s.replaced[p]
	seen := []candor.Path{p}
	for by = r.by; by != ""; by = s.replaced[by].by {
		if slices.Contains(seen, by) {
			return "", yes // a circle has no end
		}
		seen = append(seen, by)
		if s.replaced[by].by == "" {
			break
		}
	}
	return by, yes
}

// Dead are the superseded notes whose pointer leads nowhere or round in a circle, and
// the notes whose claim to supersede another is ignored, in path order, with what to
// tell the owner.
func (s *Snapshot) Dead() []Problem {
	out := slices.Clone(s.refused)
	for _, p := range s.order {
		r, ok := s.replaced[p]
		if !ok || r.pointer == "" && r.by == "" {
			continue
		}
		if by, _ := s.Superseded(p); by == "" {
			why := "superseded_by leads to no note of this profile: " + r.pointer
			if r.by != "" {
				why = "superseded notes point round in a circle"
			}
			out = append(out, Problem{Path: p, Why: why})
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Path, b.Path) })
	return out
}
