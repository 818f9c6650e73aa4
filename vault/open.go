package vault

import (
	"io/fs"
	"os"
)

// errRefused carries the reason of a Skip up to where the path is known.
type errRefused string

func (e errRefused) Error() string { return string(e) }

// enter opens the folder that a name is in another folder. The name is looked at after
// the folder is open: while it is, nothing else can have its identity.
func (r *Root) enter(at Folder, name string) (next Folder, opened fs.FileInfo, err error) {
	if next, err = at.OpenFolder(name); err != nil {
		return nil, nil, err
	}
	if opened, err = next.Stat(); err == nil {
		err = r.isNamed(at, name, opened)
	}
	if err != nil {
		next.Close()
		return nil, nil, err
	}
	return next, opened, nil
}

// isNamed reports an error unless name is, without following links, what was opened,
// and lies on the file system of the vault.
func (r *Root) isNamed(at Folder, name string, opened fs.FileInfo) error {
	named, err := at.Lstat(name)
	switch {
	case err != nil:
		return err
	case named.Mode()&fs.ModeSymlink != 0:
		return errRefused(isLink)
	case !os.SameFile(named, opened):
		return fs.ErrNotExist // replaced in between
	case identify(opened).device != r.self.device:
		return errRefused(isElsewhere)
	}
	return nil
}

// checkFile says whether a file may be a note.
func (r *Root) checkFile(info fs.FileInfo, id identity) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errRefused(isLink)
	case !info.Mode().IsRegular():
		return errRefused(isSpecial)
	case id.links > 1:
		return errRefused(isHardLink)
	case id.device != r.self.device:
		return errRefused(isElsewhere)
	case info.Size() > r.bytes:
		return errRefused(isTooBig)
	}
	return nil
}

// openFile opens a note in its folder. What is plainly none is not even opened, since
// opening a device can do something.
func (r *Root) openFile(at Folder, name string) (Handle, fs.FileInfo, error) {
	info, err := at.Lstat(name)
	if err == nil {
		err = r.checkFile(info, identify(info))
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := at.OpenFile(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = r.isNamed(at, name, info)
	}
	if err == nil {
		var id identity
		if id, err = identifyOpen(f, info); err == nil {
			err = r.checkFile(info, id)
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
