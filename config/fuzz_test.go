package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLoad holds that any text either loads as a configuration that can be served or
// gives problems that each say something.
func FuzzLoad(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/problems.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if filepath.Ext(file.Name) == ".yaml" {
			f.Add(file.Data)
		}
	}
	f.Add([]byte(full))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("? [a]\n: b\n<<: {c: d}\n!!binary x: y"))
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "notes"), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, FileName)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(file)
		if err == nil {
			holds(t, c)
			return
		}
		faults, ok := errors.AsType[*Error](err)
		if !ok {
			return // larger than a configuration may be
		}
		for _, p := range faults.Problems {
			if p.What == "" || p.Line < 0 {
				t.Errorf("problem %+v", p)
			}
		}
	})
}

func holds(t *testing.T, c *Config) {
	t.Helper()
	for _, v := range c.Vaults {
		if !filepath.IsAbs(v.Root) || !vaultName.MatchString(v.Name) {
			t.Errorf("vault %+v", v)
		}
	}
	if len(c.Vaults) == 0 || !slices.Contains(c.ProfileNames(), c.DefaultProfile) {
		t.Errorf("vaults %v, profile %q", c.Vaults, c.DefaultProfile)
	}
	if c.Ollama != nil {
		if _, ok := loopbackURL(c.Ollama.URL, defaultPort); !ok {
			t.Errorf("url %q", c.Ollama.URL)
		}
	}
	if c.Limits.ResultTokens < 1000 || c.Limits.ResultTokens > 25000 {
		t.Errorf("limits %+v", c.Limits)
	}
}
