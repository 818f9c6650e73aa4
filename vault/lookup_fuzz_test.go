package vault_test

import (
	"slices"
	"strings"
	"testing"

	"candor"
	"candor/internal/vaulttest"
	"candor/policy"
	"candor/vault"
)

// No spelling of a path finds anything but a listed note that policy allows, and none
// gives a byte of another zone.
func FuzzLookup(f *testing.F) {
	canary := vaulttest.Canary(2)
	dir := vaulttest.WriteMap(f, map[string]string{
		"public/a.md": "fine", "public/d/cafe\u0301.md": "fine", "public/[x].md": "fine",
		"restricted/b.md": canary, "public/secret-c.md": canary, ".git/x.md": canary,
	})
	vaulttest.Symlink(f, dir, "../restricted", "public/zone")
	vaulttest.Symlink(f, dir, "../restricted/b.md", "public/b.md")
	outside := vaulttest.WriteMap(f, map[string]string{"o.md": canary})
	vaulttest.Symlink(f, dir, outside, "public/out")
	r := open(f, dir, vault.Options{})
	p := vaulttest.Policy(f, map[string]policy.Rules{"p": {Allow: []string{"public/**"}, Deny: []string{"**/secret*"}}})
	entries, _, err := r.List(f.Context(), p)
	if err != nil || len(entries) != 3 {
		f.Fatal(paths(entries), err)
	}
	for _, seed := range []string{
		"public/a.md", "./public//a.md", "public\\d\\caf\u00e9.md", "public/d/cafe\u0301.md", "public/zone/b.md", "public/b.md", "public/out/o.md",
		"public/../restricted/b.md", "restricted/b.md", "public/secret-c.md", "public/SECRET-c.md", ".git/x.md", outside + "/o.md",
		"public/zone/../../restricted/b.md", "public/a.md/../secret-c.md", "public/a.md\x00", "PUBLIC/a.md", "public/a.md/", "public/a%2emd",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spelling string) {
		for _, path := range []candor.Path{candor.Path(spelling), policy.CleanPath(spelling)} {
			e, err := r.Lookup(path, p)
			if (err == nil) != slices.Contains(paths(entries), string(path)) {
				t.Fatalf("Lookup(%q) = %v", path, err)
			}
			if err != nil {
				continue
			}
			if file, err := r.Read(e); err != nil || file.Text != "fine" || strings.Contains(spelling, "..") {
				t.Fatalf("%q reads %q, %v", path, file.Text, err)
			}
		}
	})
}
