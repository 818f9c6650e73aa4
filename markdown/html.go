package markdown

import "strings"

// opensHTML reports whether a line opens an HTML block and gives what ends it; "" is
// a blank line. A tag that is no block of HTML may not end a paragraph.
func opensHTML(s string, inParagraph bool) (until string, ok bool) {
	if len(s) < 2 {
		return "", false
	}
	switch {
	case strings.HasPrefix(s, "<!--"):
		return "-->", true
	case s[1] == '?':
		return "?>", true
	case strings.HasPrefix(s, "<![CDATA["):
		return "]]>", true
	case s[1] == '!':
		return ">", len(s) > 2 && isLetter(s[2])
	}
	name, after := tagName(s)
	if name == "" {
		return "", false
	}
	closing := s[1] == '/'
	bare := after == "" || after[0] == '>' || class[after[0]]&isSpace != 0
	if !closing && bare && verbatimTag(name) {
		return "</", true
	}
	if (bare || strings.HasPrefix(after, "/>")) && blockTag(name) {
		return "", true
	}
	return "", !inParagraph && !verbatimTag(name) && wholeTag(after, closing)
}

// endsHTML reports whether a line ends the block.
func endsHTML(line, until string) bool {
	if until != "</" {
		return strings.Contains(line, until)
	}
	for {
		i := strings.Index(line, "</")
		if i < 0 {
			return false
		}
		line = line[i:]
		if name, after := tagName(line); verbatimTag(name) && strings.HasPrefix(after, ">") {
			return true
		}
		line = line[2:]
	}
}

// tagName gives the name of the tag that s begins with, lower case, and what follows.
func tagName(s string) (name, after string) {
	i := 1
	if i < len(s) && s[i] == '/' {
		i++
	}
	start := i
	if i >= len(s) || !isLetter(s[i]) {
		return "", ""
	}
	for i < len(s) && (isLetter(s[i]) || s[i] == '-' || s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i-start > 32 {
		return s[start:i], s[i:] // no tag that we know
	}
	return strings.ToLower(s[start:i]), s[i:]
}

// wholeTag reports whether the rest of a tag is complete and alone on its line.
func wholeTag(s string, closing bool) bool {
	s = strings.TrimRight(s, " \t\r\f\v")
	if !strings.HasSuffix(s, ">") {
		return false
	}
	s = strings.TrimSuffix(s, ">")
	if closing {
		return strings.Trim(s, " \t") == ""
	}
	s = strings.TrimRight(strings.TrimSuffix(s, "/"), " \t")
	for s != "" {
		rest, ok := attribute(s)
		if !ok {
			return false
		}
		s = rest
	}
	return true
}

// attribute passes one attribute and the white space before it.
func attribute(s string) (rest string, ok bool) {
	t := strings.TrimLeft(s, " \t")
	if len(t) == len(s) || t == "" {
		return "", false
	}
	i := strings.IndexAny(t, " \t=\"'<>`")
	if !isLetter(t[0]) && t[0] != '_' && t[0] != ':' || i == 0 {
		return "", false
	}
	if i < 0 {
		return "", true
	}
	after := strings.TrimLeft(t[i:], " \t")
	if after == "" || after[0] != '=' {
		return t[i:], class[t[i]]&isSpace != 0
	}
	return attributeValue(strings.TrimLeft(after[1:], " \t"))
}

func attributeValue(s string) (rest string, ok bool) {
	if s == "" {
		return "", false
	}
	if q := s[0]; q == '"' || q == '\'' {
		end := strings.IndexByte(s[1:], q)
		if end < 0 {
			return "", false
		}
		return s[end+2:], true
	}
	i := strings.IndexAny(s, " \t\"'=<>`")
	if i < 0 {
		return "", true
	}
	return s[i:], i > 0 && class[s[i]]&isSpace != 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func verbatimTag(name string) bool {
	switch name {
	case "script", "pre", "style", "textarea":
		return true
	}
	return false
}

func blockTag(name string) bool {
	switch name {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body",
		"caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div",
		"dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
		"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html",
		"iframe", "legend", "li", "link", "main", "menu", "menuitem", "meta", "nav",
		"noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
		"summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
		"track", "ul":
		return true
	}
	return false
}
