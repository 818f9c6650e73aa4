package tokens

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// lookEvery is how often Watch looks for changes and for what has expired.
const lookEvery = 250 * time.Millisecond

// Store tells which profile a token opens, by a file that may change at any time.
type Store struct {
	file File
	now  func() time.Time

	mu    sync.Mutex
	info  os.FileInfo // of the file that was read; nil: read it again
	keys  []key
	fault error // why no token is good
}

// key is a token that is on file.
type key struct {
	Record

	sum  [sha256.Size]byte
	ends chan struct{} // closed once the token opens nothing any more
}

// Open reads a token file. Without a usable one it is an error: a door with no tokens
// would be an open one or a useless one.
func Open(file File) (*Store, error) {
	s := &Store{file: file, now: time.Now}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refresh(); s.fault != nil {
		return nil, s.fault
	}
	return s, nil
}

// Records are those on file.
func (s *Store) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Record
	for _, k := range s.keys {
		out = append(out, k.Record)
	}
	return out
}

// Authorize gives the profile that a token opens, and a channel that is closed when it
// no longer does. All hashes are compared, each in constant time.
func (s *Store) Authorize(token string) (profile string, ends <-chan struct{}, ok bool) {
	if len(token) != tokenSize {
		return "", nil, false
	}
	sum := hash(token)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	found := -1
	for i := range s.keys {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], s.keys[i].sum[:]), i, found)
	}
	if found < 0 || s.keys[found].Expired(s.now()) {
		return "", nil, false
	}
	return s.keys[found].Profile, s.keys[found].ends, true
}

// Watch keeps up with the file until ctx ends and tells of a file that turns bad.
func (s *Store) Watch(ctx context.Context, warn func(error)) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var told string
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		fault := s.look()
		if fault == nil {
			told = ""
		} else if fault.Error() != told {
			told = fault.Error()
			warn(fault)
		}
	}
}

// look reads the file if it changed and ends what has expired.
func (s *Store) look() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	kept := s.keys[:0]
	for _, k := range s.keys {
		if k.Expired(s.now()) {
			close(k.ends)
		} else {
			kept = append(kept, k)
		}
	}
	s.keys = kept
	return s.fault
}

// refresh reads the file if it is another than the one that was read. Whatever is wrong
// with it, no token is good until that is mended.
func (s *Store) refresh() {
	now, err := os.Lstat(string(s.file))
	if err == nil && s.info != nil && same(s.info, now) && private(filepath.Dir(string(s.file))) == nil {
		return
	}
	var records []Record
	if err == nil {
		records, s.info, err = s.file.read()
	} else {
		s.info = nil
	}
	if err != nil {
		s.info = nil // it may be mended without the file changing
	}
	if os.IsNotExist(err) || err == nil && len(records) == 0 {
		err = ErrNone
	}
	s.fault = err
	s.take(records)
}

// take puts the records in force. What is in force already goes on; the rest ends.
func (s *Store) take(records []Record) {
	type grant struct {
		sum, profile string
		until        int64
	}
	old := map[grant]chan struct{}{}
	for _, k := range s.keys {
		old[grant{k.SHA256, k.Profile, k.Expires.Unix()}] = k.ends
	}
	s.keys = nil
	for _, r := range records {
		g := grant{r.SHA256, r.Profile, r.Expires.Unix()}
		k := key{Record: r, ends: old[g]}
		delete(old, g)
		if k.ends == nil {
			k.ends = make(chan struct{})
		}
		_, _ = hex.Decode(k.sum[:], []byte(r.SHA256)) // its form is checked
		s.keys = append(s.keys, k)
	}
	for _, ends := range old {
		close(ends)
	}
}

// same reports whether a file is the one that was read, bytes and rights.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}
