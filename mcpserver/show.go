package mcpserver

import (
	"cmp"
	"fmt"
	"strings"

	"candor"
	"candor/kb"
)

// Each text form has what decides on its first line and again on its last: clients cut
// long results in the middle, or keep one end.

func showSearch(p *page, a kb.SearchAnswer) {
	state := searchState(p, a)
	p.line("%s", state)
	if a.Abstained {
		p.line("The notes that can be read here do not answer this. Say so; absence is no proof.")
		p.WriteString("end | " + state)
		return
	}
	p.line("%s Each stands between lines of %s; cite the id that follows its number.", a.Warning, p.nonce)
	for _, h := range a.Hits {
		showHit(p, h)
	}
	if a.Ended != "" {
		p.line("list ended: %s", p.bare(a.Ended, longestValue))
	}
	p.WriteString("end | " + state)
}

func searchState(p *page, a kb.SearchAnswer) string {
	mode := fmt.Sprintf("mode: %s (%s)", p.bare(string(a.Mode), longestValue), p.bare(cmp.Or(a.ModeReason, "as asked"), longestValue))
	if a.Abstained {
		return fmt.Sprintf("abstained: true | reason: %s | %s", p.bare(a.Reason, 4*longestValue), mode)
	}
	return fmt.Sprintf("abstained: false | passages: %d | %s | %s", len(a.Hits), mode, p.more(a.More, a.NextCursor))
}

func showHit(p *page, h kb.SearchHit) {
	c := h.Citation
	p.line("")
	p.line("[%d] %s | flags: %s | tier: %s", h.Rank, p.id(c.ID), p.flags(h.Flags), p.bare(h.Tier, longestValue))
	p.line("title: %s | heading: %s | lines: %d-%d | lexical rank: %s | semantic rank: %s | matched: %s",
		p.value(h.Title), p.heading(c.Heading), c.StartLine, c.EndLine, rank(h.Legs.Lexical), rank(h.Legs.Semantic), p.values(h.Matched))
	for _, d := range h.Disagrees {
		p.line("disagrees with %s, which is trusted %s. Give both; never average.", p.id(d.Citation.ID), d.Trusted)
	}
	p.standing(h.Flags)
	if len(h.Duplicates) > 0 {
		p.line("the same passage: %s", p.paths(h.Duplicates))
	}
	if h.Context != "" {
		p.line("table header: %s", p.value(h.Context))
	}
	p.outside(h.Links, h.LinksLeft)
	if h.Explain != nil {
		showExplain(p, h.Explain)
	}
	p.quote(h.Text, c.ID)
	if h.Cut {
		p.line("The passage goes on: read its citation for the rest.")
	}
}

// standing says what flags about trust mean for an answer.
func (p *page) standing(flags []candor.Flag) {
	for _, s := range kb.Standing(flags) {
		p.line("%s", s)
	}
}

// outside lists where the links of a passage lead to, out of the vault.
func (p *page) outside(links []string, left int) {
	switch {
	case left > 0:
		p.line("links lead out to: %s, and %d more", p.values(links), left)
	case len(links) > 0:
		p.line("links lead out to: %s", p.values(links))
	}
}

func (p *page) paths(paths []candor.Path) string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = p.id(string(path))
	}
	return strings.Join(out, ", ")
}

func showExplain(p *page, e *kb.Explain) {
	if e.Pinned {
		p.line("pinned: put first as an unmistakable exact match")
	}
	for _, leg := range []struct {
		name string
		*kb.LegExplain
	}{{"lexical", e.Lexical}, {"semantic", e.Semantic}} {
		if leg.LegExplain == nil {
			continue
		}
		words := make([]string, len(leg.Words))
		for i, w := range leg.Words {
			words[i] = fmt.Sprintf("%s %.4g", p.value(w.Word), w.Weight)
		}
		p.line("%s: rank %d, score %.4g, contribution %.4g, words: %s",
			leg.name, leg.Rank, leg.Score, leg.Contribution, cmp.Or(strings.Join(words, ", "), "none"))
	}
}

func rank(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

func showRead(p *page, a kb.ReadAnswer) {
	c := a.Citation
	next := "none"
	if a.NextLine > 0 {
		next = fmt.Sprint(a.NextLine)
	}
	state := fmt.Sprintf("state: %s | %s | flags: %s | next_line: %s",
		p.bare(string(a.State), longestValue), p.id(c.ID), p.flags(a.Flags), next)
	p.line("%s", state)
	p.line("title: %s | heading: %s | lines: %d-%d | tier: %s",
		p.value(a.Title), p.heading(c.Heading), c.StartLine, c.EndLine, p.bare(a.Tier, longestValue))
	p.standing(a.Flags)
	if a.SupersededBy != "" {
		p.line("superseded by: %s. Do not cite this note as current.", p.id(string(a.SupersededBy)))
	}
	if a.State == kb.Stale {
		p.line("The cited text is gone; the citation above is where its heading now is. Search or read again.")
	} else {
		p.line("%s", a.Warning)
		p.outside(a.Links, a.LinksLeft)
		p.quote(a.Text, c.ID)
	}
	p.WriteString("end | " + state)
}

func showOutline(p *page, a kb.OutlineAnswer) {
	state := fmt.Sprintf("notes: %d | %s", len(a.Notes), p.more(a.More, a.NextCursor))
	p.line("%s", state)
	p.line("%s Each heading has the id of its first passage.", a.Warning)
	p.line("--- %s begin ---", p.nonce)
	for _, n := range a.Notes {
		p.line("%s | title: %s | flags: %s | tags: %s", p.id(string(n.Path)), p.value(n.Title), p.flags(n.Flags), p.values(n.Tags))
		for _, s := range n.Sections {
			p.line("%s%s %s", strings.Repeat("  ", min(max(s.Level, 1), 6)), p.value(s.Heading), p.id(s.Citation))
		}
		if n.Cut {
			p.line("  … and more headings")
		}
	}
	p.line("--- %s end ---", p.nonce)
	p.WriteString("end | " + state)
}

func showLinks(p *page, a kb.LinksAnswer) {
	state := fmt.Sprintf("links: %d | backlinks: %d | %s", len(a.Links), len(a.Backlinks), p.more(a.More, a.NextCursor))
	p.line("%s", state)
	p.line("%s", a.Warning)
	p.line("--- %s begin ---", p.nonce)
	for _, l := range a.Links {
		p.line("links to %s | as %s | heading: %s", p.id(l.Citation.ID), p.value(l.Text), p.heading(l.Citation.Heading))
	}
	for _, l := range a.Backlinks {
		p.line("linked from %s | as %s | heading: %s", p.id(l.Citation.ID), p.value(l.Text), p.heading(l.Citation.Heading))
	}
	p.line("--- %s end ---", p.nonce)
	p.WriteString("end | " + state)
}

func showStatus(p *page, a kb.StatusAnswer) {
	state := fmt.Sprintf("state: %s | mode: %s (%s)", p.bare(a.State, longestValue),
		p.bare(string(a.Mode), longestValue), p.bare(cmp.Or(a.ModeReason, "as configured"), longestValue))
	p.line("%s", state)
	p.line("profile: %s | notes: %d | chunks: %d", p.value(a.Profile), a.Notes, a.Chunks)
	p.line("model: %s | chunks with vectors: %.1f%%", p.value(a.Model), 100*a.Vectors)
	p.line("limits: query %d bytes, %d results, %d tokens in a result", a.Limits.QueryBytes, a.Limits.Results, a.Limits.ResultTokens)
	p.line("execution capabilities: %s", p.values(a.ExecutionCapabilities))
	p.WriteString("end | " + state)
}
