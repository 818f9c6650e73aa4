package corpus

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"candor"
	"candor/frontmatter"
	"candor/markdown"
	"candor/policy"
	"candor/redact"
	"candor/vault"
)

// Note is one note of a snapshot, masked and cut. It is immutable.
type Note struct {
	Path     candor.Path
	Title    string
	Tags     []string // lower case, without '#'; never nil
	Updated  time.Time
	Sections []markdown.Section
	Chunks   []*candor.Chunk // in line order

	header   frontmatter.Header
	aliases  []string
	links    []markdown.Link
	head     string // masked front matter with its fences and last LF, "" without
	body     string // masked text after the front matter
	entry    source
	origin   *Note          // the note as it was built, itself or what it is a copy of
	policy   *policy.Policy // that gave what follows
	permit   policy.Permit
	tier     candor.Tier // by its path on disk
	findings []redact.Finding
	repaired int
	masked   bool                // in the path
	past     map[string][]string // heading paths of former chunks, by digest
}

// source is where a note was read from.
type source struct {
	root  *vault.Root
	entry vault.Entry
	stamp vault.Stamp // of the version that was read
}

// File is the absolute path of the note's file with the names that the disk has, not
// masked and in whatever Unicode form: for the owner alone, never for an answer.
func (n *Note) File() string { return n.entry.root.File(n.entry.entry) }

// Disk is the name of the note's vault and the file's path inside it, as File has it.
func (n *Note) Disk() (vault, file string) { return n.entry.root.Name(), n.entry.entry.Disk() }

