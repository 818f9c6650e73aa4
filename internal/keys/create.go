package keys

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

func makeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the key: %w", err)
	}
	return nil
}

// private refuses a folder in which others could put a key of theirs.
func private(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("look at the folder of the key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("folder %s can be changed by other users (mode %04o); hint: chmod 700 it", folder, info.Mode().Perm())
	}
	return nil
}

// create makes the key file whole or not at all. If another process was first, its
// file stays.
func create(folder string) error {
	temporary, err := stage(folder)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	file := filepath.Join(folder, FileName)
	// A link, unlike a rename, never replaces a file that is there.
	err = os.Link(temporary, file)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Lstat(file); there != nil { // a file system without links
			err = os.Rename(temporary, file)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write the key: %w", err)
	}
	syncFolder(folder)
	return nil
}

// stage writes a new secret under a temporary name, safely on disk.
func stage(folder string) (string, error) {
	f, err := os.CreateTemp(folder, "."+FileName+"-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("write the key: %w", err)
	}
	secret := make([]byte, size)
	_, _ = rand.Read(secret) // cannot fail
	_, err = f.Write(secret)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("write the key: %w", err)
	}
	return f.Name(), nil
}

// syncFolder makes a name durable. Systems that cannot sync a folder need not.
func syncFolder(folder string) {
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
