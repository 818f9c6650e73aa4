// Package vaulttest writes vaults for tests: from txtar text or maps, with links,
// pipes and modes, or at random from a seed. It plants canaries, words that stand
// nowhere else, and asserts that none of them leaks.
package vaulttest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"candor/policy"
)

// Write writes the files of a txtar archive to a new temporary folder and gives it.
func Write(t testing.TB, archive string) string {
	t.Helper()
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = string(f.Data)
	}
	return WriteMap(t, files)
}

// WriteMap writes files, path to text, to a new temporary folder and gives it.
func WriteMap(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		Put(t, dir, name, text)
	}
	return dir
}

// Put writes one file of a vault, over the file that has its name.
func Put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := place(t, dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Save writes one file as careful editors do: under another name, then renamed.
func Save(t testing.TB, dir, name, text string) {
	t.Helper()
	path := place(t, dir, name)
	if err := os.WriteFile(path+"~", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// Symlink makes name a symbolic link to target, which is written as it is.
func Symlink(t testing.TB, dir, target, name string) {
	t.Helper()
	if err := os.Symlink(target, place(t, dir, name)); err != nil {
		t.Fatal(err)
	}
}

// Link makes name a hard link to a file, given by its own path.
func Link(t testing.TB, dir, file, name string) {
	t.Helper()
	if err := os.Link(file, place(t, dir, name)); err != nil {
		t.Fatal(err)
	}
}

// Mode sets the mode of a file or folder, and gives it back at the end of the test so
// that the folder can be removed. For root a mode hinders nothing: see [Root].
func Mode(t testing.TB, dir, name string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Stat(path)
	if err == nil {
		err = os.Chmod(path, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, info.Mode()) })
}

// Root reports whether the test runs as a user whom no mode hinders.
func Root() bool { return os.Geteuid() == 0 }

// place makes the folders above a name and gives its path.
func place(t testing.TB, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Policy compiles profiles.
func Policy(t testing.TB, profiles map[string]policy.Rules) *policy.Policy {
	t.Helper()
	p, err := policy.New(policy.Options{Profiles: profiles})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Zones is the policy of the usual test vault: guest sees public/, staff internal/
// too, admin everything.
func Zones(t testing.TB) *policy.Policy {
	t.Helper()
	return Policy(t, map[string]policy.Rules{
		"guest": {Allow: []string{"public/**"}},
		"staff": {Allow: []string{"public/**", "internal/**"}},
		"admin": {Allow: []string{"**"}},
	})
}
