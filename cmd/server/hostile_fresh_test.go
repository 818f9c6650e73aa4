package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/internal/vaulttest"
	"candor/kb"
)

// Nothing that the disk no longer has, or that a note now denies, is in the answer that
// follows, whichever tool is asked and whatever the watcher has seen.
func TestGoneBeforeTheNextAnswer(t *testing.T) {
	canary := vaulttest.Canary(41)
	files := map[string]string{
		"public/keep.md": "---\nsuperseded_by: new\n---\n# Keep\n\nSee [[note]] and [[other]].\n",
		"public/back.md": "# Back\n\nSee [[other]].\n",
		"public/new.md":  "# New\n\nfresh words\n",
		"public/note.md": "---\ntags: [" + canary + "]\n---\n# " + canary + "\n\n## " + canary + "\n\nthe " + canary + " [[other]]\n", "public/other.md": "# Other\n\nwords\n",
	}
	ways := map[string]func(dir string){
		"deleted": func(dir string) { os.Remove(filepath.Join(dir, "vault/public/note.md")) },
		"renamed away": func(dir string) {
			os.Rename(filepath.Join(dir, "vault/public"), filepath.Join(dir, "vault/restricted"))
		},
		"narrowed": func(dir string) {
			vaulttest.Save(t, dir, "vault/public/note.md", "---\ncandor: {profiles: [admin]}\n---\n"+files["public/note.md"][strings.Index(files["public/note.md"], "# "):])
		},
		"replaced by a link": func(dir string) {
			os.Rename(filepath.Join(dir, "vault/public/note.md"), filepath.Join(dir, "vault/hidden.md"))
			os.Symlink("../hidden.md", filepath.Join(dir, "vault/public/note.md"))
		},
		"unreadable front matter": func(dir string) {
			vaulttest.Save(t, dir, "vault/public/note.md", "---\ncandor: {profiles: 7}\n---\n# "+canary+"\n")
		},
	}
	asks := map[string]func(c *served) string{
		"search": func(c *served) string {
			return c.call("search", map[string]any{"query": "the words of " + canary[:3]}).raw
		},
		"by word": func(c *served) string {
			return fmt.Sprint(c.call("search", map[string]any{"query": canary}).data["hits"])
		},
		"read":      func(c *served) string { return c.call("read", map[string]any{"path": "public/note.md"}).raw },
		"outline":   func(c *served) string { return c.call("outline", map[string]any{"depth": 6}).raw },
		"links":     func(c *served) string { return c.call("links", map[string]any{"path": "public/keep.md"}).raw },
		"backlinks": func(c *served) string { return c.call("links", map[string]any{"path": "public/other.md"}).raw },
		"resources": func(c *served) string { return c.ask("resources/list", map[string]any{}) },
		"resource": func(c *served) string {
			return c.ask("resources/read", map[string]any{"uri": "candor://note/public/note.md"})
		},
	}
	for way, change := range ways {
		for ask, do := range asks {
			t.Run(way+"/"+ask, func(t *testing.T) {
				t.Parallel()
				dir, flag := configured(t, zones, files)
				c := dial(t, flag)
				if !strings.Contains(do(c), canary) && ask != "search" {
					t.Fatal("the note was not there to begin with: the test proves nothing")
				}
				change(dir)
				vaulttest.NoLeak(t, []string{canary}, do(c))
			})
		}
	}
}

// A pointer to a replacement is not shown when the replacement is gone.
func TestGoneReplacementIsNotNamed(t *testing.T) {
	dir, flag := configured(t, zones, map[string]string{
		"public/old.md": "---\nsuperseded_by: successor\n---\n# Old\n", "public/successor.md": "# Successor\n",
	})
	c := dial(t, flag)
	if got := c.call("read", map[string]any{"path": "public/old.md"}).data["superseded_by"]; got != "public/successor.md" {
		t.Fatalf("superseded by %v", got)
	}
	vaulttest.Save(t, dir, "vault/public/successor.md", "---\ncandor: {profiles: [admin]}\n---\n# Successor\n")
	if got := c.call("read", map[string]any{"path": "public/old.md"}); strings.Contains(got.raw, "successor.md") {
		t.Errorf("a denied replacement is named: %s", got.raw)
	}
}

