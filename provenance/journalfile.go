package provenance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A journal file is a heading and then records: length, nonce of the call, sealed text.
const (
	fileHead   = "candor journal 1\n"
	fileExt    = ".journal"
	recordHead = 4 + 16 // length of the sealed text, nonce
	maxRecord  = 4 << 20
	shares     = 8 // a file is full at this part of the journal
)

// place is where a record lies.
type place struct {
	file string
	at   int64 // of the sealed text
	size int
}

// write appends a record to the process's own file. mu is held.
func (j *Journal) write(name nonce, sealed []byte) error {
	if err := j.room(int64(len(sealed))); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	line := make([]byte, recordHead, recordHead+len(sealed))
	binary.BigEndian.PutUint32(line, uint32(len(sealed)))
	copy(line[4:], name[:])
	if _, err := j.own.Write(append(line, sealed...)); err != nil {
		_ = j.own.Close() // what is half written must not have more behind it
		j.own = nil
		return fmt.Errorf("journal: %w", err)
	}
	j.index[name] = place{j.own.Name(), j.size + recordHead, len(sealed)}
	j.size += recordHead + int64(len(sealed))
	j.read[j.own.Name()] = j.size
	return nil
}

// room makes sure that own is a file that a record may still go into.
func (j *Journal) room(more int64) error {
	if j.own != nil && j.size+more <= j.opt.MaxBytes/shares {
		return nil
	}
	if j.own != nil {
		_ = j.own.Close()
		j.own = nil
	}
	if err := os.MkdirAll(j.opt.Dir, 0o700); err != nil {
		return err
	}
	j.prune(more)
	file := filepath.Join(j.opt.Dir, fmt.Sprintf("%016x-%s%s", j.opt.Now().UnixNano(), randomNonce()[:16], fileExt))
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(fileHead); err != nil {
		return errors.Join(err, f.Close(), os.Remove(file))
	}
	j.own, j.size = f, int64(len(fileHead))
	return nil
}

// prune removes the oldest files until a new one fits, and those past their time. One
// that another process still writes goes like the others: it is the oldest.
func (j *Journal) prune(more int64) {
	files := j.files()
	left := j.opt.MaxBytes - max(j.opt.MaxBytes/shares, more)
	now := j.opt.Now()
	for _, f := range slices.Backward(files) { // the newest first
		if left -= f.Size(); left < 0 || now.Sub(f.ModTime()) > j.opt.Keep {
			name := filepath.Join(j.opt.Dir, f.Name())
			_ = os.Remove(name) // one that cannot go now goes another time
			delete(j.read, name)
			maps.DeleteFunc(j.index, func(_ nonce, at place) bool { return at.file == name })
		}
	}
}

// files lists the journal's files, oldest first.
func (j *Journal) files() []fs.FileInfo {
	entries, err := os.ReadDir(j.opt.Dir)
	if err != nil {
		return nil
	}
	var out []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), fileExt) && info.Mode().IsRegular() {
			out = append(out, info)
		}
	}
	return out // ReadDir sorts by name, and names begin with the time
}

// fetch gives the sealed text of a record, looking into what other processes wrote.
func (j *Journal) fetch(name nonce) ([]byte, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.opt.Dir == "" {
		sealed, ok := j.local.blobs[name]
		return sealed, ok
	}
	at, ok := j.index[name]
	if !ok {
		for _, f := range j.files() {
			j.scan(filepath.Join(j.opt.Dir, f.Name()), f.Size())
		}
		if at, ok = j.index[name]; !ok {
			return nil, false
		}
	}
	f, err := os.Open(at.file)
	if err != nil {
		delete(j.index, name)
		return nil, false
	}
	defer f.Close()
	sealed := make([]byte, at.size)
	_, err = f.ReadAt(sealed, at.at)
	return sealed, err == nil
}

// scan indexes the records that a file has got since it was looked at. It stops where a
// record is not whole: it may be being written.
func (j *Journal) scan(file string, size int64) {
	at := j.read[file]
	if at >= size {
		return
	}
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	if at == 0 {
		head := make([]byte, len(fileHead))
		if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte(fileHead)) {
			return
		}
		at = int64(len(fileHead))
	}
	var head [recordHead]byte
	for {
		if _, err := f.ReadAt(head[:], at); err != nil {
			break
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		if length == 0 || length > 2*maxRecord || at+recordHead+length > size {
			break
		}
		name := nonce(head[4:])
		if _, there := j.index[name]; !there { // the first record of a call stands
			j.index[name] = place{file, at + recordHead, int(length)}
		}
		at += recordHead + length
	}
	j.read[file] = at
}
