package scaffold

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

const (
	appFile    = ".obsidian/app.json"
	maxApp     = 1 << 20
	maxFilters = 1000
)

// obsidian turns the vault's excluded files into deny globs. Those that no glob says
// come back as they are written.
func obsidian(dir string) (globs, unread []string) {
	filters, err := readFilters(dir)
	if err != nil {
		return nil, []string{appFile + ": " + err.Error()}
	}
	for _, f := range filters {
		if made := globsOf(f); made != nil {
			globs = append(globs, made...)
		} else if f != "" {
			unread = append(unread, f)
		}
	}
	return globs, unread
}

func readFilters(dir string) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	defer root.Close()
	info, err := root.Stat(appFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // a vault whose settings were never changed
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("is not a file in the vault")
	}
	f, err := root.Open(appFile)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxApp))
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	var app struct {
		Filters []string `json:"userIgnoreFilters"`
	}
	if json.Unmarshal(data, &app) != nil {
		return nil, errors.New("is not JSON as Obsidian writes it")
	}
	if len(app.Filters) > maxFilters {
		return nil, errors.New("has too many filters")
	}
	return app.Filters, nil
}

// globsOf says a filter in globs: a filter is the beginning of a path or, between
// slashes, a regular expression over it. Nil is for what globs cannot say.
func globsOf(filter string) []string {
	inner, slashed := strings.CutPrefix(filter, "/")
	if slashed && strings.HasSuffix(inner, "/") {
		return globsOfPattern(strings.TrimSuffix(inner, "/"))
	}
	if filter == "" || !speakable(filter) {
		return nil
	}
	return beginning(filter)
}

// beginning are the globs of all paths that begin with some text.
func beginning(text string) []string {
	if folder, ok := strings.CutSuffix(text, "/"); ok {
		return []string{literal(folder) + "/**"}
	}
	return []string{literal(text) + "*", literal(text) + "*/**"}
}

// globsOfPattern knows plain text with or without anchors, which is what people write
// there: /\.excalidraw\.md$/.
func globsOfPattern(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	start := len(parts) > 0 && parts[0].Op == syntax.OpBeginText
	if start {
		parts = parts[1:]
	}
	end := len(parts) > 0 && parts[len(parts)-1].Op == syntax.OpEndText
	if end {
		parts = parts[:len(parts)-1]
	}
	if len(parts) != 1 || parts[0].Op != syntax.OpLiteral {
		return nil
	}
	text := string(parts[0].Rune)
	switch {
	case !speakable(text):
		return nil
	case end && strings.HasSuffix(text, "/"): // no path ends so
		return nil
	case start && end && isNote(text): // the whole path of one note
		return []string{literal(text)}
	case start && end:
		return nil
	case start:
		return beginning(text)
	case end:
		return []string{"**/*" + literal(text)}
	}
	var globs []string
	for _, g := range beginning(text) {
		globs = append(globs, "**/*"+g)
	}
	return globs
}

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// speakable reports whether text can be part of a path as candor writes paths.
func speakable(text string) bool {
	for _, part := range strings.Split(strings.TrimSuffix(text, "/"), "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	odd := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r == unicode.ReplacementChar }
	return !strings.ContainsFunc(text, odd) && !drive.MatchString(text)
}

var escape = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// literal writes text as a glob that matches only it.
func literal(text string) string {
	if strings.HasPrefix(text, "!") {
		text = `\` + text
	}
	return escape.Replace(text)
}
