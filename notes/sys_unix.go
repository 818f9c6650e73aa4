//go:build unix

package notes

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an opening from following a link or waiting for a pipe.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// linkCount counts the names of an open file.
func linkCount(_ *os.File, info fs.FileInfo) (uint64, error) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, nil
	}
	return uint64(s.Nlink), nil //nolint:unconvert // its type differs from system to system
}

func syncFolder(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
