package provenance

import (
	"bytes"
	"encoding/binary"
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
// Its name is the time of its making and a random word. Its extension says whether a
// process writes it: to take over a file is to rename it, which only one can do.
const (
	fileHead   = "candor journal 2\n"
	freeExt    = ".journal"
	ownedExt   = ".journal-open" // also what a process that crashed leaves
	recordHead = 4 + 16          // length of the sealed text, nonce
	maxRecord  = 4 << 20
	shares     = 8 // a file is full at this part of the journal
)

// place is where a record lies.
type place struct {
	stem string
	at   int64 // of the sealed text
	size int
}

// write appends a record with its head to the process's own file. mu is held.
func (j *Journal) write(name nonce, line []byte) error {
	size := int64(len(line))
	if err := j.room(size); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := j.own.Write(line); err != nil {
		_ = j.own.Close() // what is half written must not have more behind it
		j.own = nil
		return fmt.Errorf("journal: %w", err)
	}
	if _, there := j.index[name]; !there {
		j.index[name] = place{j.stem, j.size + recordHead, len(line) - recordHead}
	}
	j.size += size
	j.read[j.stem] = j.size
	return nil
}

// room makes sure that own is a file that a record may still go into.
func (j *Journal) room(more int64) error {
	if j.own != nil && j.size+more <= j.opt.MaxBytes/shares && j.there() {
		return nil
	}
	if err := j.release(); err != nil {
		return err
	}
	if err := os.MkdirAll(j.opt.Dir, 0o700); err != nil {
		return err
	}
	j.prune(more)
	if j.adopt(more) {
		return nil
	}
	j.stem = fmt.Sprintf("%016x-%s", j.opt.Now().UnixNano(), randomNonce()[:16])
	f, err := os.OpenFile(j.path(j.stem, ownedExt), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(fileHead); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name()) // a file without its head would swallow records
		return err
	}
	j.own, j.size = f, int64(len(fileHead))
	j.info, err = f.Stat()
	return err
}

// there reports whether own still stands in the folder: another process may have made
// room by removing the oldest file, and what is written to it then is lost.
func (j *Journal) there() bool {
	named, err := os.Stat(j.path(j.stem, ownedExt))
	return err == nil && os.SameFile(j.info, named)
}

// release closes own and leaves it to whoever wants to go on with it.
func (j *Journal) release() error {
	if j.own == nil {
		return nil
	}
	err := j.own.Close()
	j.own = nil
	_ = os.Rename(j.path(j.stem, ownedExt), j.path(j.stem, freeExt)) // or it stays as it is
	return err
}

// adopt goes on with the newest file that nobody writes, if it has room: a command that
// asks one question leaves no file of its own behind.
func (j *Journal) adopt(more int64) bool {
	for _, f := range slices.Backward(j.files()) {
		if _, free := strings.CutSuffix(f.Name(), freeExt); free && j.fits(f, more) && j.take(f, more) {
			return true
		}
	}
	return false
}

// fits reports whether a file is whole and a record may go behind it.
func (j *Journal) fits(f fs.FileInfo, more int64) bool {
	if f.Size() < int64(len(fileHead)) || f.Size()+more > j.opt.MaxBytes/shares {
		return false
	}
	j.scan(f)
	stem, _ := stemOf(f.Name())
	return j.read[stem] == f.Size() // else its end is torn
}

// take makes a free file own. Another process may have been faster, and be done with it:
// then it is longer than when it was listed, and is looked at again.
func (j *Journal) take(f fs.FileInfo, more int64) bool {
	stem, _ := stemOf(f.Name())
	owned := j.path(stem, ownedExt)
	if os.Rename(j.path(stem, freeExt), owned) != nil {
		return false
	}
	own, err := os.OpenFile(owned, os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		if j.info, err = own.Stat(); err == nil && j.fits(j.info, more) {
			j.own, j.stem, j.size = own, stem, j.info.Size()
			return true
		}
		_ = own.Close()
	}
	_ = os.Rename(owned, j.path(stem, freeExt)) // nobody writes it
	return false
}

func (j *Journal) path(stem, ext string) string { return filepath.Join(j.opt.Dir, stem+ext) }

// stemOf gives the name of a journal file without its extension.
func stemOf(name string) (string, bool) {
	if stem, ok := strings.CutSuffix(name, ownedExt); ok {
		return stem, true
	}
	return strings.CutSuffix(name, freeExt)
}

// prune removes the oldest files until a new one fits, and those past their time. One
// that another process still writes goes like the others: it is the oldest.
func (j *Journal) prune(more int64) {
	left := j.opt.MaxBytes - max(j.opt.MaxBytes/shares, more)
	now, files := j.opt.Now(), j.files()
	j.forget(files)
	for _, f := range slices.Backward(files) { // the newest first
		if left -= f.Size(); left >= 0 && now.Sub(f.ModTime()) <= j.opt.Keep {
			continue
		}
		_ = os.Remove(filepath.Join(j.opt.Dir, f.Name())) // one that cannot go now goes another time
		stem, _ := stemOf(f.Name())
		j.drop(stem)
	}
}

// forget drops what is known of files that are there no more: another process removed them.
func (j *Journal) forget(files []fs.FileInfo) {
	there := make(map[string]bool, len(files)+1)
	there[j.stem] = j.own != nil // write counts on what is known of it
	for _, f := range files {
		stem, _ := stemOf(f.Name())
		there[stem] = true
	}
	for stem := range j.read {
		if !there[stem] {
			j.drop(stem)
		}
	}
}

// drop forgets a file and its records.
func (j *Journal) drop(stem string) {
	delete(j.read, stem)
	maps.DeleteFunc(j.index, func(_ nonce, at place) bool { return at.stem == stem })
}

// files lists the journal's files, oldest first.
func (j *Journal) files() []fs.FileInfo {
	entries, err := os.ReadDir(j.opt.Dir)
	if err != nil {
		return nil
	}
	var out []fs.FileInfo
	for _, e := range entries {
		_, ours := stemOf(e.Name())
		if info, err := e.Info(); err == nil && ours && info.Mode().IsRegular() {
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
		files := j.files()
		j.forget(files)
		for _, f := range files {
			j.scan(f)
		}
		if at, ok = j.index[name]; !ok {
			return nil, false
		}
	}
	f, err := j.open(at.stem)
	if err != nil {
		j.drop(at.stem)
		return nil, false
	}
	defer f.Close()
	sealed := make([]byte, at.size)
	_, err = f.ReadAt(sealed, at.at)
	return sealed, err == nil
}

// open opens a file for reading, under whichever of its names it has.
func (j *Journal) open(stem string) (*os.File, error) {
	for _, ext := range []string{ownedExt, freeExt} {
		if f, err := os.Open(j.path(stem, ext)); err == nil {
			return f, nil
		}
	}
	return os.Open(j.path(stem, ownedExt)) // it was renamed in between
}

// scan indexes the records that a file has got since it was looked at. It stops where a
// record is not whole: it may be being written.
func (j *Journal) scan(info fs.FileInfo) {
	stem, _ := stemOf(info.Name())
	at, size := j.read[stem], info.Size()
	if at >= size {
		return
	}
	f, err := j.open(stem)
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
	for at < size {
		if _, err := f.ReadAt(head[:], at); err != nil {
			break
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		if length == 0 || length > 2*maxRecord || at+recordHead+length > size {
			break
		}
		name := nonce(head[4:])
		if _, there := j.index[name]; !there { // the first record of a call stands
			j.index[name] = place{stem, at + recordHead, int(length)}
		}
		at += recordHead + length
	}
	j.read[stem] = at
}
