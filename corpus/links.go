package corpus

import (
	"net/url"
	"path"
	"strings"

	"candor"
	"candor/markdown"
)

// Link is a link whose both ends are notes of the snapshot.
type Link struct {
	Text string // as written
	From *Note
	Line int // of the link in From
	To   *Note
	// Heading is the fragment of the target, "" for the note as a whole.
	Heading string
}

// Links are the links of a note to other notes of the snapshot, in line order.
func (s *Snapshot) Links(n *Note) []Link {
	var out []Link
	for _, l := range n.links {
		if to, heading, ok := s.resolve(n, l); ok && to != n && !l.Image {
			out = append(out, Link{Text: l.Text, From: n, Line: l.Line, To: to, Heading: heading})
		}
	}
	return out
}

// Targets are the targets of the links and images in a span, as written, references
// resolved.
func (n *Note) Targets(span candor.Span) []string {
	var out []string
	for _, l := range n.links {
		if l.Line >= span.Start && l.Line <= span.End && !l.Wiki {
			out = append(out, l.Target)
		}
	}
	return out
}

// Backlinks are the links to a note from current notes, in order of path and line.
func (s *Snapshot) Backlinks(n *Note) []Link { return s.backlinks()[n.Path] }

// findBacklinks turns the links of all current notes round.
func (s *Snapshot) findBacklinks() map[candor.Path][]Link {
	back := map[candor.Path][]Link{}
	s.Current(func(n *Note, _ int) bool {
		for _, l := range s.Links(n) {
			back[l.To.Path] = append(back[l.To.Path], l)
		}
		return true
	})
	return back
}

// resolve finds the note that a link leads to.
func (s *Snapshot) resolve(from *Note, l markdown.Link) (to *Note, heading string, ok bool) {
	target, heading, _ := strings.Cut(l.Target, "#")
	if target == "" {
		return nil, "", false
	}
	heading = heading[strings.LastIndexByte(heading, '#')+1:]
	if l.Wiki {
		to = s.byName(from, target)
	} else {
		to, heading = s.byURL(from, decoded(target)), decoded(heading)
	}
	return to, heading, to != nil
}

// decoded is a part of an address without its percent signs, or as it is where they do
// not mean characters.
func decoded(part string) string {
	if plain, err := url.PathUnescape(part); err == nil {
		return plain
	}
	return part
}

// byName resolves a wikilink as Obsidian does: by file name or any tail of the path,
// whatever the case; of several the one nearest to the linking note, then the first.
func (s *Snapshot) byName(from *Note, name string) *Note {
	found := s.names()[strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "/"))]
	var best *Note
	bestShared := -1
	for _, p := range found {
		if shared := sharedDirs(from.Path, p); shared > bestShared {
			best, bestShared = s.notes[p], shared
		}
	}
	return best
}

// sharedDirs counts the leading folders that two paths have in common.
func sharedDirs(a, b candor.Path) int {
	as, bs := strings.Split(path.Dir(string(a)), "/"), strings.Split(path.Dir(string(b)), "/")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return n
}

// byURL resolves the target of a markdown link: relative to the linking note's folder,
// or from the root of its vault where it begins with a slash.
func (s *Snapshot) byURL(from *Note, target string) *Note {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return nil
	}
	full := path.Join(path.Dir(string(from.Path)), target)
	if strings.HasPrefix(target, "/") {
		full = from.entry.root.Prefix() + path.Clean(target)[1:]
	}
	for _, try := range []string{full, full + ".md"} {
		if n := s.notes[candor.Path(try)]; n != nil {
			return n
		}
	}
	return nil
}
