//go:build unix

package keys

import (
	"syscall"
	"testing"
)

func pipe(t *testing.T, file string) {
	t.Helper()
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
}
