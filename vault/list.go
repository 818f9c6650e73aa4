package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"candor"
	"candor/policy"
)

// maxDepth bounds the folders above a note.
const maxDepth = 128

// List finds the notes that some profile may see, sorted by path, and what it passed
// over, sorted too. It enters no folder and looks at no file that nobody may see. What
// cannot be read is passed over; an error means that the vault as a whole cannot be.
func (r *Root) List(ctx context.Context, p *policy.Policy) ([]Entry, []Skip, error) {
	return r.list(ctx, walk{policy: p, folders: []string{""}})
}

// list walks until no folder is left to visit.
func (r *Root) list(ctx context.Context, w walk) ([]Entry, []Skip, error) {
	w.root = r
	w.way.root = r
	defer w.way.close()
	for len(w.folders) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		next := w.folders[len(w.folders)-1]
		w.folders = w.folders[:len(w.folders)-1]
		if err := w.visit(next); err != nil && next == "" {
			return nil, nil, fmt.Errorf("vault %q: %w", r.name, cause(err))
		}
	}
	slices.SortFunc(w.entries, func(a, b Entry) int { return cmp.Compare(a.Path(), b.Path()) })
	slices.SortFunc(w.skips, func(a, b Skip) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
	})
	return w.entries, w.skips, nil
}

// walk is a listing under way.
type walk struct {
	root    *Root
	way     chain
	policy  *policy.Policy
	folders []string // yet to visit, names on the disk
	// entering, if there, is called with each folder that is entered, before its list
	// of names is read.
	entering func(folder string)
	entries  []Entry
	skips    []Skip
}

func (w *walk) skip(path candor.Path, why string) {
	w.skips = append(w.skips, Skip{Path: path, Reason: why})
}

// visit lists one folder.
func (w *walk) visit(folder string) error {
	key := w.root.folder(folder)
	if !w.policy.Walk(key) {
		return nil
	}
	if strings.Count(folder, "/") >= maxDepth {
		w.skip(key, isTooDeep)
		return nil
	}
	at, err := w.way.open(folder)
	if err == nil {
		if w.entering != nil {
			w.entering(folder)
		}
		var items []fs.DirEntry
		if items, err = readFolder(at); err == nil {
			w.items(at, folder, items)
			return nil
		}
	}
	w.fail(key, err)
	return err
}

// fail lists why something is passed over; what is gone is simply gone.
func (w *walk) fail(key candor.Path, err error) {
	var refused errRefused
	switch {
	case errors.As(err, &refused):
		w.skip(key, string(refused))
	case !errors.Is(err, fs.ErrNotExist):
		w.skips = append(w.skips, failure(key, err))
	}
}

// readFolder gives what is in a folder in the order in which names with one NFC form
// take precedence.
func readFolder(at Folder) ([]fs.DirEntry, error) {
	items, err := at.ReadDir()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(items, func(a, b fs.DirEntry) int { return precedence(a.Name(), b.Name()) })
	return items, nil
}

// precedence puts names that are in NFC first, so that they are never the twin that is
// passed over.
func precedence(a, b string) int {
	x, y := norm.NFC.IsNormalString(a), norm.NFC.IsNormalString(b)
	if x != y {
		if x {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

func (w *walk) items(at Folder, folder string, items []fs.DirEntry) {
	seen := map[candor.Path]bool{}
	for _, item := range items {
		disk := path.Join(folder, item.Name())
		key := w.root.path(disk)
		if !w.wanted(key, item) {
			continue
		}
		switch fault := nameFault(item.Name()); {
		case fault != "":
			w.skip(shown(key), fault)
		case seen[key]:
			w.skip(key, isTwin)
		case item.IsDir():
			w.folders = append(w.folders, disk)
		default:
			w.file(at, disk, key)
		}
		seen[key] = true
	}
}

// wanted reports whether policy lets somebody see what an item could be: a note, or a
// folder of notes. A name that cannot be decided about is wanted if one like it is.
func (w *walk) wanted(key candor.Path, item fs.DirEntry) bool {
	key = shown(key)
	switch {
	case item.IsDir():
		return w.policy.Walk(key)
	case isNote(item.Name()):
		return w.policy.Decide(key).Allowed()
	case item.Type()&fs.ModeSymlink != 0 && path.Ext(item.Name()) == "":
		return w.policy.Walk(key) // perhaps a folder that the owner will miss
	}
	return false
}

// shown is a path with every faulty character replaced, fit to be listed.
func shown(key candor.Path) candor.Path {
	s := strings.ToValidUTF8(string(key), "\uFFFD")
	return candor.Path(strings.Map(func(r rune) rune {
		if r == '\\' || misleads(r) {
			return '\uFFFD'
		}
		return r
	}, s))
}

func (w *walk) file(at Folder, disk string, key candor.Path) {
	info, err := at.Lstat(path.Base(disk))
	if err == nil {
		err = w.root.checkFile(info, identify(info))
	}
	if err != nil {
		w.fail(key, err)
		return
	}
	w.entries = append(w.entries, Entry{Permit: w.policy.Decide(key), Stamp: stamp(info), disk: disk})
}
