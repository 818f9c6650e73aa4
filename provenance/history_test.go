package provenance

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestHistoryBesideAnother: processes that add at the same time, across the bound of a
// file, lose nothing of what is new.
func TestHistoryBesideAnother(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "grid.jsonl")
	day, grid := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Grid{Claims: 1, BothRight: 1}
	fullAfter := fillHistory(t, file, 100)
	const writers, each = 4, 60
	var work sync.WaitGroup
	for w := range writers {
		work.Go(func() {
			h := OpenHistory(file)
			for i := range each {
				if err := h.Add(fmt.Sprintf("w%d", w), day, grid); err != nil {
					t.Error(i, err)
				}
			}
		})
	}
	work.Wait()
	runs, err := OpenHistory(file).Runs()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range runs {
		got[r.Run] = r.Grid.Claims
	}
	for w := range writers {
		if name := fmt.Sprintf("w%d", w); got[name] != each {
			t.Errorf("%s: %d of %d claims are counted", name, got[name], each)
		}
	}
	if got["old"] != fullAfter {
		t.Errorf("%d of %d old claims are left", got["old"], fullAfter)
	}
}

// fillHistory writes a file that is full but for some bytes, and gives its number of claims.
func fillHistory(t *testing.T, file string, left int) (claims int) {
	t.Helper()
	h := OpenHistory(file)
	if err := h.Add("old", time.Unix(0, 0), Grid{Claims: 1}); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for len(all)+len(line)+left < mostHistory/2 {
		all = append(all, line...)
		claims++
	}
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return claims
}

// TestHistoryIsBounded: two files are kept, the newest and the one before it.
func TestHistoryIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "grid.jsonl")
	h := OpenHistory(file)
	for n := range 4 {
		fillHistory(t, h.numbered(n), 0)
		for range 2 { // the one fits, the other does not
			if err := h.Add(fmt.Sprintf("r%d", n), time.Unix(0, 0), Grid{Claims: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v: want two files", entries, err)
	}
	runs, err := h.Runs()
	if err != nil || runs[len(runs)-1].Run != "r3" {
		t.Errorf("%v, %+v: the last run is missing", err, runs)
	}
}
