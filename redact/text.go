package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Text is text without the secrets that a [Redactor] found in it. Only a Redactor
// makes one; the zero value is empty.
type Text struct {
	text     string
	findings []Finding
}

// Finding is one masked secret. A mask that the author wrote is not a finding.
type Finding struct {
	Kind string // as the mask names it
	Line int    // 1-based line of the text where it begins
}

// String gives the masked text.
func (t Text) String() string { return t.text }

// Findings lists what was masked, in order of place.
func (t Text) Findings() []Finding { return t.findings }

const (
	maskOpen  = "[REDACTED:"
	maskClose = "]"
	// rounds bounds how often masked text is looked at again. The second round is
	// needed where a mask cuts a longer word and so uncovers a shorter match.
	rounds = 6
)

// span is a secret: bytes start to end of some text, and what kind it is.
type span struct {
	start, end int
	kind       string
}

// mask masks until nothing more is found, so that masking twice is masking once.
func (r *Redactor) mask(text string) (string, []Finding) {
	var findings []Finding
	for range rounds {
		spans := r.find(text)
		if len(spans) == 0 {
			return text, inOrder(findings)
		}
		text, findings = apply(text, spans), append(findings, report(text, spans)...)
	}
	return blank(text), inOrder(findings)
}

// inOrder sorts the findings of several rounds by line.
func inOrder(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return findings
}

// blank masks a text whole, the last resort for one that does not settle.
func blank(text string) string {
	return apply(text, []span{{0, len(text), kindUnscanned}})
}

// report names each span with its line. Spans are in order.
func report(text string, spans []span) []Finding {
	findings := make([]Finding, 0, len(spans))
	line, at := 1, 0
	for _, s := range spans {
		line += strings.Count(text[at:s.start], "\n")
		at = s.start
		findings = append(findings, Finding{Kind: s.kind, Line: line})
	}
	return findings
}

// apply writes the masks. Line breaks inside a span stay after its mask.
func apply(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text) + 32*len(spans))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(maskOpen + s.kind + maskClose)
		writeBreaks(&b, text[s.start:s.end])
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

func writeBreaks(b *strings.Builder, s string) {
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return
		}
		if i > 0 && s[i-1] == '\r' {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		s = s[i+1:]
	}
}

// tidy orders spans, joins those that touch, and keeps literal masks whole: a span
// within one is dropped, a span that cuts one is widened over it.
func tidy(text string, spans []span) []span {
	if len(spans) == 0 {
		return nil
	}
	spans = respectMasks(text, spans)
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), strings.Compare(a.kind, b.kind))
	})
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

func respectMasks(text string, spans []span) []span {
	masks := literalMasks(text)
	if len(masks) == 0 {
		return spans
	}
	out := spans[:0]
	for _, s := range spans {
		i, _ := slices.BinarySearchFunc(masks, s.start, func(m span, at int) int { return cmp.Compare(m.end, at+1) })
		inside := i < len(masks) && masks[i].start <= s.start && s.end <= masks[i].end
		if inside {
			continue
		}
		for ; i < len(masks) && masks[i].start < s.end; i++ {
			s.start, s.end = min(s.start, masks[i].start), max(s.end, masks[i].end)
		}
		out = append(out, s)
	}
	return out
}

// literalMasks finds the masks that stand in text already.
func literalMasks(text string) []span {
	var masks []span
	for at := 0; ; {
		i := strings.Index(text[at:], maskOpen)
		if i < 0 {
			return masks
		}
		start := at + i
		at = start + len(maskOpen)
		for at < len(text) && isKind(text[at]) {
			at++
		}
		if at < len(text) && text[at] == maskClose[0] {
			at++
			masks = append(masks, span{start: start, end: at})
		}
	}
}

func isKind(c byte) bool { return isWord(c) || c == '-' }
