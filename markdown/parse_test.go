package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the testdata expects")

func TestParse(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { parseFile(t, file) })
	}
}

func parseFile(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{}
	_, _ = fmt.Sscanf(string(ar.Comment), "words: %d", &opt.Words)
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
		src := string(f.Data)
		doc := parse(src, opt)
		check(t, src, opt, doc)
		got := show(doc)
		out.Files = append(out.Files, f, txtar.File{Name: name + ".doc", Data: []byte(got)})
		if diff := cmp.Diff(want[name+".doc"], got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// show writes a document as readable lines.
func show(d Doc) string {
	var b strings.Builder
	if d.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", d.Title)
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "section %d-%d: h%d %q in %q, piece %d\n",
			s.Lines.Start, s.Lines.End, s.Level, s.Heading, strings.Join(s.Path, " > "), s.Piece)
	}
	for i, p := range d.Pieces {
		fmt.Fprintf(&b, "piece %d, lines %d-%d, %d words: %q\n", i, p.Lines.Start, p.Lines.End, p.Words, strings.Join(p.Heading, " > "))
		if p.Context != "" {
			fmt.Fprintf(&b, "  context: %s\n", p.Context)
		}
		for line := range strings.SplitSeq(p.Text, "\n") {
			fmt.Fprintf(&b, "  |%s\n", line)
		}
		if p.Index != "" {
			fmt.Fprintf(&b, "  index: %s\n", strings.ReplaceAll(p.Index, "\n", "\n       : "))
		}
	}
	for _, l := range d.Links {
		fmt.Fprintf(&b, "link %d: %q to %q, wiki %v\n", l.Line, l.Text, l.Target, l.Wiki)
	}
	if len(d.Tags) > 0 {
		fmt.Fprintf(&b, "tags: %s\n", strings.Join(d.Tags, " "))
	}
	return b.String()
}

// check holds what is true of every document: each line that is not blank is in
// exactly one piece, in order, and the text of a piece is its lines.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, src string, opt Options, d Doc,
) {
	t.Helper()
	first := max(opt.FirstLine, 1)
	lines := strings.Split(foldData(src), "\n")
	for i := range len(lines) - 1 {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	next := first
	gap := func(to int) {
		for ; next < to; next++ {
			if !isBlank(lines[next-first]) {
				t.Errorf("line %d is in no piece: %q", next, lines[next-first])
			}
		}
	}
	for i, p := range d.Pieces {
		if p.Lines.Start < next || p.Lines.End < p.Lines.Start || p.Lines.End >= first+len(lines) {
			t.Errorf("piece %d has lines %v after line %d of %d", i, p.Lines, next-1, len(lines))
			return
		}
		gap(p.Lines.Start)
		next = p.Lines.End + 1
		if want := strings.Join(lines[p.Lines.Start-first:next-first], "\n"); p.Text != want {
			t.Errorf("piece %d is not its lines: %s", i, cmp.Diff(want, p.Text))
		}
		if p.Heading == nil || strings.TrimSpace(p.Text) == "" {
			t.Errorf("piece %d: heading %v, text %q", i, p.Heading, p.Text)
		}
	}
	gap(first + len(lines))
	checkSections(t, d)
}

func checkSections(t interface {
	Helper()
	Errorf(string, ...any)
}, d Doc,
) {
	t.Helper()
	last := 0
	for i, s := range d.Sections {
		if s.Piece < 0 || s.Piece >= len(d.Pieces) || s.Lines.Start <= last || s.Lines.End < s.Lines.Start {
			t.Errorf("section %d: %+v", i, s)
			return
		}
		last = s.Lines.End
		if p := d.Pieces[s.Piece].Lines; s.Lines.Start < p.Start || s.Lines.Start > p.End {
			t.Errorf("section %d at line %d is said to be in lines %v", i, s.Lines.Start, p)
		}
	}
}
