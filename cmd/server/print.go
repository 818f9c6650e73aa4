package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"candor"
	"candor/kb"
)

// printer writes answers for people.
type printer struct {
	w     *sticky
	color bool // bold and dim, on a terminal that allows it
	links bool // notes are links that the terminal opens
}

// newPrinter makes a printer that knows whether a terminal reads it.
func newPrinter(w io.Writer, getenv func(string) string) printer {
	tty := interactive(w) && getenv("TERM") != "dumb"
	return printer{w: &sticky{w: w}, color: tty && getenv("NO_COLOR") == "", links: tty}
}

// sticky remembers that writing failed, so that printing need not ask each time.
type sticky struct {
	w      io.Writer
	failed error
}

// Write writes until it fails.
func (s *sticky) Write(p []byte) (int, error) {
	if s.failed == nil {
		_, s.failed = s.w.Write(p)
	}
	return len(p), nil
}

// err is the first error of printing.
func (p printer) err() error { return p.w.failed }

// json prints the structured form, one line.
func (p printer) json(v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	_, _ = p.w.Write(append(data, '\n'))
	return p.err()
}

// encode writes a value as JSON with <, > and & as they are, without a line end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func (p printer) bold(s string) string { return p.styled(s, "1") }
func (p printer) dim(s string) string  { return p.styled(s, "2") }

