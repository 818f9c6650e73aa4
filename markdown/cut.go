package markdown

import (
	"strings"
	"unicode/utf8"

	"candor"
)

// part is a piece in the making.
type part struct {
	first, last int // lines; first is 0 in an empty part
	start, end  int // offsets
	tally
	own     bool     // it has words beside headings
	names   []string // heading path
	section int      // number of the section that it ends in
	context string
}

// cutter packs the blocks of a note into parts, section by section.
type cutter struct {
	src   string
	most  int // weight of a part
	doc   Doc
	path  []level
	names []string // of path; shared by all that stands below
	cur   part
	parts []part
	scan  linkScanner
}

// level is an open heading.
type level struct {
	depth int
	name  string
}

func newCutter(src string, words int) *cutter {
	c := &cutter{src: src, most: words, names: []string{}, scan: newLinkScanner(src)}
	c.reset("")
	return c
}

// reset begins an empty part.
func (c *cutter) reset(context string) {
	c.cur = part{names: c.names, section: len(c.doc.Sections), context: context}
}

// add takes the next block of the note.
func (c *cutter) add(b block) {
	c.scan.block(c.src[b.start:b.end], &b)
	if b.kind == heading && len(c.doc.Sections) < maxSections {
		c.heading(b)
		return
	}
	if n := len(c.doc.Sections); n > 0 {
		c.doc.Sections[n-1].Lines.End = b.last
	}
	if b.weight() > c.most && b.first < b.last {
		c.split(b)
		return
	}
	c.fit(b, "")
}

// heading begins a section. What is gathered becomes a part, unless it is nothing but
// headings: those go with the text that follows.
func (c *cutter) heading(b block) {
	if c.cur.own || c.cur.first > 0 && c.cur.weight()+b.weight() > c.most {
		c.endSection()
	}
	name := plain(headingText(c.src[b.start:b.end]))
	if b.level == 1 && c.doc.Title == "" {
		c.doc.Title = name
	}
	c.enter(level{b.level, name})
	c.doc.Sections = append(c.doc.Sections, Section{
		Level: b.level, Heading: name, Path: c.names,
		Lines: candor.Span{Start: b.first, End: b.last}, Piece: len(c.parts),
	})
	c.extend(b)
	c.cur.names, c.cur.section = c.names, len(c.doc.Sections)
}

// enter puts a heading on the path in the place of those as deep or deeper.
func (c *cutter) enter(l level) {
	for n := len(c.path); n > 0 && c.path[n-1].depth >= l.depth; n-- {
		c.path = c.path[:n-1]
	}
	c.path = append(c.path, l)
	c.names = make([]string, 0, len(c.path))
	for _, l := range c.path {
		if l.name != "" {
			c.names = append(c.names, l.name)
		}
	}
}

// fit adds a block to the part at hand, or begins one with it when that is full. A
// line of markers never begins one unless it has to.
func (c *cutter) fit(b block, context string) {
	room := c.most
	if !b.hasText() {
		room *= 2
	}
	if c.cur.own && c.cur.weight()+b.weight() > room {
		c.flush()
		c.cur.context = context
	}
	c.extend(b)
	c.cur.own = c.cur.own || b.hasText()
}

func (c *cutter) extend(b block) {
	if c.cur.first == 0 {
		c.cur.first, c.cur.start = b.first, b.start
	}
	c.cur.last, c.cur.end = b.last, b.end
	c.cur.add(b.tally)
}

// split adds a block that is too long for one part line by line. The header of a
// table stays with its first row and is the context of the parts after it.
func (c *cutter) split(b block) {
	unit, context := 1, ""
	if b.kind == table {
		context, _, _ = strings.Cut(c.src[b.start:b.end], "\n")
		context = clip(strings.TrimSpace(context), maxContext)
		unit = 3
	}
	line := block{kind: b.kind}
	for n, at := b.first, b.start; at < b.end; n++ {
		end, next := lineEnd(c.src, at)
		if text := c.src[at:end]; !isBlank(text) {
			if line.last == 0 {
				line.first, line.start = n, at
			}
			line.add(count(text))
			line.last, line.end = n, end
			if n-b.first+1 >= unit || next >= b.end {
				c.fit(line, context)
				line = block{kind: b.kind}
			}
		}
		at = next
	}
}

// flush makes the part at hand a piece to be.
func (c *cutter) flush() {
	if c.cur.first > 0 {
		c.parts = append(c.parts, c.cur)
	}
	c.reset("")
}

// endSection flushes; a short rest of a section joins the part before it.
func (c *cutter) endSection() {
	n := len(c.parts)
	if n > 0 && c.cur.first > 0 && c.parts[n-1].section == c.cur.section &&
		c.cur.weight() < c.most/4 && c.parts[n-1].weight()+c.cur.weight() <= c.most+c.most/4 {
		c.join()
		return
	}
	c.flush()
}

// join adds the part at hand to the one before it.
func (c *cutter) join() {
	prev := &c.parts[len(c.parts)-1]
	prev.last, prev.end = c.cur.last, c.cur.end
	prev.add(c.cur.tally)
	c.reset("")
}

// finish gives the document. Headings at the end with nothing after them go with the
// part before.
func (c *cutter) finish() Doc {
	if !c.cur.own && c.cur.first > 0 && len(c.parts) > 0 {
		c.join()
		for i := len(c.doc.Sections) - 1; i >= 0 && c.doc.Sections[i].Piece == len(c.parts); i-- {
			c.doc.Sections[i].Piece--
		}
	}
	c.endSection()
	c.doc.Pieces = make([]Piece, len(c.parts))
	for i := range c.parts {
		c.doc.Pieces[i] = c.piece(&c.parts[i])
	}
	c.doc.Links, c.doc.Tags = c.scan.finish()
	return c.doc
}

func (c *cutter) piece(p *part) Piece {
	text := c.src[p.start:p.end]
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return Piece{
		Heading: p.names, Lines: candor.Span{Start: p.first, End: p.last},
		Text: text, Index: dropData(text), Context: p.context, Words: p.words,
	}
}

// lineEnd gives where the text of the line at i ends and where the next line begins.
func lineEnd(src string, i int) (end, next int) {
	n := strings.IndexByte(src[i:], '\n')
	if n < 0 {
		return len(src), len(src)
	}
	end, next = i+n, i+n+1
	if end > i && src[end-1] == '\r' {
		end--
	}
	return end, next
}

// clip cuts s to n bytes at the border of a character and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
