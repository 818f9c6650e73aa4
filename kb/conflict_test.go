package kb_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/internal/vaulttest"
	"candor/kb"
)

// TestPagesThatDisagree: they come together wherever they ranked, each names the other,
// also across pages, and pages still give each passage once.
func TestPagesThatDisagree(t *testing.T) {
	dir := vaulttest.Write(t, `
-- public/a.md --
# Trial period
The trial period of a lighthouse keeper is six months.
-- public/b.md --
# Trial
Long ago somebody wrote about the trial of a keeper, and that a trial period is needed.
-- public/c.md --
# Forum
I heard that for a keeper of a lighthouse, who lives far from all of us, the trial period is 3 months.
-- public/d.md --
# Lighthouse
The lighthouse has a keeper; the period of its light is a trial for sailors.
`)
	b := open(t, dir, kb.Options{})
	req := kb.SearchRequest{Query: "how long is the trial period of a lighthouse keeper"}
	all := search(t, b, req)
	paths := found(all)
	if i := slices.Index(paths, "public/a.md"); i < 0 || i+1 >= len(paths) || paths[i+1] != "public/c.md" {
		t.Fatalf("%v", paths)
	}
	for i, h := range all.Hits {
		if h.Rank != i+1 {
			t.Errorf("rank %d at %d", h.Rank, i)
		}
		at := slices.Index([]string{"public/a.md", "public/c.md"}, string(h.Citation.Path))
		if (at >= 0) != slices.Contains(h.Flags, candor.FlagConflict) || (at >= 0) != (len(h.ConflictsWith) == 1) {
			t.Errorf("%s: %v %v", h.Citation.Path, h.Flags, h.ConflictsWith)
		}
		if at >= 0 && h.Disagrees[0].Trusted != "as much" {
			t.Errorf("trusted %s", h.Disagrees[0].Trusted)
		}
	}
	var walked []string
	for req.Limit = 1; ; {
		page := search(t, b, req)
		walked = append(walked, found(page)...)
		if req.Cursor = page.NextCursor; req.Cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(paths, walked); diff != "" {
		t.Errorf("page by page (-all +pages):\n%s", diff)
	}
	if one := search(t, b, kb.SearchRequest{Query: req.Query, Limit: 1}); len(one.Hits[0].ConflictsWith) != 1 {
		t.Fatalf("the partner on the next page is not named: %+v", one.Hits[0])
	}
	denied := "---\ncandor: {profiles: []}\n---\n# Forum\nNothing.\n"
	if err := os.WriteFile(filepath.Join(dir, "public", "c.md"), []byte(denied), 0o600); err != nil {
		t.Fatal(err)
	}
	if one := search(t, b, kb.SearchRequest{Query: req.Query, Limit: 1}); len(one.Hits[0].ConflictsWith) != 0 {
		t.Errorf("a passage that was denied meanwhile is named: %v", one.Hits[0].ConflictsWith)
	}
}

// TestOverdueIsTrustedLess: what is past its day is trusted one tier less, and says so.
func TestOverdueIsTrustedLess(t *testing.T) {
	dir := vaulttest.Write(t, `
-- public/due.md --
---
valid_until: 2026-02-01
---
# Due
the heron lantern is due
`)
	now := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	b := open(t, dir, kb.Options{Now: func() time.Time { return now }})
	tier := func() string { return search(t, b, kb.SearchRequest{Query: "heron lantern"}).Hits[0].Tier }
	if got := tier(); got != "T0" {
		t.Errorf("on the last day %s", got)
	}
	now = now.AddDate(0, 0, 1)
	if got := tier(); got != "T1" {
		t.Errorf("the day after %s", got)
	}
	want := []string{"review due: past its date, so trusted one tier less (T2 at the least) until it is reviewed"}
	if diff := cmp.Diff(want, kb.Standing([]candor.Flag{candor.FlagMasked, candor.FlagReviewDue})); diff != "" {
		t.Error(diff)
	}
}