// Lines gives the masked lines of a span, joined by LF with the CR before it dropped,
// and the number of lines that the note has. A span that goes past the end is cut.
func (n *Note) Lines(span candor.Span) (text string, total int) {
	var b strings.Builder
	for line := range lines(n.head, n.body) {
		total++
		if total < span.Start || total > span.End {
			continue
		}
		if total > span.Start {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String(), total
}

// lines yields each line of the parts, without its end.
func lines(parts ...string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, part := range parts {
			for line := range strings.Lines(part) {
				line = strings.TrimSuffix(line, "\n")
				if !yield(strings.TrimSuffix(line, "\r")) {
					return
				}
			}
		}
	}
}

// Flags are how far the note is trusted at a time, and the marks that every passage of it
// carries then. Past its review or validity it is trusted one tier less, until somebody
// looks at it again; T2 stays, since T3 is never served and silence would tell less.
func (n *Note) Flags(now time.Time) (candor.Tier, []candor.Flag) {
	tier, overdue := n.policy.Trust(n.entry.entry.Path(), now)
	flags := []candor.Flag{}
	if overdue || !n.header.ValidUntil.IsZero() && now.After(n.header.ValidUntil.AddDate(0, 0, 1)) {
		flags = append(flags, candor.FlagReviewDue)
		if tier < candor.T2 {
			tier++
		}
	}
	if tier == candor.T2 {
		flags = append(flags, candor.FlagAttributed)
	}
	return tier, flags
}

// SectionAt is the last section that begins at or before a line, or nil.
func (n *Note) SectionAt(line int) *markdown.Section {
	var at *markdown.Section
	for i := range n.Sections {
		if n.Sections[i].Lines.Start > line {
			break
		}
		at = &n.Sections[i]
	}
	return at
}

// HeadingAt is the heading path at a line; never nil.
func (n *Note) HeadingAt(line int) []string {
	if s := n.SectionAt(line); s != nil {
		return s.Path
	}
	return []string{}
}

// build makes a note from a file: split, narrow, mask, cut. The second result is
// false where the note's own front matter leaves it no reader.
func (c *Corpus) build(src source, file vault.File) (*Note, bool) {
	header, body := frontmatter.Split(file.Text)
	n := &Note{entry: src, header: header, repaired: file.Repaired}
	n.origin, n.entry.stamp = n, file.Stamp
	if !n.decide(c.Policy(), src.entry.Permit) {
		return nil, false
	}
	head := file.Text[:len(file.Text)-len(body)]
	cleanHead, cleanBody := c.opt.Redactor.Clean(head), c.opt.Redactor.Clean(body)
	n.head, n.body = cleanHead.String(), cleanBody.String()
	n.findings = append(n.findings, cleanHead.Findings()...)
	for _, f := range cleanBody.Findings() {
		f.Line += header.Lines
		n.findings = append(n.findings, f)
	}
	n.header = c.maskHeader(header, n.head, len(cleanHead.Findings()) > 0)
	n.setPath(c.opt.Redactor, file.Path)

	doc := markdown.Parse(cleanBody, markdown.Options{FirstLine: header.Lines + 1, Words: c.opt.ChunkWords})
	n.Sections, n.links = doc.Sections, doc.Links
	n.describe(doc, file.ModTime)
	n.cut(doc)
	return n, true
}

// decide takes over what a policy says of the note, and reports whether it has a reader.
func (n *Note) decide(p *policy.Policy, permit policy.Permit) bool {
	n.policy, n.entry.entry.Permit, n.permit = p, permit, narrow(permit, n.header)
	n.tier, _ = p.Trust(permit.Path(), time.Time{})
	return n.permit.Allowed()
}

// under is the note under another policy, nil where that leaves it no reader.
func (n *Note) under(p *policy.Policy) *Note {
	again := *n
	if !again.decide(p, p.Decide(n.entry.entry.Path())) {
		return nil
	}
	return &again
}

// narrow applies the note's own audience to its permit.
func narrow(permit policy.Permit, h frontmatter.Header) policy.Permit {
	switch {
	case h.Denied:
		return permit.Narrow(nil)
	case h.Narrowed:
		return permit.Narrow(h.Profiles)
	}
	return permit
}

// maskHeader masks the leaf values. Where the masker found something in the header
// as a whole, with keys to judge by, what is shown is read again from the masked text.
// There masks stand as words of characters that YAML gives no meaning: in their own
// form one would be a list.
func (c *Corpus) maskHeader(h frontmatter.Header, masked string, found bool) frontmatter.Header {
	if found {
		again, _ := frontmatter.Split(maskForm.ReplaceAllString(masked, "\ue000$1\ue001"))
		again = again.Map(func(s string) string { return maskWord.ReplaceAllString(s, "[REDACTED:$1]") })
		h.Title, h.Tags, h.Aliases, h.Words = again.Title, again.Tags, again.Aliases, again.Words
	}
	return h.Map(func(s string) string {
		m, _ := c.opt.Redactor.Mask(s)
		return m
	})
}

var (
	maskForm = regexp.MustCompile(`\[REDACTED:([\w-]+)\]`)
	maskWord = regexp.MustCompile("\ue000([\\w-]+)\ue001")
)

// setPath masks a secret in a file name; the note is then known by the masked path.
func (n *Note) setPath(r *redact.Redactor, p candor.Path) {
	masked, found := r.Mask(string(p))
	n.Path, n.masked = candor.Path(masked), found
}

// describe sets the title, tags and date.
func (n *Note) describe(doc markdown.Doc, modified time.Time) {
	n.Title = firstNonEmpty(n.header.Title, doc.Title, stem(n.Path))
	n.aliases = n.header.Aliases
	n.Tags = tags(n.header.Tags, doc.Tags)
	n.Updated = modified.UTC()
	if !n.header.Updated.IsZero() {
		n.Updated = n.header.Updated.UTC()
	}
}

// cut makes the chunks of the note's pieces. A note that is front matter alone is found
// by it, so its one chunk is those lines.
func (n *Note) cut(doc markdown.Doc) {
	meta := strings.TrimSpace(n.header.Status + " " + strings.Join(n.header.Words, " "))
	if len(doc.Pieces) == 0 && firstNonEmpty(n.header.Title, meta, strings.Join(n.aliases, ""), strings.Join(n.Tags, "")) != "" {
		lines := candor.Span{Start: 1, End: n.header.Lines}
		text, _ := n.Lines(lines)
		doc.Pieces = []markdown.Piece{{Lines: lines, Text: text}}
	}
	n.Chunks = make([]*candor.Chunk, 0, len(doc.Pieces))
	for i, piece := range doc.Pieces {
		ch := &candor.Chunk{
			Path: n.Path, Title: n.Title, Aliases: n.aliases, Tags: n.Tags, Heading: piece.Heading,
			Lines: piece.Lines, Text: piece.Text, Index: piece.Index, Context: piece.Context,
			Digest: candor.Digest(piece.Text), Words: words(piece.Text), Modified: n.Updated,
		}
		if ch.Heading == nil {
			ch.Heading = []string{}
		}
		if i == 0 {
			ch.Meta = meta
		}
		ch.Masked = n.MaskedIn(piece.Lines)
		n.Chunks = append(n.Chunks, ch)
	}
}

// words counts what white space separates.
func words(text string) int {
	n := 0
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// MaskedIn reports whether a secret was masked in a span.
func (n *Note) MaskedIn(span candor.Span) bool {
	for _, f := range n.findings {
		if f.Line >= span.Start && f.Line <= span.End {
			return true
		}
	}
	return false
}

// stem is the file name without its extension.
func stem(p candor.Path) string {
	base := path.Base(string(p))
	return strings.TrimSuffix(base, path.Ext(base))
}

// tags joins the lists, lower case, each once, in order.
func tags(lists ...[]string) []string {
	out, seen := []string{}, map[string]bool{}
	for _, list := range lists {
		for _, t := range list {
			t = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(t)), "#")
			t = strings.ReplaceAll(t, "[redacted:", "[REDACTED:") // a mask has one form
			if t != "" && !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// firstNonEmpty is the first string that holds more than white space.
func firstNonEmpty(list ...string) string {
	for _, s := range list {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) }) {
			return s
		}
	}
	return ""
}

// problem says what is wrong with the note, for its owner; "" for nothing.
func (n *Note) problem() string {
	var why []string
	if n.header.Err != nil {
		why = append(why, n.header.Err.Error())
	}
	if n.repaired > 0 {
		why = append(why, fmt.Sprintf("%d bytes are not text and were replaced", n.repaired))
	}
	return strings.Join(why, "; ")
}

// Section is the index of the first chunk of the section that a link's fragment names,
// or -1. A fragment is a heading as written, or its slug: lower case, hyphens for
// spaces, other marks left out.
func (n *Note) Section(fragment string) int {
	if fragment == "" {
		return -1
	}
	want := slug(fragment)
	for _, s := range n.Sections {
		if s.Piece >= 0 && slug(s.Heading) == want {
			return s.Piece
		}
	}
	return -1
}

// slug is a heading as most renderers write it in an address.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return unicode.ToLower(r)
		case r == ' ', r == '-':
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}
