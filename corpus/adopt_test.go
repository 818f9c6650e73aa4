package corpus_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/corpus"
	"candor/internal/vaulttest"
	"candor/policy"
)

// under is a policy of these profiles, each with its allow globs, which trusts public
// notes less.
func under(t *testing.T, profiles map[string][]string) *policy.Policy {
	t.Helper()
	opt := policy.Options{Profiles: map[string]policy.Rules{}, Trust: []policy.TrustRule{{Paths: []string{"public/**"}, Tier: candor.T2}}}
	for name, allow := range profiles {
		opt.Profiles[name] = policy.Rules{Allow: allow}
	}
	p, err := policy.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Another policy decides at once about what was read, reads nothing for it, and leaves
// each passage that a profile keeps in its slot.
func TestAdopt(t *testing.T) {
	c := open(t, vaulttest.Write(t, `
-- public/a.md --
# A
-- public/own.md --
---
candor: {profiles: [auditor]}
---
# Own
-- internal/b.md --
# B
-- restricted/c.md --
# C
`), corpus.Options{})
	before, read := c.Snapshot("staff"), c.FilesRead()
	fresh := func(s *corpus.Snapshot) bool {
		t.Helper()
		ok, err := c.Fresh(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !fresh(before) {
		t.Error("a snapshot under the policy in force is not fresh")
	}

	p := under(t, map[string][]string{"staff": {"public/**"}, "auditor": {"**"}})
	c.Adopt(p)
	if fresh(before) {
		t.Error("a snapshot under a former policy is fresh")
	}
	for profile, want := range map[string][]string{
		"staff": {"public/a.md"}, "auditor": {"internal/b.md", "public/a.md", "restricted/c.md"}, "guest": nil, "admin": nil,
	} {
		if diff := cmp.Diff(want, paths(c, profile)); diff != "" {
			t.Errorf("%s: %s", profile, diff)
		}
	}
	now := c.Snapshot("staff")
	tier, flags := now.Note("public/a.md").Flags(time.Now())
	if tier != candor.T2 || !slices.Contains(flags, candor.FlagAttributed) {
		t.Errorf("the new trust is not told: %s, %v", tier, flags)
	}
	for slot, ch := range now.Chunks {
		if ch != nil && before.Chunks[slot] != ch {
			t.Errorf("%s changed its slot", ch.Path)
		}
	}
	if c.Policy() != p || c.FilesRead() != read {
		t.Errorf("%d files were read to decide", c.FilesRead()-read)
	}

	// What is newly allowed, by its own front matter too, is read by the next listing.
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"internal/b.md", "public/a.md", "public/own.md", "restricted/c.md"}, paths(c, "auditor")); diff != "" {
		t.Error(diff)
	}
	if n := c.FilesRead() - read; n != 1 {
		t.Errorf("%d files were read, one is new", n)
	}
}

// A policy adopted before the vault is read is the one that it is read under.
func TestAdoptBeforeLoad(t *testing.T) {
	c := corpus.New(corpus.Options{Policy: vaulttest.Zones(t)})
	c.Adopt(under(t, map[string][]string{"auditor": {"**"}}))
	if c.Snapshot("staff") != nil || c.Snapshot("auditor") != nil {
		t.Error("there is a snapshot before anything was read")
	}
}
