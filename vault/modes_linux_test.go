package vault_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/internal/vaulttest"
	"candor/vault"
)

// asNobody runs f on a thread that modes hinder even where the test is run by root.
func asNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		if vaulttest.Root() {
			syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		}
		f()
	}()
	<-done
}

func TestModes(t *testing.T) {
	dir := vaulttest.Write(t, "-- a.md --\na\n-- closed.md --\nc\n-- shut/x.md --\nx\n")
	vaulttest.Mode(t, dir, "closed.md", 0)
	vaulttest.Mode(t, dir, "shut", 0)
	r := open(t, dir, vault.Options{})
	asNobody(func() {
		entries, skips, err := r.List(t.Context(), all(t))
		if err != nil || len(entries) != 2 {
			t.Error(paths(entries), err)
		}
		if diff := cmp.Diff([]vault.Skip{{Path: "shut", Reason: "cannot be read: permission denied"}}, skips); diff != "" {
			t.Error(diff)
		}
		for _, e := range entries {
			_, err := r.Read(e)
			if e.Path() == "a.md" && err != nil || e.Path() == "closed.md" && (err == nil || err.Error() != "closed.md: cannot be read: permission denied") {
				t.Errorf("%s: %v", e.Path(), err)
			}
		}
	})
}

func TestDevices(t *testing.T) {
	dir := vaulttest.Write(t, "-- a.md --\n")
	if err := syscall.Mknod(filepath.Join(dir, "zero.md"), syscall.S_IFCHR|0o666, 1<<8|5); err != nil {
		t.Skip("only root makes devices:", err)
	}
	_, skips := list(t, open(t, dir, vault.Options{}), all(t))
	if diff := cmp.Diff(map[string]string{"zero.md": "not a regular file"}, skipped(skips)); diff != "" {
		t.Error(diff)
	}
}

func TestOtherFileSystems(t *testing.T) {
	dir := vaulttest.Write(t, "-- a.md --\n-- mounted/file.md --\n")
	mounted := filepath.Join(dir, "mounted")
	if err := syscall.Mount("tmpfs", mounted, "tmpfs", 0, ""); err != nil {
		t.Skip("only root mounts:", err)
	}
	t.Cleanup(func() { syscall.Unmount(mounted, syscall.MNT_DETACH) })
	vaulttest.Put(t, dir, "mounted/x.md", "")
	entries, skips := list(t, open(t, dir, vault.Options{}), all(t))
	if diff := cmp.Diff([]string{"a.md"}, paths(entries)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"mounted": "on another file system than the vault"}, skipped(skips)); diff != "" {
		t.Error(diff)
	}
}

// However deep the vault, few files are open at once.
func TestFewDescriptors(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{strings.Repeat("d/", 120) + "x.md": "deep"})
	r := open(t, dir, vault.Options{})
	used, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) })
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(len(used) + 13), Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	entries, skips := list(t, r, all(t))
	if len(entries) != 1 {
		t.Fatalf("skipped %v", skips)
	}
	if _, err := r.Read(entries[0]); err != nil {
		t.Error(err)
	}
}

// Where no watch is to be had, the vault is polled.
func TestWatchWithoutWatches(t *testing.T) {
	dir := vaulttest.Write(t, "-- a.md --\n")
	r := open(t, dir, vault.Options{})
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	restore := func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) }
	t.Cleanup(restore)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	calls := make(chan []candor.Path, 10)
	go r.Watch(t.Context(), all(t), func(paths []candor.Path) { calls <- paths })
	<-calls
	restore()
	vaulttest.Put(t, dir, "new.md", "x")
	for told := range calls {
		if slices.Contains(told, "new.md") {
			return
		}
	}
}
