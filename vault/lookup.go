package vault

import (
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"candor"
	"candor/policy"
)

// Lookup finds one note as List would, without listing the vault. A spelling that the
// disk would take for the same name, in other case say, finds nothing. Its errors are
// those of Read.
func (r *Root) Lookup(key candor.Path, p *policy.Policy) (Entry, error) {
	permit := p.Decide(key)
	rest, mine := strings.CutPrefix(string(key), r.pre)
	folder, base := path.Split(rest)
	switch {
	case !permit.Allowed(), !mine, !isNote(base), nameFault(rest) != "":
		return Entry{}, fs.ErrNotExist
	case strings.Count(rest, "/") > maxDepth:
		return Entry{}, Skip{Path: key, Reason: isTooDeep}
	}
	at, disk, err := r.locate(strings.TrimSuffix(folder, "/"))
	if err != nil {
		return Entry{}, refusal(key, err)
	}
	defer at.Close()
	var info fs.FileInfo
	name, err := diskName(at, base)
	if err == nil {
		info, err = at.Lstat(name)
	}
	if err == nil {
		err = r.checkFile(info, identify(info))
	}
	if err != nil {
		return Entry{}, refusal(key, err)
	}
	return Entry{Permit: permit, Stamp: stamp(info), disk: path.Join(disk, name)}, nil
}

// locate opens the folder of a path, and gives its name on the disk.
func (r *Root) locate(folder string) (at Folder, disk string, err error) {
	at, err = r.root.OpenFolder(".")
	for rest, part := folder, ""; err == nil && rest != ""; {
		part, rest, _ = strings.Cut(rest, "/")
		var next Folder
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
func diskName(at Folder, part string) (string, error) {
	items, err := at.ReadDir()
	if err != nil {
		return "", err
	}
	found := ""
	for _, item := range items {
		if name := item.Name(); norm.NFC.String(name) == part && (found == "" || precedence(name, found) < 0) {
			found = name
		}
	}
	if found == "" {
		return "", fs.ErrNotExist
	}
	return found, nil
}
