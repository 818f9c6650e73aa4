package vault_test

import (
	"os"
	"path/filepath"
	"testing"

	"candor/vault"
)

func TestMoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "v")
	folder := func() {
		t.Helper()
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	folder()
	root, err := vault.Open("v", dir, vault.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if root.Moved() {
		t.Error("a vault that stayed where it was has moved")
	}
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Skip("an open folder cannot be renamed here: ", err)
	}
	if root.Moved() {
		t.Error("a vault that is away has moved")
	}
	folder()
	if !root.Moved() {
		t.Error("another folder of its name goes unnoticed")
	}
}
