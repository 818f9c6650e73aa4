package evals

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Format is how a report is written.
type Format int

// The formats.
const (
	Text     Format = iota // columns aligned by spaces, for a terminal
	Markdown               // pipe tables, for a pull request
)

// Table is rows under a header. Columns of numbers are set to the right.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Add appends a row; floats are written with three decimals.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		if v, ok := cell.(float64); ok {
			row[i] = fmt.Sprintf("%.3f", v)
		} else {
			row[i] = fmt.Sprint(cell)
		}
	}
	t.Rows = append(t.Rows, row)
}

// Write writes the table, a blank line after it; a table without rows is left out.
func (t Table) Write(w io.Writer, format Format) error {
	if len(t.Rows) == 0 {
		return nil
	}
	var b strings.Builder
	if format == Markdown {
		t.markdown(&b)
	} else {
		t.text(&b)
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

func (t Table) markdown(b *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintf(b, "### %s\n\n", t.Title)
	}
	rule := make([]string, len(t.Header))
	for i := range rule {
		rule[i] = "---"
		if t.numeric(i) {
			rule[i] = "---:"
		}
	}
	for i, row := range append([][]string{t.Header, rule}, t.Rows...) {
		for _, cell := range row {
			if i != 1 {
				cell = mention.ReplaceAllString(cellEscapes.Replace(cell), "&#64;$1")
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
	}
}

// Ids come from vaults and topic files: they must not become markup, an image or a
// mention of a person.
var (
	cellEscapes = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "`", "'", "[", `\[`)
	mention     = regexp.MustCompile(`@([A-Za-z])`)
)

func (t Table) text(b *strings.Builder) {
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	rows := append([][]string{t.Header}, t.Rows...)
	widths := make([]int, len(t.Header))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.numeric(i) {
				cell, gap = gap+cell, ""
			}
			line.WriteString("  " + cell + gap)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// numeric reports whether every cell of a column begins as a number does.
func (t Table) numeric(column int) bool {
	for _, row := range t.Rows {
		if cell := row[column]; cell != "" && !strings.ContainsRune("+-.0123456789", rune(cell[0])) {
			return false
		}
	}
	return true
}
