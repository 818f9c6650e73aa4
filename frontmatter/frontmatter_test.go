package frontmatter_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"candor/frontmatter"
)

var update = flag.Bool("update", false, "rewrite what the testdata expects")

func TestSplit(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { splitFile(t, file) })
	}
}

func splitFile(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range ar.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		name, ok := strings.CutSuffix(f.Name, ".md")
		if !ok {
			continue
		}
		got := show(frontmatter.Split(string(f.Data)))
		out.Files = append(out.Files, f, txtar.File{Name: name + ".header", Data: []byte(got)})
		if diff := cmp.Diff(want[name+".header"], got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// show writes a header as readable lines, leaving out what is not given.
func show(h frontmatter.Header, body string) string {
	var b strings.Builder
	line := func(name string, v any) { fmt.Fprintf(&b, "%s: %v\n", name, v) }
	text := func(name, s string) {
		if s != "" {
			line(name, s)
		}
	}
	list := func(name string, s []string) {
		if len(s) > 0 {
			line(name, strings.Join(s, " | "))
		}
	}
	date := func(name string, d time.Time) {
		if !d.IsZero() {
			line(name, d.Format(time.RFC3339))
		}
	}
	line("lines", h.Lines)
	text("title", h.Title)
	list("tags", h.Tags)
	list("aliases", h.Aliases)
	text("status", h.Status)
	list("superseded_by", h.SupersededBy)
	list("supersedes", h.Supersedes)
	date("updated", h.Updated)
	date("valid_until", h.ValidUntil)
	list("words", h.Words)
	if h.Narrowed {
		line("profiles", h.Profiles)
	}
	if h.Denied {
		line("denied", true)
	}
	if h.Err != nil {
		text("err", strings.ReplaceAll(h.Err.Error(), "\n", "\nerr: "))
	}
	text("body", strings.TrimSuffix(strings.ReplaceAll(body, "\n", "\\n"), "\\n"))
	return b.String()
}
