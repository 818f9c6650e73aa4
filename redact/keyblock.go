package redact

import "strings"

const kindPrivateKey = "private-key"

// keyBlockWords begin a private key: PEM and PGP, SSH2, PuTTY.
var keyBlockWords = []string{"-----begin", "---- begin ssh2", "putty-user-key-file-"}

// keyBodyLeast is the key material below which a block is talk about keys.
const keyBodyLeast = 24

// keyBlock masks a private key block from its first line to its END, whatever type
// that names. Without an END it masks the lines that look like key.
func (s *scan) keyBlock(start, end int) int {
	if start > 0 && s.text[start-1] == '-' {
		return 0 // the SSH2 form inside the PEM one
	}
	putty := s.text[start] == 'P' || s.text[start] == 'p'
	at, ok := keyHeader(s.text, end, putty)
	if !ok {
		return 0
	}
	b := keyBody{text: s.text, at: at, headers: true, putty: putty}
	stop, size := b.walk()
	if size < keyBodyLeast {
		return 0
	}
	s.add(start, stop, kindPrivateKey)
	return stop
}

// keyHeader gives the end of the BEGIN marker, if it is one of a private key.
func keyHeader(text string, at int, putty bool) (int, bool) {
	line := text[at:min(len(text), at+160)]
	if putty {
		i := strings.IndexByte(line, '\n')
		return at + i, i >= 0 && strings.Contains(line[:i], ":")
	}
	i := strings.Index(line, "----")
	if i < 0 || strings.ContainsAny(line[:i], "\n\r") || !strings.Contains(strings.ToUpper(line[:i]), "PRIVATE KEY") {
		return 0, false
	}
	for i < len(line) && line[i] == '-' {
		i++
	}
	return at + i, true
}

// keyBody walks over the lines of a key.
type keyBody struct {
	text    string
	at      int
	size    int  // characters of key material so far
	headers bool // header lines such as Proc-Type may still come
	putty   bool
	blanks  int
}

// walk gives where the block ends and how much key material it has.
func (b *keyBody) walk() (stop, size int) {
	stop = b.at
	for b.at < len(b.text) {
		next := len(b.text)
		if i := strings.IndexByte(b.text[b.at:], '\n'); i >= 0 {
			next = b.at + i + 1
		}
		line := b.text[b.at:next]
		if i := strings.Index(line, "----"); i >= 0 {
			return b.marker(line, i, stop), b.size
		}
		n, ok := b.material(line)
		if !ok {
			break
		}
		if b.size += n; n > 0 {
			stop = b.at + len(strings.TrimRight(line, "\r\n"))
		}
		b.at = next
		if b.putty && strings.HasPrefix(line, "Private-MAC:") {
			return b.at - len(line) + len(strings.TrimRight(line, "\r\n")), b.size
		}
	}
	return stop, b.size
}

// marker ends the walk at a line with dashes: after an END, before anything else.
func (b *keyBody) marker(line string, i, stop int) int {
	n, ok := b.material(line[:i])
	if !ok && b.size == 0 {
		n, ok = len(line[:i]), strings.Contains(line[:i], `\n`) // one line with escaped breaks
	}
	if !ok {
		return stop
	}
	b.size += n
	rest := strings.TrimLeft(line[i:], "- ")
	if !strings.HasPrefix(strings.ToUpper(rest), "END") {
		return max(stop, b.at+len(strings.TrimRight(line[:i], " \t\\n")))
	}
	end := len(line) - len(rest)
	if j := strings.Index(rest, "----"); j >= 0 {
		for j < len(rest) && rest[j] == '-' {
			j++
		}
		return b.at + end + j
	}
	return b.at + len(strings.TrimRight(line, "\r\n"))
}

// material counts the key characters of a line; ok is false where the line is none of
// a key's.
func (b *keyBody) material(line string) (n int, ok bool) {
	line = strings.TrimLeft(line, " \t>|*#\"'`")
	line = strings.TrimRight(line, " \t\r\n\\,;|\"'`")
	line = strings.TrimSuffix(line, `\n`)
	line = strings.TrimRight(line, "\"' +")
	if line == "" {
		b.blanks++
		return 0, b.blanks <= 3
	}
	if b.isHeader(line) {
		return 0, true
	}
	for i := range len(line) {
		c := line[i]
		switch {
		case isAlnum(c) || c == '+' || c == '/' || c == '=':
			n++
		case c >= 0x80: // an invisible character
		case c == '\\' && i+1 < len(line) && (line[i+1] == 'n' || line[i+1] == 'r'):
		default:
			return 0, false
		}
	}
	if b.blanks > 0 && b.size > 0 && n < 16 {
		return 0, false // a word in a paragraph of its own
	}
	b.headers, b.blanks = b.putty, 0
	return n, true
}

// isHeader knows the lines such as "Proc-Type: 4,ENCRYPTED" before the material.
func (b *keyBody) isHeader(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	if !ok || !b.headers || name == "" || len(name) > 40 {
		return false
	}
	for i := range len(name) {
		if !isAlnum(name[i]) && name[i] != '-' {
			return false
		}
	}
	return true
}
