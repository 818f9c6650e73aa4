package vault

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isNote reports whether a name on the disk is that of a note. The files that editors
// make while they save do not end like one, save two.
func isNote(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return !strings.HasPrefix(name, ".#") && !strings.HasPrefix(name, "~$")
	}
	return false
}

// nameFault says why a name cannot be part of a path, or "".
func nameFault(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "name is not UTF-8"
	case strings.Contains(name, `\`):
		return `name holds a \, which means / in a request`
	case strings.ContainsFunc(name, misleads):
		return "name holds a control character"
	}
	return ""
}

// misleads reports whether a character breaks the line that shows it or turns it round.
func misleads(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
