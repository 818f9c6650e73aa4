package tokens

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"candor"
	"candor/internal/atomicfile"
)

const (
	maxFile  = 1 << 20         // bytes
	lockTime = 5 * time.Second // to wait for another process that edits
)

// ErrNone says that no token is on file.
var ErrNone = errors.New("there are no tokens")

// File is the path of a token file.
type File string

// List gives the records; a file that is not there has none.
func (f File) List() ([]Record, error) {
	records, _, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return records, err
}

// New makes a token for a profile and keeps its hash. The token is nowhere else.
func (f File) New(profile string, lifetime time.Duration) (token string, r Record, err error) {
	if profile == "" {
		return "", r, &candor.InputError{Field: "profile", Why: "must be named"}
	}
	if lifetime < time.Second {
		return "", r, &candor.InputError{Field: "expires", Why: "must be at least a second"}
	}
	token, r = issue(newID(), profile, lifetime)
	err = f.edit(func(records []Record) ([]Record, error) {
		for slices.ContainsFunc(records, func(other Record) bool { return other.ID == r.ID }) {
			r.ID = newID()
		}
		return append(records, r), nil
	})
	return token, r, err
}

// Rotate replaces a token by a new one for the same profile and as long a life.
func (f File) Rotate(id string) (token string, r Record, err error) {
	err = f.edit(func(records []Record) ([]Record, error) {
		i, err := find(records, id)
		if err != nil {
			return nil, err
		}
		token, r = issue(id, records[i].Profile, records[i].Expires.Sub(records[i].Created))
		records[i] = r
		return records, nil
	})
	return token, r, err
}

// Revoke forgets a token.
func (f File) Revoke(id string) error {
	return f.edit(func(records []Record) ([]Record, error) {
		i, err := find(records, id)
		if err != nil {
			return nil, err
		}
		return slices.Delete(records, i, i+1), nil
	})
}

func issue(id, profile string, lifetime time.Duration) (string, Record) {
	token, now := newToken(), time.Now().UTC().Truncate(time.Second)
	sum := hash(token)
	return token, Record{
		ID: id, Profile: profile, SHA256: fmt.Sprintf("%x", sum), Created: now, Expires: now.Add(lifetime.Truncate(time.Second)),
	}
}

func find(records []Record, id string) (int, error) {
	i := slices.IndexFunc(records, func(r Record) bool { return r.ID == id })
	if i < 0 {
		return 0, &candor.InputError{Why: "no token has this id; hint: candor token list names them"}
	}
	return i, nil
}

// edit changes the records under a lock.
func (f File) edit(change func([]Record) ([]Record, error)) error {
	folder := filepath.Dir(string(f))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the tokens: %w", err)
	}
	if err := private(folder); err != nil {
		return err
	}
	lock := flock.New(string(f)+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("another process edits the tokens: %w", err)
	}
	defer lock.Close()
	records, err := f.List()
	if err != nil {
		return err
	}
	if records, err = change(records); err != nil {
		return err
	}
	data, err := encode(records)
	if err != nil {
		return err
	}
	if len(data) >= maxFile {
		return fmt.Errorf("token file %s would have over %d bytes; hint: candor token revoke what is expired", f, maxFile)
	}
	if err := atomicfile.Replace(string(f), data); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}

// read gives the records of a file that is as we would have made it, and what it was.
func (f File) read() ([]Record, os.FileInfo, error) {
	before, err := os.Lstat(string(f))
	if err != nil {
		return nil, nil, err
	}
	if err := f.acceptable(before); err != nil {
		return nil, before, err
	}
	file, err := os.Open(string(f))
	if err != nil {
		return nil, before, fmt.Errorf("read the tokens: %w", err)
	}
	defer file.Close()
	if now, err := file.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, nil, fmt.Errorf("token file %s changed while it was opened; hint: try again", f)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil, before, fmt.Errorf("read the tokens: %w", err)
	}
	records, err := decode(data)
	if err != nil {
		return nil, before, fmt.Errorf("token file %s %w; hint: repair it, or remove it and make new tokens with candor token new", f, err)
	}
	return records, before, nil
}

// acceptable refuses a file that others may have seen or written.
func (f File) acceptable(info os.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&os.ModeSymlink != 0:
		return fmt.Errorf("token file %s is a link; hint: put the file itself there", f)
	case !mode.IsRegular():
		return fmt.Errorf("token file %s is not a regular file; hint: remove it and make new tokens with candor token new", f)
	case runtime.GOOS != "windows" && mode.Perm()&0o077 != 0:
		return fmt.Errorf("token file %s can be read or changed by other users (mode %04o); "+
			"hint: chmod 600 it if no one did, else remove it and make new tokens", f, mode.Perm())
	case info.Size() >= maxFile:
		return fmt.Errorf("token file %s has over %d bytes; hint: candor token revoke what is expired", f, maxFile)
	}
	return private(filepath.Dir(string(f)))
}

// private refuses a folder in which others could put a file of theirs.
func private(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return fmt.Errorf("look at the folder of the tokens: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("folder %s can be changed by other users (mode %04o); hint: chmod 700 it", folder, info.Mode().Perm())
	}
	return nil
}
