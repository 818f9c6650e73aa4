package markdown

import "strings"

// kind is what a leaf block is.
type kind uint8

const (
	none      kind = iota
	paragraph      // text that goes on
	heading        // of the note itself
	fence          // fenced code
	indented       // indented code
	htmlBlock      // up to its end or a blank line
	comment        // %% of Obsidian
	table
	mark // a line of markers only: a rule, an empty item, an empty quote
)

// block is a leaf block: lines that belong together, markers of containers included.
type block struct {
	kind        kind
	level       int // of a heading
	first, last int // line numbers
	start, end  int // byte offsets; end is before the line's end
	tally
}

// container is an open quote or list item.
type container struct {
	indent int  // columns that the lines of an item must have; 0 is a quote
	filled bool // something stands in it
}

// scanner finds the leaf blocks of a text, line by line, by the algorithm of the
// CommonMark specification with the tree left out.
type scanner struct {
	src  string
	emit func(block)

	cursor     cursor
	number     int // of the line
	start, end int // offsets of the line
	open       []container

	leaf    block
	before  block  // a paragraph as it was before its last line
	content int    // offset of the text of its last line
	fence   string // the marks that opened a fence
	until   string // what ends an HTML block; "" is a blank line
}

func (s *scanner) run(first int) {
	s.number = first
	for s.start = 0; s.start < len(s.src); s.number++ {
		next := len(s.src)
		s.end = next
		if i := strings.IndexByte(s.src[s.start:], '\n'); i >= 0 {
			s.end = s.start + i
			next = s.end + 1
			if s.end > s.start && s.src[s.end-1] == '\r' {
				s.end--
			}
		}
		s.step()
		s.start = next
	}
	s.closeTo(0)
}

func (s *scanner) step() {
	s.cursor = cursor{line: s.src[s.start:s.end]}
	s.cursor.seek()
	blank := isBlank(s.cursor.rest())
	matched := s.match(blank)
	if matched == len(s.open) && s.verbatim(blank) {
		return
	}
	if blank {
		s.closeTo(matched)
		return
	}
	s.structure(matched)
}

// match counts the open containers that the line goes on with, and passes their
// markers.
func (s *scanner) match(blank bool) int {
	c := &s.cursor
	for i := range s.open {
		item := s.open[i].indent
		switch {
		case item == 0:
			if blank || c.indent() > 3 || c.line[c.next] != '>' {
				return i
			}
			s.quote()
			blank = isBlank(c.rest())
		case blank:
			if !s.open[i].filled {
				return i // an item begins with at most one blank line
			}
		case c.indent() < item:
			return i
		default:
			c.skip(item)
		}
	}
	return len(s.open)
}

// quote passes a '>' and the white space that belongs to it.
func (s *scanner) quote() {
	s.cursor.take(1)
	s.cursor.skip(1)
}

// verbatim gives the line to an open block that takes lines as they are. It reports
// whether the line is done with.
func (s *scanner) verbatim(blank bool) bool {
	blank = blank || isBlank(s.cursor.rest())
	switch s.leaf.kind {
	case fence:
		s.extend()
		if s.cursor.indent() < 4 && closesFence(s.cursor.rest(), s.fence) {
			s.close()
		}
		return true
	case htmlBlock, comment:
		if s.until == "" && blank {
			s.close()
			return false
		}
		s.extend()
		if s.until != "" && endsHTML(s.cursor.line, s.until) {
			s.close()
		}
		return true
	case indented:
		if blank || s.cursor.indent() > 3 {
			s.extend()
			return true
		}
	}
	return false
}

// structure reads a line that no verbatim block took: it opens containers, then at
// most one leaf, or goes on with a paragraph or table.
func (s *scanner) structure(at int) {
	c := &s.cursor
	for !isBlank(c.rest()) {
		if c.indent() > 3 {
			if s.leaf.kind != paragraph && s.leaf.kind != table {
				s.begin(indented, at)
				return
			}
			break
		}
		if s.leafAt(at) {
			return
		}
		if !s.containerAt(at) {
			break
		}
		at++
	}
	s.text(at)
}

// containerAt opens a quote or list item, if one begins here.
func (s *scanner) containerAt(at int) bool {
	c := &s.cursor
	if at >= maxDepth {
		return false
	}
	if c.line[c.next] == '>' {
		s.push(at, container{})
		s.quote()
		return true
	}
	size := listMarker(c.rest(), s.interrupts(at))
	if size == 0 {
		return false
	}
	s.push(at, container{indent: s.item(size)})
	return true
}

// item passes a list marker and gives the columns that its further lines must have.
func (s *scanner) item(size int) int {
	c := &s.cursor
	width := c.indent() + size
	c.take(size)
	space := c.indent()
	if space > 4 || isBlank(c.rest()) {
		space = 1 // the rest is indented code, or the item starts empty
	}
	c.skip(space)
	return width + space
}

// interrupts reports whether a block that begins here ends a paragraph beside it.
func (s *scanner) interrupts(at int) bool {
	return s.leaf.kind == paragraph && at == len(s.open)
}

func (s *scanner) push(at int, c container) {
	s.closeTo(at)
	s.fill()
	s.open = append(s.open, c)
}

