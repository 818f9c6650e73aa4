package provenance

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Mode says what a journal keeps of the passages that were served.
type Mode uint8

// The modes. Without a journal nothing is kept.
const (
	Sealed  Mode = iota // their text too, sealed
	Digests             // their places and digests alone, sealed
)

// JournalOptions are what a Journal is made of.
type JournalOptions struct {
	Dir      string // the folder of this set of vaults; "" keeps it in memory
	Key      []byte // seals records; 32 bytes
	Mode     Mode
	MaxBytes int64            // of all files together; 0 is DefaultJournalBytes
	Keep     time.Duration    // a file untouched for longer goes; 0 is DefaultKeep
	Now      func() time.Time // nil: time.Now
}

// The bounds of a journal where none are set.
const (
	DefaultJournalBytes = 64 << 20
	DefaultKeep         = 30 * 24 * time.Hour
)

// Journal keeps stamps with what was served under them. It is safe for concurrent use,
// and several processes may share a folder.
type Journal struct {
	opt  JournalOptions
	seal cipher.AEAD

	mu    sync.Mutex
	own   *os.File    // this process's; nil until the first record
	info  fs.FileInfo // of own, to tell it from another of its name
	stem  string      // of own's name
	size  int64       // of own
	index map[nonce]place
	read  map[string]int64 // of each file by its stem, how far it is indexed
	local memory           // instead of a folder
}

// nonce is that of a call, the name of its record.
type nonce [16]byte

// OpenJournal opens the journal in a folder, which need not exist yet.
func OpenJournal(opt JournalOptions) (*Journal, error) {
	if len(opt.Key) != keySize {
		return nil, errors.New("journal: the key must have 32 bytes")
	}
	opt.MaxBytes = cmp.Or(opt.MaxBytes, DefaultJournalBytes)
	opt.Keep = cmp.Or(opt.Keep, DefaultKeep)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	block, err := aes.NewCipher(opt.Key)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &Journal{
		opt: opt, seal: seal, index: map[nonce]place{}, read: map[string]int64{},
		local: memory{blobs: map[nonce][]byte{}},
	}, nil
}

// Append keeps a record. It is on its way to the disk when Append returns: a crash of
// the process loses nothing, a crash of the machine may lose the last records.
func (j *Journal) Append(r Record) error {
	name, ok := nonceOf(r.Stamp.CallID)
	if !ok {
		return errors.New("journal: the stamp has no call id")
	}
	if j.opt.Mode == Digests {
		r = r.withoutText()
	}
	record, sealed := scratches.Get().(*[]byte), scratches.Get().(*[]byte)
	plain := r.encode((*record)[:0])
	if len(plain) > maxRecord {
		return errors.New("journal: the record is too large") // its bytes are not kept
	}
	line := append((*sealed)[:0], make([]byte, recordHead)...)
	line = j.seal.Seal(line, nil, plain, name[:])
	binary.BigEndian.PutUint32(line, uint32(len(line)-recordHead))
	copy(line[4:], name[:])
	*record, *sealed = plain, line
	defer scratches.Put(record)
	defer scratches.Put(sealed)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.opt.Dir == "" {
		j.local.put(name, bytes.Clone(line[recordHead:]), j.opt.MaxBytes)
		return nil
	}
	return j.write(name, line)
}

// Find gives the record of a call, by any spelling of its id. A record that is damaged
// or sealed under another key is not found.
func (j *Journal) Find(callID string) (Record, bool) {
	name, ok := nonceOf(callID)
	if !ok {
		return Record{}, false
	}
	sealed, ok := j.fetch(name)
	if !ok {
		return Record{}, false
	}
	plain, err := j.seal.Open(nil, nil, sealed, name[:])
	if err != nil {
		return Record{}, false
	}
	r, err := decode(plain)
	if err != nil || !sameCall(r.Stamp.CallID, callID) {
		return Record{}, false
	}
	return r, true
}

// Close lets go of the process's own file, so that another process may go on with it.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.release()
}

// withoutText is the record with places and digests alone: titles, headings and text
// are words of notes.
func (r Record) withoutText() Record {
	served := make([]Served, len(r.Served))
	for i, s := range r.Served {
		s.Title, s.Context, s.Text, s.Citation.Heading = "", "", "", nil
		served[i] = s
	}
	r.Served = served
	return r
}

// memory is a journal without a folder: the newest records that fit.
type memory struct {
	blobs map[nonce][]byte
	order []nonce
	size  int64
}

func (m *memory) put(name nonce, sealed []byte, most int64) {
	if _, there := m.blobs[name]; there {
		return // the first record of a call stands
	}
	m.blobs[name] = sealed
	m.order = append(m.order, name)
	m.size += int64(len(sealed))
	for m.size > most && len(m.order) > 1 {
		m.size -= int64(len(m.blobs[m.order[0]]))
		delete(m.blobs, m.order[0])
		m.order = m.order[1:]
	}
}
