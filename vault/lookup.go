package vault

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"candor"
	"candor/policy"
)

// Lookup finds one note as List would, without listing the vault. A spelling that the
// disk would take for the same name, in other case say, finds nothing.
func (r *Root) Lookup(key candor.Path, p *policy.Policy) (Entry, bool) {
	permit := p.Decide(key)
	rest, mine := strings.CutPrefix(string(key), r.pre)
	folder, base := path.Split(rest)
	switch {
	case !permit.Allowed(), !mine, !isNote(base), nameFault(rest) != "":
		return Entry{}, false
	case strings.Count(rest, "/") > maxDepth:
		return Entry{}, false
	}
	at, disk, err := r.locate(strings.TrimSuffix(folder, "/"))
	if err != nil {
		return Entry{}, false
	}
	defer at.Close()
	name, err := diskName(at, base)
	if err != nil {
		return Entry{}, false
	}
	info, err := at.Lstat(name)
	if err != nil || r.checkFile(info, identify(info)) != nil {
		return Entry{}, false
	}
	return Entry{Permit: permit, Stamp: stamp(info), disk: path.Join(disk, name)}, true
}

// locate opens the folder of a path, and gives its name on the disk.
func (r *Root) locate(folder string) (at *os.Root, disk string, err error) {
	at, err = r.root.OpenRoot(".")
	for rest, part := folder, ""; err == nil && rest != ""; {
		part, rest, _ = strings.Cut(rest, "/")
		var next *os.Root
		var name string
		if name, err = diskName(at, part); err == nil {
			next, _, err = r.enter(at, name)
			disk = path.Join(disk, name)
		}
		at.Close()
		at = next
	}
	return at, disk, err
}

// diskName finds the name in a folder whose NFC form is given. It asks the list of
// names, since a disk may also open what is spelt otherwise.
func diskName(at *os.Root, part string) (string, error) {
	f, err := at.Open(".")
	if err != nil {
		return "", err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return "", err
	}
	found := ""
	for _, name := range names {
		if norm.NFC.String(name) == part && (found == "" || precedence(name, found) < 0) {
			found = name
		}
	}
	if found == "" {
		return "", fs.ErrNotExist
	}
	return found, nil
}
