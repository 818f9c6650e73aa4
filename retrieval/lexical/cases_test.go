package lexical

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/unicode/norm"

	"candor"
)

// TestCases asks the queries of each vault in testdata. After the arrow stand the first
// hits in order, and with '!' what may not be a hit; nothing at all means no hit.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatal("cases are missing:", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for _, form := range []norm.Form{norm.NFC, norm.NFD} {
				x, chunks, queries := vault(t, file, form)
				for _, line := range queries {
					query, want, _ := strings.Cut(line, "=>")
					check(t, x, chunks, strings.TrimSpace(query), strings.Fields(want))
				}
			}
		})
	}
}

// vault makes an index of the notes in a case, their text in one Unicode form.
func vault(t *testing.T, file string, form norm.Form) (*Index, []*candor.Chunk, []string) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	if l, ok := strings.CutPrefix(string(ar.Comment), "# languages: "); ok {
		l, _, _ = strings.Cut(l, "\n")
		o.Languages = strings.Fields(l)
	}
	var chunks []*candor.Chunk
	var queries []string
	for _, f := range ar.Files {
		if f.Name == "queries" {
			queries = strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
			continue
		}
		chunks = append(chunks, note(f.Name, "", form.String(strings.TrimSpace(string(f.Data)))))
	}
	return index(o, chunks...), chunks, queries
}

func check(t *testing.T, x *Index, chunks []*candor.Chunk, query string, want []string) {
	t.Helper()
	var got []string
	for _, h := range ask1(t, x, query).Hits {
		got = append(got, string(chunks[h.Slot].Path))
	}
	first, _ := cutFunc(want, func(s string) bool { return s[0] == '!' })
	if len(want) == 0 && len(got) > 0 || !slices.Equal(first, got[:min(len(first), len(got))]) {
		t.Errorf("%s: got %v, want first %v", query, got, first)
	}
	for _, w := range want[len(first):] {
		if slices.Contains(got, w[1:]) {
			t.Errorf("%s: got %v, which may not hold %s", query, got, w[1:])
		}
	}
}

func cutFunc(s []string, f func(string) bool) (before, after []string) {
	if i := slices.IndexFunc(s, f); i >= 0 {
		return s[:i], s[i:]
	}
	return s, nil
}

// TestShortAnswerBeatsDiary: a short note that answers comes before a long one that has
// each word of the question once.
func TestShortAnswerBeatsDiary(t *testing.T) {
	filler := strings.Repeat("walked along the river and thought of lunch ", 1100)
	diary := "The printer. " + filler + " The toner. " + filler + " We replace things."
	x := index(Options{}, note("a-diary.md", "", diary), note("b.md", "", "To replace the printer toner open the front lid and pull the green lever."))
	if r := ask1(t, x, "replace printer toner"); len(r.Hits) != 2 || r.Hits[0].Slot != 1 {
		t.Errorf("hits %+v", r.Hits)
	}
}

// TestTiesGoByPath: equal chunks keep one order, wherever they stand in the index.
func TestTiesGoByPath(t *testing.T) {
	var chunks []*candor.Chunk
	for i := range 30 {
		chunks = append(chunks, note(string(rune('a'+i%26))+"/"+string(rune('z'-i%25))+".md", "same", "gyrfalcon"))
	}
	for _, order := range [][]*candor.Chunk{chunks, reversed(chunks)} {
		x := index(Options{}, order...)
		last := candor.Path("")
		for _, h := range ask1(t, x, "gyrfalcon").Hits {
			if p := order[h.Slot].Path; p < last {
				t.Errorf("%s after %s", p, last)
			} else {
				last = p
			}
		}
	}
}

func reversed(chunks []*candor.Chunk) []*candor.Chunk {
	out := slices.Clone(chunks)
	slices.Reverse(out)
	return out
}
