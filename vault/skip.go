package vault

import (
	"errors"
	"io/fs"
	"os"

	"candor"
)

// Skip is a note or folder that is passed over, with the reason for the owner. As an
// error it is the answer of a read that was refused; a note that is gone, or that
// nobody may see, is [fs.ErrNotExist] instead.
type Skip struct {
	Path   candor.Path
	Reason string
}

// Error implements error.
func (s Skip) Error() string { return string(s.Path) + ": " + s.Reason }

// The reasons.
const (
	isLink      = "symbolic link"
	isHardLink  = "hard link: the file has more than one name"
	isSpecial   = "not a regular file"
	isElsewhere = "on another file system than the vault"
	isTooBig    = "bigger than limits.file_bytes"
	isTooDeep   = "more than 128 folders deep"
	isTwin      = "another name here is the same in Unicode form NFC"
	isRestless  = "changed while it was read, three times"
)

// reason says what hinders, without the name of a file.
func reason(err error) string { return "cannot be read: " + cause(err).Error() }

// cause is the innermost error of the os package: it names no path.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}