func (p printer) styled(s, code string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// place is "path:lines", a link to the file on a terminal.
func (p printer) place(c candor.Citation, files locator) string {
	s := fmt.Sprintf("%s:%d-%d", plain(string(c.Path)), c.StartLine, c.EndLine)
	file := files(c.Path)
	if !p.links || file == "" {
		return s
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	return "\x1b]8;;" + u.String() + "\x1b\\" + s + "\x1b]8;;\x1b\\"
}

// locator finds a note's file on disk, "" where there is none to show.
type locator func(candor.Path) string

// search prints an answer or an abstention.
func (p printer) search(a kb.SearchAnswer, files locator) {
	if a.Abstained {
		fmt.Fprintf(p.w, "%s\n%s\n", p.bold("Nothing here answers that."), plain(a.Reason))
		return
	}
	for i, h := range a.Hits {
		if i > 0 {
			fmt.Fprintln(p.w)
		}
		p.hit(h, files)
	}
	if a.More > 0 {
		fmt.Fprintf(p.w, "\n%s\n", p.dim(fmt.Sprintf("%d more: --cursor %s", a.More, a.NextCursor)))
	}
	if a.Ended != "" {
		fmt.Fprintf(p.w, "\n%s\n", p.dim(plain(a.Ended)))
	}
}

// hit prints one passage under its citation.
func (p printer) hit(h kb.SearchHit, files locator) {
	heading := strings.Join(h.Citation.Heading, " > ")
	if heading == "" {
		heading = h.Title
	}
	fmt.Fprintf(p.w, "%d. %s\n", h.Rank, p.bold(plain(heading)))
	fmt.Fprintf(p.w, "   %s  %s%s\n", p.place(h.Citation, files), h.Tier, flagList(h.Flags))
	for _, d := range h.Disagrees {
		fmt.Fprintf(p.w, "   disagrees with %s, which is trusted %s\n", p.place(d.Citation, files), d.Trusted)
	}
	p.standing("   ", h.Flags)
	for _, d := range h.Duplicates {
		fmt.Fprintf(p.w, "   also in %s\n", plain(string(d)))
	}
	if h.Context != "" {
		fmt.Fprintf(p.w, "   table header: %s\n", plain(h.Context))
	}
	p.quote(h.Text)
	if h.Cut {
		fmt.Fprintf(p.w, "   %s\n", p.dim("cut here; candor read "+plain(h.Citation.ID)+" goes on"))
	}
	fmt.Fprintf(p.w, "   %s\n", p.dim("cite "+plain(h.Citation.ID)))
	if h.Explain != nil {
		p.explain(*h.Explain)
	}
}

// standing says what flags about trust mean.
func (p printer) standing(indent string, flags []candor.Flag) {
	for _, s := range kb.Standing(flags) {
		fmt.Fprintln(p.w, indent+p.dim(s))
	}
}

// quote prints text behind a margin, so that it cannot pass for output of ours.
func (p printer) quote(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(p.w, strings.TrimRight("   | "+plain(line), " "))
	}
}

// explain prints the numbers that ranked a hit.
func (p printer) explain(e kb.Explain) {
	for _, leg := range []struct {
		name string
		part *kb.LegExplain
	}{{"lexical", e.Lexical}, {"semantic", e.Semantic}} {
		if leg.part == nil {
			continue
		}
		fmt.Fprintf(p.w, "   %s: rank %d, score %.4f, contribution %.6f", leg.name, leg.part.Rank, leg.part.Score, leg.part.Contribution)
		for _, w := range leg.part.Words {
			fmt.Fprintf(p.w, ", %s %.4f", plain(w.Word), w.Weight)
		}
		fmt.Fprintln(p.w)
	}
	if e.Pinned {
		fmt.Fprintln(p.w, "   pinned: an exact match of a rare word")
	}
}

// flagList is the flags after two spaces, "" for none.
func flagList(flags []candor.Flag) string {
	var b strings.Builder
	for _, f := range flags {
		b.WriteString("  " + string(f))
	}
	return b.String()
}

// read prints lines of a note.
func (p printer) read(a kb.ReadAnswer, files locator) {
	fmt.Fprintf(p.w, "%s\n", p.bold(plain(a.Title)))
	fmt.Fprintf(p.w, "%s  %s  %s%s\n", p.place(a.Citation, files), a.State, a.Tier, flagList(a.Flags))
	p.standing("", a.Flags)
	if a.SupersededBy != "" {
		fmt.Fprintf(p.w, "superseded by %s\n", plain(string(a.SupersededBy)))
	}
	if a.State == kb.Stale {
		fmt.Fprintln(p.w, "The cited text is no longer there; its section now stands at the lines above.")
		return
	}
	p.quote(a.Text)
	fmt.Fprintf(p.w, "%s\n", p.dim("cite "+plain(a.Citation.ID)))
	if a.NextLine > 0 {
		fmt.Fprintf(p.w, "%s\n", p.dim(fmt.Sprintf("goes on at --start %d", a.NextLine)))
	}
}

// outline prints notes and headings.
func (p printer) outline(a kb.OutlineAnswer) {
	for _, n := range a.Notes {
		tags := ""
		for _, t := range n.Tags {
			tags += " #" + plain(t)
		}
		fmt.Fprintf(p.w, "%s  %s%s%s\n", p.bold(plain(string(n.Path))), plain(n.Title), tags, flagList(n.Flags))
		for _, s := range n.Sections {
			fmt.Fprintf(p.w, "  %s%s\n", strings.Repeat("  ", s.Level-1), plain(s.Heading))
		}
	}
	if a.More > 0 {
		fmt.Fprintf(p.w, "%s\n", p.dim(fmt.Sprintf("%d more: --cursor %s", a.More, a.NextCursor)))
	}
}

// linkList prints both directions.
func (p printer) linkList(a kb.LinksAnswer, files locator) {
	for _, part := range []struct {
		title string
		links []kb.Link
	}{{"links to", a.Links}, {"linked from", a.Backlinks}} {
		fmt.Fprintf(p.w, "%s %d\n", p.bold(part.title), len(part.links))
		for _, l := range part.links {
			fmt.Fprintf(p.w, "  %s  %s\n", p.place(l.Citation, files), plain(l.Text))
		}
	}
	if a.More > 0 {
		fmt.Fprintf(p.w, "%s\n", p.dim(fmt.Sprintf("%d more: --cursor %s", a.More, a.NextCursor)))
	}
}
