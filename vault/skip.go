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
	Fault  bool // the system failed, and may do better another time
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

// failure says what hinders, without the name of a file. Rights are given and taken, so
// that a change of them is told; all else may pass untold.
func failure(key candor.Path, err error) Skip {
	return Skip{Path: key, Reason: "cannot be read: " + cause(err).Error(), Fault: !errors.Is(err, fs.ErrPermission)}
}

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
