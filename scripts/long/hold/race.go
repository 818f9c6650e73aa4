package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"candor"
	"candor/corpus"
	"candor/evidence"
	"candor/internal/vaulttest"
	"candor/kb"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

// canary stands in every place that the profile may not see.
var canary = vaulttest.Canary(1)

// arena is a vault whose notes are swapped under its reader.
type arena struct {
	dir, outside string
	base         *kb.Base
	corpus       *corpus.Corpus
	swaps, looks atomic.Int64
	escapes      atomic.Int64
}

// race swaps and reads for a while.
func race(ctx context.Context, _ string) error {
	dir, err := os.MkdirTemp("", "candor-race-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a := &arena{dir: filepath.Join(dir, "vault"), outside: filepath.Join(dir, "outside")}
	if err := a.fill(); err != nil {
		return err
	}
	root, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer root.Close()
	ctx, stop := context.WithTimeout(ctx, *span)
	defer stop()
	var all sync.WaitGroup
	for _, swap := range []func(int){a.swapFolder, a.swapNote, a.swapHard} {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				swap(i)
				a.swaps.Add(1)
			}
		})
	}
	for _, look := range []func(context.Context){a.read, a.search, a.load, a.outline} {
		all.Go(func() {
			for ctx.Err() == nil {
				look(ctx)
				a.looks.Add(1)
			}
		})
	}
	all.Wait()
	fmt.Printf("%v: %d swaps, %d reads and listings, %d files read, %d escapes\n",
		*span, a.swaps.Load(), a.looks.Load(), a.corpus.FilesRead(), a.escapes.Load())
	if a.escapes.Load() > 0 || a.corpus.FilesRead() == 0 {
		fail("the swapped links led out, or nothing was read")
	}
	return nil
}

// fill makes what is allowed and what is not.
func (a *arena) fill() error {
	for name, text := range map[string]string{
		"vault/public/d/note.md": "# Harmless\n\nwords that all may read\n", "vault/public/n.md": "# Plain\n\nwords that all may read\n",
		"vault/public/h.md": "# Own\n\nwords that all may read\n", "vault/restricted/note.md": "# " + canary + "\n\n" + canary + " words\n",
		"vault/public/hidden/note.md": "# " + canary + "\n\n" + canary + " words\n",
		"outside/note.md":             "# " + canary + "\n\n" + canary + " words\n",
	} {
		file := filepath.Join(filepath.Dir(a.dir), name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// open reads the vault as a profile that may see public/ alone, and not all of it: a
// link may stay inside the folder that it stands in.
func (a *arena) open(ctx context.Context) (*vault.Root, error) {
	p, err := policy.New(policy.Options{Profiles: map[string]policy.Rules{
		"guest": {Allow: []string{"public/**"}, Deny: []string{"public/hidden/**"}},
	}})
	if err != nil {
		return nil, err
	}
	r, err := redact.New(redact.Options{})
	if err != nil {
		return nil, err
	}
	root, err := vault.Open("notes", a.dir, vault.Options{})
	if err != nil {
		return nil, err
	}
	a.corpus = corpus.New(corpus.Options{Roots: []*vault.Root{root}, Policy: p, Redactor: r})
	if err := a.corpus.Load(ctx); err != nil {
		return nil, err
	}
	a.base = kb.New(kb.Options{
		Profile: "guest", Corpus: a.corpus, Redactor: r, Lexical: lexical.New(lexical.Options{}),
		Gates: evidence.Gates{}, CursorKey: make([]byte, 32),
	})
	a.base.Sync()
	return root, nil
}

// at is a path inside the arena's vault.
func (a *arena) at(name string) string { return filepath.Join(a.dir, filepath.FromSlash(name)) }

// swapFolder puts a link in the place of a folder and back. Faults are part of the game:
// only what is seen counts.
func (a *arena) swapFolder(i int) {
	target := []string{"hidden", "../restricted", a.outside}[i%3]
	_ = os.Rename(a.at("public/d"), a.at("public-away"))
	_ = os.Symlink(target, a.at("public/d"))
	_ = os.Remove(a.at("public/d"))
	_ = os.Rename(a.at("public-away"), a.at("public/d"))
}

// swapNote renames a link over a note and the note back over the link.
func (a *arena) swapNote(i int) {
	target := []string{"hidden/note.md", "../restricted/note.md", filepath.Join(a.outside, "note.md")}[i%3]
	_ = os.Symlink(target, a.at("link"))
	_ = os.Rename(a.at("link"), a.at("public/n.md"))
	_ = os.WriteFile(a.at("plain"), []byte("# Plain\n\nwords that all may read\n"), 0o644)
	_ = os.Rename(a.at("plain"), a.at("public/n.md"))
}

// swapHard does the same with a second name of a denied note.
func (a *arena) swapHard(int) {
	_ = os.Link(a.at("restricted/note.md"), a.at("hard"))
	_ = os.Rename(a.at("hard"), a.at("public/h.md"))
	_ = os.WriteFile(a.at("own"), []byte("# Own\n\nwords that all may read\n"), 0o644)
	_ = os.Rename(a.at("own"), a.at("public/h.md"))
}

// see counts what must not be seen.
func (a *arena) see(what string, text string) {
	if strings.Contains(text, canary) {
		a.escapes.Add(1)
		fail("%s: %.80q", what, text)
	}
}

func (a *arena) read(ctx context.Context) {
	for _, p := range []string{"public/d/note.md", "public/n.md", "public/h.md", "restricted/note.md"} {
		if got, err := a.base.Read(ctx, kb.ReadRequest{Path: p}); err == nil {
			a.see("read "+p, got.Text+got.Title)
		}
	}
}

func (a *arena) search(ctx context.Context) {
	for _, q := range []string{canary, "words"} {
		got, err := a.base.Search(ctx, kb.SearchRequest{Query: q, Limit: 50})
		if err != nil {
			continue
		}
		for _, h := range got.Hits {
			a.see("search", h.Text+h.Title)
		}
	}
}

// load reads what is there. A change of times makes it worth reading; old ones spare the
// reader its wait for young files.
func (a *arena) load(ctx context.Context) {
	for _, p := range []string{"public/d/note.md", "public/n.md", "public/h.md"} {
		_ = os.Chtimes(a.at(p), time.Time{}, time.Unix(a.looks.Load(), 0))
	}
	if err := a.corpus.Load(ctx); err != nil && ctx.Err() == nil {
		fail("load: %v", err)
	}
	_ = a.corpus.Refresh(ctx, []candor.Path{"public/d/note.md", "public/n.md", "public/h.md"})
}

func (a *arena) outline(ctx context.Context) {
	if got, err := a.base.Outline(ctx, kb.OutlineRequest{Depth: 6}); err == nil {
		for _, n := range got.Notes {
			a.see("outline", n.Title)
		}
	}
}
