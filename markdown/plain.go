package markdown

import (
	"html"
	"strings"
)

// headingText gives the text of a heading block without its marks.
func headingText(s string) string {
	if t := strings.TrimLeft(s, " \t"); t[0] == '#' && atxLevel(t) > 0 && !strings.Contains(t, "\n") {
		return atxText(t)
	}
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[:i] // the underline
	}
	return clip(s, maxHeading)
}

// atxText drops the opening and the closing number signs.
func atxText(s string) string {
	s = strings.TrimSpace(strings.TrimLeft(s, "#"))
	if t := strings.TrimRight(s, "#"); t == "" || len(t) < len(s) && (t[len(t)-1] == ' ' || t[len(t)-1] == '\t') {
		s = t
	}
	return clip(strings.TrimSpace(s), maxHeading)
}

// plain gives the words that a reader sees in a line of markdown: no emphasis, code
// ticks, tags, link targets or trailing {#id}.
func plain(s string) string {
	if s == "" {
		return ""
	}
	s = trimID(s)
	if strings.ContainsAny(s, "`*_~=[]<>&\\!\n\t") || strings.Contains(s, "  ") {
		var p plainer
		p.text(s, 0)
		s = p.out.String()
	}
	return strings.Join(strings.Fields(s), " ")
}

// trimID drops a trailing {#id} or ^block-id.
func trimID(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '{'); i >= 0 && strings.HasSuffix(s, "}") {
		if in := strings.TrimSpace(s[i+1 : len(s)-1]); in != "" && (in[0] == '#' || in[0] == '.') {
			return strings.TrimSpace(s[:i])
		}
	}
	if i := strings.LastIndex(s, " ^"); i > 0 && isBlockID(s[i+2:]) {
		return strings.TrimSpace(s[:i])
	}
	return s
}

func isBlockID(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isAlnum(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// maxNest is how deep links may stand in links' texts.
const maxNest = 4

// plainer writes the plain text of markdown. Each step passes at least one byte, and
// what it looks ahead is bounded by maxHeading.
type plainer struct{ out strings.Builder }

func (p *plainer) text(s string, depth int) {
	for i := 0; i < len(s); {
		n := 0
		switch s[i] {
		case '\\':
			n = p.escape(s[i:])
		case '`':
			n = p.code(s[i:])
		case '<':
			n = p.tag(s[i:])
		case '[':
			n = p.link(s[i:], depth)
		case '!':
			if strings.HasPrefix(s[i:], "![") {
				n = p.image(s[i:], depth)
			}
		case '*', '_', '~', '=':
			n = p.emphasis(s, i)
		case '&':
			n = p.entity(s[i:])
		}
		if n == 0 {
			p.out.WriteByte(s[i])
			n = 1
		}
		i += n
	}
}

func (p *plainer) escape(s string) int {
	if len(s) < 2 || isAlnum(s[1]) || s[1] <= ' ' || s[1] >= 0x80 {
		return 0
	}
	p.out.WriteByte(s[1])
	return 2
}

func (p *plainer) code(s string) int {
	n := run(s, '`')
	for i := n; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := run(s[i:], '`')
		if m == n {
			p.out.WriteString(strings.TrimSpace(s[n:i]))
			return i + m
		}
		i += m
	}
	p.out.WriteString(s[:n])
	return n
}

// tag drops an HTML tag or comment and keeps what an autolink shows.
func (p *plainer) tag(s string) int {
	if strings.HasPrefix(s, "<!--") {
		if i := strings.Index(s, "-->"); i > 0 {
			return i + len("-->")
		}
		return 0
	}
	end := strings.IndexAny(s[1:], "<>") + 1
	if end < 2 || s[end] != '>' {
		return 0
	}
	name, after := tagName(s[:end])
	switch {
	case name == "" || strings.HasPrefix(after, ":") || strings.HasPrefix(after, "@"):
		if strings.ContainsAny(s[1:end], ":@") && !strings.ContainsAny(s[1:end], " \t") {
			p.out.WriteString(s[1:end])
			return end + 1
		}
		return 0
	case after != "" && class[after[0]]&isSpace == 0 && after != "/":
		return 0
	}
	return end + 1
}

func (p *plainer) image(s string, depth int) int {
	n := p.link(s[1:], depth)
	if n == 0 {
		return 0
	}
	return n + 1
}

// link keeps the text of a link, or the alias or target of a wikilink.
func (p *plainer) link(s string, depth int) int {
	if target, n := wikilink(s); n > 0 {
		_, text := splitAlias(target)
		p.out.WriteString(text)
		return n
	}
	end := closing(s)
	if end < 0 || end+1 >= len(s) || depth >= maxNest {
		return 0
	}
	after := 0
	switch s[end+1] {
	case '(':
		_, after = inlineTarget(s[end+1:])
	case '[':
		if i := strings.IndexByte(s[end+1:], ']'); i > 0 {
			after = i + 1
		}
	}
	if after == 0 {
		return 0
	}
	p.text(s[1:end], depth+1)
	return end + 1 + after
}

// closing finds the bracket that closes the one s begins with.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if depth++; depth > 2*maxNest {
				return -1
			}
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// emphasis drops marks that stand at the border of a word, and double ones anywhere;
// a mark between spaces, inside a word as in snake_case, or in *.md stays.
func (p *plainer) emphasis(s string, i int) int {
	c := s[i]
	n := run(s[i:], c)
	before, after := byte(' '), byte(' ')
	if i > 0 {
		before = s[i-1]
	}
	if i+n < len(s) {
		after = s[i+n]
	}
	within := class[before]&class[after]&isWord != 0
	drop := hugs(before) || hugs(after)
	switch {
	case c == '~' || c == '=':
		drop = drop && n == 2
	case c == '_' || n == 1:
		drop = drop && !within && strings.Count(s, string(c)) > 1
	}
	if !drop {
		p.out.WriteString(s[i : i+n])
	}
	return n
}

// hugs reports whether emphasis may begin or end at a byte.
func hugs(c byte) bool { return class[c]&isSpace == 0 && c != '.' && c != '/' }

func (p *plainer) entity(s string) int {
	end := strings.IndexByte(s[:min(len(s), 32)], ';')
	if end < 0 {
		return 0
	}
	t := html.UnescapeString(s[:end+1])
	if t == s[:end+1] {
		return 0
	}
	p.out.WriteString(t)
	return end + 1
}
