package vault_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/internal/vaulttest"
	"candor/policy"
	"candor/vault"
)

// follower knows the vault as one that listens to Watch does.
type follower struct {
	t    testing.TB
	root *vault.Root
	p    *policy.Policy

	mu    sync.Mutex
	notes map[candor.Path]vault.Stamp
	told  map[candor.Path]bool
	calls int
}

// follow starts a watch and waits until it has begun.
func follow(t testing.TB, dir string, p *policy.Policy, opt vault.Options) *follower {
	t.Helper()
	f := &follower{t: t, root: open(t, dir, opt), p: p, told: map[candor.Path]bool{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f.root.Watch(ctx, p, f.changed); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	f.until("the first call", func() bool { return f.calls > 0 })
	return f
}

func (f *follower) changed(paths []candor.Path) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if paths == nil {
		f.notes = stamps(f.t, f.root, f.p)
		return
	}
	for _, path := range paths {
		f.told[path] = true
		if e, err := f.root.Lookup(path, f.p); err == nil {
			f.notes[path] = e.Stamp
		} else {
			delete(f.notes, path)
		}
	}
}

func stamps(t testing.TB, r *vault.Root, p *policy.Policy) map[candor.Path]vault.Stamp {
	notes := map[candor.Path]vault.Stamp{}
	entries, _, err := r.List(context.Background(), p)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		notes[e.Path()] = e.Stamp
	}
	return notes
}

// until waits for something to come true.
func (f *follower) until(what string, ok func() bool) {
	f.t.Helper()
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		good := ok()
		f.mu.Unlock()
		if good {
			return
		}
	}
	f.t.Fatalf("waited in vain for %s", what)
}

// current waits until the follower knows the vault as it is.
func (f *follower) current() {
	f.t.Helper()
	f.until("a current view", func() bool { return maps.Equal(f.notes, stamps(f.t, f.root, f.p)) })
}

func TestWatch(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir string)
	}{
		{"new note", func(t *testing.T, dir string) { vaulttest.Put(t, dir, "new.md", "") }},
		{"written", func(t *testing.T, dir string) { vaulttest.Put(t, dir, "d/a.md", "other") }},
		{"saved by renaming", func(t *testing.T, dir string) { vaulttest.Save(t, dir, "d/a.md", "other") }},
		{"saved as vim does", func(t *testing.T, dir string) {
			vaulttest.Put(t, dir, "d/4913", "")
			os.Remove(filepath.Join(dir, "d/4913"))
			os.Rename(filepath.Join(dir, "d/a.md"), filepath.Join(dir, "d/a.md~"))
			vaulttest.Put(t, dir, "d/a.md", "other")
			os.Remove(filepath.Join(dir, "d/a.md~"))
		}},
		{"removed", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "d/a.md")) }},
		{"renamed", func(t *testing.T, dir string) {
			os.Rename(filepath.Join(dir, "d/a.md"), filepath.Join(dir, "b.md"))
		}},
		{"new folders with notes", func(t *testing.T, dir string) { vaulttest.Put(t, dir, "x/y/z/new.md", "") }},
		{"folder renamed", func(t *testing.T, dir string) { os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "e")) }},
		{"folder removed", func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "d")) }},
		{"folder moved away", func(t *testing.T, dir string) {
			os.Rename(filepath.Join(dir, "d"), filepath.Join(t.TempDir(), "d"))
		}},
		{"folder moved in", func(t *testing.T, dir string) {
			other := vaulttest.Write(t, "-- in/deep/a.md --\n")
			os.Rename(filepath.Join(other, "in"), filepath.Join(dir, "in"))
		}},
		{"500 at once", func(t *testing.T, dir string) {
			for i := range 500 {
				vaulttest.Put(t, dir, fmt.Sprintf("many/%d/%d.md", i%7, i), "")
			}
		}},
		{"becomes a link", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "d/a.md"))
			vaulttest.Symlink(t, dir, "b.md", "d/a.md")
		}},
		{"gets a second name", func(t *testing.T, dir string) {
			vaulttest.Link(t, dir, filepath.Join(dir, "d/a.md"), "d/c.md")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := vaulttest.WriteMap(t, map[string]string{"d/a.md": "text", "d/sub/b.md": "text"})
			f := follow(t, dir, all(t), vault.Options{})
			before := f.notes
			test.change(t, dir)
			f.until("any news", func() bool { return f.calls > 1 })
			f.current()
			// What is where now goes on being watched.
			for path := range stamps(t, f.root, f.p) {
				if len(before) < 100 {
					vaulttest.Put(t, dir, string(path), "written afterwards")
				}
			}
			f.current()
		})
	}
}

