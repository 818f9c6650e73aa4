package vault

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"candor"
	"candor/policy"
)

// DefaultFileBytes is the size of the biggest note that is read by default.
const DefaultFileBytes = 8 << 20

// Options of a vault. The zero value is one vault with default bounds.
type Options struct {
	// FileBytes is the size of the biggest note that is read; 0 is DefaultFileBytes.
	FileBytes int64
	// Prefix lets all paths begin with the vault's name, as with several vaults.
	Prefix bool
	// Poll, if above 0, is how often Watch looks for changes by listing the vault. At
	// 0 Watch lets the system tell it of changes and polls only where it cannot. Set
	// it on network file systems, where the changes of other machines go untold.
	Poll time.Duration
	// System opens the folder; nil is OpenFolder. Tests set it.
	System func(dir string) (Folder, error)
}

// Root is one vault. It is safe for concurrent use.
type Root struct {
	name  string
	dir   string // as given, absolute: for watches and the owner's links only
	root  Folder
	self  identity
	bytes int64
	pre   string // "" or name + "/"
	poll  time.Duration
}

// Open opens the folder of a vault. The folder itself may be reached through links.
func Open(name, dir string, opt Options) (*Root, error) {
	if err := checkName(name, opt.Prefix); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("vault %q: %w", name, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("vault %q: folder %q: %w: give the path of a folder of notes", name, dir, cause(err))
	case !info.IsDir():
		return nil, fmt.Errorf("vault %q: %q is not a folder: give the path of a folder of notes", name, dir)
	}
	if opt.System == nil {
		opt.System = OpenFolder
	}
	root, err := opt.System(abs)
	if err != nil {
		return nil, fmt.Errorf("vault %q: folder %q: %w", name, dir, cause(err))
	}
	info, err = root.Stat()
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("vault %q: folder %q: %w", name, dir, cause(err))
	}
	r := &Root{name: name, dir: abs, root: root, self: identify(info), bytes: opt.FileBytes, poll: opt.Poll}
	if r.bytes <= 0 {
		r.bytes = DefaultFileBytes
	}
	if opt.Prefix {
		r.pre = name + "/"
	}
	return r, nil
}

// checkName wants a name that can be the first part of a path.
func checkName(name string, prefix bool) error {
	if name == "" && !prefix {
		return nil
	}
	path := policy.CleanPath(name)
	if name == "" || string(path) != name || name == ".." || strings.Contains(name, "/") || nameFault(name) != "" {
		return fmt.Errorf("vault name %q: write a plain word", name)
	}
	return nil
}

// Name gives the name of the vault.
func (r *Root) Name() string { return r.name }

// Prefix is what all paths of the vault begin with: its name and '/', or "" where it is
// the only vault.
func (r *Root) Prefix() string { return r.pre }

// Close gives the folder back. Calls after it fail.
func (r *Root) Close() error { return r.root.Close() }

// Moved reports whether the name of the folder leads to another folder than the one that
// was opened: the vault was replaced by one of the same name, and is to be opened anew.
// A folder that is away for a while has not moved.
func (r *Root) Moved() bool {
	named, err := os.Stat(r.dir)
	if err != nil || !named.IsDir() {
		return false
	}
	opened, err := r.root.Stat()
	return err == nil && !os.SameFile(named, opened)
}

// path is the key of a name on the disk.
func (r *Root) path(disk string) candor.Path {
	return candor.Path(r.pre + norm.NFC.String(filepath.ToSlash(disk)))
}

// folder is path for folders, whose root is "" or the vault's name.
func (r *Root) folder(disk string) candor.Path {
	return candor.Path(strings.TrimSuffix(string(r.path(disk)), "/"))
}

// Entry is a note that was found and that some profile may see.
type Entry struct {
	Permit policy.Permit
	Stamp  Stamp
	disk   string // its name on the disk, parts joined by '/'
}

// File is where a note is on this machine: an absolute path with the names on the disk,
// for its owner to open. Nothing here reads by it.
func (r *Root) File(e Entry) string { return filepath.Join(r.dir, filepath.FromSlash(e.disk)) }

// Disk is the note's path inside its vault with the names on the disk.
func (e Entry) Disk() string { return e.disk }

// Path is the path of the note.
func (e Entry) Path() candor.Path { return e.Permit.Path() }

// Stamp tells versions of a file apart. Stamps are compared with ==.
type Stamp struct {
	size   int64
	mtime  int64
	ctime  int64
	device uint64
	inode  uint64
}

func stamp(info fs.FileInfo) Stamp {
	id := identify(info)
	return Stamp{info.Size(), info.ModTime().UnixNano(), id.ctime, id.device, id.inode}
}

// identity is what a system knows of a file beyond [fs.FileInfo]; 0 where it does not.
type identity struct {
	device uint64
	inode  uint64
	links  uint64
	ctime  int64 // of the last change to the file or its attributes, ns
}
