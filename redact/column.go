package redact

import "strings"

// columnNames are what the last word of a table's header may be for the column to hold
// passwords.
var columnNames = wordSet("password passwd pass passphrase passcode pwd pw psk passwort kennwort contraseña passwords passphrases")

// column masks the values of a table's column whose header names passwords.
func (s *scan) column(start, end int) int {
	from, to := s.line(start)
	if rule := min(len(s.text), to+1); to-from > rowMost || !isHeaderRule(s.text, rule) || !columnNames[lastWord(cellAround(s.text[from:to], start-from))] {
		return 0
	}
	column := barsBefore(s.text[from:to], start-from)
	for at := lineEndAt(s.text, min(len(s.text), to+1)); at+1 < len(s.text); {
		row := s.text[at+1 : lineEndAt(s.text, at+1)]
		if strings.IndexByte(row, '|') < 0 || isHeaderRule(s.text, at+1) || !s.afford(at+1, len(row)) {
			break
		}
		if a, b, ok := cellOf(row, column); ok {
			s.cell(at+1+a, at+1+b)
		}
		at += 1 + len(row)
	}
	return 0
}

// cell masks the value in a cell of passwords.
func (s *scan) cell(start, end int) {
	a := assigned{code: true, sure: true}
	a.value(s.text[:end], skip(s.text[:end], start, " \t*_", end-start))
	if a.start < a.end && a.secret(s.text) {
		s.add(a.start, a.end, kindPassword)
	}
}

// cellAround is the text of the cell at a place of a row.
func cellAround(row string, at int) string {
	from := strings.LastIndexByte(row[:at], '|') + 1
	if i := strings.IndexByte(row[at:], '|'); i >= 0 {
		return row[from : at+i]
	}
	return row[from:]
}

// lastWord is the last word of a header of up to three, without emphasis and what stands
// in brackets; "" for a longer one.
func lastWord(cell string) string {
	if i := strings.IndexByte(cell, '('); i > 0 {
		cell = cell[:i]
	}
	words := strings.FieldsFunc(strings.ToLower(cell[:min(len(cell), 64)]), func(r rune) bool { return strings.ContainsRune(" \t\r*_`:-", r) })
	if len(words) == 0 || len(words) > 3 {
		return ""
	}
	return words[len(words)-1]
}

// barsBefore counts the borders between the first cell of a row and a place in it. A
// bar that is escaped is none.
func barsBefore(row string, at int) int {
	lead := len(row) - len(strings.TrimLeft(row, " \t>"))
	if lead < at && row[lead] == '|' {
		lead++
	}
	return strings.Count(row[min(lead, at):at], "|") - strings.Count(row[min(lead, at):at], `\|`)
}

// cellOf gives where a cell of a row begins and ends.
func cellOf(row string, column int) (start, end int, ok bool) {
	start = len(row) - len(strings.TrimLeft(row, " \t>"))
	if start < len(row) && row[start] == '|' {
		start++
	}
	for i := start; i <= len(row); i++ {
		if i < len(row) && (row[i] != '|' || i > 0 && row[i-1] == '\\') {
			continue
		}
		if column == 0 {
			return start, i, true
		}
		column--
		start = i + 1
	}
	return 0, 0, false
}
