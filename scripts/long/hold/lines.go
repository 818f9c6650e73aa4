package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"candor"
)

// masks and left out data are what may differ between a passage and its file.
var leftOut = regexp.MustCompile(`\[REDACTED:[^\]]*\]|…`)

// cited compares a passage with what sed prints of its lines.
func cited(dir string, path candor.Path, lines candor.Span, text string) error {
	want, err := printed(filepath.Join(dir, filepath.FromSlash(string(path))), lines)
	if err != nil {
		return err
	}
	got := strings.Split(text, "\n")
	if len(got) != len(want) {
		return fmt.Errorf("%s:%d-%d: %d lines in the file, %d in the passage", path, lines.Start, lines.End, len(want), len(got))
	}
	for i := range got {
		if got[i] != want[i] && !masked(got[i], want[i]) {
			return fmt.Errorf("%s:%d: %q in the file, %q in the passage", path, lines.Start+i, want[i], got[i])
		}
	}
	return nil
}

// masked reports whether a line is the file's but for masks and data left out. A line
// within a masked block is empty.
func masked(got, want string) bool {
	if got == "" {
		return true
	}
	if !leftOut.MatchString(got) {
		return false
	}
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for i, part := range leftOut.Split(got, -1) {
		if i > 0 {
			pattern.WriteString(`.*`)
		}
		pattern.WriteString(regexp.QuoteMeta(part))
	}
	return regexp.MustCompile(pattern.String() + `$`).MatchString(want)
}

// printed gives lines of a file as `sed -n a,bp` does, the CR before LF dropped and
// what is no text replaced. A file in UTF-16 is decoded first, since sed reads bytes.
func printed(file string, lines candor.Span) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []byte
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		out = pick(wide(data[2:], binary.LittleEndian), lines)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		out = pick(wide(data[2:], binary.BigEndian), lines)
	default:
		sed := exec.Command("sed", "-n", fmt.Sprintf("%d,%dp", lines.Start, lines.End), "--", file)
		sed.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
		if out, err = sed.Output(); err != nil {
			return nil, fmt.Errorf("sed: %w", err)
		}
		if lines.Start == 1 {
			out = bytes.TrimPrefix(out, []byte("\xef\xbb\xbf"))
		}
	}
	var list []string
	for line := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte("\n")), []byte("\n")) {
		list = append(list, legible(bytes.TrimSuffix(line, []byte("\r"))))
	}
	return list, nil
}

// pick gives some lines of a text.
func pick(text []byte, lines candor.Span) []byte {
	all := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(all[min(len(all), lines.Start-1):min(len(all), lines.End)], nil)
}

// wide decodes UTF-16.
func wide(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// legible replaces each byte that is no text.
func legible(line []byte) string {
	var b strings.Builder
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == 0 {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		line = line[size:]
	}
	return b.String()
}
