package vault_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/internal/vaulttest"
	"candor/policy"
	"candor/vault"
)

func entry(t testing.TB, r *vault.Root, path string) vault.Entry {
	t.Helper()
	e, err := r.Lookup(policy.CleanPath(path), all(t))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return e
}

func TestRead(t *testing.T) {
	dir := vaulttest.Write(t, "-- hr/leave.md --\n# Leave\n")
	r := open(t, dir, vault.Options{})
	e := entry(t, r, "hr/leave.md")
	f, err := r.Read(e)
	if err != nil {
		t.Fatal(err)
	}
	if f.Path != "hr/leave.md" || f.Text != "# Leave\n" || f.Encoding != "UTF-8" || f.Repaired != 0 || f.ModTime.Location() != time.UTC {
		t.Errorf("%+v", f)
	}
	if now, err := r.Stat(e); err != nil || now != f.Stamp || now != e.Stamp {
		t.Error("the stamps of a file at rest differ", err)
	}
}

func TestReadNeedsAPermit(t *testing.T) {
	r := open(t, vaulttest.Write(t, zones), vault.Options{})
	e := entry(t, r, "public/a.md")
	nobody, other := e, e
	nobody.Permit = e.Permit.Narrow(nil)
	other.Permit = entry(t, r, "restricted/secret.md").Permit
	for _, e := range []vault.Entry{nobody, other, {}} {
		if f, err := r.Read(e); !errors.Is(err, fs.ErrNotExist) || f.Text != "" {
			t.Errorf("read %q, %v", f.Text, err)
		}
	}
	if _, err := r.Stat(nobody); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Whatever a note becomes, the next look at it says so and gives none of the new bytes.
func TestChanges(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string // reason, "gone", or "" for another stamp
	}{
		{"removed", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "d/a.md")) }, "gone"},
		{"folder removed", func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "d")) }, "gone"},
		{"folder renamed", func(t *testing.T, dir string) { os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "e")) }, "gone"},
		{"written", func(t *testing.T, dir string) { vaulttest.Put(t, dir, "d/a.md", "longer") }, ""},
		{"saved with same size and time", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "d/a.md")
			info, _ := os.Stat(path)
			vaulttest.Save(t, dir, "d/a.md", "evil")
			os.Chtimes(path, info.ModTime(), info.ModTime())
		}, ""},
		{"symbolic link", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "d/a.md"))
			vaulttest.Symlink(t, dir, "../other/a.md", "d/a.md")
		}, "symbolic link"},
		{"folder becomes a link to another", func(t *testing.T, dir string) {
			os.RemoveAll(filepath.Join(dir, "d"))
			vaulttest.Symlink(t, dir, "other", "d")
		}, "symbolic link"},
		{"folder moved and linked to", func(t *testing.T, dir string) {
			os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "other/d"))
			vaulttest.Symlink(t, dir, "other/d", "d")
		}, "symbolic link"},
		{"hard link", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "d/a.md"))
			vaulttest.Link(t, dir, filepath.Join(dir, "other/a.md"), "d/a.md")
		}, "hard link"},
		{"second name", func(t *testing.T, dir string) {
			vaulttest.Link(t, dir, filepath.Join(dir, "d/a.md"), "other/b.md")
		}, "hard link"},
		{"pipe", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "d/a.md"))
			vaulttest.FIFO(t, dir, "d/a.md")
		}, "not a regular file"},
		{"folder", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "d/a.md"))
			os.Mkdir(filepath.Join(dir, "d/a.md"), 0o755)
		}, "not a regular file"},
		{"too big", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "d/a.md"), 1<<40); err != nil {
				t.Fatal(err)
			}
		}, "bigger than limits.file_bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := vaulttest.WriteMap(t, map[string]string{"d/a.md": "text", "other/a.md": "evil"})
			r := open(t, dir, vault.Options{})
			e := entry(t, r, "d/a.md")
			first, err := r.Read(e)
			if err != nil {
				t.Fatal(err)
			}
			test.change(t, dir)
			stamp, statErr := r.Stat(e)
			f, readErr := r.Read(e)
			for _, err := range []error{statErr, readErr} {
				var skip vault.Skip
				errors.As(err, &skip)
				switch {
				case test.want == "gone" && !errors.Is(err, fs.ErrNotExist):
					t.Errorf("error %v, want none such", err)
				case test.want != "gone" && !strings.HasPrefix(skip.Reason, test.want):
					t.Errorf("error %v, want %q", err, test.want)
				}
			}
			if test.want == "" && (stamp == first.Stamp || f.Stamp != stamp) {
				t.Error("the stamp does not tell the version")
			}
			if test.want != "" && f.Text != "" {
				t.Errorf("reads %q", f.Text)
			}
		})
	}
}

func TestSizeLimit(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{"ten.md": "0123456789", "eleven.md": "0123456789x"})
	if err := os.WriteFile(filepath.Join(dir, "sparse.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "sparse.md"), 1<<40); err != nil {
		t.Fatal(err)
	}
	entries, skips := list(t, open(t, dir, vault.Options{FileBytes: 10}), all(t))
	if len(entries) != 1 || len(skips) != 2 {
		t.Errorf("notes %v, skipped %v", paths(entries), skips)
	}
}

// A file that is written all the time is read as one version or not at all.
func TestReadIsOneVersion(t *testing.T) {
	const size = 256 << 10
	dir := vaulttest.WriteMap(t, map[string]string{"a.md": strings.Repeat("a", size)})
	f, err := os.OpenFile(filepath.Join(dir, "a.md"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			f.WriteAt([]byte(strings.Repeat(string(rune('a'+i%26)), size)), 0)
			if i%64 == 0 {
				time.Sleep(25 * time.Millisecond) // now and then long enough to be read
			}
		}
	}()
	r := open(t, dir, vault.Options{})
	e := entry(t, r, "a.md")
	versions, refused := map[byte]bool{}, 0
	for start := time.Now(); time.Since(start) < 10*time.Second && (len(versions) < 5 || refused == 0); {
		file, err := r.Read(e)
		if err != nil {
			if !errors.As(err, new(vault.Skip)) {
				t.Error(err)
			}
			refused++
			continue
		}
		versions[file.Text[0]] = true
		if len(file.Text) != size || strings.Trim(file.Text, file.Text[:1]) != "" {
			t.Fatal("parts of two versions in one")
		}
	}
	close(stop)
	<-done
	if len(versions) < 2 || refused == 0 {
		t.Errorf("%d versions read, %d reads refused: the test saw no changes", len(versions), refused)
	}
	if _, err := r.Read(e); err != nil {
		t.Error("at rest again, yet:", err)
	}
}

// Two versions of one size written one right after the other have two stamps.
func TestStampsOfQuickChangesDiffer(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{"a.md": "0"})
	r := open(t, dir, vault.Options{})
	e := entry(t, r, "a.md")
	for i := range 20 {
		path := filepath.Join(dir, "a.md")
		if err := os.WriteFile(path, []byte{byte('a' + i)}, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := r.Read(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte{byte('A' + i)}, 0o644); err != nil {
			t.Fatal(err)
		}
		if now, err := r.Stat(e); err != nil || now == f.Stamp {
			t.Fatal("an old version passes for the new one", err)
		}
	}
}