// Neither the notes that nobody may see nor what editors leave behind is news.
func TestWatchTellsOnlyOfNotesThatSomebodySees(t *testing.T) {
	dir := vaulttest.Write(t, "-- public/a.md --\n-- restricted/b.md --\n")
	p := vaulttest.Policy(t, map[string]policy.Rules{"p": {Allow: []string{"**"}, Deny: []string{"restricted/**", "secret*.md"}}})
	f := follow(t, dir, p, vault.Options{})
	for _, name := range []string{
		"restricted/b.md", "restricted/new.md", "restricted/sub/c.md", "secret.md", ".git/x.md", ".obsidian/y.md",
		"public/.#a.md", "public/a.md~", "public/4913", "public/.a.md.swp", "public/#a.md#", "public/picture.png",
	} {
		vaulttest.Put(t, dir, name, "x")
	}
	vaulttest.Put(t, dir, "public/z.md", "x")
	f.until("the one note", func() bool { return f.told["public/z.md"] })
	if diff := cmp.Diff(map[candor.Path]bool{"public/z.md": true}, f.told); diff != "" {
		t.Error(diff)
	}
}

// Whatever is done to the folders, the follower ends up with the vault as it is.
func TestFollowerConverges(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := follow(t, dir, all(t), vault.Options{})
			rng := rand.New(rand.NewPCG(seed, 1))
			place := func() string {
				parts := []string{dir}
				for range rng.IntN(3) {
					parts = append(parts, string(rune('p'+rng.IntN(3))))
				}
				return filepath.Join(parts...)
			}
			note := func() string { return filepath.Join(place(), string(rune('a'+rng.IntN(4)))+".md") }
			for range 5 {
				for range 40 {
					switch rng.IntN(6) {
					case 0, 1:
						os.MkdirAll(place(), 0o755)
					case 2, 3:
						os.WriteFile(note(), []byte(strings.Repeat("x", rng.IntN(100))), 0o644)
					case 4:
						os.Rename(note(), note())
					default:
						if from := place(); from != dir {
							os.Rename(from, place())
						}
					}
					if rng.IntN(20) == 0 {
						if p := place(); p != dir {
							os.RemoveAll(p)
						}
					}
				}
				f.current()
			}
		})
	}
}

// Where the system tells nothing, listing finds the same changes.
func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := vaulttest.Write(t, "-- a.md --\n-- gone.md --\n-- same.md --\n")
		r := open(t, dir, vault.Options{Poll: 3 * time.Second})
		var got [][]candor.Path
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.Watch(ctx, all(t), func(paths []candor.Path) { got = append(got, paths) }) }()
		time.Sleep(time.Second)
		synctest.Wait()
		vaulttest.Put(t, dir, "a.md", "longer")
		vaulttest.Put(t, dir, "new/b.md", "")
		os.Remove(filepath.Join(dir, "gone.md"))
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([][]candor.Path{nil, {"a.md", "gone.md", "new/b.md"}}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWatchStopsWithItsContext(t *testing.T) {
	r := open(t, vaulttest.Write(t, zones), vault.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := r.Watch(ctx, all(t), func([]candor.Path) {
		calls++
		cancel()
	})
	if err != nil || calls != 1 {
		t.Error(calls, err)
	}
}

// A folder that came while the disk failed is found, and watched, when it no longer does.
func TestWatchTriesAgainWhatFailed(t *testing.T) {
	faults := &vaulttest.Faults{}
	dir := vaulttest.Write(t, "-- d/a.md --\n")
	f := follow(t, dir, all(t), vault.Options{System: faults.Open})
	faults.FailAll(syscall.EIO)
	vaulttest.Put(t, dir, "new/b.md", "")
	vaulttest.Put(t, dir, "d/a.md", "x")
	f.until("news", func() bool { return f.told["d/a.md"] })
	faults.Heal()
	f.current()
	vaulttest.Put(t, dir, "new/c.md", "")
	f.current()
}
