package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"candor"
)

// File is one version of a note, whole.
type File struct {
	Path    candor.Path
	Text    string // valid UTF-8 without NUL; as many lines as the file has
	Stamp   Stamp  // of this very version
	ModTime time.Time
	// Repaired is how many bytes could not be decoded; each became U+FFFD.
	Repaired int
	Encoding string // UTF-8, UTF-16LE or UTF-16BE
}

// attempts bounds how often a file that changes under the reader is read anew.
const attempts = 3

// settle is the longest time between two changes of a file that may share one time of
// change, the tick of a kernel. A file is not read while it is younger, so that a
// later change always shows in its Stamp.
const settle = 10 * time.Millisecond

// errRestless says that a file changed while it was read.
var errRestless = errors.New(isRestless)

// Read reads a note. Its error is a [Skip] with the reason, or [fs.ErrNotExist] when
// the note is gone or the permit allows nobody. To read many notes use a [Reader].
func (r *Root) Read(e Entry) (File, error) {
	rd := r.Reader()
	defer rd.Close()
	return rd.Read(e)
}

// Reader reads notes one after the other, faster than [Root.Read] where they lie in
// the same folders, and under the same checks for each. It is not safe for concurrent
// use.
type Reader struct {
	root *Root
	way  chain
	data []byte
}

// Reader gives a Reader. Close it.
func (r *Root) Reader() *Reader { return &Reader{root: r, way: chain{root: r}} }

// Close lets go of what the Reader holds open.
func (rd *Reader) Close() { rd.way.close() }

// Read is [Root.Read].
func (rd *Reader) Read(e Entry) (File, error) {
	if !e.Permit.Allowed() || e.Path() != rd.root.path(e.disk) {
		return File{}, fs.ErrNotExist
	}
	at, err := rd.way.open(parent(e.disk))
	for range attempts {
		if err != nil {
			break
		}
		var file File
		if file, err = rd.readOnce(at, path.Base(e.disk)); err == nil {
			file.Path = e.Path()
			return file, nil
		}
		if !errors.Is(err, errRestless) {
			break
		}
	}
	return File{}, refusal(e.Path(), err)
}

// readOnce reads the file that has the name now, and makes sure that it was one
// version from the first byte to the last.
func (rd *Reader) readOnce(at Folder, name string) (File, error) {
	f, before, err := rd.root.openFile(at, name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	settled := before
	if age := time.Since(before.ModTime()); age >= 0 && age < settle {
		time.Sleep(settle - age)
		settled, err = f.Stat()
	}
	if err == nil {
		err = rd.fill(f, before.Size())
	}
	if err != nil {
		return File{}, err
	}
	after, err := f.Stat()
	switch {
	case err != nil:
		return File{}, err
	case int64(len(rd.data)) > rd.root.bytes:
		return File{}, errRefused(isTooBig)
	case stamp(before) != stamp(settled), stamp(settled) != stamp(after), int64(len(rd.data)) != after.Size():
		return File{}, errRestless
	}
	text, encoding, repaired := decode(rd.data)
	return File{
		Text: text, Stamp: stamp(after), ModTime: after.ModTime().UTC(),
		Repaired: repaired, Encoding: encoding,
	}, nil
}

// maxKept bounds the buffer that is kept from file to file.
const maxKept = 1 << 20

// fill reads a file to its end, or to one byte beyond what a note may have.
func (rd *Reader) fill(f Handle, size int64) error {
	kept := rd.data[:0]
	if cap(kept) > maxKept {
		kept = nil
	}
	data := bytes.NewBuffer(kept)
	data.Grow(int(size) + bytes.MinRead)
	_, err := data.ReadFrom(io.LimitReader(f, rd.root.bytes+1))
	rd.data = data.Bytes()
	return err
}

// Stat gives the stamp of a note as it is now, for a check just before an answer. It
// opens no file. Its errors are those of Read.
func (r *Root) Stat(e Entry) (Stamp, error) {
	if !e.Permit.Allowed() {
		return Stamp{}, fs.ErrNotExist
	}
	way := chain{root: r}
	defer way.close()
	at, err := way.open(parent(e.disk))
	var info fs.FileInfo
	if err == nil {
		info, err = at.Lstat(path.Base(e.disk))
	}
	if err == nil {
		err = r.checkFile(info, identify(info))
	}
	if err != nil {
		return Stamp{}, refusal(e.Path(), err)
	}
	return stamp(info), nil
}

// parent is the folder of a name on the disk, "" for the root.
func parent(disk string) string {
	if dir := path.Dir(disk); dir != "." {
		return dir
	}
	return ""
}

// refusal is the error of a read for callers.
func refusal(key candor.Path, err error) error {
	var refused errRefused
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("note: %w", fs.ErrNotExist)
	case errors.As(err, &refused):
		return Skip{Path: key, Reason: string(refused)}
	case errors.Is(err, errRestless):
		return Skip{Path: key, Reason: isRestless}
	}
	return failure(key, err)
}
