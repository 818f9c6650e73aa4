package redact

import "strings"

// joined looks for a key that line breaks, table cells, list items or tags cut in
// pieces, n bytes of it at start: the tokens behind are put together one by one and each
// sum is tried. Only rules whose key has a head of its own and no white space come here,
// so that words which happen to stand on neighbouring lines do not match.
func (s *scan) joined(r *vendorRule, start, n int) {
	if n > r.window || !r.anchored || !s.afford(start, maxBorder) {
		return
	}
	if !s.join(r, start, start+n, borderAfter) {
		s.join(r, start, start+n, cellBelow)
	}
}

// join adds the pieces that next leads to, and reports whether they make a key.
func (s *scan) join(r *vendorRule, start, at int, next func(text string, at int) int) bool {
	whole := s.text[start:at]
	for range maxPieces {
		from := next(s.text, at)
		if from == at {
			return false
		}
		piece := s.text[from:min(len(s.text), from+r.window)]
		n := len(strings.TrimRight(piece[:run(piece)], "."))
		if n == 0 || len(whole)+n > r.window {
			return false
		}
		whole, at = whole+s.text[from:from+n], from+n
		if len(whole) < r.least || !s.afford(start, len(whole)) {
			continue
		}
		if a, b, ok := r.match(whole, ""); ok && a == 0 && b == len(whole) {
			s.add(start, at, r.kind)
			return true
		}
	}
	return false
}

const (
	maxPieces = 6
	maxBorder = 192 // bytes between two pieces
)

// borderAfter passes over what may cut a key: the end of a line with the quote marks,
// list markers, indentation, fence or rule of a table's header around it, the border of
// a table's cell, tags. At most one line ends on the way; white space alone is no border.
func borderAfter(text string, at int) int {
	i, crossed, line := at, false, false
	for i < len(text) && i-at < maxBorder {
		switch c := text[i]; {
		case strings.IndexByte(" \t\r\\\"'`+>", c) >= 0:
			i++
		case c == '|':
			crossed = true
			i++
		case c == '<':
			n := tagLength(text[i:])
			if n == 0 {
				return at
			}
			crossed = true
			i += n
		case c == '\n' && !line:
			crossed, line = true, true
			i = lineStart(text, i+1)
		case crossed:
			return i
		default:
			return at
		}
	}
	return at
}

// lineStart passes over what begins a line and is no text: a fence or the rule under a
// table's header with the line's end, quote marks, the marker of a list item.
func lineStart(text string, at int) int {
	i := skip(text, at, " \t>", 32)
	if strings.HasPrefix(text[i:], "```") || strings.HasPrefix(text[i:], "~~~") || isHeaderRule(text, i) {
		i = skip(text, min(len(text), lineEndAt(text, i)+1), " \t>", 32)
	}
	n := 0
	for n < 4 && i+n < len(text) && isDigit(text[i+n]) {
		n++
	}
	switch rest := text[i+n:]; {
	case len(rest) < 2 || rest[1] != ' ':
	case n == 0 && strings.IndexByte("-*+", rest[0]) >= 0, n > 0 && strings.IndexByte(".)", rest[0]) >= 0:
		i += n + 2
		if box := text[i:]; len(box) > 3 && box[0] == '[' && box[2] == ']' {
			i += 3
		}
	}
	return i
}

// isHeaderRule knows the line |---|:-:| under the header of a table.
func isHeaderRule(text string, at int) bool {
	line := text[at:min(len(text), at+rowMost)]
	line = strings.TrimRight(line[:lineEndAt(line, 0)], " \t\r")
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, "|-: \t") == ""
}

// tagLength is the length of the HTML tag or comment that s begins with, 0 for none.
func tagLength(s string) int {
	s = s[:min(len(s), maxBorder)]
	if strings.HasPrefix(s, "<!--") {
		i := strings.Index(s, "-->")
		if i < 0 || strings.IndexByte(s[:i], '\n') >= 0 {
			return 0
		}
		return i + len("-->")
	}
	if len(s) < 3 || classes[s[1]]&classLetter == 0 && s[1] != '/' {
		return 0
	}
	if i := strings.IndexAny(s[1:], "<>\n"); i > 0 && s[1+i] == '>' {
		return i + 2
	}
	return 0
}

// cellBelow gives the text of the cell under the one that at stands in, or at.
func cellBelow(text string, at int) int {
	begin := strings.LastIndexByte(text[max(0, at-rowMost):at], '\n') + 1 + max(0, at-rowMost)
	column := strings.Count(text[begin:at], "|")
	end := strings.IndexByte(text[at:min(len(text), at+rowMost)], '\n')
	if column == 0 || end < 0 {
		return at
	}
	row := at + end + 1
	if isHeaderRule(text, row) {
		row = min(len(text), lineEndAt(text, row)+1)
	}
	for i := row; i < min(len(text), row+rowMost) && text[i] != '\n'; i++ {
		if text[i] != '|' {
			continue
		}
		if column--; column == 0 {
			return skip(text, i+1, " \t`*", 16)
		}
	}
	return at
}

const rowMost = 1024 // bytes of a table's row that are looked at

// cutHeads looks for keys whose very head the end of a line cuts.
func (s *scan) cutHeads() {
	for i := strings.IndexByte(s.text, '\n'); i >= 0 && i+1 < len(s.text); {
		end := i
		for end > 0 && i-end < 4 && strings.IndexByte(" \t\r\\\"'`+|", s.text[end-1]) >= 0 {
			end--
		}
		start := end
		for start > 0 && end-start <= headLength && inToken(s.text[start-1]) {
			start--
		}
		if n := end - start; n >= 2 && n < headLength {
			for _, r := range s.engine.cut[strings.ToLower(s.text[start:end])] {
				s.joined(r, start, n)
			}
		}
		next := strings.IndexByte(s.text[i+1:], '\n')
		if next < 0 {
			return
		}
		i += next + 1
	}
}
