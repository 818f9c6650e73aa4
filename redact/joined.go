package redact

import "strings"

// joined looks for a key that line breaks or table cells cut in pieces: the tokens
// behind the head are put together one by one and each sum is tried. Only rules whose
// key has a head of its own and no white space come here, so that words which happen
// to stand on neighbouring lines do not match.
func (s *scan) joined(r *vendorRule, start int) {
	n := run(s.text[start:])
	if n < 4 || n > r.window || !r.anchored {
		return
	}
	whole := s.text[start : start+n]
	at := start + n
	for range maxPieces {
		next := breakAfter(s.text, at)
		if next == at {
			return
		}
		n = run(s.text[next:])
		if n == 0 || len(whole)+n > r.window {
			return
		}
		whole, at = whole+s.text[next:next+n], next+n
		if len(whole) < r.least || !s.afford(start, len(whole)) {
			continue
		}
		if a, b, ok := r.match(whole, ""); ok && a == 0 && b == len(whole) {
			s.add(start, at, r.kind)
			return
		}
	}
}

const maxPieces = 6

// breakAfter passes over one border that may cut a key: a line break with the quote
// marks, indentation or fence around it, or the border of a table cell.
func breakAfter(text string, at int) int {
	i := skip(text, at, " \t\\\"'`+", 6)
	if i < len(text) && text[i] == '|' {
		return skip(text, i+1, " \t`", 16)
	}
	if i = skip(text, i, "\r", 1); i >= len(text) || text[i] != '\n' {
		return at
	}
	i = skip(text, i+1, " \t>\"'|", 32)
	if strings.HasPrefix(text[i:], "```") || strings.HasPrefix(text[i:], "~~~") {
		i = min(len(text), lineEndAt(text, i)+1)
	}
	return skip(text, i, " \t`", 32)
}
