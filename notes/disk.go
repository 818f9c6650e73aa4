package notes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long a writer waits for the others, and how often it looks.
const (
	patience = 5 * time.Second
	interval = 2 * time.Millisecond
)

// unfit is the error for what may not be written to. Its words are for the owner.
type unfit string

func (u unfit) Error() string { return string(u) }

// disk is a folder on a real file system. Nothing outside it can be reached.
type disk struct {
	dir      string // its last part is never followed as a link
	lockName string
	mayMake  bool
	root     *os.Root // nil until it is ready
}

// openDisk looks at a folder. The folders above it are the owner's and may be links.
func openDisk(dir, lockName string, mayMake bool) (*disk, error) {
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return nil, fmt.Errorf("the folder above it cannot be read: %w; hint: make it, or name another place", err)
	}
	d := &disk{dir: filepath.Join(parent, filepath.Base(dir)), lockName: lockName, mayMake: mayMake}
	if err := d.ready(false); err != nil && !(mayMake && errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	return d, nil
}

// openLedgerDisk opens the folder that a ledger is in.
func openLedgerDisk(path string) (*disk, string, error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, "", fmt.Errorf("its folder cannot be read: %w; hint: make it, or name another place", err)
	}
	d, err := openDisk(dir, "."+name+".lock", false)
	if err != nil {
		return nil, "", err
	}
	if info, err := d.root.Lstat(name); err == nil {
		if err := fits(info); err != nil {
			_ = d.close()
			return nil, "", err
		}
	}
	return d, name, nil
}

// ready opens the folder that the path names now. One that was moved away, as when its
// drafts are reviewed, is left and a new one is made.
func (d *disk) ready(mayMake bool) error {
	info, err := os.Lstat(d.dir)
	if mayMake && d.mayMake && errors.Is(err, fs.ErrNotExist) {
		if err = os.Mkdir(d.dir, 0o750); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = os.Lstat(d.dir)
		}
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return unfit("is no folder of its own, or a link to one; hint: name the folder itself")
	}
	if d.root != nil {
		if now, err := d.root.Stat("."); err == nil && os.SameFile(now, info) {
			return nil
		}
	}
	return d.enter(info)
}

// enter opens the folder in the place of the one before. Its own name is made durable
// first, whoever has made it.
func (d *disk) enter(named fs.FileInfo) error {
	if err := d.close(); err != nil {
		return err
	}
	parent, err := os.OpenRoot(filepath.Dir(d.dir))
	if err != nil {
		return err
	}
	err = syncFolder(parent)
	if closed := parent.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return &lostError{err}
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return err
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, named) {
		_ = root.Close()
		return unfit("the folder changed while it was opened")
	}
	d.root = root
	return nil
}

func (d *disk) close() error {
	if d.root == nil {
		return nil
	}
	root := d.root
	d.root = nil
	return root.Close()
}

func (d *disk) names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// onDisk is a file with its size.
type onDisk struct{ *os.File }

func (f onDisk) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (d *disk) create(name string) (file, error) {
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|openFlags, 0o640)
	if err != nil {
		return nil, err
	}
	return onDisk{f}, nil
}

func (d *disk) open(name string, flags int) (file, error) {
	f, err := d.openFile(name, flags)
	if err != nil {
		return nil, err
	}
	return onDisk{f}, nil
}

// openFile opens a regular file that has this name and no other. The name is looked at
// again once the file is open: while it is, nothing else can have its identity.
func (d *disk) openFile(name string, flags int) (*os.File, error) {
	named, err := d.root.Lstat(name)
	if err == nil {
		err = fits(named)
	}
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, flags|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if err := d.isNamed(name, f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (d *disk) isNamed(name string, f *os.File) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := d.root.Lstat(name)
	switch {
	case err != nil:
		return err
	case !os.SameFile(named, opened):
		return unfit("the file changed while it was opened")
	}
	if err := fits(named); err != nil {
		return err
	}
	count, err := linkCount(f, opened)
	if err == nil && count > 1 {
		err = unfit("the file has a second name; hint: copy it over itself, so that it has one")
	}
	return err
}

// fits refuses what is no regular file.
func fits(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return unfit("the file is a link; hint: name the file itself")
	case !info.Mode().IsRegular():
		return unfit("is no regular file")
	}
	return nil
}

func (d *disk) truncate(name string, n int64) error {
	f, err := d.openFile(name, os.O_RDWR)
	if err != nil {
		return err
	}
	if err = f.Truncate(n); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// link gives a file a second name, which unlike a renaming never replaces one that is
// there.
func (d *disk) link(from, to string) error {
	err := d.root.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := d.root.Lstat(to); errors.Is(there, fs.ErrNotExist) { // a file system without links
		return d.root.Rename(from, to)
	}
	return err
}

func (d *disk) remove(name string) error { return d.root.Remove(name) }

func (d *disk) sync() error { return syncFolder(d.root) }

func (d *disk) free() (uint64, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return freeBytes(f)
}

// lock takes the lock that the system frees when its process ends, however it ends.
func (d *disk) lock(ctx context.Context) (func() error, error) {
	if info, err := d.root.Lstat(d.lockName); err == nil {
		if err := fits(info); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l := flock.New(filepath.Join(d.dir, d.lockName),
		flock.SetFlag(os.O_CREATE|os.O_RDWR|openFlags), flock.SetPermissions(0o640))
	if _, err := l.TryLockContext(ctx, interval); err != nil {
		return nil, fmt.Errorf("wait for other writers: %w", err)
	}
	return l.Unlock, nil
}
