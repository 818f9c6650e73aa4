package demo_test

import (
	"io/fs"
	"strings"
	"testing"

	"candor/demo"
	"candor/evals/claims"
)

// TestClaimsStandOnTheVault holds that the labelled claims are as many as promised, that
// each kind has both halves, and that what they cite and edit is there.
func TestClaimsStandOnTheVault(t *testing.T) {
	suite, err := claims.Read(demo.Claims())
	if err != nil {
		t.Fatal(err)
	}
	halves := map[claims.Kind][2]int{}
	for _, c := range suite.Claims {
		n := halves[c.Kind]
		n[c.ID%2]++
		halves[c.Kind] = n
		for _, at := range []claims.Place{c.Cite, c.Truth, c.Call} {
			if at.Path != "" {
				stands(t, at, "")
			}
		}
		if c.Edit != nil {
			stands(t, c.Cite, c.Edit[0])
		}
	}
	if len(suite.Claims) < 120 || halves[claims.Sourced][0]+halves[claims.Sourced][1] < 50 {
		t.Errorf("%d claims, %v rightly sourced: 120 and 50 are promised", len(suite.Claims), halves[claims.Sourced])
	}
	for _, k := range claims.Kinds {
		if n := halves[k]; n[0] < 2 || n[1] < 2 {
			t.Errorf("%s: %d even and %d odd claims, two of each are wanted", k, n[0], n[1])
		}
	}
	for _, c := range suite.Conflicts {
		stands(t, c.Counts, "")
		stands(t, c.Otherwise, "")
	}
}

// stands holds that a section is in the vault, and a text in its note.
func stands(t *testing.T, at claims.Place, text string) {
	t.Helper()
	note, err := fs.ReadFile(demo.FS(), string(at.Path))
	if err != nil {
		t.Error(err)
		return
	}
	heading := false
	for line := range strings.Lines(string(note)) {
		mark := strings.TrimLeft(line, "#")
		heading = heading || mark != line && strings.TrimSpace(mark) == at.Heading
	}
	if !heading || !strings.Contains(string(note), text) {
		t.Errorf("%s#%s: heading %v, or %q is not there", at.Path, at.Heading, heading, text)
	}
}
