package corpus_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/corpus"
	"candor/internal/vaulttest"
	"candor/redact"
	"candor/vault"
)

// faulty makes a corpus of a few notes on a disk that fails when told to.
func faulty(t *testing.T, faults *vaulttest.Faults) (c *corpus.Corpus, dir string) {
	t.Helper()
	dir = vaulttest.WriteMap(t, map[string]string{
		"public/a.md": "# A\n\notter\n", "public/deep/er/b.md": "---\ntitle: B\n---\nheron\n", "internal/c.md": "# C\n\nstork\n",
		"restricted/d.md": "# D\n" + strings.Repeat("long line of words\n", 2000),
	})
	root, err := vault.Open("v", dir, vault.Options{System: faults.Open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return corpus.New(corpus.Options{Roots: []*vault.Root{root}, Policy: vaulttest.Zones(t), Redactor: r}), dir
}

// texts are the whole texts of the notes that the admin sees.
func texts(c *corpus.Corpus) map[string]string {
	all := map[string]string{}
	s := c.Snapshot("admin")
	if s == nil {
		return all
	}
	for _, p := range s.Paths() {
		all[string(p)], _ = s.Note(p).Lines(candor.Span{Start: 1, End: 1 << 20})
	}
	return all
}

// calm waits until every file is older than what a reader waits for.
func calm(dir string) {
	old := time.Now().Add(-time.Hour)
	_ = filepath.WalkDir(dir, func(p string, _ os.DirEntry, _ error) error { return os.Chtimes(p, old, old) })
}

// Whatever step of reading a vault fails, and however: notes are whole or not there,
// what is missing is counted, and all of it is back when the disk is.
func TestAFaultAtEveryStepOfReading(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ESTALE, syscall.EMFILE} {
		for name, again := range map[string]func(*corpus.Corpus, context.Context) error{
			"load": (*corpus.Corpus).Load,
			"refresh": func(c *corpus.Corpus, ctx context.Context) error {
				return c.Refresh(ctx, []candor.Path{"public/deep/er/b.md", "restricted/d.md"})
			},
			"fresh": func(c *corpus.Corpus, ctx context.Context) error {
				_, err := c.Fresh(ctx, c.Snapshot("admin"), []candor.Path{"public/a.md", "restricted/d.md"})
				return err
			},
		} {
			t.Run(fmt.Sprint(name, " ", errno), func(t *testing.T) {
				faults := &vaulttest.Faults{}
				c, dir := faulty(t, faults)
				calm(dir)
				if err := c.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				want, steps := texts(c), 0
				for hit := true; hit; steps++ {
					touch(t, dir, steps)
					faults.FailAt(steps+1, errno)
					err := again(c, t.Context())
					if hit = faults.Heal(); !hit && err != nil {
						t.Fatal("without a fault: ", err)
					}
					checkWhole(t, c, want, fmt.Sprint("step ", steps+1), err)
					if err := c.Load(t.Context()); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, texts(c)); diff != "" {
						t.Fatalf("step %d, after the fault: %s", steps+1, diff)
					}
				}
				if steps < 5 {
					t.Errorf("only %d steps", steps)
				}
			})
		}
	}
}

// touch makes every note be read again.
func touch(t *testing.T, dir string, n int) {
	t.Helper()
	at := time.Now().Add(-time.Hour - time.Duration(n)*time.Minute)
	for _, p := range []string{"public/a.md", "public/deep/er/b.md", "internal/c.md", "restricted/d.md"} {
		if err := os.Chtimes(filepath.Join(dir, p), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// checkWhole wants each note whole or gone, and what is gone counted.
func checkWhole(t *testing.T, c *corpus.Corpus, want map[string]string, where string, err error) {
	t.Helper()
	got := texts(c)
	for path, text := range got {
		if text != want[path] {
			t.Errorf("%s: %s is %.60q", where, path, text)
		}
	}
	if len(got) < len(want) && len(c.Report().Skipped) == 0 && err == nil {
		t.Errorf("%s: notes are gone and nothing is counted", where)
	}
}

// A disk that fails for a while under a watcher takes no note away for good, nor does it
// hide what changed meanwhile.
func TestNotesComeBackAfterAFault(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EMFILE} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			faults := &vaulttest.Faults{}
			c, dir := faulty(t, faults)
			if err := c.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := texts(c)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			var calls atomic.Int32
			go func() { done <- c.Watch(ctx, func() { calls.Add(1) }) }()
			defer func() {
				cancel()
				<-done
			}()
			until(t, func() bool { return calls.Load() > 0 })
			faults.FailAll(errno)
			vaulttest.Put(t, dir, "public/new/e.md", "# E\n")
			vaulttest.Put(t, dir, "public/a.md", "# A\n\nchanged\n")
			for _, p := range c.Snapshot("admin").Paths() { // an answer is about to be given
				_, _ = c.Fresh(ctx, c.Snapshot("admin"), []candor.Path{p})
			}
			if got := texts(c); len(got) > 0 {
				t.Errorf("unread notes are still given: %v", got)
			}
			until(t, func() bool { return calls.Load() > 1 }) // the watcher has told of both
			faults.Heal()
			want["public/new/e.md"], want["public/a.md"] = "# E", "# A\n\nchanged"
			until(t, func() bool { return maps.Equal(want, texts(c)) })
			// The folder that came meanwhile is watched too.
			vaulttest.Put(t, dir, "public/new/f.md", "# F\n")
			want["public/new/f.md"] = "# F"
			until(t, func() bool { return maps.Equal(want, texts(c)) })
		})
	}
}

// until waits for something to come true.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("waited in vain")
}