// leafAt opens a leaf other than a paragraph or indented code, if one begins here.
func (s *scanner) leafAt(at int) bool {
	rest := s.cursor.rest()
	switch rest[0] {
	case '#':
		level := atxLevel(rest)
		if level == 0 {
			return false
		}
		s.begin(s.headingKind(at), at)
		s.leaf.level = level
		s.close()
	case '`', '~':
		marks := opensFence(rest)
		if marks == "" {
			return false
		}
		s.begin(fence, at)
		s.fence = marks
	case '<':
		return s.htmlAt(at)
	case '%':
		return s.commentAt(at)
	case '=', '-', '*', '_':
		if s.setext(at) {
			return true
		}
		if !isRule(rest) {
			return false
		}
		s.begin(mark, at)
		s.close()
	default:
		return false
	}
	return true
}

// headingKind makes only the note's own headings headings.
func (s *scanner) headingKind(at int) kind {
	if at > 0 {
		return paragraph
	}
	return heading
}

func (s *scanner) htmlAt(at int) bool {
	until, ok := opensHTML(s.cursor.rest(), s.leaf.kind == paragraph)
	if !ok {
		return false
	}
	s.begin(htmlBlock, at)
	s.until = until
	if until != "" && endsHTML(s.cursor.rest(), until) {
		s.close()
	}
	return true
}

// commentAt opens a comment of Obsidian: %% at the start of a line, closed later.
func (s *scanner) commentAt(at int) bool {
	rest, ok := strings.CutPrefix(s.cursor.rest(), "%%")
	if at > 0 || !ok || strings.Contains(rest, "%%") || !s.closesComment(isBlank(rest)) {
		return false
	}
	s.begin(comment, at)
	s.until = "%%"
	return true
}

// closesComment reports whether the next %% closes the comment that the line opens.
// After a line with words the next line of %% and words is as likely a remark of one
// line, as in Mermaid.
func (s *scanner) closesComment(alone bool) bool {
	i := strings.Index(s.src[s.end:], "%%")
	if i < 0 {
		return false
	}
	i += s.end
	end, _ := lineEnd(s.src, i)
	return alone || strings.TrimSpace(s.src[lineStart(s.src, i):i]) != "" || isBlank(s.src[i+2:end])
}

// setext makes the paragraph above an underline a heading.
func (s *scanner) setext(at int) bool {
	level := underline(s.cursor.rest())
	if level == 0 || !s.interrupts(at) {
		return false
	}
	text := s.src[s.leaf.start:s.leaf.end]
	if n := definitions(text); n > 0 {
		if n >= len(text) {
			s.close() // nothing but definitions: no heading, and no paragraph
			return false
		}
		s.splitOff(n)
	}
	s.extend()
	s.leaf.kind, s.leaf.level = s.headingKind(at), level
	s.close()
	return true
}

// splitOff emits the first n bytes of the open paragraph, whole lines, as a block.
func (s *scanner) splitOff(n int) {
	head, tail := s.leaf, s.leaf
	lines := strings.Count(s.src[head.start:head.start+n], "\n")
	tail.start += n
	tail.first += lines
	head.last = tail.first - 1
	head.end = trimLine(s.src, tail.start)
	head.tally = count(s.src[head.start:head.end])
	tail.tally = count(s.src[tail.start:tail.end])
	s.emit(head)
	s.leaf = tail
}

// text goes on with a paragraph or table, or begins a paragraph.
func (s *scanner) text(at int) {
	beside := at == len(s.open)
	switch {
	case isBlank(s.cursor.rest()):
		filled := s.open[at-1].filled
		s.begin(mark, at)
		s.open[at-1].filled = filled
		s.close()
	case s.leaf.kind == table && beside:
		s.extend()
	case s.leaf.kind == paragraph:
		if beside && s.tableAt() {
			return
		}
		s.before = s.leaf
		s.content = s.start + s.cursor.next
		s.extend()
	default:
		s.begin(paragraph, at)
		s.content = s.start + s.cursor.next
	}
}

// tableAt turns the last line of the paragraph into the header of a table if the
// line at hand is a delimiter row with as many cells.
func (s *scanner) tableAt() bool {
	columns := delimiterCells(s.cursor.rest())
	if columns == 0 {
		return false
	}
	if header := s.src[s.content:s.leaf.end]; cells(header) != columns || definitions(header) > 0 {
		return false
	}
	if s.leaf.first < s.leaf.last {
		head, all := s.before, s.leaf
		s.emit(head)
		s.leaf.first = all.last
		s.leaf.start = lineStart(s.src, s.content)
		s.leaf.tally = count(s.src[s.leaf.start:s.leaf.end])
	}
	s.leaf.kind = table
	s.extend()
	return true
}

// begin opens a leaf in the first at containers.
func (s *scanner) begin(k kind, at int) {
	s.closeTo(at)
	s.fill()
	s.leaf = block{
		kind: k, first: s.number, last: s.number, start: s.start, end: s.end,
		tally: count(s.src[s.start:s.end]),
	}
}

// fill notes that the innermost container is not empty.
func (s *scanner) fill() {
	if n := len(s.open); n > 0 {
		s.open[n-1].filled = true
	}
}

// extend adds the line to the leaf; blank lines count only when more follows.
func (s *scanner) extend() {
	line := s.src[s.start:s.end]
	if isBlank(line) {
		return
	}
	s.leaf.last, s.leaf.end = s.number, s.end
	s.leaf.add(count(line))
}

// close ends the open leaf.
func (s *scanner) close() {
	if s.leaf.kind != none {
		s.emit(s.leaf)
		s.leaf.kind = none
	}
}

// closeTo ends the leaf and all but the first n containers.
func (s *scanner) closeTo(n int) {
	s.close()
	s.open = s.open[:n]
}
