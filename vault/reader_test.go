package vault_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"candor/internal/vaulttest"
	"candor/vault"
)

// A Reader gives what Read gives, in whatever order notes are asked for.
func TestReader(t *testing.T) {
	files := vaulttest.Random(3, 60)
	deep := strings.Repeat("d/", 40)
	files["top.md"], files[deep+"x.md"], files[deep+"e/y.md"] = "top", "deep", "deeper"
	r := open(t, vaulttest.WriteMap(t, files), vault.Options{})
	entries, _ := list(t, r, all(t))
	if len(entries) != len(files) {
		t.Fatalf("%d entries of %d files", len(entries), len(files))
	}
	rd := r.Reader()
	defer rd.Close()
	for i := range 3 * len(entries) {
		e := entries[i*7919%len(entries)]
		want, err := r.Read(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rd.Read(e)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", e.Path(), got, err, want)
		}
	}
}

// A folder that a Reader holds open is used only while it still has its name.
func TestReaderSeesFoldersGo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be renamed here")
	}
	for name, change := range map[string]func(dir string) error{
		"moved to where nobody may look": func(dir string) error {
			return os.Rename(filepath.Join(dir, "a/b"), filepath.Join(dir, "denied"))
		},
		"moved with its parent": func(dir string) error {
			return os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "denied"))
		},
		"replaced by a link to itself": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "a/b"), filepath.Join(dir, "denied")); err != nil {
				return err
			}
			return os.Symlink("../denied", filepath.Join(dir, "a/b"))
		},
		"its parent replaced by a link": func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "denied")); err != nil {
				return err
			}
			return os.Symlink("denied", filepath.Join(dir, "a"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := vaulttest.WriteMap(t, map[string]string{"a/b/1.md": "one", "a/b/2.md": "two"})
			r := open(t, dir, vault.Options{})
			entries, _ := list(t, r, all(t))
			rd := r.Reader()
			defer rd.Close()
			if f, err := rd.Read(entries[0]); err != nil || f.Text != "one" {
				t.Fatal(f, err)
			}
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			var skip vault.Skip
			if f, err := rd.Read(entries[1]); !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &skip) {
				t.Errorf("read %q, %v", f.Text, err)
			}
		})
	}
}

// A folder put in the place of one that a Reader holds open is the one that is read.
func TestReaderFollowsNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be renamed here")
	}
	dir := vaulttest.WriteMap(t, map[string]string{"a/b/1.md": "old", "new/1.md": "new"})
	r := open(t, dir, vault.Options{})
	entries, _ := list(t, r, all(t))
	rd := r.Reader()
	defer rd.Close()
	if f, err := rd.Read(entries[0]); err != nil || f.Text != "old" {
		t.Fatal(f, err)
	}
	for _, move := range [][2]string{{"a/b", "old"}, {"new", "a/b"}} {
		if err := os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := rd.Read(entries[0]); err != nil || f.Text != "new" {
		t.Errorf("read %q, %v", f.Text, err)
	}
}
