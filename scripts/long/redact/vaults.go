package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// notes reads the markdown files under a folder.
func notes(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(strings.ToLower(path), ".md") {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = strings.ToValidUTF8(string(b), "\uFFFD")
		return err
	})
	return out, err
}

// vaults counts the masks in each vault. A person has to judge them: -show prints the
// lines.
func (r *runner) vaults(dir string) error {
	vaults, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, v := range vaults {
		texts, err := notes(filepath.Join(dir, v.Name()))
		if err != nil {
			return err
		}
		r.vault(v.Name(), texts)
	}
	return nil
}

func (r *runner) vault(name string, texts map[string]string) {
	kinds := map[string]int{}
	lines, masks := 0, 0
	for path, text := range texts {
		clean := r.redactor.Clean(text)
		was, is := strings.Split(text, "\n"), strings.Split(clean.String(), "\n")
		lines += len(was)
		if len(was) != len(is) {
			r.line(false, "%s: %d lines became %d", path, len(was), len(is))
		}
		for _, f := range clean.Findings() {
			masks++
			kinds[f.Kind]++
			r.print("  %s:%d %s | %s", path, f.Line, f.Kind, cut(was[f.Line-1]))
		}
	}
	var names []string
	for k, n := range kinds {
		names = append(names, fmt.Sprintf("%s %d", k, n))
	}
	sort.Strings(names)
	fmt.Printf("     %s: %d masks in %d lines, %.2f in 10,000 (%s)\n", name, masks, lines, 1e4*float64(masks)/float64(lines), strings.Join(names, ", "))
}

func cut(s string) string {
	if len(s) > 240 {
		return s[:240]
	}
	return s
}

// speed times one thread over all notes of a folder. It adds up the best of five for
// each note, so that a busy machine counts little.
func (r *runner) speed(dir string) error {
	texts, err := notes(dir)
	if err != nil {
		return err
	}
	bytes, best := 0, time.Duration(0)
	for _, t := range texts {
		bytes += len(t)
		least := time.Hour
		for range 5 {
			start := time.Now()
			r.redactor.Clean(t)
			least = min(least, time.Since(start))
		}
		best += least
	}
	rate := float64(bytes) / (1 << 20) / best.Seconds()
	r.line(rate >= 25, "speed: %.0f MiB/s, one thread, %d notes, %.1f MiB", rate, len(texts), float64(bytes)/(1<<20))
	return nil
}

// worstLine times lines of 1 MiB that are hard on expressions.
func (r *runner) worstLine() {
	const size = 1 << 20
	var worst time.Duration
	what := ""
	for _, unit := range slices.Concat(hardUnits, hardLines) {
		text := strings.Repeat(unit, size/len(unit)+1)[:size]
		d := time.Hour
		for range 2 {
			start := time.Now()
			r.redactor.Clean(text)
			d = min(d, time.Since(start))
		}
		r.print("  %-28q %v", unit, d.Round(time.Millisecond))
		if d > worst {
			worst, what = d, unit
		}
	}
	r.line(worst <= 300*time.Millisecond, "worst line of 1 MiB: %v, of %q", worst.Round(time.Millisecond), what)
}

var hardUnits = []string{
	"a", "key=", "key=key= ", "0123456789", "QWxhZGRpbjpvcGVuIHNlc2FtZQ", "{", "}", "a{", "flag{a}", "[", "]", "(", "://", "a://b:c@", "a://",
	"password=", "password: a1b2c3 ", "token ", "the token is ", "curl -u a:b ", "curl ", "sk-", "ghp_", "xoxb-1", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----",
	"**a", "&#65;", "\\", "\\_", "\u200b", "eyJ", "ey.", "AKIA", "secret=\"a1b2c3d4e5f6g7h8\" ", "data:", "data:image/png;base64,", "$6$", "api_key=abc123def456 ",
	"twitter: 0", "facebook 12345678901234567|", "q~", "| password ", "authorization: ", "is ", "[REDACTED:a]", "[REDACTED:", "<b>", "a<b>", "ＡＫＩＡ",
	"AKIA|", "| AKIAAB ", "ghp_12</td><td>", "<td>AKIA", "ghp_ab<!-- -->", "%41", "a__b", "sk-ab|", "| password |", "key-1|",
	"authorization=", "ZmxhZ3t4=", "AKIA" + "IOSFODNN7EXAMPLE/", "token=", "secret-", "bearer-", "pass/", "eyJhbGciOi.", "$6$a$", "key is ",
}

// hardLines are short lines, as many as fill the size: hard on what looks from line to
// line.
var hardLines = []string{"AK\n", "| AKIA |\n", "- ghp_ab\n", "| password |\n|---|\n| a |\n", "|password|password|\n|---|\n", "1. xoxb\n"}
