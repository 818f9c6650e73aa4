// Package frontmatter splits the YAML header of a note from its body and reads the
// fields that count: title, tags, aliases, status, superseded_by, supersedes, updated,
// valid_until and candor, which narrows who may see the note.
//
// # The header
//
// It stands between a line of --- and a line of --- or ... at the start of the note,
// in its first 64 KiB; a byte order mark, blank lines before it, white space after the
// marks and CRLF are tolerated. Keys are compared without case, and '-' or a space in
// a key is '_'. A field that takes a list takes one value too.
//
// # Errors are never fatal
//
// A header that is not YAML is read line by line as far as that goes, so that a note
// marked as superseded is not given as current because of a typo elsewhere. An
// impossible date is left out. Header.Err says what was wrong and repeats no value.
//
// # The audience
//
//	candor: {profiles: [staff]}   only these, of those that policy allows
//	candor: {profiles: []}        nobody
//	candor: false                 nobody
//
// Any other form, or one that cannot be read for certain, denies the note to all.
package frontmatter

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// maxBytes is the longest header.
const maxBytes = 64 << 10

// Header is what the front matter of a note says. The zero value is a note without.
type Header struct {
	Lines        int // lines that it takes, both fences included; 0 without one
	Title        string
	Tags         []string // without '#', lower case, each once
	Aliases      []string
	Status       string
	SupersededBy []string // targets of links, without their brackets
	Supersedes   []string
	Updated      time.Time // zero if not given; midnight UTC if only a day is
	ValidUntil   time.Time // likewise
	Profiles     []string  // who may see it, when Narrowed
	Narrowed     bool      // an audience is given; with no Profiles it is nobody
	Denied       bool      // an audience is given but cannot be read: nobody
	Words        []string  // the other values, for search
	Err          error     // what could not be read
}

// The errors of a header, joined in Header.Err.
var (
	errSyntax   = errors.New("front matter is not YAML: read line by line; quote values that hold a colon")
	errUnclosed = errors.New("front matter is not closed by --- within 64 KiB: taken as text")
	errAudience = errors.New("front matter: candor must be false or {profiles: [names]}: denied to all")
)

// Split parts the header from the body of a note. Without a header the body is text.
func Split(text string) (Header, string) {
	f, ok := find(text)
	if !ok {
		return Header{}, text
	}
	var r reader
	switch {
	case f.closed && r.document(f.header):
	case looksLikeHeader(f.header) && f.sure():
		r.salvage(f.header)
		r.fail(errSyntax)
	default: // a rule, then prose
		r.Denied = mentionsAudience(f.header)
		return r.finish(0), text
	}
	if !f.closed {
		r.errs = []error{errUnclosed}
		return r.finish(0), text
	}
	return r.finish(f.lines), f.body
}

// Map gives the header with each value through f, as for masking. Profiles stay: they
// are compared, never shown.
func (h Header) Map(f func(string) string) Header {
	h.Title, h.Status = mapped(h.Title, f), mapped(h.Status, f)
	for _, list := range []*[]string{&h.Tags, &h.Aliases, &h.SupersededBy, &h.Supersedes, &h.Words} {
		*list = slices.Clone(*list)
		for i, s := range *list {
			(*list)[i] = mapped(s, f)
		}
	}
	return h
}

func mapped(s string, f func(string) string) string {
	if s == "" {
		return ""
	}
	return f(s)
}

// frame is where a header may stand.
type frame struct {
	header string // between the fences, or up to the first blank line if not closed
	body   string
	lines  int
	closed bool
	blank  bool // blank lines stand before it
}

// sure reports that the place alone makes it a header, even if it is no YAML.
func (f frame) sure() bool { return !f.blank }

// find looks for the fences.
func find(text string) (frame, bool) {
	f := frame{}
	at := 0
	if strings.HasPrefix(text, "\ufeff") {
		at = len("\ufeff")
	}
	line, next := lineAt(text, at)
	for ; line == "" && next < len(text) && next < maxBytes; line, next = lineAt(text, next) {
		f.blank = true
		f.lines++
	}
	if line != "---" {
		return frame{}, false
	}
	f.lines++
	start, gap := next, -1
	for at = next; at < len(text) && at-start <= maxBytes; at = next {
		line, next = lineAt(text, at)
		f.lines++
		if line == "---" || line == "..." {
			f.header, f.body, f.closed = text[start:at], text[next:], true
			return f, true
		}
		if line == "" && gap < 0 {
			gap = at
		}
	}
	if gap < 0 {
		gap = at
	}
	f.header = text[start:min(gap, start+maxBytes, len(text))]
	return f, true
}

// lineAt gives the line at i without the white space at its end, and the place of the
// next.
func lineAt(text string, i int) (line string, next int) {
	line, next = text[i:], len(text)
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line, next = line[:n], i+n+1
	}
	return strings.TrimRight(line, " \t\r"), next
}
