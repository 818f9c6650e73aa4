//go:build unix

package vaulttest

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// FIFO makes name a pipe that nobody writes to.
func FIFO(t testing.TB, dir, name string) {
	t.Helper()
	if err := syscall.Mkfifo(place(t, dir, name), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Socket makes name a socket that listens for the time of the test.
func Socket(t testing.TB, dir, name string) {
	t.Helper()
	// The path of a socket is short; that of a test's folder may not be.
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Rename(filepath.Join(short, "s"), place(t, dir, name)); err != nil {
		t.Fatal(err)
	}
}
