//go:build unix

package vault

import (
	"io/fs"
	"syscall"
)

// openFlags let the opening of a pipe or a device return at once.
const openFlags = syscall.O_NONBLOCK

func identify(info fs.FileInfo) identity {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	// The types of the fields differ from system to system.
	return identity{device: uint64(s.Dev), inode: uint64(s.Ino), links: uint64(s.Nlink), ctime: ctime(s)} //nolint:unconvert
}

func identifyOpen(_ Handle, info fs.FileInfo) (identity, error) { return identify(info), nil }
