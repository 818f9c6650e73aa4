package demo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/demo"
)

// notes gives every note by path; hidden folders are no part of the vault.
func notes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(demo.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		text, err := fs.ReadFile(demo.FS(), name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTourHoldsInTheVault(t *testing.T) {
	tour, vault := demo.Tour(), notes(t)
	if !strings.Contains(vault[tour.Answered.Path], tour.Answered.Says) {
		t.Errorf("%s does not say %q", tour.Answered.Path, tour.Answered.Says)
	}
	if _, ok := vault[tour.Denied]; !ok || !strings.HasPrefix(tour.Denied, "restricted/") {
		t.Errorf("%s is no restricted note", tour.Denied)
	}
	if _, ok := vault[tour.Missing]; ok {
		t.Errorf("%s exists", tour.Missing)
	}
	if len(tour.Denied) != len(tour.Missing) {
		t.Errorf("%s and %s differ in length, so answers could", tour.Denied, tour.Missing)
	}
	for path, text := range vault {
		for _, word := range []string{"dental", "dentist", "treatment", "teeth"} {
			if strings.Contains(strings.ToLower(text), word) {
				t.Errorf("%s has %q, a word of the question that nothing may answer", path, word)
			}
		}
	}
}

func TestWriteToMakesAPrivateCopy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := demo.WriteTo(dir); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(dir, demo.ConfigName))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(demo.Config()), string(config)); diff != "" {
		t.Errorf("configuration (-embedded +written):\n%s", diff)
	}
	for path, want := range notes(t) {
		got, err := os.ReadFile(filepath.Join(dir, "vault", filepath.FromSlash(path)))
		if err != nil || string(got) != want {
			t.Errorf("%s was not written whole: %v", path, err)
		}
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.WriteTo(dir); err == nil || !strings.Contains(err.Error(), "empty folder") {
		t.Errorf("written over what was there: %v", err)
	}
}
