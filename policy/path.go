package policy

import (
	"io/fs"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"candor"
)

// CleanPath gives the form in which a path of a request is looked up: '\' becomes '/',
// empty and "." parts go, the text becomes NFC. It is lexical and keeps all that could
// name another file: "..", a leading or trailing '/', percent forms, other case. Those
// are in no catalogue and so are plain misses.
func CleanPath(s string) candor.Path {
	s = strings.ReplaceAll(s, `\`, "/")
	s = norm.NFC.String(s)
	if !needsClean(s) {
		return candor.Path(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	if strings.HasPrefix(s, "/") {
		b.WriteByte('/')
	}
	last := ""
	first := true
	for part := range strings.SplitSeq(s, "/") {
		last = part
		if part == "" || part == "." {
			continue
		}
		if !first {
			b.WriteByte('/')
		}
		first = false
		b.WriteString(part)
	}
	if (last == "" || last == ".") && !first {
		b.WriteByte('/') // "a.md/" asks for something inside a file
	}
	return candor.Path(b.String())
}

// needsClean reports whether s has an empty or a "." part.
func needsClean(s string) bool {
	return strings.HasPrefix(s, "./") || strings.HasSuffix(s, "/.") || s == "." ||
		strings.Contains(s, "//") || strings.Contains(s, "/./")
}

// clean reports whether p could be the path of a note: relative, NFC, valid UTF-8, and
// without parts that lead elsewhere.
func clean(p candor.Path) bool {
	s := string(p)
	return s != "." && fs.ValidPath(s) && !strings.Contains(s, `\`) && norm.NFC.IsNormalString(s)
}

// fold is the case-folded NFC form, for matching only.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hidden reports whether a part of a path is the name of something that tools keep for
// themselves; such folders hold copies of notes, denied ones too.
func hidden(part string) bool {
	return strings.HasPrefix(part, ".") || strings.EqualFold(part, "node_modules") ||
		strings.EqualFold(part, "$RECYCLE.BIN")
}
