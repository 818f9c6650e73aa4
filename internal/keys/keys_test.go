package keys

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func open(t *testing.T, folder string) *Keys {
	t.Helper()
	k, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// all are the derived keys in one slice.
func all(k *Keys) (out []byte) {
	for use := range uses {
		out = append(out, k.Subkey(use)...)
	}
	return out
}

func TestKeysLast(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "config", "candor")
	first, again := open(t, folder), open(t, folder)
	if !bytes.Equal(all(first), all(again)) {
		t.Error("the second start has other keys")
	}
	if first.InMemory() != "" || again.InMemory() != "" {
		t.Errorf("in memory: %q, %q", first.InMemory(), again.InMemory())
	}
	if bytes.Equal(all(first), all(open(t, t.TempDir()))) {
		t.Error("two installations have the same keys")
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, FileName): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestEachUseHasItsOwnKey(t *testing.T) {
	k := open(t, "")
	seen := map[string]Use{}
	for use := range uses {
		key := k.Subkey(use)
		if other, again := seen[string(key)]; again || len(key) != size {
			t.Errorf("use %d: %d bytes, as use %d", use, len(key), other)
		}
		seen[string(key)] = use
		key[0]++ // the caller's own copy
		if bytes.Equal(key, k.Subkey(use)) {
			t.Errorf("use %d: the caller can change the key", use)
		}
	}
}

// The derivation is a format: another result makes every cache unreadable.
func TestDerivationIsFixed(t *testing.T) {
	k, err := derive(bytes.Repeat([]byte{7}, size), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "33d51bbd0b919703cc34ac5ba79a2114fd23a4cd78fe6e71a7f9cf01322b6ade"
	if got := hex.EncodeToString(k.Subkey(Cache)); got != want {
		t.Errorf("cache key %s, want %s", got, want)
	}
}

func TestWithoutAHomeKeysAreInMemory(t *testing.T) {
	a, b := open(t, ""), open(t, "")
	if a.InMemory() == "" || bytes.Equal(all(a), all(b)) {
		t.Errorf("in memory: %q", a.InMemory())
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if k := open(t, filepath.Join(file, "candor")); !strings.Contains(k.InMemory(), "make the folder") {
		t.Errorf("in a folder that cannot be made: %q", k.InMemory())
	}
}

func TestManyStartsMakeOneKey(t *testing.T) {
	folder := t.TempDir()
	got := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			if k, err := Open(folder); err != nil {
				t.Error(err)
			} else {
				got[i] = all(k)
			}
		})
	}
	wg.Wait()
	for i := range got {
		if !bytes.Equal(got[i], got[0]) {
			t.Fatalf("start %d has other keys", i)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestRefusedKeyFiles(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, size)
	put := func(data []byte, mode os.FileMode) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			if err := os.WriteFile(file, data, mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, file string)
		want string
	}{
		"readable by the group": {put(secret, 0o640), "other users (mode 0640); hint: chmod 600"},
		"readable by all":       {put(secret, 0o604), "other users (mode 0604)"},
		"short":                 {put(secret[1:], 0o600), "31 bytes, not 32; hint:"},
		"empty":                 {put(nil, 0o600), "0 bytes, not 32; hint:"},
		"long":                  {put(append(secret, 0), 0o600), "33 bytes, not 32; hint:"},
		"zeros":                 {put(make([]byte, size), 0o600), "all zeros"},
		"a folder": {func(t *testing.T, file string) {
			if err := os.Mkdir(file, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file; hint:"},
		"a link": {func(t *testing.T, file string) {
			put(secret, 0o600)(t, file+"-elsewhere")
			if err := os.Symlink(file+"-elsewhere", file); err != nil {
				t.Skip("no links here")
			}
		}, "is a link; hint:"},
		"a dangling link": {func(t *testing.T, file string) {
			if err := os.Symlink("nowhere", file); err != nil {
				t.Skip("no links here")
			}
		}, "is a link; hint:"},
		"a pipe": {pipe, "not a regular file; hint:"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, FileName)
			c.make(t, file)
			before, _ := os.Lstat(file)
			_, err := Open(folder)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if after, err := os.Lstat(file); err != nil || !os.SameFile(before, after) {
				t.Error("the file was replaced")
			}
		})
	}
}

func TestFolderThatOthersCanChangeIsRefused(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("without a key: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, FileName), bytes.Repeat([]byte{7}, size), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("with one: %v", err)
	}
}

func TestRotate(t *testing.T) {
	folder := t.TempDir()
	before := open(t, folder)
	rotated, err := Rotate(folder)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(all(before), all(rotated)) || !bytes.Equal(all(rotated), all(open(t, folder))) {
		t.Error("the new keys are not new, or do not last")
	}
	if _, err := Rotate(""); err == nil {
		t.Error("rotated nothing")
	}
	t.Run("a refused file is mended", func(t *testing.T) {
		file := filepath.Join(folder, FileName)
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Rotate(folder); err != nil {
			t.Fatal(err)
		}
		open(t, folder)
	})
}

func TestKeysAreNotPrinted(t *testing.T) {
	k := open(t, "")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if got := fmt.Sprintf(verb, k); got != "keys" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}
