// Package keys holds the one secret of an installation and derives from it a key for
// each use.
//
// The secret is 32 random bytes in a file of mode 0600, in the user's configuration
// folder and never in a vault or beside the cache: whoever takes the cache alone has
// nothing. Each use has a key of its own, by HKDF-SHA-256, so that what one use gives
// away says nothing of another.
//
// A key file that others could read, that is a link, or that has the wrong size is
// refused rather than used or replaced: both would hide that something happened.
package keys

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// FileName is the name of the key file in its folder.
const FileName = "key"

// size is the length of the secret and of each derived key.
const size = 32

// Use is what a derived key is for.
type Use uint8

// The uses.
const (
	Cache   Use = iota // seals vectors and names them
	Stamp              // authenticates provenance stamps
	Cursor             // authenticates cursors
	Verdict            // authenticates the verdict that turns hybrid on
	Journal            // seals the journal of calls
	uses
)

// names are part of the derivation: changing one makes all it protects unreadable.
var names = [uses]string{"cache", "stamp", "cursor", "verdict", "journal"}

// Keys are the derived keys. They are safe for concurrent use.
type Keys struct {
	derived  [uses][]byte
	inMemory string
}

// Open reads the key file in folder, or makes folder and file. Where there is no
// folder ("" or one that cannot be made) the secret lives as long as the process, and
// [Keys.InMemory] says why.
func Open(folder string) (*Keys, error) {
	if folder == "" {
		return ephemeral("there is no home to keep a key in")
	}
	if err := makeFolder(folder); err != nil {
		return ephemeral(err.Error())
	}
	if err := private(folder); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, FileName)
	if _, err := os.Lstat(file); err == nil {
		return derive(read(file))
	}
	if err := create(folder); err != nil {
		return ephemeral(err.Error())
	}
	return derive(read(file)) // which may be another process's, made at the same time
}

// Rotate replaces the key file in folder by a new one and gives its keys. All that
// was sealed or authenticated before is then unreadable: the cache fills again, old
// stamps, cursors and verdicts are invalid.
func Rotate(folder string) (*Keys, error) {
	if folder == "" {
		return nil, errors.New("there is no key file to rotate: there is no home to keep one in")
	}
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	if err := private(folder); err != nil {
		return nil, err
	}
	temporary, err := stage(folder)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, FileName)
	if err := os.Rename(temporary, file); err != nil {
		_ = os.Remove(temporary)
		return nil, fmt.Errorf("replace the key: %w", err)
	}
	syncFolder(folder)
	return derive(read(file))
}

// Subkey gives the 32-byte key of a use.
func (k *Keys) Subkey(use Use) []byte { return bytes.Clone(k.derived[use]) }

// InMemory says why the secret is not on disk and so is lost at exit; "" when it is
// on disk.
func (k *Keys) InMemory() string { return k.inMemory }

// Format keeps the keys out of every log and message.
func (k *Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "keys") }

func ephemeral(why string) (*Keys, error) {
	secret := make([]byte, size)
	_, _ = rand.Read(secret) // cannot fail
	k, err := derive(secret, nil)
	if err != nil {
		return nil, err
	}
	k.inMemory = why
	return k, nil
}

func derive(secret []byte, err error) (*Keys, error) {
	if err != nil {
		return nil, err
	}
	k := &Keys{}
	for use, name := range names {
		if k.derived[use], err = hkdf.Key(sha256.New, secret, nil, "candor "+name+" 1", size); err != nil {
			return nil, fmt.Errorf("derive the key for %s: %w", name, err)
		}
	}
	return k, nil
}

// read gives the secret of a key file that is as we would have made it.
func read(file string) ([]byte, error) {
	before, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if err := acceptable(file, before); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, fmt.Errorf("key file %s changed while it was opened; hint: try again", file)
	}
	secret := make([]byte, size)
	if _, err := io.ReadFull(f, secret); err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	if bytes.Equal(secret, make([]byte, size)) {
		return nil, fmt.Errorf("key file %s is all zeros, as after a crash of the machine; %s", file, startAgain)
	}
	return secret, nil
}

const startAgain = "hint: remove it to start with a new key; the cache then fills again"

func acceptable(file string, info os.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&os.ModeSymlink != 0:
		return fmt.Errorf("key file %s is a link; hint: put the file itself there, or remove the link for a new key", file)
	case !mode.IsRegular():
		return fmt.Errorf("key file %s is not a regular file; %s", file, startAgain)
	case runtime.GOOS != "windows" && mode.Perm()&0o077 != 0:
		return fmt.Errorf("key file %s can be read or changed by other users (mode %04o); hint: chmod 600 it if no one did, else remove it for a new key", file, mode.Perm())
	case info.Size() != size:
		return fmt.Errorf("key file %s has %d bytes, not %d; %s", file, info.Size(), size, startAgain)
	}
	return nil
}
