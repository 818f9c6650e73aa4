package kb

import (
	"context"
	"slices"

	"candor"
	"candor/corpus"
	"candor/policy"
)

// Links gives what a note links to and what links to it, inside the profile. What a
// link to any other place leads to is not told, not even whether it exists.
func (b *Base) Links(ctx context.Context, req LinksRequest) (LinksAnswer, error) {
	if (req.Path == "") == (req.Citation == "") {
		return LinksAnswer{}, &candor.InputError{Why: "give path or citation, one of them"}
	}
	cursor := req.Cursor
	req.Cursor = ""
	offset, err := b.offset(cursor, "links", req)
	if err != nil {
		return LinksAnswer{}, err
	}
	path := candor.Path(req.Path)
	if req.Citation != "" {
		var ok bool
		if path, _, _, ok = candor.ParseCitationID(req.Citation); !ok {
			return LinksAnswer{}, candor.ErrNotFound
		}
	}
	var a LinksAnswer
	err = b.settled(ctx, func(v *view) ([]candor.Path, error) {
		n, shown, err := v.note(policy.CleanPath(string(path)))
		if err != nil {
			return nil, err
		}
		a = b.linksPage(req, v.snap.Links(n), v.snap.Backlinks(n), offset)
		for _, l := range slices.Concat(a.Links, a.Backlinks) {
			shown = append(shown, l.Citation.Path)
		}
		return shown, nil
	})
	if err != nil {
		return LinksAnswer{}, err
	}
	return a, nil
}

// linksPage is as many links, then backlinks, from an offset on as fit.
func (b *Base) linksPage(req LinksRequest, links, backlinks []corpus.Link, offset int) LinksAnswer {
	a := LinksAnswer{Links: []Link{}, Backlinks: []Link{}, Warning: Warning}
	room := b.budget()
	total := len(links) + len(backlinks)
	at := min(offset, total)
	for ; at < total; at++ {
		var item Link
		if at < len(links) {
			item = Link{Text: links[at].Text, Citation: targetCitation(links[at])}
		} else {
			l := backlinks[at-len(links)]
			item = Link{Text: l.Text, Citation: placeCitation(l)}
		}
		if item.Text = cutText(item.Text, maxLinkText); !room.take(item) {
			break
		}
		if at < len(links) {
			a.Links = append(a.Links, item)
		} else {
			a.Backlinks = append(a.Backlinks, item)
		}
	}
	if a.More = total - at; a.More > 0 {
		a.NextCursor = b.cursor("links", req, at)
	}
	return a
}

// maxLinkText bounds the text of a link in an answer, in bytes.
const maxLinkText = 512

// targetCitation is the passage that a link leads to: the section that its fragment
// names, else the note's first.
func targetCitation(l corpus.Link) candor.Citation {
	if at := l.To.Section(l.Heading); at >= 0 {
		return l.To.Chunks[at].Citation()
	}
	return firstCitation(l.To)
}

// placeCitation is the passage in which a link stands.
func placeCitation(l corpus.Link) candor.Citation {
	for _, ch := range l.From.Chunks {
		if l.Line >= ch.Lines.Start && l.Line <= ch.Lines.End {
			return ch.Citation()
		}
	}
	return firstCitation(l.From)
}

// firstCitation is a note's first passage, or its first line where it has none.
func firstCitation(n *corpus.Note) candor.Citation {
	if len(n.Chunks) > 0 {
		return n.Chunks[0].Citation()
	}
	span := candor.Span{Start: 1, End: 1}
	text, _ := n.Lines(span)
	return candor.Citation{
		ID: candor.CitationID(n.Path, span, candor.Digest(text)), Path: n.Path,
		Heading: []string{}, StartLine: 1, EndLine: 1,
	}
}
