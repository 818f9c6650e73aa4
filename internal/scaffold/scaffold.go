// Package scaffold writes a first candor.yaml for a folder of notes that exists.
//
// It looks at the folder and changes nothing in it but for the one new file. An
// Obsidian vault is taken as it is: what its owner excluded from search there is
// denied here. Which notes are private is not guessed, since a wrong guess would look
// like a decision; the file shows where to say it, with folders of this vault as
// examples.
package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// FileName is the file that is written.
const FileName = "candor.yaml"

// Options say what to write where.
type Options struct {
	Dir  string // the folder of notes; must exist; a leading ~ is the user's home
	File string // "" writes candor.yaml inside Dir
	// Check looks at the file once it is written; if it fails the file is removed
	// again. Nil checks nothing.
	Check func(file string) error
}

// Found is what the folder turned out to be.
type Found struct {
	File     string   // what was written, absolute
	Vault    string   // the folder, absolute
	Name     string   // of the vault
	Notes    int      // markdown files outside hidden folders
	More     bool     // counting stopped at a bound
	Folders  []string // with notes in them, at the top; at most a few
	Obsidian bool     // an Obsidian vault
	Git      bool     // the top of a git repository
	Denied   []string // globs made of Obsidian's excluded files
	Unread   []string // excluded files of Obsidian that no glob says: the owner has to
}

// Init looks at a folder and writes its configuration. It never overwrites a file.
func Init(o Options) (Found, error) {
	found, err := look(o)
	if err != nil {
		return Found{}, err
	}
	text, err := found.render()
	if err != nil {
		return Found{}, err
	}
	if err := create(found.File, text); err != nil {
		return Found{}, err
	}
	if o.Check != nil {
		if err := o.Check(found.File); err != nil {
			_ = os.Remove(found.File)
			return Found{}, fmt.Errorf("no configuration for %s: %w", found.Vault, err)
		}
	}
	return found, nil
}

// look gathers what is to be known of the folder.
func look(o Options) (Found, error) {
	if o.Dir == "" {
		return Found{}, errors.New("no folder; hint: name the folder of your notes, . for this one")
	}
	dir, err := absolute(o.Dir)
	if err != nil {
		return Found{}, fmt.Errorf("%s: %w", o.Dir, err)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return Found{}, fmt.Errorf("%s is not there or cannot be read; hint: name a folder that exists", o.Dir)
	case !info.IsDir():
		return Found{}, fmt.Errorf("%s is a file; hint: name the folder that holds the notes", o.Dir)
	}
	file := filepath.Join(dir, FileName)
	if o.File != "" {
		if file, err = absolute(o.File); err != nil {
			return Found{}, fmt.Errorf("%s: %w", o.File, err)
		}
	}
	if !utf8.ValidString(dir + file) {
		return Found{}, fmt.Errorf("%q is not UTF-8, which %s has to be; hint: rename the folder", dir, FileName)
	}
	found := Found{File: file, Vault: dir, Name: vaultName(filepath.Base(dir))}
	if err := found.count(); err != nil {
		return Found{}, err
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		found.Git = true
	}
	if info, err := os.Stat(filepath.Join(dir, ".obsidian")); err == nil && info.IsDir() {
		found.Obsidian = true
		found.Denied, found.Unread = obsidian(dir)
	}
	return found, nil
}

// absolute makes a path absolute, its ~ too: a shell leaves one in quotes as it is.
func absolute(path string) (string, error) {
	rest, tilde := strings.CutPrefix(path, "~")
	if !tilde {
		return filepath.Abs(path)
	}
	if rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", errors.New("names the home of another user; hint: write the whole path; ./~name is a folder of that name")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("~ cannot be expanded: there is no home; hint: write the whole path")
	}
	return filepath.Abs(home + rest)
}

const (
	maxEntries = 500_000 // of the walk
	maxFolders = 3       // named as examples
)

// count walks the notes. Links are not followed and hidden folders not entered, as
// when candor reads the vault.
func (f *Found) count() error {
	seen := 0
	err := filepath.WalkDir(f.Vault, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == f.Vault {
				return fmt.Errorf("%s cannot be read: %w", f.Vault, err)
			}
			return fs.SkipDir // it will be listed by candor check
		}
		if seen++; seen > maxEntries {
			f.More = true
			return fs.SkipAll
		}
		if d.IsDir() {
			if path != f.Vault && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && isNote(d.Name()) {
			f.Notes++
			f.remember(path)
		}
		return nil
	})
	return err
}

func isNote(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

// remember keeps the folder at the top that a note is in.
func (f *Found) remember(path string) {
	rel, err := filepath.Rel(f.Vault, path)
	if err != nil || len(f.Folders) == maxFolders {
		return
	}
	top, _, below := strings.Cut(filepath.ToSlash(rel), "/")
	if below && utf8.ValidString(top) && (len(f.Folders) == 0 || f.Folders[len(f.Folders)-1] != top) {
		f.Folders = append(f.Folders, top)
	}
}

var notInNames = regexp.MustCompile(`[^a-z0-9_-]+`)

// vaultName makes a name that candor.yaml takes of the name of a folder.
func vaultName(folder string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(folder), "-"), "-_")
	if len(name) > 32 {
		name = strings.TrimRight(name[:32], "-_")
	}
	if name == "" {
		return "notes"
	}
	return name
}

// create writes a file that is not there yet.
func create(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; hint: change it, or move it away first", file)
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(file)
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}
