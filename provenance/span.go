package provenance

import (
	"slices"
	"strconv"
	"strings"

	"candor"
)

// within reports whether a passage holds all of a cited span, and which of its lines.
// A citation id must be the passage's own, lines and digest included: a span that is
// moved by a line is another span.
func (s Span) within(p Passage) (lines candor.Span, ok bool) {
	c := p.Citation
	lines = candor.Span{Start: c.StartLine, End: c.EndLine}
	if s.Start > 0 {
		lines = candor.Span{Start: s.Start, End: s.End}
	}
	if lines.End < lines.Start || lines.Start < c.StartLine || lines.End > c.EndLine {
		return lines, false
	}
	if s.Block == "" || s.Block == c.ID {
		return lines, true
	}
	if _, _, _, isID := candor.ParseCitationID(s.Block); isID {
		return lines, false
	}
	path, heading, _ := strings.Cut(s.Block, ".md#")
	if heading != "" {
		path += ".md"
	}
	return lines, path == string(c.Path) && (heading == "" || slices.ContainsFunc(c.Heading, func(h string) bool {
		return strings.EqualFold(strings.TrimSpace(h), strings.TrimSpace(heading))
	}))
}

// narrow leaves the cited lines of evidence, whose citation is then their own.
func (p *evidence) narrow() {
	c := &p.Citation
	if p.lines == (candor.Span{}) || p.lines == (candor.Span{Start: c.StartLine, End: c.EndLine}) {
		return
	}
	text := strings.Split(p.Text, "\n")
	from, to := min(p.lines.Start-c.StartLine, len(text)), min(p.lines.End-c.StartLine+1, len(text))
	p.Text = strings.Join(text[from:to], "\n")
	c.StartLine, c.EndLine = p.lines.Start, p.lines.End
	c.ID = candor.CitationID(c.Path, p.lines, candor.Digest(p.Text))
}

// field gives a field of a stamp by its JSON name.
func (s Stamp) field(name string) string {
	switch name {
	case "server":
		return s.Server
	case "tool":
		return s.Tool
	case "profile":
		return s.Profile
	case "arguments_hash":
		return s.ArgumentsHash
	case "ttl_seconds":
		return strconv.Itoa(s.TTLSeconds)
	}
	return s.MAC
}
