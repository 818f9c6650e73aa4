package cache

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
)

// KeySize is the length of the secret that a [Key] is derived from.
const KeySize = 32

// Space names a set of vectors that may be compared with each other.
type Space [sha256.Size]byte

// Chunk names what was embedded, whatever the model.
type Chunk [sha256.Size]byte

// Query names an embedded question, in memory. No function of this package stores one.
type Query [sha256.Size]byte

// ID names one vector.
type ID struct {
	Space Space
	Chunk Chunk
}

// The domains keep a name of one kind from ever equalling one of another.
const (
	spaceDomain = "space"
	chunkDomain = "chunk"
	queryDomain = "query"
)

// Key names vectors and seals them, each with a subkey of its own.
type Key struct {
	names [KeySize]byte
	seals [KeySize]byte
}

// NewKey derives the subkeys from a secret of [KeySize] random bytes.
func NewKey(secret []byte) (Key, error) {
	if len(secret) != KeySize {
		return Key{}, fmt.Errorf("the key of the cache has %d bytes, not %d", len(secret), KeySize)
	}
	var k Key
	for _, sub := range []struct {
		to  *[KeySize]byte
		use string
	}{{&k.names, "candor cache names 1"}, {&k.seals, "candor cache seals 1"}} {
		derived, err := hkdf.Key(sha256.New, secret, nil, sub.use, KeySize)
		if err != nil {
			return Key{}, fmt.Errorf("derive the keys of the cache: %w", err)
		}
		copy(sub.to[:], derived)
	}
	return k, nil
}

// Space names the space of vectors made with the given parts: the fingerprint of the
// model and the prefix for documents.
func (k Key) Space(parts ...string) Space { return Space(k.digest(spaceDomain, parts)) }

// Chunk names a chunk by the given parts: the version of the chunker and the masked text.
func (k Key) Chunk(parts ...string) Chunk { return Chunk(k.digest(chunkDomain, parts)) }

// Query names a question by the given parts.
func (k Key) Query(parts ...string) Query { return Query(k.digest(queryDomain, parts)) }

// Format keeps the key out of every log and message.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "key") }

// digest is injective: the domain and each part stand behind their length.
func (k Key) digest(domain string, parts []string) [sha256.Size]byte {
	h := hmac.New(sha256.New, k.names[:])
	buf := make([]byte, 0, 512)
	buf = hashString(h, buf, domain)
	for _, part := range parts {
		buf = hashString(h, buf, part)
	}
	clear(buf[:cap(buf)])
	return [sha256.Size]byte(h.Sum(nil))
}

// hashString feeds a string through a small buffer, so that no copy of it is left.
func hashString(h hash.Hash, buf []byte, s string) []byte {
	buf = binary.LittleEndian.AppendUint64(buf[:0], uint64(len(s)))
	for {
		n := min(len(s), cap(buf)-len(buf))
		buf = append(buf, s[:n]...)
		_, _ = h.Write(buf) // never fails
		if s = s[n:]; s == "" {
			return buf
		}
		buf = buf[:0]
	}
}
