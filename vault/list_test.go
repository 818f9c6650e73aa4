package vault_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/internal/vaulttest"
	"candor/policy"
	"candor/vault"
)

func open(t testing.TB, dir string, opt vault.Options) *vault.Root {
	t.Helper()
	r, err := vault.Open("v", dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func list(t testing.TB, r *vault.Root, p *policy.Policy) ([]vault.Entry, []vault.Skip) {
	t.Helper()
	entries, skips, err := r.List(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if again, err := r.Lookup(e.Path(), p); err != nil || again != e {
			t.Errorf("%s: Lookup and List disagree", e.Path())
		}
	}
	for _, s := range skips {
		if _, err := r.Lookup(s.Path, p); err == nil && !strings.Contains(s.Reason, "NFC") {
			t.Errorf("%s: skipped, yet Lookup has it", s.Path)
		}
	}
	return entries, skips
}

func paths(entries []vault.Entry) []string {
	all := []string{}
	for _, e := range entries {
		all = append(all, string(e.Path()))
	}
	return all
}

func skipped(skips []vault.Skip) map[string]string {
	all := map[string]string{}
	for _, s := range skips {
		all[string(s.Path)], _, _ = strings.Cut(s.Reason, ":")
	}
	return all
}

// all allows everything, hidden folders aside.
func all(t testing.TB) *policy.Policy {
	return vaulttest.Policy(t, nil)
}

const zones = `
-- public/a.md --
# A
-- public/d/b.markdown --
# B
-- public/README.MDX --
mdx
-- internal/i.md --
# I
-- restricted/secret.md --
bqcanarysecretxx
-- picture.png --
-- notes.txt --
`

func TestList(t *testing.T) {
	dir := vaulttest.Write(t, zones)
	r := open(t, dir, vault.Options{})
	for profile, want := range map[string][]string{
		"guest": {"public/README.MDX", "public/a.md", "public/d/b.markdown"},
		"staff": {"internal/i.md", "public/README.MDX", "public/a.md", "public/d/b.markdown"},
		"admin": {"internal/i.md", "public/README.MDX", "public/a.md", "public/d/b.markdown", "restricted/secret.md"},
	} {
		entries, skips := list(t, r, vaulttest.Zones(t))
		got := []string{}
		for _, e := range entries {
			if e.Permit.Allows(profile) {
				got = append(got, string(e.Path()))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(skips) > 0 {
			t.Errorf("%s: %s skipped %v", profile, diff, skips)
		}
	}
}

func TestPrefixedPaths(t *testing.T) {
	dir := vaulttest.Write(t, zones)
	r := open(t, dir, vault.Options{Prefix: true})
	p := vaulttest.Policy(t, map[string]policy.Rules{"p": {Allow: []string{"v/public/*", "w/**"}}})
	entries, _ := list(t, r, p)
	if diff := cmp.Diff([]string{"v/public/README.MDX", "v/public/a.md"}, paths(entries)); diff != "" {
		t.Error(diff)
	}
	for _, path := range []candor.Path{"public/a.md", "w/public/a.md", "vpublic/a.md"} {
		if _, err := r.Lookup(path, p); err == nil {
			t.Errorf("%s is found", path)
		}
	}
	if _, err := r.Read(entries[1]); err != nil {
		t.Error(err)
	}
	if got, want := r.File(entries[1]), filepath.Join(dir, "public", "a.md"); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

// Links, pipes and whatever tools leave behind are no notes.
func TestNoNotes(t *testing.T) {
	outside := vaulttest.Write(t, "-- outside.md --\noutside\n-- sub/x.md --\n")
	dir := vaulttest.Write(t, zones+`
-- public/x.md/inner.md --
a folder named like a note
-- .git/config.md --
-- .obsidian/w.md --
-- .trash/secret.md --
-- .stversions/old.md --
-- a/node_modules/x.md --
-- public/.#a.md --
-- public/~$a.md --
-- public/a.md~ --
-- public/a.md.swp --
-- public/#a.md# --
-- public/4913 --
-- public/.hidden.md --
`)
	vaulttest.Symlink(t, dir, "../restricted/secret.md", "public/sym.md")
	vaulttest.Symlink(t, dir, "restricted", "aliasdir")
	vaulttest.Symlink(t, dir, "/etc/passwd", "public/abs.md")
	vaulttest.Symlink(t, dir, "../../../../../../etc/passwd", "public/out.md")
	vaulttest.Symlink(t, dir, outside, "public/outdir")
	vaulttest.Symlink(t, dir, "loop2.md", "loop1.md")
	vaulttest.Symlink(t, dir, "loop1.md", "loop2.md")
	vaulttest.Symlink(t, dir, ".", "public/self")
	vaulttest.Symlink(t, dir, "a.md", "public/inside.md")
	vaulttest.Symlink(t, dir, "nowhere", "public/dangling.md")
	vaulttest.Symlink(t, dir, "x", "public/picture.png")
	vaulttest.Link(t, dir, filepath.Join(dir, "restricted/secret.md"), "public/hard.md")
	vaulttest.Link(t, dir, filepath.Join(outside, "outside.md"), "public/hard2.md")
	vaulttest.FIFO(t, dir, "public/fifo.md")
	vaulttest.Socket(t, dir, "public/socket.md")

	entries, skips := list(t, open(t, dir, vault.Options{}), all(t))
	want := []string{"internal/i.md", "public/README.MDX", "public/a.md", "public/d/b.markdown", "public/x.md/inner.md"}
	if diff := cmp.Diff(want, paths(entries)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{
		"aliasdir":             "symbolic link",
		"loop1.md":             "symbolic link",
		"loop2.md":             "symbolic link",
		"public/abs.md":        "symbolic link",
		"public/dangling.md":   "symbolic link",
		"public/fifo.md":       "not a regular file",
		"public/hard.md":       "hard link",
		"public/hard2.md":      "hard link",
		"public/inside.md":     "symbolic link",
		"public/out.md":        "symbolic link",
		"public/outdir":        "symbolic link",
		"public/self":          "symbolic link",
		"public/socket.md":     "not a regular file",
		"public/sym.md":        "symbolic link",
		"restricted/secret.md": "hard link",
	}, skipped(skips)); diff != "" {
		t.Error(diff)
	}
}

// What nobody may see is not even listed as passed over.
func TestSkipsOfDeniedFilesAreNotListed(t *testing.T) {
	dir := vaulttest.Write(t, zones)
	vaulttest.Symlink(t, dir, "a.md", "restricted/link.md")
	vaulttest.Symlink(t, dir, "public", "restricted/folder")
	vaulttest.Put(t, dir, "restricted/x\xff.md", "")
	p := vaulttest.Policy(t, map[string]policy.Rules{"p": {Allow: []string{"**"}, Deny: []string{"restricted"}}})
	if _, skips := list(t, open(t, dir, vault.Options{}), p); len(skips) > 0 {
		t.Error(skips)
	}
}

// No request reaches a file by another spelling than its path.
func TestLookupMisses(t *testing.T) {
	parent := vaulttest.Write(t, "-- notes-evil/x.md --\nevil\n-- notes/public/a.md --\n-- notes/a:b.md --\n")
	dir := filepath.Join(parent, "notes")
	vaulttest.Symlink(t, dir, "public", "alias")
	r, p := open(t, dir, vault.Options{}), all(t)
	for _, spelling := range []string{
		"", ".", "/", "..", "../", "../..", "public/../..", "public/../../", "public/../public/a.md",
		"../notes-evil/x.md", filepath.Join(parent, "notes-evil/x.md"), filepath.Join(dir, "public/a.md"),
		"public/a.md/", "public/a.md/.", "/public/a.md", "alias/a.md", "Public/a.md", "PUBLIC/A.MD", "PUBLIC~1/a.md",
		"..%2f..%2fetc%2fpasswd", "%2e%2e/", "public%2fa.md", `..\..\etc`, "public/a.md\x00.png", "public/a.md\x00",
		"~/.ssh/id_rsa", "file:///etc/passwd", strings.Repeat("n", 4097), strings.Repeat("n", 300) + ".md", strings.Repeat("../", 1000),
		"CON.md", "NUL", "aux.md", "COM¹", "CONIN$", "public/a.md::$DATA", "public/a.md:hid", `\\?\C:\x`, "C:a.md", "//srv/share/x.md",
		"public", "public/", "/etc/hostname", "public/a.md ", " public/a.md", "public/a.md.", "public /a.md",
	} {
		if e, err := r.Lookup(policy.CleanPath(spelling), p); err == nil {
			t.Errorf("%q finds %q", spelling, e.Path())
		}
		if e, err := r.Lookup(candor.Path(spelling), p); err == nil {
			t.Errorf("%q, not cleaned, finds %q", spelling, e.Path())
		}
	}
	for _, spelling := range []string{"public/a.md", "./public/./a.md", "public//a.md", `public\a.md`, "a:b.md"} {
		if _, err := r.Lookup(policy.CleanPath(spelling), p); err != nil {
			t.Errorf("%q is not found", spelling)
		}
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("n", 247) + ".md"
	files := map[string]string{}
	for _, name := range []string{
		"].md", "--help.md", "a#b?.md", "*.md", "🧙‍♂️/notes.md", long, "end .md", "tail.md ", "[a].md",
		"nai\u0308ve-cafe\u0301.md", "\u00fcber.md", "u\u0308ber.md", "o\u0308/x.md", "\u00f6/y.md", "zo\u0308/x.md",
		"bad\xff.md", "bad\xfe/x.md", "back\\slash.md", "new\nline.md", "turn\u202e.md",
	} {
		files[name] = name
	}
	dir := vaulttest.WriteMap(t, files)
	r := open(t, dir, vault.Options{})
	entries, skips := list(t, r, all(t))
	want := []string{
		"*.md", "--help.md", "[a].md", "].md", "a#b?.md", "end .md", "na\u00efve-caf\u00e9.md", long,
		"z\u00f6/x.md", "\u00f6/y.md", "\u00fcber.md", "🧙‍♂️/notes.md",
	}
	if diff := cmp.Diff(want, paths(entries)); diff != "" {
		t.Error(diff)
	}
	twin := "another name here is the same in Unicode form NFC"
	if diff := cmp.Diff(map[string]string{
		"bad\uFFFD.md": "name is not UTF-8", "bad\uFFFD": "name is not UTF-8", "back\uFFFDslash.md": `name holds a \, which means / in a request`,
		"new\uFFFDline.md": "name holds a control character", "turn\uFFFD.md": "name holds a control character",
		"\u00fcber.md": twin, "\u00f6": twin,
	}, skipped(skips)); diff != "" {
		t.Error(diff)
	}
	for _, e := range entries {
		f, err := r.Read(e)
		if err != nil || policy.CleanPath(f.Text) != e.Path() {
			t.Errorf("%q reads %q, %v", e.Path(), f.Text, err)
		}
		if f.Text != string(e.Path()) && e.Path() == "\u00fcber.md" {
			t.Error("of two names the one in NFC wins")
		}
	}
}

// A policy written in one Unicode form holds for names on the disk in the other.
func TestPolicyHoldsForBothForms(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{
		"cafe\u0301/a.md": "", "sala\u0301rios/a.md": "", "Sal\u00c1rios/b.md": "",
	})
	p := vaulttest.Policy(t, map[string]policy.Rules{"p": {Allow: []string{"caf\u00e9/**", "sal\u00e1rios/*", "Sal\u00c1rios/*"}, Deny: []string{"sal\u00e1rios/**"}}})
	entries, _ := list(t, open(t, dir, vault.Options{}), p)
	if diff := cmp.Diff([]string{"caf\u00e9/a.md"}, paths(entries)); diff != "" {
		t.Error(diff)
	}
}

func TestDeepTree(t *testing.T) {
	dir := vaulttest.Write(t, "-- a.md --\n")
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 600 { // removing more takes long
		if err = at.Mkdir("d", 0o755); err == nil {
			err = at.WriteFile("x.md", nil, 0o644)
		}
		next, err2 := at.OpenRoot("d")
		at.Close()
		if at = next; err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
	}
	at.Close()
	entries, skips, err := open(t, dir, vault.Options{}).List(t.Context(), all(t))
	if err != nil || len(entries) != 1+129 {
		t.Errorf("%d notes, %v", len(entries), err)
	}
	if len(skips) != 1 || !strings.Contains(skips[0].Reason, "128 folders") {
		t.Errorf("skipped %v", skips)
	}
}

func TestListStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := open(t, vaulttest.Write(t, zones), vault.Options{}).List(ctx, all(t))
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := vaulttest.Write(t, "-- a.md --\n")
	for _, test := range []struct{ name, dir, want string }{
		{"v", filepath.Join(dir, "no"), "folder of notes"},
		{"v", filepath.Join(dir, "a.md"), "not a folder"},
		{"a/b", dir, "plain word"},
		{"..", dir, "plain word"},
		{"", dir, "plain word"},
		{"e\u0301", dir, "plain word"},
	} {
		_, err := vault.Open(test.name, test.dir, vault.Options{Prefix: true})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q %q: %v", test.name, test.dir, err)
		}
	}
}

func TestFolderNameWithSpacesAndAccents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "My Notes (2024)", "e\u0301te\u0301 [x]")
	vaulttest.Put(t, dir, "a.md", "text")
	r := open(t, dir+"/", vault.Options{})
	entries, _ := list(t, r, all(t))
	if len(entries) != 1 {
		t.Fatal(entries)
	}
	if f, err := r.Read(entries[0]); err != nil || f.Text != "text" {
		t.Error(f, err)
	}
}

func TestVanishedRootIsAnError(t *testing.T) {
	dir := vaulttest.Write(t, zones)
	r := open(t, dir, vault.Options{})
	r.Close()
	if _, _, err := r.List(t.Context(), all(t)); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error("an empty list instead of an error:", err)
	}
}
