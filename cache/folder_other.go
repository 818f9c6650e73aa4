//go:build !unix

package cache

import (
	"io/fs"
	"os"
)

// openFlags has nothing to add where opening follows no pipe.
const openFlags = 0

// Owners and modes are not files' own here: the folder lies in the user's profile.

func mine(fs.FileInfo) bool { return true }

func links(fs.FileInfo) uint64 { return 1 }

func writableByOthers(fs.FileInfo) bool { return false }

// syncFolder has nothing to do: such systems make names durable by themselves.
func syncFolder(*os.Root) error { return nil }
