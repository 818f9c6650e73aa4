package vault

import (
	"io"
	"io/fs"
	"os"
)

// Folder is an open folder as a vault uses it. The real one is an [os.Root]; a test puts
// another in its place to see what becomes of a vault whose disk fails.
type Folder interface {
	// OpenFolder opens the folder that has a name in this one.
	OpenFolder(name string) (Folder, error)
	// OpenFile opens a file to be read. It never waits for a pipe or device.
	OpenFile(name string) (Handle, error)
	// Lstat tells of a file or folder, or of a link itself.
	Lstat(name string) (fs.FileInfo, error)
	// Stat tells of the folder itself.
	Stat() (fs.FileInfo, error)
	// ReadDir lists the folder, whole or not at all.
	ReadDir() ([]fs.DirEntry, error)
	Close() error
}

// Handle is an open file as a vault uses it.
type Handle interface {
	io.ReadCloser
	Stat() (fs.FileInfo, error)
	Fd() uintptr
}

// OpenFolder opens the folder at a path. Nothing opened in it lies outside.
func OpenFolder(dir string) (Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return folder{root}, nil
}

type folder struct{ root *os.Root }

func (f folder) OpenFolder(name string) (Folder, error) {
	next, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return folder{next}, nil
}

func (f folder) OpenFile(name string) (Handle, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (f folder) ReadDir() ([]fs.DirEntry, error) {
	self, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer self.Close()
	items, err := self.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	return items, nil
}

func (f folder) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }
func (f folder) Stat() (fs.FileInfo, error)             { return f.root.Stat(".") }
func (f folder) Close() error                           { return f.root.Close() }
