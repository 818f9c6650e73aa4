// Package atomicfile replaces files of which a reader, or a crash at any instant, must
// find the old text or the new one and nothing between.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file of mode 0600, whole or not at all, and durably: text, file and
// name are synced in that order. Several processes may replace one file at once; the last
// one stays. Systems that cannot sync a folder need not.
func Replace(file string, data []byte) error {
	folder, name := filepath.Split(file)
	folder = filepath.Clean(folder)
	f, err := os.CreateTemp(folder, "."+name+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
