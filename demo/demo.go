// Package demo is a vault to try candor on: the handbook of Ebbmark Instruments, an
// invented maker of tide gauges with offices in three invented towns.
//
// The vault has four zones. Everybody reads public/, staff also internal/, the profile
// admin also restricted/, and nobody drafts/. It holds what makes retrieval hard:
// replaced notes, pages that disagree, runbooks full of identifiers, German and Japanese,
// planted credentials, a note that gives orders to assistants, and facts the company
// never states. README.md is the map of it. All of it is fiction, credentials included.
//
// With it come questions whose answers are known, and the scorecard that they came to.
package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:vault candor.yaml
var files embed.FS

// ConfigName is the name of the configuration file that WriteTo writes.
const ConfigName = "candor.yaml"

// FS gives the vault; paths in it are those of the notes, such as
// "internal/policies/leave.md".
func FS() fs.FS {
	return must(fs.Sub(files, "vault"))
}

// Config gives the text of the vault's candor.yaml.
func Config() []byte {
	return must(files.ReadFile(ConfigName))
}

// WriteTo writes the configuration and the vault to dir, which may be new or empty, for
// its owner's eyes only. It never writes over a file.
func WriteTo(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write demo: %w", err)
	}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return write(filepath.Join(dir, filepath.FromSlash(name)), name, entry)
	})
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write demo: %w; name an empty folder", err)
	}
	if err != nil {
		return fmt.Errorf("write demo: %w", err)
	}
	return nil
}

// write makes one embedded file or folder at target.
func write(target, name string, entry fs.DirEntry) error {
	if entry.IsDir() {
		return os.MkdirAll(target, 0o700)
	}
	data, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// must is for what the embedded files make certain.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
