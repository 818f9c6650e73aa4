package atomicfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"candor/internal/atomicfile"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state.json")
	for _, text := range []string{"first, and longer", "second"} {
		if err := atomicfile.Replace(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := atomicfile.Replace(dir, []byte("x")); err == nil {
		t.Error("a folder is replaced")
	}
	if err := atomicfile.Replace(filepath.Join(dir, "none", "file"), nil); err == nil {
		t.Error("a file in no folder is written")
	}
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if left, err := filepath.Glob(filepath.Join(folder, ".*-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
