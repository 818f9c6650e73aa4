//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an opening from following a link or waiting for a pipe.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

func links(info fs.FileInfo) uint64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(s.Nlink) //nolint:unconvert // its type differs from system to system
}

func writableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

func syncFolder(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
