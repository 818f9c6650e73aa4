package evals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"candor"
)

// unpack writes an archive of testdata into a temporary folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenBEIR(t *testing.T) {
	dir := unpack(t, "collections.txtar")
	for _, tc := range []struct {
		name, dir, split string
		queries          []string
		qrels            Qrels
	}{
		{"default", "plain", "", []string{"q1", "q2"}, Qrels{"q1": {"a": 1}, "q2": {"b": 2, "c": 0}}},
		{"train", "plain", "train", []string{"r1"}, Qrels{"r1": {"c": 1}}},
		{"without answers", "plain", "unanswerable", []string{"u1"}, nil},
		{"as BEIR ships", "original", "", []string{"q1"}, Qrels{"q1": {"a": 1}}},
		{"a split as BEIR ships", "original", "dev", []string{"q2"}, Qrels{"q2": {"a": 1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := OpenBEIR(filepath.Join(dir, tc.dir), tc.split)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, q := range c.Queries {
				ids = append(ids, q.ID)
			}
			if diff := cmp.Diff(tc.queries, ids); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.qrels, c.Qrels); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOpenBEIRErrors(t *testing.T) {
	dir := unpack(t, "collections.txtar")
	for _, tc := range []struct{ dir, split, want string }{
		{"plain", "nowhere", "neither qrels.nowhere.tsv nor qrels/nowhere.tsv"},
		{"broken", "", "corpus.jsonl:2: "},
		{"twice", "", `document id "a" is empty or stands twice`},
		{"strangers", "", "do queries and qrels belong together?"},
		{"absent", "", "corpus.jsonl"},
	} {
		_, err := OpenBEIR(filepath.Join(dir, tc.dir), tc.split)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: %v, want %q", tc.dir, tc.split, err, tc.want)
		}
	}
}

func TestWriteVault(t *testing.T) {
	c, err := OpenBEIR(filepath.Join(unpack(t, "collections.txtar"), "plain"), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	docs, err := c.WriteVault(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[candor.Path]string{"d000001.md": "a", "d000002.md": "b", "d000003.md": "c"}
	if diff := cmp.Diff(want, docs); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"d000001.md": "---\ntitle: \"A \\\"quoted\\\": title\"\n---\nFirst line.\n# Not cut\nLast.\n",
		"d000002.md": "---\ntitle: its own\n---\nBody.\n",
		"d000003.md": "---\ntitle: \"\"\n---\n--- a rule, not a header\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// TestCollectionSuiteRanksByBestPassage: a document stands where its first passage
// does, and notes that are not of the collection are no documents.
func TestCollectionSuiteRanksByBestPassage(t *testing.T) {
	c := &Collection{Name: "c", Queries: []BEIRQuery{{"q", "?"}}, Qrels: Qrels{"q": {"a": 1}}}
	s := c.Suite(map[candor.Path]string{"1.md": "a", "2.md": "b"})
	hit := func(path string, score float64) Hit {
		return Hit{Citation: candor.Citation{Path: candor.Path(path)}, Score: score}
	}
	got := s.label(s.Topics[0], []Hit{hit("2.md", 3), hit("1.md", 2), hit("2.md", 1), hit("x.md", 1)})
	if diff := cmp.Diff([]Scored{{"b", 3}, {"a", 2}}, got); diff != "" {
		t.Error(diff)
	}
	if s.Topics[0].Slice != Answerable || s.Digest == "" {
		t.Errorf("%+v", s)
	}
}
