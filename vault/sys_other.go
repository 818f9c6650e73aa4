//go:build !unix && !windows

package vault

import (
	"io/fs"
	"os"
)

const openFlags = 0

func identify(fs.FileInfo) identity { return identity{} }

func identifyOpen(*os.File, fs.FileInfo) (identity, error) { return identity{}, nil }
