package corpus_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/corpus"
	"candor/internal/vaulttest"
	"candor/policy"
)

func TestSupersession(t *testing.T) {
	c := open(t, vaulttest.Write(t, `
-- public/v1.md --
---
superseded_by: v2.md
---
# One
-- public/v2.md --
---
superseded_by: "[[v3]]"
---
# Two
-- public/v3.md --
# Three
-- public/round-a.md --
---
superseded_by: public/round-b.md
---
# Round
-- public/round-b.md --
---
superseded_by: public/round-a.md
---
# Round
-- public/old.md --
# Replaced by what another note says
-- public/new.md --
---
supersedes: [old.md]
---
# New
-- public/hidden.md --
---
superseded_by: restricted/secret.md
---
# Its successor is not for guests
-- restricted/secret.md --
# Secret
-- public/seen.md --
# Current for a guest, replaced for an admin
-- restricted/newer.md --
---
supersedes: public/seen.md
---
# Newer
-- public/status.md --
---
status: superseded
---
# Says so itself
`), corpus.Options{})
	guest, admin := c.Snapshot("guest"), c.Snapshot("admin")
	for path, want := range map[candor.Path]struct {
		guestBy, adminBy candor.Path
		guest, admin     bool
	}{
		"public/v1.md":      {"public/v3.md", "public/v3.md", true, true},
		"public/v2.md":      {"public/v3.md", "public/v3.md", true, true},
		"public/v3.md":      {},
		"public/round-a.md": {guest: true, admin: true},
		"public/old.md":     {"public/new.md", "public/new.md", true, true},
		"public/hidden.md":  {"", "restricted/secret.md", true, true},
		"public/seen.md":    {"", "restricted/newer.md", false, true},
		"public/status.md":  {guest: true, admin: true},
	} {
		if by, yes := guest.Superseded(path); by != want.guestBy || yes != want.guest {
			t.Errorf("guest %s: superseded %v by %q", path, yes, by)
		}
		if by, yes := admin.Superseded(path); by != want.adminBy || yes != want.admin {
			t.Errorf("admin %s: superseded %v by %q", path, yes, by)
		}
	}
	for _, ch := range guest.Chunks {
		if _, old := guest.Superseded(ch.Path); old {
			t.Errorf("%s can be found", ch.Path)
		}
	}
	var dead []string
	for _, p := range admin.Dead() {
		dead = append(dead, string(p.Path))
	}
	if diff := cmp.Diff([]string{"public/round-a.md", "public/round-b.md"}, dead); diff != "" {
		t.Errorf("dead pointers, for the owner: %s", diff)
	}
}

// A forum must not take a policy out of search.
func TestALessTrustedNoteSupersedesNothing(t *testing.T) {
	p, err := policy.New(policy.Options{Trust: []policy.TrustRule{
		{Paths: []string{"policy/**"}, Tier: candor.T0}, {Paths: []string{"forum/**"}, Tier: candor.T2},
	}, TrustDefault: candor.T1})
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, vaulttest.Write(t, `
-- policy/pay.md --
# Pay
-- policy/leave.md --
# Leave
-- policy/leave2.md --
---
supersedes: leave.md
---
# Leave anew
-- forum/old.md --
# Old
-- forum/new.md --
---
supersedes: [policy/pay.md, old.md]
---
# Pay is abolished
`), corpus.Options{Policy: p})
	snap := c.Snapshot("default")
	for path, want := range map[candor.Path]candor.Path{
		"policy/pay.md": "", "policy/leave.md": "policy/leave2.md", "forum/old.md": "forum/new.md",
	} {
		if by, yes := snap.Superseded(path); by != want || yes != (want != "") {
			t.Errorf("%s: superseded %v by %q", path, yes, by)
		}
	}
	want := []corpus.Problem{{
		Path: "forum/new.md", Why: "its claim to supersede policy/pay.md is ignored: policy/pay.md is trusted more",
	}}
	if diff := cmp.Diff(want, snap.Dead()); diff != "" {
		t.Errorf("for the owner: %s", diff)
	}
}
