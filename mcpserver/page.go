package mcpserver

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"candor"
	"candor/internal/visible"
	"candor/provenance"
)

// longestValue bounds a title, heading or other short value in the text form, in bytes.
const longestValue = 300

// page is the text form of one result. What comes from notes is shown revealed and
// defanged; passages stand between boundary lines that hold the page's nonce.
type page struct {
	strings.Builder
	nonce  string
	hidden int // characters dropped because they show nothing
}

// line writes one line.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// quote writes a passage between boundary lines. The last one names the passage again,
// so that it keeps its citation where a client cuts out the middle.
func (p *page) quote(text, id string) {
	p.line("--- %s begin ---", p.nonce)
	p.line("%s", p.safe(text))
	p.line("--- %s end %s ---", p.nonce, p.id(id))
}

// safe gives text as it can be shown.
func (p *page) safe(text string) string {
	text, dropped := visible.Text(text)
	p.hidden += dropped
	return provenance.Defang(defang(text))
}

// id gives a name or citation id in full, on one line.
func (p *page) id(name string) string {
	name = p.safe(name)
	return strings.NewReplacer("\n", `\u{A}`, "\t", `\u{9}`).Replace(name)
}

// value gives a short value in quotes, on one line and not longer than longestValue.
func (p *page) value(s string) string { return `"` + p.bare(s, longestValue) + `"` }

// bare is value without quotes around it.
func (p *page) bare(s string, most int) string {
	s = strings.Join(strings.Fields(p.safe(s)), " ")
	if len(s) > most {
		cut := most
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.ReplaceAll(s, `"`, `\"`)
}

// values gives a list of short values.
func (p *page) values(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = p.value(s)
	}
	return strings.Join(out, ", ")
}

// flags gives the flags of a passage or note.
func (p *page) flags(flags []candor.Flag) string {
	if len(flags) == 0 {
		return "none"
	}
	out := make([]string, len(flags))
	for i, f := range flags {
		out[i] = p.bare(string(f), longestValue)
	}
	return strings.Join(out, ", ")
}

// heading gives a heading path.
func (p *page) heading(path []string) string {
	if len(path) == 0 {
		return "none"
	}
	return p.value(strings.Join(path, " > "))
}

// more says whether and how to go on.
func (p *page) more(left int, cursor string) string {
	if cursor == "" {
		return fmt.Sprintf("more: %d | next_cursor: none", left)
	}
	return fmt.Sprintf("more: %d | next_cursor: %s", left, p.id(cursor))
}
