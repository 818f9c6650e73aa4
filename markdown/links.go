package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// linkScanner collects the links and tags of a note. It looks at each byte a bounded
// number of times.
type linkScanner struct {
	links   []found
	targets map[string]string // of reference definitions, by label
	refs    bool              // the note may have definitions
	tags    []string
	seen    map[string]bool
}

// found is a link; of a reference the target is still a label.
type found struct {
	Link
	ref bool
}

func newLinkScanner(src string) linkScanner {
	return linkScanner{targets: map[string]string{}, seen: map[string]bool{}, refs: strings.Contains(src, "]:")}
}

// block scans the text of a block, unless it is code or HTML.
func (l *linkScanner) block(text string, b *block) {
	if b.kinds&isInline == 0 || len(l.links) >= maxLinks {
		return
	}
	switch b.kind {
	case paragraph, table, heading:
		s := spanScanner{linkScanner: l, s: text, line: b.first, tags: b.kind != heading}
		s.run()
	}
}

// finish resolves the references.
func (l *linkScanner) finish() ([]Link, []string) {
	var links []Link
	for _, f := range l.links {
		if f.ref {
			target, ok := l.targets[label(f.Target)]
			if !ok {
				continue
			}
			f.Target = target
		}
		f.Text = plain(clip(f.Text, maxHeading))
		links = append(links, f.Link)
	}
	return links, l.tags
}

// label is the form in which labels of references are compared.
func label(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// spanScanner scans one block.
type spanScanner struct {
	*linkScanner
	s     string
	i     int
	line  int
	tags  bool        // take tags
	open  []int       // places of '[' that are not closed, innermost last
	ticks map[int]int // last place of a run of ticks, by its length; nil before the first
	lead  bool        // nothing but markers was seen on the line
}

// maxBrackets is how many open brackets are remembered; older ones are dropped.
const maxBrackets = 16

func (p *spanScanner) run() {
	p.lead = true
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case '\n':
			p.line++
			p.i++
			p.lead = true
			continue
		case ' ', '\t', '>':
			p.i++
			continue
		case '\\':
			p.i += 2
		case '`':
			p.code()
		case '[':
			p.bracket()
		case ']':
			p.unbracket()
		case '#':
			p.tag()
		default:
			p.i++
		}
		p.lead = false
	}
}

// code passes a code span. That a run of ticks has no partner is known from the last
// place of each length, found in one pass.
func (p *spanScanner) code() {
	n := run(p.s[p.i:], '`')
	if p.ticks == nil {
		p.findTicks()
	}
	if p.ticks[n] <= p.i {
		p.i += n
		return
	}
	for p.i += n; p.i < len(p.s); {
		switch p.s[p.i] {
		case '`':
			m := run(p.s[p.i:], '`')
			p.i += m
			if m == n {
				return
			}
		case '\n':
			p.line++
			p.i++
		default:
			p.i++
		}
	}
}

func (p *spanScanner) findTicks() {
	p.ticks = map[int]int{}
	for i := p.i; i < len(p.s); {
		n := strings.IndexByte(p.s[i:], '`')
		if n < 0 {
			return
		}
		i += n
		n = run(p.s[i:], '`')
		p.ticks[n] = i
		i += n
	}
}

func (p *spanScanner) bracket() {
	if p.definition() {
		return
	}
	if target, n := wikilink(p.s[p.i:]); n > 0 {
		target, text := splitAlias(target)
		p.add(found{Link: Link{Text: text, Target: target, Line: p.line, Wiki: true}})
		p.i += n
		return
	}
	if len(p.open) == maxBrackets {
		p.open = slices.Delete(p.open, 0, 1)
	}
	p.open = append(p.open, p.i)
	p.i++
}

// definition takes a line that defines a reference.
func (p *spanScanner) definition() bool {
	if !p.refs || !p.lead {
		return false
	}
	end, _ := lineEnd(p.s, p.i)
	name, target, ok := definition(p.s[p.i:end])
	if !ok {
		return false
	}
	if name = label(name); p.targets[name] == "" && len(p.targets) < maxLinks {
		p.targets[name] = target
	}
	p.i = end
	return true
}

// unbracket closes the innermost bracket and takes the link that it ends, if any.
func (p *spanScanner) unbracket() {
	at := p.i
	p.i++
	n := len(p.open)
	if n == 0 {
		return
	}
	start := p.open[n-1]
	p.open = p.open[:n-1]
	text := p.s[start+1 : at]
	target, after, ref := p.target(text)
	if after < 0 {
		return
	}
	line := p.line - strings.Count(text, "\n")
	p.line += strings.Count(p.s[p.i:p.i+after], "\n")
	p.i += after
	image := start > 0 && p.s[start-1] == '!' // which may stand in a link
	if !ref && !image {
		p.open = p.open[:0] // no link stands in a link
	}
	p.add(found{Link: Link{Text: text, Target: target, Line: line, Image: image}, ref: ref})
}

