package hybrid

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"candor/internal/atomicfile"
)

// FileName is the verdict's name in its folder, the user's state folder.
const FileName = "verdict"

// maxVerdict bounds what is read: some hundred bytes for each topic and slice.
const maxVerdict = 4 << 20

// ErrEdited is what a verdict gives that is not, byte for byte, what was sealed under
// this key.
var ErrEdited = errors.New("the verdict was edited, or sealed under another key; run candor eval hybrid again")

// domain keeps the seal from being taken for another use of the key.
const domain = "candor verdict 1\n"

// Bytes is the one form of a verdict.
func (v Verdict) Bytes() ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	return append(data, '\n'), nil
}

// seal is the MAC of a verdict's bytes, as it stands in the file.
func seal(body, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(domain))
	mac.Write(body)
	return append(hex.AppendEncode(nil, mac.Sum(nil)), '\n')
}

// Save writes a sealed verdict into a folder, which it makes if need be, whole or not at
// all and for the owner's eyes.
func (v Verdict) Save(folder string, key []byte) error {
	body, err := v.Bytes()
	if err != nil {
		return err
	}
	if len(key) < sha256.Size {
		return errors.New("verdict: the key is too short")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("verdict: %w", err)
	}
	if err := atomicfile.Replace(filepath.Join(folder, FileName), append(body, seal(body, key)...)); err != nil {
		return fmt.Errorf("verdict: %w", err)
	}
	return nil
}

// Load reads a verdict; one that is not there is nil. Whatever is not exactly a sealed
// verdict is ErrEdited.
func Load(folder string, key []byte) (*Verdict, error) {
	data, err := read(filepath.Join(folder, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	body, mac := data, []byte(nil)
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		body, mac = data[:i+1], data[i+1:]
	}
	if len(key) < sha256.Size || !hmac.Equal(mac, seal(body, key)) {
		return nil, ErrEdited
	}
	var v Verdict
	if err := json.Unmarshal(body, &v); err != nil || v.Format != Version {
		return nil, fmt.Errorf("verdict: format %d, want %d: run candor eval hybrid again", v.Format, Version)
	}
	return &v, nil
}

// read reads a regular file of bounded size.
func read(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxVerdict {
		return nil, ErrEdited
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxVerdict+1))
	if err != nil {
		return nil, err
	}
	return data, nil
}
