package main

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"candor/kb"
)

// deep asks with everything told, and gives the answer as bytes.
func deep(t *testing.T, b *kb.Base, query string) string {
	t.Helper()
	var out []string
	req := kb.SearchRequest{Query: query, Limit: 50, Explain: true}
	for {
		a, err := b.Search(t.Context(), req)
		if err != nil {
			t.Fatalf("%.40q: %v", query, err)
		}
		for _, h := range a.Hits {
			if h.Explain == nil || h.Explain.Lexical == nil || math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score <= 0 {
				t.Errorf("%.40q: score %v", query, h.Score)
			}
		}
		out = append(out, mustJSON(a)) // a number that JSON lacks would not do
		if req.Cursor = a.NextCursor; req.Cursor == "" {
			return strings.Join(out, "\n")
		}
	}
}

// numbered makes n notes of one text.
func numbered(n int, text string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("public/n%03d.md", i)] = text
	}
	return files
}

// Vaults of no, one, equal, empty and huge notes answer, in an order that nothing but
// the notes decides: the same bytes again and again, and from another folder.
func TestDegenerateVaults(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	equal := numbered(30, "# Same\n\nshared words of the same length\n")
	ties := map[string]string{}
	for i := range 30 {
		ties[fmt.Sprintf("public/t%02d.md", i)] = fmt.Sprintf("# Tie\n\nshared w%02d\n", i)
	}
	vaults := map[string]map[string]string{
		"no notes": {}, "one note": {"public/one.md": "shared"}, "equal": equal, "ties": ties, "empty": numbered(20, ""),
		"blank": numbered(20, "\n \n\t\n"), "only front matter": numbered(20, "---\ntitle: shared\n---\n"), "only headings": numbered(20, "# \n## \n# shared\n"),
		"one of many empty": merged(numbered(20, ""), map[string]string{"public/one.md": "shared words"}),
		"headings":          {"public/h.md": strings.Repeat("# shared\n", 50_000)},
		"one long note":     {"public/l.md": strings.Repeat("shared words and more of them in a long line. ", 30_000)},
		"long and lines":    {"public/l.md": strings.Repeat("shared words\n\n", 300_000)},
		"one word":          {"public/w.md": strings.Repeat("shared ", 500_000)},
	}
	queries := []string{"shared", "shared words of the same length", "w07", "nothing of it", "one", "Same"}
	for name, files := range vaults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := func(s *site) string {
				var out []string
				for _, q := range queries {
					out = append(out, deep(t, s.base(), q))
				}
				return strings.Join(out, "\n")
			}
			s := openSite(t, files, "staff")
			want := ask(s)
			for range 5 {
				if got := ask(s); got != want {
					t.Fatal("the same question is answered in other bytes")
				}
			}
			// Cursors are sealed with the key of the user, which is the same one.
			if got := ask(openSite(t, maps.Clone(files), "staff")); got != want {
				t.Error("another folder gives another answer")
			}
			if len(files) > 0 && name != "empty" && name != "blank" && !strings.Contains(want, `"rank":1`) {
				t.Error("nothing is found: the test proves nothing")
			}
		})
	}
}

// Questions made to hurt are answered, abstained from or refused, at once and in words.
func TestQueryBombs(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	s := openSite(t, numbered(50, "# Same\n\nshared words of the note, and others\n"), "staff")
	var terms strings.Builder
	for i := 0; terms.Len() < 4000; i++ {
		fmt.Fprintf(&terms, "w%d ", i)
	}
	for name, q := range map[string]string{
		"expanding": strings.Repeat("\ufdfa", 1365), "distinct": terms.String(), "stop words": strings.TrimSpace(strings.Repeat("the of and ", 370)),
		"marks": strings.Repeat(`!?"-*`, 800), "repeats": strings.Repeat("shared ", 580), "letters": strings.Repeat("a", 4096),
		"quotes": strings.Repeat(`"shared `, 500), "minus": strings.Repeat("-shared ", 500), "combining": "e" + strings.Repeat("\u0301", 2000),
		"joiners": strings.Repeat("\u200d", 1300) + "a", "compounds": strings.Repeat("a.b_c-", 680), "camel": strings.Repeat("aB", 2040),
		"han": strings.Repeat("予約", 680), "thai": strings.Repeat("กา", 680), "control": strings.Repeat("\x01a", 2000),
	} {
		if len(q) > 4096 {
			t.Fatalf("%s: %d bytes", name, len(q))
		}
		deep(t, s.base(), q)
	}
	for name, q := range map[string]string{
		"a megabyte": strings.Repeat("x ", 1<<19), "hundred thousand terms": strings.Repeat("\ufdfa", 100_000), "one over": strings.Repeat("a", 4097), "blank": " \t\n\u00a0",
	} {
		if _, err := s.base().Search(t.Context(), kb.SearchRequest{Query: q}); err == nil || len(err.Error()) > 200 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