// target reads what follows the text of a link: its target, or the label of a
// reference; after is its length, -1 if this is no link.
func (p *spanScanner) target(text string) (target string, after int, ref bool) {
	rest := p.s[p.i:]
	if strings.HasPrefix(rest, "(") {
		if target, n := inlineTarget(rest); n > 0 {
			return target, n, false
		}
	}
	if !p.refs || text == "" || text[0] == '^' || len(text) > maxHeading {
		return "", -1, false
	}
	if strings.HasPrefix(rest, "[") {
		name := rest[1:min(len(rest), maxHeading)]
		if n := strings.IndexAny(name, "[]"); n > 0 && name[n] == ']' {
			return name[:n], n + 2, true
		} else if n == 0 && name[0] == ']' {
			return text, 2, true
		}
	}
	return text, 0, true
}

func (p *spanScanner) add(f found) {
	if len(p.links) < maxLinks && f.Target != "" {
		p.linkScanner.links = append(p.linkScanner.links, f)
	}
}

// tag takes an inline tag: '#' after white space, then letters, digits and _-/, not
// all of them digits.
func (p *spanScanner) tag() {
	at := p.i
	p.i++
	if !p.tags || at > 0 && class[p.s[at-1]]&isSpace == 0 {
		return
	}
	letters := false
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		if !inTag(r) {
			break
		}
		letters = letters || !unicode.IsDigit(r) && r != '/'
		p.i += n
	}
	name := strings.ToLower(strings.Trim(p.s[at+1:p.i], "/"))
	if letters && name != "" && len(name) <= maxHeading && !p.seen[name] && len(p.linkScanner.tags) < maxTags {
		p.seen[name] = true
		p.linkScanner.tags = append(p.linkScanner.tags, name)
	}
}

func inTag(r rune) bool {
	switch {
	case r == '_' || r == '-' || r == '/' || r == '\u200d' || r == '\ufe0f':
		return true
	case r == utf8.RuneError:
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So, unicode.Sk)
}

// wikilink gives the inside of the [[link]] that s begins with, and its length.
func wikilink(s string) (inside string, n int) {
	if !strings.HasPrefix(s, "[[") {
		return "", 0
	}
	s = s[2:min(len(s), maxHeading)]
	end := strings.IndexAny(s, "[]\n")
	if end <= 0 || !strings.HasPrefix(s[end:], "]]") || strings.TrimSpace(s[:end]) == "" {
		return "", 0
	}
	return s[:end], end + 4
}

// splitAlias takes target|text apart; in a table the bar is escaped.
func splitAlias(s string) (target, text string) {
	target, text, ok := strings.Cut(s, "|")
	target = strings.TrimSpace(strings.TrimSuffix(target, "\\"))
	if text = strings.TrimSpace(text); !ok || text == "" {
		text = target
	}
	return target, text
}

// inlineTarget reads "(target "title")" and gives its length, 0 if it is none.
func inlineTarget(s string) (target string, n int) {
	i := 1 + spaces(s[1:])
	target, n, ok := destination(s[i:])
	if !ok {
		return "", 0
	}
	i += n
	gap := spaces(s[i:])
	if i += gap; i < len(s) && gap > 0 && s[i] != ')' {
		n := title(s[i:])
		if n == 0 {
			return "", 0
		}
		i += n
		i += spaces(s[i:])
	}
	if i >= len(s) || s[i] != ')' {
		return "", 0
	}
	return target, i + 1
}

// spaces counts the white space that s begins with, up to a bound.
func spaces(s string) int {
	n := 0
	for n < len(s) && n < 16 && class[s[n]]&isSpace != 0 {
		n++
	}
	return n
}

// title gives the length of a quoted title, 0 if there is none.
func title(s string) int {
	end := byte(0)
	switch s[0] {
	case '"', '\'':
		end = s[0]
	case '(':
		end = ')'
	default:
		return 0
	}
	n := strings.IndexByte(s[1:min(len(s), maxHeading)], end)
	if n < 0 {
		return 0
	}
	return n + 2
}

// destination reads the target of a link: in angle brackets, or up to white space or
// the bracket that closes it.
func destination(s string) (target string, n int, ok bool) {
	s = s[:min(len(s), maxTarget)]
	if strings.HasPrefix(s, "<") {
		end := strings.IndexAny(s[1:], "<>\n")
		if end < 0 || s[1+end] != '>' {
			return "", 0, false
		}
		return s[1 : 1+end], end + 2, true
	}
	depth := 0
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case c <= ' ' || c == 0x7f:
			return unescape(s[:n]), n, depth == 0
		case c == '\\' && n+1 < len(s) && s[n+1] > ' ':
			n++
		case c == '(':
			if depth++; depth > maxBrackets {
				return "", 0, false
			}
		case c == ')':
			if depth == 0 {
				return unescape(s[:n]), n, true
			}
			depth--
		}
	}
	return unescape(s), len(s), depth == 0
}

// unescape drops the backslash before punctuation.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var p plainer
	for i := 0; i < len(s); {
		n := 0
		if s[i] == '\\' {
			n = p.escape(s[i:])
		}
		if n == 0 {
			p.out.WriteByte(s[i])
			n = 1
		}
		i += n
	}
	return p.out.String()
}
