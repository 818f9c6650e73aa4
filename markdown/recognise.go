package markdown

import (
	"strings"
)

// isBlank reports whether a line has nothing but white space, of Unicode too.
func isBlank(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x80:
			return strings.TrimSpace(s[i:]) == ""
		case class[c]&isSpace == 0:
			return false
		}
	}
	return true
}

// atxLevel is the level of the heading that a line opens with '#', 0 if none.
func atxLevel(s string) int {
	n := run(s, '#')
	if n > 6 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// underline is the level of the heading whose text stands above the line.
func underline(s string) int {
	n := run(s, s[0])
	if strings.Trim(s[n:], " \t") != "" {
		return 0
	}
	switch s[0] {
	case '=':
		return 1
	case '-':
		return 2
	}
	return 0
}

// run counts the leading bytes that are c.
func run(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// isRule reports a thematic break.
func isRule(s string) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3 && s[0] != '='
}

// opensFence gives the marks of a fence that the line opens, "" if none.
func opensFence(s string) string {
	n := run(s, s[0])
	if n < 3 || s[0] == '`' && strings.IndexByte(s[n:], '`') >= 0 {
		return ""
	}
	return s[:n]
}

func closesFence(s, marks string) bool {
	if !strings.HasPrefix(s, marks) {
		return false
	}
	return isBlank(s[run(s, marks[0]):])
}

// listMarker is the length of the list marker that s begins with, 0 if none. Only a
// filled item numbered 1 may interrupt a paragraph.
func listMarker(s string, interrupts bool) int {
	n := 0
	switch c := s[0]; {
	case c == '-' || c == '+' || c == '*':
		n = 1
	case c >= '0' && c <= '9':
		for n < len(s) && n < 10 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n > 9 || n == len(s) || s[n] != '.' && s[n] != ')' || interrupts && strings.TrimLeft(s[:n], "0") != "1" {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' || interrupts && isBlank(s[n:]) {
		return 0
	}
	return n
}

// delimiterCells is the number of cells of a table's delimiter row, 0 for any other
// line. One with neither '|' nor ':' is a rule or an underline.
func delimiterCells(s string) int {
	if class[s[0]]&inDelimiter == 0 {
		return 0
	}
	s = strings.TrimRight(s, " \t\r\f\v")
	if strings.Trim(s, "-|: \t") != "" || !strings.ContainsAny(s, "|:") {
		return 0
	}
	n := 0
	for cell := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(s, "|"), "|"), "|") {
		cell = strings.Trim(cell, " \t")
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || run(cell, '-') != len(cell) {
			return 0
		}
		n++
	}
	return n
}

// cells is the number of cells of a table row.
func cells(s string) int {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(s, "|")
	n, escaped, last := 1, false, false
	for i := 0; i < len(s); i++ {
		last = s[i] == '|' && !escaped
		if last {
			n++
		}
		escaped = s[i] == '\\' && !escaped
	}
	if last {
		n--
	}
	return n
}

// definitions is the length of the lines at the start of a paragraph that define
// link references, each on one line.
func definitions(s string) int {
	n := 0
	for n < len(s) {
		line, _, _ := strings.Cut(s[n:], "\n")
		label, target, ok := definition(strings.TrimLeft(strings.TrimSuffix(line, "\r"), "> \t"))
		if !ok || label == "" || target == "" {
			return n
		}
		n = min(n+len(line)+1, len(s))
	}
	return n
}

// definition takes a link reference definition apart.
func definition(line string) (label, target string, ok bool) {
	if line == "" || line[0] != '[' {
		return "", "", false
	}
	end := strings.IndexByte(line, ']')
	if end < 0 || end+1 >= len(line) || line[end+1] != ':' {
		return "", "", false
	}
	label = line[1:end]
	rest := strings.Trim(line[end+2:], " \t")
	if strings.TrimSpace(label) == "" || strings.HasPrefix(label, "^") || strings.ContainsRune(label, '[') {
		return "", "", false
	}
	target, n, ok := destination(rest)
	if !ok || target == "" && n == 0 {
		return "", "", false
	}
	title := strings.Trim(rest[n:], " \t")
	return label, target, title == "" || rest[n] <= ' ' && isTitle(title)
}

// isTitle reports a quoted title.
func isTitle(s string) bool {
	if len(s) < 2 {
		return false
	}
	first, last := s[0], s[len(s)-1]
	return first == last && (first == '"' || first == '\'') || first == '(' && last == ')'
}

// lineStart is the offset of the start of the line that holds offset i.
func lineStart(src string, i int) int { return strings.LastIndexByte(src[:i], '\n') + 1 }

// trimLine is the end of the line before the one that starts at i.
func trimLine(src string, i int) int {
	i--
	if i > 0 && src[i-1] == '\r' {
		i--
	}
	return i
}
