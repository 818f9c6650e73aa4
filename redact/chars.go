package redact

import "strings"

// Classes of bytes. Secrets are ASCII; a byte beyond it is in no class.
const (
	classWord  = 1 << iota // letters, digits, '_'
	classAlnum             // letters, digits
	classToken             // what keys and base64 are made of
	classDigit
	classLetter
)

var classes = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			t[c] = classWord | classAlnum | classToken | classLetter
		case '0' <= b && b <= '9':
			t[c] = classWord | classAlnum | classToken | classDigit
		case b == '_':
			t[c] = classWord | classToken
		case strings.IndexByte("+/=.-", b) >= 0:
			t[c] = classToken
		}
	}
	return t
}()

func isWord(c byte) bool   { return classes[c]&classWord != 0 }
func isAlnum(c byte) bool  { return classes[c]&classAlnum != 0 }
func isDigit(c byte) bool  { return classes[c]&classDigit != 0 }
func inToken(c byte) bool  { return classes[c]&classToken != 0 }
func isBase64(c byte) bool { return isAlnum(c) || c == '+' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }

// run is the length of the token that s begins with.
func run(s string) int {
	i := 0
	for i < len(s) && inToken(s[i]) {
		i++
	}
	return i
}

func isLetters(s string) bool {
	for i := range len(s) {
		if classes[s[i]]&classLetter == 0 {
			return false
		}
	}
	return true
}
