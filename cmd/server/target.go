package main

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"candor"
	"candor/kb"
	"candor/policy"
)

// readRequest is what a person means by the target of read: a citation, the path of a
// note, or a file name that one note alone has among those that the profile sees; a path
// may end in :LINE, :FIRST-LAST or #heading. What is none of these is asked for as it
// stands, and so not found.
func (s *site) readRequest(c *readCmd) kb.ReadRequest {
	req := kb.ReadRequest{Path: c.Target, StartLine: c.Start, EndLine: c.End}
	if _, _, _, ok := candor.ParseCitationID(c.Target); ok {
		req.Path, req.Citation = "", c.Target
		return req
	}
	name, tail := c.Target, ""
	p, ok := s.noteNamed(name)
	if i := strings.LastIndexAny(name, ":#"); !ok && i > 0 {
		name, tail = name[:i], name[i:]
		p, ok = s.noteNamed(name)
	}
	if !ok {
		return req
	}
	if span, found := s.place(p, tail); tail == "" || found {
		req.Path = string(p)
		if tail != "" && c.Start == 0 && c.End == 0 {
			req.StartLine, req.EndLine = span.Start, span.End
		}
	}
	return req
}

// noteNamed finds a note that the command's profile sees by its path or its file name,
// with or without the ending; a name that several have names none. With several vaults a
// path begins with the name of one, and nothing stands in for it.
func (s *site) noteNamed(name string) (candor.Path, bool) {
	snap := s.corpus.Snapshot(s.profile)
	if snap == nil {
		return "", false
	}
	if p := policy.CleanPath(name); snap.Note(p) != nil {
		return p, true
	}
	if len(s.cfg.Vaults) > 1 {
		return "", false
	}
	var found []candor.Path
	for _, p := range snap.Paths() {
		if base := path.Base(string(p)); base == name || strings.TrimSuffix(base, path.Ext(base)) == name {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

var lineTail = regexp.MustCompile(`^(?::|#L)(\d{1,7})(?:-L?(\d{1,7}))?$`)

// place is the span that the tail of a target names in a note.
func (s *site) place(p candor.Path, tail string) (candor.Span, bool) {
	if m := lineTail.FindStringSubmatch(tail); m != nil {
		first, _ := strconv.Atoi(m[1]) // seven digits
		last, _ := strconv.Atoi(m[2])  // or none: one line
		return candor.Span{Start: first, End: max(first, last)}, first > 0
	}
	n := s.corpus.Snapshot(s.profile).Note(p)
	if heading, ok := strings.CutPrefix(tail, "#"); ok {
		if at := n.Section(heading); at >= 0 {
			return n.Chunks[at].Lines, true
		}
	}
	return candor.Span{}, false
}
