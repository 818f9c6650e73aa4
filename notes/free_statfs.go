//go:build linux || darwin

package notes

import (
	"os"
	"syscall"
)

// freeBytes is what this user may still write on the disk of a folder.
func freeBytes(f *os.File) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:unconvert // its type differs from system to system
}
