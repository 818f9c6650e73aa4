package redact

import "strings"

// value is what stands behind an operator: its length and whether it has a digit.
type value struct {
	size  int
	digit bool
}

// worth reports whether the rule could match a value: gitleaks' own exceptions drop
// the generic values without a digit.
func (v value) worth(r *vendorRule) bool {
	return v.size >= 10 && (v.digit || r.kind != "generic-api-key")
}

// The widest forms of what may stand between a name and its value.
const (
	nameGap  = 23 // words after the keyword: gitleaks' 20 and 3
	valueGap = 12 // operator, blanks, quote
)

// valueFollows looks for operator and value behind a keyword that ends at end.
func (s *scan) valueFollows(end int) value {
	if s.valueEnd == end {
		return s.valueIs
	}
	s.valueEnd, s.valueIs = end, value{}
	i, stop := end, min(len(s.text), end+nameGap+1)
	for i < stop && betweenName(s.text[i]) {
		i++
	}
	if i >= stop || !isOperator(s.text[i]) {
		return value{}
	}
	for stop = min(len(s.text), i+valueGap); i < stop && (isOperator(s.text[i]) || isOpening(s.text[i])); {
		i++
	}
	for j := i; j < len(s.text) && j < i+48; j++ {
		c := s.text[j]
		if !inToken(c) && c != ':' && c != '~' && c != '%' {
			break
		}
		s.valueIs.size++
		s.valueIs.digit = s.valueIs.digit || isDigit(c)
	}
	return s.valueIs
}

func betweenName(c byte) bool {
	return isWord(c) || strings.IndexByte(" \t.-'\"\n\r", c) >= 0
}

func isOperator(c byte) bool { return strings.IndexByte("=>:|?,", c) >= 0 }
func isOpening(c byte) bool  { return strings.IndexByte(" \t\r\n'\"`", c) >= 0 }
