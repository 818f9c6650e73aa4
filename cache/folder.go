package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// The names in a folder. All else in it is left alone.
const (
	suffix    = ".vec" // a segment
	temporary = ".tmp" // behind the name of a segment that is being written
	lockName  = "lock"
)

// folder is what the cache asks of a file system. It is an interface for the tests,
// which put faults and crashes into it.
type folder interface {
	names() ([]string, error)
	open(name string) (blob, error)
	create(name string) (file, error) // a new file; one that is there is an error
	rename(from, to string) error
	remove(name string) error
	sync() error                             // makes names durable
	lock() (release func() error, err error) // ErrBusy when another holds it
}

// blob is a file that is read.
type blob interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// file is a file that is written.
type file interface {
	io.Writer
	io.Closer
	Sync() error
}

// untrusted is the error for a file that others may have put there or can change.
type untrusted string

func (u untrusted) Error() string { return string(u) }

// disk is the folder on a real file system. Nothing outside it can be reached.
type disk struct {
	dir  string
	root *os.Root
}

func openDisk(dir string) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the cache: %w", err)
	}
	before, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the folder of the cache: %w", err)
	}
	if why := distrustFolder(before); why != "" {
		return nil, fmt.Errorf("the folder of the cache, %s, %s; hint: name a folder of your own, or run with the cache off", dir, why)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the cache: %w", err)
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(before, now) {
		_ = root.Close()
		return nil, fmt.Errorf("the folder of the cache, %s, changed while it was opened; hint: try again", dir)
	}
	return &disk{dir: dir, root: root}, nil
}

func distrustFolder(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "is a link"
	case !info.IsDir():
		return "is not a folder"
	case !mine(info):
		return "belongs to another user"
	case writableByOthers(info):
		return fmt.Sprintf("can be changed by other users (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// distrustFile says why a file is not one that we made, or "". Its words are for the
// owner only; they name no content.
func distrustFile(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "is a link"
	case !info.Mode().IsRegular():
		return "is not a regular file"
	case !mine(info):
		return "belongs to another user"
	case writableByOthers(info):
		return "can be changed by other users"
	case links(info) > 1:
		return "has a second name"
	}
	return ""
}

func (d *disk) names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// open never follows a link and never waits for a pipe.
func (d *disk) open(name string) (blob, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if why := distrustFile(before); why != "" {
		return nil, untrusted(why)
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && (!os.SameFile(before, now) || distrustFile(now) != "") {
		err = untrusted("changed while it was opened")
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return onDisk{f, now.Size()}, nil
}

type onDisk struct {
	*os.File
	size int64
}

func (f onDisk) Size() int64 { return f.size }

func (d *disk) create(name string) (file, error) {
	return d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
}

func (d *disk) rename(from, to string) error { return d.root.Rename(from, to) }

func (d *disk) remove(name string) error { return d.root.Remove(name) }

func (d *disk) sync() error { return syncFolder(d.root) }

// lock takes the lock that the system frees when its process ends, however it ends.
func (d *disk) lock() (func() error, error) {
	if info, err := d.root.Lstat(lockName); err == nil {
		if why := distrustFile(info); why != "" {
			return nil, fmt.Errorf("the lock of the cache %s; hint: remove %s", why, filepath.Join(d.dir, lockName))
		}
	}
	l := flock.New(filepath.Join(d.dir, lockName),
		flock.SetFlag(os.O_CREATE|os.O_RDWR|openFlags), flock.SetPermissions(0o600))
	got, err := l.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock the cache: %w", err)
	case !got:
		return nil, ErrBusy
	}
	return l.Unlock, nil
}

func (d *disk) close() error { return d.root.Close() }

// gone reports whether a file was removed since its name was read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
