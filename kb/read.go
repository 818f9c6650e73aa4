package kb

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"candor"
	"candor/corpus"
	"candor/policy"
)

// Read gives the lines of a citation, or of a note, as they are now.
func (b *Base) Read(ctx context.Context, req ReadRequest) (ReadAnswer, error) {
	if err := req.check(); err != nil {
		return ReadAnswer{}, err
	}
	path, span, digest := candor.Path(req.Path), candor.Span{Start: max(1, req.StartLine), End: req.EndLine}, ""
	if req.Citation != "" {
		var ok bool
		if path, span, digest, ok = candor.ParseCitationID(req.Citation); !ok {
			return ReadAnswer{}, candor.ErrNotFound
		}
	}
	var a ReadAnswer
	err := b.settled(ctx, func(v *view) ([]candor.Path, error) {
		n, shown, err := v.note(policy.CleanPath(string(path)))
		switch {
		case err != nil:
			return nil, err
		case req.Citation != "":
			a = b.readCited(v, n, span, digest)
		default:
			a, err = b.readLines(v, n, span)
		}
		return append(shown, a.SupersededBy), err
	})
	if err != nil {
		return ReadAnswer{}, err
	}
	return a, nil
}

// check refuses a request that names nothing, or two things.
func (r ReadRequest) check() error {
	switch {
	case r.Citation == "" && r.Path == "":
		return &candor.InputError{Why: "give citation, or path with optional start_line and end_line"}
	case r.Citation != "" && (r.Path != "" || r.StartLine != 0 || r.EndLine != 0):
		return &candor.InputError{Field: "citation", Why: "stands alone: leave out path, start_line and end_line"}
	case r.StartLine < 0:
		return &candor.InputError{Field: "start_line", Why: "must be 1 or more"}
	case r.EndLine < 0 || r.EndLine != 0 && r.EndLine < r.StartLine:
		return &candor.InputError{Field: "end_line", Why: "must be start_line or more"}
	}
	return nil
}

// readLines gives a span of lines, as many as fit.
func (b *Base) readLines(v *view, n *corpus.Note, span candor.Span) (ReadAnswer, error) {
	if span.End == 0 {
		span.End = 1 << 30
	}
	text, total := n.Lines(span)
	if span.Start > max(1, total) {
		return ReadAnswer{}, &candor.InputError{Field: "start_line", Why: "is past the end of the note"}
	}
	span.End = max(span.Start, min(span.End, total))
	a := b.answerRead(v, n, span, text)
	a.State = Current
	return a, nil
}

// answerRead fills an answer with text, cut at a line border to what fits. A line that
// does not fit by itself is cut within and flagged; its citation is of the whole line.
func (b *Base) answerRead(v *view, n *corpus.Note, span candor.Span, text string) ReadAnswer {
	links, left := outside(n, span, text)
	fit, lines := fitLines(text, b.opt.Limits.ResultTokens*tokenBytes-overhead-jsonSize(strings.Join(links, "   ")))
	if len(fit) < len(text) {
		span.End = span.Start + lines - 1
		text, _ = n.Lines(span)
		links, left = outside(n, span, text)
	}
	a := ReadAnswer{
		Citation: candor.Citation{
			ID: candor.CitationID(n.Path, span, candor.Digest(text)), Path: n.Path,
			Heading: n.HeadingAt(span.Start), StartLine: span.Start, EndLine: span.End,
		},
		Title: n.Title, Text: fit, Links: links, LinksLeft: left, Warning: Warning,
	}
	if _, total := n.Lines(candor.Span{Start: 1, End: 0}); span.End < total {
		a.NextLine = span.End + 1
	}
	b.describe(v, n, span, &a)
	if len(fit) < len(text) {
		a.Flags = append(a.Flags, candor.FlagCut)
		slices.Sort(a.Flags)
	}
	return a
}

// describe sets tier and flags.
func (b *Base) describe(v *view, n *corpus.Note, span candor.Span, a *ReadAnswer) {
	tier, flags := n.Flags(b.opt.Now())
	a.Tier = tier.String()
	if n.MaskedIn(span) {
		flags = append(flags, candor.FlagMasked)
	}
	if by, yes := v.snap.Superseded(n.Path); yes {
		flags = append(flags, candor.FlagSuperseded)
		a.SupersededBy = by
	}
	slices.Sort(flags)
	a.Flags = flags
}

// fitLines cuts text to whole lines within a number of JSON bytes, at least one line,
// and counts them. A first line that is too long by itself is cut within.
func fitLines(text string, room int) (fit string, count int) {
	used, end := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		size := jsonSize(line) + 2
		if used+size > room {
			if count == 0 {
				return cutJSON(line, room), 1
			}
			return text[:max(0, end-1)], count
		}
		used += size
		end += len(line) + 1
		count++
	}
	return text, count
}

// cutJSON shortens text at a character border to a number of bytes inside JSON.
func cutJSON(text string, room int) string {
	for i, r := range text {
		if room -= runeSize(r); room < 0 {
			return text[:i]
		}
	}
	return text
}

// jsonSize is the length of a string inside JSON, or a little more.
func jsonSize(s string) int {
	n := 0
	for _, r := range s {
		n += runeSize(r)
	}
	return n
}

// runeSize is the length of a character inside JSON, or a little more.
func runeSize(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\t':
		return 2
	case r < ' ' || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return utf8.RuneLen(r)
}

// readCited resolves a citation: the same text at the same lines is current, at other
// lines moved; else it is stale and the answer says where its section now stands.
func (b *Base) readCited(v *view, n *corpus.Note, span candor.Span, digest string) ReadAnswer {
	if text, total := n.Lines(span); span.End <= total && candor.Digest(text) == digest {
		a := b.answerRead(v, n, span, text)
		a.State = Current
		return a
	}
	if now, ok := n.Find(span, digest); ok {
		text, _ := n.Lines(now)
		a := b.answerRead(v, n, now, text)
		a.State = Moved
		return a
	}
	a := ReadAnswer{Title: n.Title, State: Stale, Warning: Warning}
	at := n.Place(span, digest)
	text, _ := n.Lines(at)
	a.Citation = candor.Citation{
		ID: candor.CitationID(n.Path, at, candor.Digest(text)), Path: n.Path,
		Heading: n.HeadingAt(at.Start), StartLine: at.Start, EndLine: at.End,
	}
	b.describe(v, n, candor.Span{}, &a)
	return a
}
