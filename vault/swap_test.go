//go:build unix

package vault_test

import (
	"os"
	"path/filepath"
	"strings"
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
	swappers.Go(func() { swap(stop, filepath.Join(dir, "public/d"), "../restricted") })
	swappers.Go(func() { swap(stop, filepath.Join(dir, "public/f.md"), "../restricted/f.md") })
	swappers.Go(func() { swap(stop, filepath.Join(dir, "public"), outside) })
	reads, good := 0, 0
	rd := r.Reader()
	defer rd.Close()
	for start := time.Now(); time.Since(start) < time.Second; {
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
	if good == 0 || good == reads {
		t.Errorf("%d of %d reads succeeded: the test saw no swaps, or only swaps", good, reads)
	}
}

// swap puts a link in the place of something, and that back again, until told to stop.
func swap(stop chan struct{}, place, target string) {
	aside := strings.TrimSuffix(place, ".md") + ".aside"
	for {
		select {
		case <-stop:
			return
		default:
		}
		os.Rename(place, aside)
		os.Symlink(target, place)
		os.Remove(place)
		os.Rename(aside, place)
	}
}
