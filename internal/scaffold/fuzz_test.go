package scaffold_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/config"
	"candor/internal/scaffold"
)

// FuzzFilter holds that whatever a vault from elsewhere excludes, the file that is
// written loads, and no exclusion is lost: each is in force or named.
func FuzzFilter(f *testing.F) {
	for _, filter := range []string{
		"Templates/", "Arch[old]", `/\.excalidraw\.md$/`, "/^Private$/", "/^Private.md$/", "!x", "a//b", "./x", "/", "//", "C:/x",
		"a\nb", "\x00", "\u2028", "\x7f", "{a,b}", "# x", "'\"", "/(?i)x/", "/^/", "/$/", `\`, "/a/", "/0/$/", `/0\/\//`, "/!a/", "x ", "\ufeff", "🧙‍♂️/",
	} {
		f.Add(filter)
	}
	base := f.TempDir()
	f.Setenv("HOME", filepath.Join(base, "home"))
	f.Fuzz(func(t *testing.T, filter string) {
		dir, err := os.MkdirTemp(base, "vault")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		app, err := json.Marshal(map[string][]string{"userIgnoreFilters": {filter}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".obsidian", "app.json"), app, 0o600); err != nil {
			t.Fatal(err)
		}
		var loaded *config.Config
		found, err := scaffold.Init(scaffold.Options{Dir: dir, Check: func(file string) (err error) {
			loaded, err = config.Load(file)
			return err
		}})
		if err != nil {
			t.Fatalf("%q: %v", filter, err)
		}
		if filter != "" && len(found.Denied)+len(found.Unread) == 0 {
			t.Errorf("%q is lost", filter)
		}
		if got, want := strings.Join(loaded.Profiles["me"].Deny, "\n"), strings.Join(found.Denied, "\n"); got != want {
			t.Errorf("%q: the file denies %q, want %q", filter, got, want)
		}
	})
}
