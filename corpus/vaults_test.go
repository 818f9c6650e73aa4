package corpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/corpus"
	"candor/internal/vaulttest"
	"candor/policy"
	"candor/redact"
	"candor/vault"
)

// openTwo makes a corpus over two vaults, a and b, that one profile sees.
func openTwo(t *testing.T, a, b string) (c *corpus.Corpus, roots []*vault.Root) {
	t.Helper()
	p, err := policy.New(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a": a, "b": b} {
		root, err := vault.Open(name, dir, vault.Options{Prefix: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		roots = append(roots, root)
	}
	slices.SortFunc(roots, func(a, b *vault.Root) int { return strings.Compare(a.Name(), b.Name()) })
	c = corpus.New(corpus.Options{Roots: roots, Policy: p, Redactor: r})
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, roots
}

func TestAVaultThatCannotBeListedStopsNoOther(t *testing.T) {
	b := vaulttest.Write(t, "-- two.md --\n# Two\n")
	hidden := "-- nobody.md --\n---\ncandor: {profiles: []}\n---\n"
	c, roots := openTwo(t, vaulttest.Write(t, "-- one.md --\n# One\n"+hidden), b)
	roots[0].Close()
	vaulttest.Put(t, b, "three.md", "# Three\n")
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/one.md", "b/three.md", "b/two.md"}, paths(c, "default")); diff != "" {
		t.Error(diff)
	}
	report := c.Report()
	if len(report.Skipped) != 1 || report.Skipped[0].Path != "a" || !strings.Contains(report.Skipped[0].Why, `vault "a"`) {
		t.Errorf("for the owner: %v", report.Skipped)
	}
	if len(report.Hidden) != 1 {
		t.Errorf("hidden notes, for the owner: %v", report.Hidden)
	}
	roots[1].Close()
	if err := c.Load(t.Context()); err == nil {
		t.Error("no vault can be listed, and that is no error")
	}
	if got := paths(c, "default"); len(got) != 3 {
		t.Errorf("after an error the notes are %v", got)
	}
}

func TestLinksFromTheRootStayInTheirVault(t *testing.T) {
	c, _ := openTwo(t, vaulttest.Write(t, `
-- team/hub.md --
[pay](/hr/pay.md#Base%20pay%20%26%20more) [up](/../b/hr/pay.md) [odd](/hr/pay.md#100%)
[[pay#Base%20pay]]
-- hr/pay.md --
# Pay
`), vaulttest.Write(t, "-- hr/pay.md --\n# Other pay\n"))
	snap := c.Snapshot("default")
	var got []string
	for _, l := range snap.Links(snap.Note("a/team/hub.md")) {
		got = append(got, fmt.Sprintf("%s %q", l.To.Path, l.Heading))
	}
	want := []string{`a/hr/pay.md "Base pay & more"`, `a/hr/pay.md "100%"`, `a/hr/pay.md "Base%20pay"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
