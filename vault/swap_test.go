//go:build unix

package vault_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"candor/internal/vaulttest"
	"candor/policy"
	"candor/vault"
)

// While folders and files are swapped for links to a denied zone, and back, no read
// gives a byte of that zone.
func TestSwapsNeverLeadAcross(t *testing.T) {
	canary := vaulttest.Canary(1)
	dir := vaulttest.WriteMap(t, map[string]string{
		"public/d/a.md":      "fine",
		"public/f.md":        "fine",
		"restricted/a.md":    canary,
		"restricted/f.md":    canary,
		"restricted/d/a.md":  canary,
		"restricted/secrets": canary,
	})
	outside := vaulttest.WriteMap(t, map[string]string{"a.md": canary})
	r := open(t, dir, vault.Options{})
	p := vaulttest.Policy(t, map[string]policy.Rules{"p": {Allow: []string{"public/**"}}})
	entries, _ := list(t, r, p)
	if len(entries) != 2 {
		t.Fatal(paths(entries))
	}

	stop := make(chan struct{})
	var swappers sync.WaitGroup
	above, below := openRoot(t, dir), openRoot(t, filepath.Join(dir, "public"))
	swappers.Go(func() { swap(stop, below, "d", "../restricted") })
	swappers.Go(func() { swap(stop, below, "f.md", "../restricted/f.md") })
	swappers.Go(func() { swap(stop, above, "public", outside) })
	reads, good := 0, 0
	rd := r.Reader()
	defer rd.Close()
	seen := func() bool { return good > 0 && good < reads }
	for start := time.Now(); time.Since(start) < time.Second || !seen() && time.Since(start) < time.Minute; {
		for _, e := range entries {
			reads++
			f, err := r.Read(e)
			if err == nil && f.Text == "fine" {
				good++
			}
			vaulttest.NoLeak(t, []string{canary}, f.Text)
			f, _ = rd.Read(e)
			vaulttest.NoLeak(t, []string{canary}, f.Text)
		}
		if found, _, err := r.List(t.Context(), p); err == nil {
			for _, e := range found {
				f, _ := r.Read(e)
				vaulttest.NoLeak(t, []string{canary}, f.Text)
			}
		}
		if e, err := r.Lookup("public/d/a.md", p); err == nil {
			f, _ := r.Read(e)
			vaulttest.NoLeak(t, []string{canary}, f.Text)
		}
	}
	close(stop)
	swappers.Wait()
	if !seen() {
		t.Errorf("%d of %d reads succeeded: the test saw no swaps, or only swaps", good, reads)
	}
}

// openRoot holds a folder open, whatever its name becomes.
func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// swap puts a link in the place of something, and that back again, until told to stop.
// It holds the folder open, so that two of these never lose what the other put aside,
// and rests between, so that on a busy machine a read meets the place whole as well.
func swap(stop chan struct{}, root *os.Root, name, target string) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Microsecond):
		}
		root.Rename(name, name+".aside")
		root.Symlink(target, name)
		root.Remove(name)
		root.Rename(name+".aside", name)
	}
}
