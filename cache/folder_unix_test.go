//go:build unix

package cache

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolder holds which folders are refused, with a hint.
func TestFolder(t *testing.T) {
	for _, test := range []struct {
		what, want string
		make       func(dir string) error
	}{
		{"a link", "is a link", func(dir string) error { return os.Symlink(t.TempDir(), dir) }},
		{"a link to nothing", "", func(dir string) error { return os.Symlink(dir+"x", dir) }},
		{"a file", "", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }},
		{"a pipe", "", func(dir string) error { return syscall.Mkfifo(dir, 0o600) }},
		{"writable by others", "can be changed by other users", func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o777)
		}},
		{"of another user", "belongs to another user", func(dir string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chown(dir, 12345, 12345)
		}},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			if err := test.make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Open(Options{Dir: dir, Key: testSecret(1)})
			if err == nil || !strings.Contains(err.Error(), test.want) || test.want != "" && !strings.Contains(err.Error(), "hint: ") {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestFiles puts things in the place of a sound segment: none is used, none is followed,
// none stops the rest.
func TestFiles(t *testing.T) {
	for _, test := range []struct {
		what, want string
		swap       func(path, aside string) error
	}{
		{"a link", "is a link", func(path, aside string) error { return os.Symlink(aside, path) }},
		{"a second name", "has a second name", func(path, aside string) error { return os.Link(aside, path) }},
		{"a folder", "is not a regular file", func(path, _ string) error { return os.Mkdir(path, 0o700) }},
		{"a pipe", "is not a regular file", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{"writable by all", "can be changed by other users", func(path, aside string) error {
			if err := os.Rename(aside, path); err != nil {
				return err
			}
			return os.Chmod(path, 0o666)
		}},
		{"of another user", "belongs to another user", func(path, aside string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			if err := os.Rename(aside, path); err != nil {
				return err
			}
			return os.Chown(path, 12345, 12345)
		}},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := t.TempDir()
			c := testOpen(t, dir, 1)
			entries := entriesOf(c.Key(), "a", 10)
			testPut(t, c, entries[:5]...)
			path := filepath.Join(dir, onlyName(t, c))
			testPut(t, c, entries[5:]...)
			aside := filepath.Join(t.TempDir(), "aside")
			if err := os.Rename(path, aside); err != nil {
				t.Fatal(err)
			}
			if err := test.swap(path, aside); err != nil {
				t.Fatal(err)
			}
			c = testOpen(t, dir, 1)
			if n := found(t, c, idsOf(entries)); n != 5 {
				t.Errorf("%d vectors, want 5", n)
			}
			if f := c.Stat().Faults; len(f) != 1 || f[0].Reason != test.want {
				t.Errorf("faults %+v, want %q", f, test.want)
			}
			testPut(t, c, entries...)
			if n := found(t, c, idsOf(entries)); n != 10 {
				t.Errorf("%d of 10 vectors after filling again", n)
			}
		})
	}
}

func onlyName(t *testing.T, c *Cache) string {
	t.Helper()
	for name := range c.segments {
		return name
	}
	t.Fatal("no segment")
	return ""
}

// TestLockFile holds that a lock that leads elsewhere is refused.
func TestLockFile(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(other, filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	c := testOpen(t, dir, 1)
	if _, err := c.Writer(); err == nil || !strings.Contains(err.Error(), "hint: ") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("the link was followed")
	}
}
