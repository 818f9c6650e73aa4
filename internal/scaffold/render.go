package scaffold

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

//go:embed candor.yaml.tmpl
var source string

// quote writes a string as YAML reads it back: Go's escapes are YAML's too.
var page = template.Must(template.New(FileName).Funcs(template.FuncMap{"quote": strconv.Quote}).Parse(source))

// render gives the text of candor.yaml.
func (f *Found) render() ([]byte, error) {
	examples := append([]string{}, f.Folders...)
	for _, more := range []string{"public", "private"} {
		if len(examples) < 2 {
			examples = append(examples, more)
		}
	}
	for i, e := range examples {
		examples[i] = literal(e) + "/**"
	}
	var b bytes.Buffer
	err := page.Execute(&b, map[string]any{
		"Found": f, "Root": f.root(), "Shared": examples[0], "Private": examples[1],
	})
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", FileName, err)
	}
	return b.Bytes(), nil
}

// root is the vault as the file names it: from its own folder when the vault lies
// there, so that both can move together.
func (f *Found) root() string {
	rel, err := filepath.Rel(filepath.Dir(f.File), f.Vault)
	path := "./" + filepath.ToSlash(rel)
	switch {
	case err != nil || rel == ".." || strings.HasPrefix(filepath.ToSlash(rel), "../"):
		path = f.Vault
	case rel == ".":
		path = "."
	}
	return strings.NewReplacer("$", "$$", "%", "%%").Replace(path)
}
