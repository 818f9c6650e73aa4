package corpus

import (
	"maps"
	"slices"

	"candor"
)

// maxWindow bounds, in bytes hashed, the search for cited text that has moved.
const maxWindow = 8 << 20

// windowCost is what a run of lines costs beyond its bytes, so that many short ones,
// blank lines say, are bounded too.
const windowCost = 64

// Find looks for cited text that is no longer at its lines: first among the note's
// chunks, then among all runs of as many lines, nearest first, since a citation may
// also name lines that were read. The result is the nearest place.
func (n *Note) Find(span candor.Span, digest string) (candor.Span, bool) {
	best, found := candor.Span{}, false
	for _, ch := range n.Chunks {
		if ch.Digest == digest && (!found || distance(ch.Lines, span) < distance(best, span)) {
			best, found = ch.Lines, true
		}
	}
	if found {
		return best, true
	}
	return n.findWindow(span, digest)
}

// distance is how far apart two spans begin.
func distance(a, b candor.Span) int { return max(a.Start-b.Start, b.Start-a.Start) }

// findWindow tries each run of as many lines as the span has, nearest first.
func (n *Note) findWindow(span candor.Span, digest string) (candor.Span, bool) {
	text, starts := n.flat()
	count := span.End - span.Start + 1
	last := len(starts) - 1 - count // the last line, from 0, at which a run can begin
	near := min(span.Start-1, last)
	hashed := 0
	for off := 0; off <= max(near, last-near); off++ {
		for i, at := range [2]int{near + off, near - off} {
			if at < 0 || at > last || i == 1 && off == 0 {
				continue
			}
			window := text[starts[at] : starts[at+count]-1]
			if hashed += len(window) + windowCost; hashed > maxWindow {
				return candor.Span{}, false
			}
			if candor.Digest(window) == digest {
				return candor.Span{Start: at + 1, End: at + count}, true
			}
		}
	}
	return candor.Span{}, false
}

// flat is the whole masked note, each line ended by one LF, and where each line
// starts; the last start is the end of the text.
func (n *Note) flat() (text string, starts []int) {
	buf := make([]byte, 0, len(n.head)+len(n.body)+1)
	for line := range lines(n.head, n.body) {
		starts = append(starts, len(buf))
		buf = append(append(buf, line...), '\n')
	}
	return string(buf), append(starts, len(buf))
}

// Place is where a reader of a stale citation should look: the section that it was
// in, if that is remembered and still there, else the one at its first line.
func (n *Note) Place(span candor.Span, digest string) candor.Span {
	if heading, ok := n.past[digest]; ok {
		for _, s := range n.Sections {
			if slices.Equal(s.Path, heading) {
				return s.Lines
			}
		}
	}
	if s := n.SectionAt(span.Start); s != nil {
		return s.Lines
	}
	_, total := n.Lines(candor.Span{})
	return candor.Span{Start: 1, End: max(1, total)}
}

// maxPast bounds how many digests of former chunks a note remembers.
const maxPast = 512

// remember keeps the headings of the chunks of the version before, so that a stale
// citation can be told where its section now is.
func (n *Note) remember(before *Note) {
	if before == nil {
		return
	}
	n.past = map[string][]string{}
	if len(before.Chunks)+len(before.past) <= maxPast {
		maps.Copy(n.past, before.past)
	}
	for _, ch := range before.Chunks[:min(maxPast, len(before.Chunks))] {
		n.past[ch.Digest] = ch.Heading
	}
}
