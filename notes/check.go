package notes

import (
	"fmt"
	"slices"
	"strings"

	"candor"
	"candor/internal/visible"
)

// The bounds of what a client gives, in bytes; Options.Bytes bounds body and lesson.
const (
	MaxTitle    = 200
	MaxSummary  = 1000
	MaxTags     = 16
	MaxTag      = 64
	MaxEvidence = 4096 + 64
)

// clean gives the request as it is stored.
func (q NoteRequest) clean(most int) (NoteRequest, error) {
	var c checker
	out := NoteRequest{
		Title:   c.line("title", q.Title, 1, MaxTitle),
		Summary: c.line("summary", q.Summary, 0, MaxSummary),
		Body:    c.text("body", q.Body, most),
		Tags:    []string{},
	}
	if len(q.Tags) > MaxTags {
		c.fail("tags", fmt.Sprintf("must be at most %d", MaxTags))
	}
	for _, tag := range q.Tags {
		tag = strings.ReplaceAll(strings.TrimLeft(c.line("tags", tag, 1, MaxTag), "#"), " ", "-")
		if tag != "" && !slices.Contains(out.Tags, tag) {
			out.Tags = append(out.Tags, tag)
		}
	}
	return out, c.err
}

// clean gives the request as it is stored; evidence is not text and is resolved.
func (q EntryRequest) clean(most int) (EntryRequest, error) {
	var c checker
	out := EntryRequest{
		Subject:  c.line("subject", q.Subject, 1, MaxTitle),
		Lesson:   c.text("lesson", q.Lesson, most),
		Evidence: q.Evidence,
	}
	if len(q.Evidence) == 0 || len(q.Evidence) > MaxEvidence {
		c.fail("evidence", fmt.Sprintf("must be the id of a citation, of 1 to %d bytes", MaxEvidence))
	}
	return out, c.err
}

// checker cleans fields and keeps the first fault.
type checker struct{ err error }

func (c *checker) fail(field, why string) {
	if c.err == nil {
		c.err = &candor.InputError{Field: field, Why: why}
	}
}

// line cleans a text of one line.
func (c *checker) line(field, s string, least, most int) string {
	shown, _ := visible.Text(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "))
	if shown = strings.TrimSpace(shown); len(s) > most || len(shown) < least {
		c.fail(field, fmt.Sprintf("must be visible text of %d to %d bytes", least, most))
	}
	return shown
}

// text cleans a text of many lines.
func (c *checker) text(field, s string, most int) string {
	shown, _ := visible.Text(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"))
	if shown = strings.Trim(shown, "\n"); len(s) > most || strings.TrimSpace(shown) == "" {
		c.fail(field, fmt.Sprintf("must be visible text of 1 to %d bytes", most))
	}
	return shown
}

// holdsSecret asks the masker: what it would mask, as given or as stored, is not written
// at all.
func (z *Zone) holdsSecret(texts ...string) bool {
	return slices.ContainsFunc(texts, z.opt.Secret)
}
