package candor_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"candor/redact"
)

// planted are the places that hold fake secrets on purpose: the demo, and tests whose
// subject they are.
var planted = []string{
	"demo/", "redact/", "scripts/long/redact/",
	"config/address_test.go", "corpus/corpus_test.go", "vault/list_test.go",
}

// fakes are values that other tests use as secrets, or that only look like one.
var fakes = []string{
	"AKIAQWERTYUIOPASDFGH", "hunter2hunter2", "hunter2correct", "..%2f..%2fetc%2fpasswd",
}

// TestNoSecretIsCommitted runs the masker over the tree.
func TestNoSecretIsCommitted(t *testing.T) {
	masker, err := redact.New(redact.Options{Allow: fakes})
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	err = filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		slashed := filepath.ToSlash(p)
		for _, prefix := range planted {
			if strings.HasPrefix(slashed, prefix) {
				return nil
			}
		}
		data, err := os.ReadFile(p)
		if err != nil || !utf8.Valid(data) || strings.HasSuffix(p, "go.sum") {
			return err
		}
		read++
		for _, f := range masker.Clean(string(data)).Findings() {
			t.Errorf("%s:%d holds what looks like a secret (%s)", p, f.Line, f.Kind)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d files were read: the walk is broken", read)
	}
}
