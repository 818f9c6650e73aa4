package kb

import (
	"context"

	"candor"
	"candor/corpus"
	"candor/policy"
)

// The bounds of OutlineRequest.Depth; the default shows a note's parts, not their parts.
const (
	maxDepth     = 6
	defaultDepth = 2
)

// Outline gives the notes and their headings, in path order.
func (b *Base) Outline(ctx context.Context, req OutlineRequest) (OutlineAnswer, error) {
	if req.Depth < 0 || req.Depth > maxDepth {
		return OutlineAnswer{}, &candor.InputError{Field: "depth", Why: "must be 1 to 6"}
	}
	match, err := pathFilter(req.Paths)
	if err != nil {
		return OutlineAnswer{}, err
	}
	cursor := req.Cursor
	req.Cursor = ""
	req.Depth = orDefault(req.Depth, defaultDepth)
	offset, err := b.offset(cursor, "outline", req)
	if err != nil {
		return OutlineAnswer{}, err
	}
	var a OutlineAnswer
	err = b.settled(ctx, func(v *view) (shown []candor.Path, err error) {
		var notes []*corpus.Note
		for _, p := range v.snap.Paths() {
			if _, old := v.snap.Superseded(p); match(p) && (req.Superseded || !old) {
				notes = append(notes, v.snap.Note(p))
			}
		}
		a = b.outlinePage(v, req, notes, offset)
		for _, n := range a.Notes {
			shown = append(shown, n.Path)
		}
		return shown, nil
	})
	if err != nil {
		return OutlineAnswer{}, err
	}
	return a, nil
}

// outlinePage is as many notes from an offset on as fit.
func (b *Base) outlinePage(v *view, req OutlineRequest, notes []*corpus.Note, offset int) OutlineAnswer {
	a := OutlineAnswer{Notes: []OutlineNote{}, Warning: Warning}
	offset = min(offset, len(notes))
	room := b.budget()
	for _, n := range notes[offset:] {
		item := b.outlineNote(v, n, req.Depth)
		if !room.take(item) {
			if len(a.Notes) > 0 {
				break
			}
			item.Sections = item.Sections[:fitSections(item, room)]
			item.Cut = true
			a.Notes = append(a.Notes, item)
			break
		}
		a.Notes = append(a.Notes, item)
	}
	if a.More = len(notes) - offset - len(a.Notes); a.More > 0 {
		a.NextCursor = b.cursor("outline", req, offset+len(a.Notes))
	}
	return a
}

// fitSections is how many of a note's sections fit by themselves.
func fitSections(item OutlineNote, room budget) int {
	all := item.Sections
	item.Sections = nil
	room.take(item)
	n := 0
	for n < len(all) && room.take(all[n]) {
		n++
	}
	return n
}

// outlineNote is one note with its headings down to a level.
func (b *Base) outlineNote(v *view, n *corpus.Note, depth int) OutlineNote {
	_, flags := n.Flags(b.opt.Now())
	if _, old := v.snap.Superseded(n.Path); old {
		flags = append(flags, candor.FlagSuperseded)
	}
	item := OutlineNote{Path: n.Path, Title: n.Title, Tags: n.Tags, Flags: flags, Sections: []OutlineSection{}}
	for _, s := range n.Sections {
		if s.Level > depth {
			continue
		}
		section := OutlineSection{Heading: s.Heading, Level: s.Level}
		if s.Piece >= 0 {
			section.Citation = n.Chunks[s.Piece].Citation().ID
		}
		item.Sections = append(item.Sections, section)
	}
	return item
}

// pathFilter compiles a glob over paths; "" keeps all.
func pathFilter(glob string) (func(candor.Path) bool, error) {
	if glob == "" {
		return func(candor.Path) bool { return true }, nil
	}
	match, err := policy.Glob(glob)
	if err != nil {
		return nil, &candor.InputError{Field: "paths", Why: "is not a glob: * stops at a slash, ** does not, {a,b} and [ab] choose"}
	}
	return match, nil
}