// A server finds what editors and people do to a vault, and nothing of what they leave
// on the way.
func TestServeFollowsTheVault(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		vaulttest.Put(t, dir, fmt.Sprintf("notes/n%02d.md", i), fmt.Sprintf("# Note %d\n\nfiller\n", i))
	}
	c := dial(t, "--vault", dir)
	place := func(name string) string { return filepath.Join(dir, name) }
	is := func(word string, want ...string) {
		t.Helper()
		var got []string
		c.until(word+" at "+fmt.Sprint(want), func() bool {
			got = c.found(word)
			slices.Sort(got)
			return cmp.Equal(got, want) || len(got)+len(want) == 0
		})
	}
	vaulttest.Put(t, dir, "notes/new.md", "# New\n\nan aardvark\n")
	is("aardvark", "notes/new.md")
	// vim: a backup, a probe named by a number, the new file under the old name.
	os.Rename(place("notes/new.md"), place("notes/new.md~"))
	os.WriteFile(place("notes/4913"), []byte("aardvark badger"), 0o644)
	os.Remove(place("notes/4913"))
	vaulttest.Put(t, dir, "notes/new.md", "# New\n\na badger\n")
	os.WriteFile(place("notes/.new.md.swp"), []byte("aardvark badger"), 0o644)
	os.WriteFile(place("notes/.#new.md"), []byte("aardvark badger"), 0o644)
	os.WriteFile(place("notes/#new.md#"), []byte("aardvark badger"), 0o644)
	is("badger", "notes/new.md")
	is("aardvark")
	os.Remove(place("notes/.#new.md"))
	// The rest: written beside, then renamed over.
	vaulttest.Save(t, dir, "notes/new.md", "# New\n\na capybara\n")
	is("capybara", "notes/new.md")
	is("badger")
	// A folder is renamed, moved away, and comes back.
	os.Rename(place("notes"), place("moved"))
	is("capybara", "moved/new.md")
	away := filepath.Join(t.TempDir(), "away")
	os.Rename(place("moved"), away)
	is("capybara")
	os.Rename(away, place("back"))
	is("capybara", "back/new.md")
	// Changes in the folder that came are seen as well.
	vaulttest.Save(t, dir, "back/new.md", "# New\n\na dormouse\n")
	is("dormouse", "back/new.md")
	// As git checkout does: many files and folders at once, and then others.
	for i := range 500 {
		vaulttest.Put(t, dir, fmt.Sprintf("git/%d/f%d.md", i%7, i), "# F\n\nan elephant\n")
	}
	c.until("500 files are found", func() bool { return strings.Contains(c.call("status", nil).raw, `"notes":521`) })
	for i := range 500 {
		os.Remove(place(fmt.Sprintf("git/%d/f%d.md", i%7, i)))
	}
	is("elephant")
	if code := c.close(); code != 0 || strings.Count(c.stderr.String(), "\n") > 1 {
		t.Errorf("status %d: %s", code, c.stderr)
	}
}

// counting is an index that counts the chunks that it is given anew.
type counting struct {
	candor.Index
	chunks []*candor.Chunk
	fresh  *int
}

func (x counting) Update(chunks []*candor.Chunk) candor.Index {
	for i, ch := range chunks {
		if ch != nil && (i >= len(x.chunks) || x.chunks[i] != ch) {
			*x.fresh++
		}
	}
	return counting{x.Index.Update(chunks), chunks, x.fresh}
}

// One note of ten thousand costs that note: one file read, its chunks analysed. (That
// an index analyses what differs and nothing else is held in retrieval/lexical.)
func TestOneNoteOfManyCostsThatNote(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("public/%d/n%d.md", i%50, i)] = fmt.Sprintf("# Note %d\n\nfiller words\n", i)
	}
	s := openSite(t, files, "staff")
	fresh := 0
	opt := s.baseOptions("staff")
	opt.Lexical = counting{Index: opt.Lexical, fresh: &fresh}
	base := kb.New(opt)
	base.Sync()
	if fresh < 10_000 {
		t.Fatalf("%d chunks of 10,000 notes", fresh)
	}
	root := s.cfg.Vaults[0].Root
	follow := func(word string, wantFiles int64, wantChunks int, change func()) {
		t.Helper()
		before := s.corpus.FilesRead()
		fresh = 0
		change()
		a, err := base.Search(t.Context(), kb.SearchRequest{Query: word})
		if err != nil || (len(a.Hits) == 1) != (wantFiles > 0) {
			t.Errorf("%s: %d hits, error %v", word, len(a.Hits), err)
		}
		if got := s.corpus.FilesRead() - before; got != wantFiles || fresh != wantChunks {
			t.Errorf("%s: %d files read and %d chunks analysed, want %d and %d", word, got, fresh, wantFiles, wantChunks)
		}
	}
	refresh := func(p candor.Path) {
		if err := s.corpus.Refresh(t.Context(), []candor.Path{p}); err != nil {
			t.Fatal(err)
		}
	}
	follow("aardvark", 1, 2, func() {
		vaulttest.Save(t, root, "public/7/n7.md", "# Note 7\n\nan aardvark\n\n## More\n\nfiller\n")
		refresh("public/7/n7.md") // as the watcher tells it
	})
	follow("badger", 1, 1, func() { // the next question finds it, with no watcher at all
		vaulttest.Save(t, root, "public/7/n7.md", "# Note 7\n\nan aardvark, or badger\n")
		if _, err := base.Read(t.Context(), readPath("public/7/n7.md")); err != nil {
			t.Fatal(err)
		}
	})
	follow("capybara", 1, 1, func() {
		vaulttest.Put(t, root, "public/7/new.md", "# New\n\na capybara\n")
		refresh("public/7/new.md")
	})
	follow("badger", 0, 0, func() {
		if err := os.Remove(filepath.Join(root, "public/7/n7.md")); err != nil {
			t.Fatal(err)
		}
	})
	follow("all as it was", 0, 0, func() { // a listing of what has not changed reads nothing
		if err := s.corpus.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
