package provenance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

// Record is a stamp with what was served under it, as the journal keeps it.
type Record struct {
	Stamp  Stamp
	Served []Served
}

// Served is a passage with the digest of its text, which stays when the text does not.
type Served struct {
	Passage
	Digest string // SHA-256 of Text, hex
}

// Holds reports whether the record is as it was when it was stamped under key.
func (r Record) Holds(key []byte) bool {
	for _, p := range r.Served {
		if p.Text != "" && digestOf(p.Text) != p.Digest {
			return false
		}
	}
	return hmac.Equal([]byte(r.mac(key)), []byte(r.Stamp.MAC))
}

// mac authenticates the stamp's fields and, for each passage, its citation, lines and
// digest. Every field is preceded by its length, so that none can borrow from the next.
func (r Record) mac(key []byte) string {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	s, b := r.Stamp, (*scratch)[:0]
	for _, field := range []string{
		"candor stamp 1", s.CallID, s.Server, s.Tool, s.Profile, s.ArgumentsHash, s.FetchedAt.UTC().Format(time.RFC3339Nano),
	} {
		b = appendField(b, field)
	}
	b = appendNumber(b, s.TTLSeconds)
	for _, p := range r.Served {
		b = appendField(b, p.Citation.ID)
		b = appendField(b, string(p.Citation.Path))
		b = appendNumber(b, p.Citation.StartLine)
		b = appendNumber(b, p.Citation.EndLine)
		b = appendNumber(b, int(p.Tier))
		b = appendField(b, p.Digest)
	}
	*scratch = b
	h := hmac.New(sha256.New, key)
	_, _ = h.Write(b) // never fails
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// digestOf is the digest of a passage's text.
func digestOf(text string) string {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	*scratch = append((*scratch)[:0], text...)
	sum := sha256.Sum256(*scratch)
	return hex.EncodeToString(sum[:])
}

// scratches hold bytes while they are digested, sealed or written.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

func appendField(b []byte, s string) []byte { return append(appendNumber(b, len(s)), s...) }

func appendNumber(b []byte, n int) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

// encode appends the record as the journal writes it. JSON took longer than all else that
// a stamp does.
func (r Record) encode(b []byte) []byte {
	c := coder{b: b}
	c.record(&r)
	return c.b
}

// decode reads what encode wrote, all of it.
func decode(b []byte) (Record, error) {
	var r Record
	c := coder{b: b, reads: true}
	if c.record(&r); c.bad || len(c.b) > 0 {
		return Record{}, errors.New("journal: the record cannot be read")
	}
	return r, nil
}

// coder writes fields to the end of b, or reads them from its beginning: one list of fields
// for both ways.
type coder struct {
	b          []byte
	reads, bad bool
}

func (c *coder) record(r *Record) {
	s := &r.Stamp
	seconds, nanos := s.FetchedAt.Unix(), s.FetchedAt.Nanosecond()
	for _, field := range []*string{&s.CallID, &s.Server, &s.Tool, &s.Profile, &s.ArgumentsHash, &s.MAC} {
		text(c, field)
	}
	number(c, &seconds)
	number(c, &nanos)
	number(c, &s.TTLSeconds)
	list(c, &r.Served, func(c *coder, p *Served) {
		text(c, &p.Citation.ID)
		text(c, &p.Citation.Path)
		list(c, &p.Citation.Heading, text[string])
		number(c, &p.Citation.StartLine)
		number(c, &p.Citation.EndLine)
		for _, field := range []*string{&p.Title, &p.Context, &p.Text, &p.Digest} {
			text(c, field)
		}
		number(c, &p.Tier)
		list(c, &p.Flags, text)
	})
	if c.reads {
		s.FetchedAt = time.Unix(seconds, int64(nanos)).UTC()
	}
}

func number[T ~int | ~int64 | ~uint8](c *coder, n *T) {
	if !c.reads {
		c.b = binary.AppendVarint(c.b, int64(*n))
		return
	}
	v, size := binary.Varint(c.b)
	if size <= 0 {
		c.b, c.bad = nil, true
		return
	}
	*n, c.b = T(v), c.b[size:]
}

func text[T ~string](c *coder, s *T) {
	n := len(*s)
	if number(c, &n); !c.reads {
		c.b = append(c.b, *s...)
		return
	}
	if n < 0 || n > len(c.b) {
		c.b, c.bad = nil, true
		return
	}
	*s, c.b = T(c.b[:n]), c.b[n:]
}

// list keeps nil apart from empty.
func list[T any](c *coder, s *[]T, each func(*coder, *T)) {
	n := len(*s)
	if *s == nil {
		n = -1
	}
	number(c, &n)
	if c.reads && n >= 0 {
		*s = []T{}
	}
	for i := 0; i < n && !c.bad; i++ {
		if c.reads {
			*s = append(*s, *new(T))
		}
		each(c, &(*s)[i])
	}
}
