package cache

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
)

// The parts of a segment, in the order of the file. doc/cache.md draws them.
const (
	magic      = "candorVC"
	version    = 1
	saltSize   = 32
	prefixSize = len(magic) + 4 + saltSize // in the clear: magic, version, salt
	headerSize = 32 + 4 + 4 + 4            // space, width, rows, padding
	overhead   = 16                        // the tag of a sealed frame
	idSize     = sha256.Size
	indexAt    = prefixSize + headerSize + overhead
)

// The bounds hold for what is written and are checked before anything is read by it.
const (
	maxWidth = 1 << 14   // dimensions of a vector
	maxRows  = 1 << 14   // vectors of a segment
	maxBytes = 16 << 20  // decoded vectors of a segment, in bytes
	maxFrame = 256 << 10 // decoded vectors of a frame, in bytes
	minFile  = 4 << 10   // smaller files are padded to this
)

// What can be wrong with a file that can be read.
var (
	errDamaged = errors.New("damaged")
	errSealed  = errors.New("sealed with another key, or damaged")
	errFuture  = errors.New("written by a newer version")
)

// The nonces of a segment's frames. Its key is its own, so they may count.
const (
	headerNonce = iota
	indexNonce
	firstNonce // of the first frame of vectors
)

// header is the sealed description of a segment.
type header struct {
	space   Space
	width   int
	rows    int
	padding int
}

// rowsFor gives the most rows of a segment and of a frame for a width.
func rowsFor(width int) (segment, frame int) {
	return min(maxRows, maxBytes/(planes*width)), maxFrame / (planes * width)
}

func (h header) check() error {
	if h.width < 1 || h.width > maxWidth || h.rows < 1 || h.padding < 0 || h.padding > maxBytes {
		return errDamaged
	}
	if most, _ := rowsFor(h.width); h.rows > most {
		return errDamaged
	}
	return nil
}

func (h header) frames() int {
	_, per := rowsFor(h.width)
	return (h.rows + per - 1) / per
}

// span gives the rows of a frame: from, and up to but not including to.
func (h header) span(frame int) (from, to int) {
	_, per := rowsFor(h.width)
	return frame * per, min((frame+1)*per, h.rows)
}

// indexSize is the decoded length of the index: ids, lengths of frames, padding.
func (h header) indexSize() int { return h.rows*idSize + h.frames()*4 + h.padding }

func (h header) bytes() []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, h.space[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.width))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.rows))
	return binary.LittleEndian.AppendUint32(b, uint32(h.padding))
}

func parseHeader(b []byte) (header, error) {
	h := header{
		space:   Space(b[:32]),
		width:   int(binary.LittleEndian.Uint32(b[32:])),
		rows:    int(binary.LittleEndian.Uint32(b[36:])),
		padding: int(binary.LittleEndian.Uint32(b[40:])),
	}
	return h, h.check()
}

// contents are what one segment holds: vectors of one space and width, row i being that
// of chunk i.
type contents struct {
	space  Space
	width  int
	chunks []Chunk
	rows   [][]float32
}

// seal gives the bytes of a new segment and the name that belongs to them.
func (k Key) seal(c contents) (name string, data []byte, err error) {
	h := header{space: c.space, width: c.width, rows: len(c.rows)}
	packed := make([][]byte, h.frames())
	for i := range packed {
		from, to := h.span(i)
		packed[i] = pack(c.rows[from:to], c.width)
	}
	return k.assemble(h, c.chunks, packed)
}

// assemble seals the parts of a segment, each with all that is said of it.
func (k Key) assemble(h header, chunks []Chunk, packed [][]byte) (name string, data []byte, err error) {
	prefix := binary.LittleEndian.AppendUint32([]byte(magic), version)
	prefix = append(prefix, make([]byte, saltSize)...)
	salt := prefix[prefixSize-saltSize:]
	_, _ = rand.Read(salt) // cannot fail
	box, err := k.box(prefix)
	if err != nil {
		return "", nil, err
	}
	total := indexAt + h.indexSize() + overhead
	for _, frame := range packed {
		total += len(frame) + overhead
	}
	h.padding = padded(total) - total

	data = make([]byte, 0, total+h.padding)
	data = append(data, prefix...)
	data = box.Seal(data, nonce(headerNonce), h.bytes(), prefix)
	described := slices.Concat(prefix, h.bytes())
	data = box.Seal(data, nonce(indexNonce), index(h, chunks, packed), described)
	for i, frame := range packed {
		from, to := h.span(i)
		data = box.Seal(data, nonce(firstNonce+i), frame, with(described, chunks[from:to]))
	}
	return nameOf(salt), data, nil
}

func index(h header, chunks []Chunk, packed [][]byte) []byte {
	b := make([]byte, 0, h.indexSize())
	for _, c := range chunks {
		b = append(b, c[:]...)
	}
	for _, frame := range packed {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(frame)+overhead))
	}
	return b[:h.indexSize()] // the padding is zeros
}

// box makes the cipher of one segment. Its key comes from the salt, 256 random bits, so
// no two segments share one and counted nonces never meet.
func (k Key) box(prefix []byte) (cipher.AEAD, error) {
	salt := prefix[prefixSize-saltSize:]
	key, err := hkdf.Key(sha256.New, k.seals[:], salt, "candor cache segment 1", KeySize)
	if err != nil {
		return nil, fmt.Errorf("derive the key of a segment: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the key of a segment: %w", err)
	}
	return cipher.NewGCM(block)
}

func nonce(n int) []byte {
	return binary.LittleEndian.AppendUint32(make([]byte, 0, 12), uint32(n))[:12]
}

// with gives the associated data of a frame of vectors: all that the segment says of
// itself, and the chunks that the rows belong to.
func with(described []byte, chunks []Chunk) []byte {
	b := make([]byte, 0, len(described)+len(chunks)*idSize)
	b = append(b, described...)
	for _, c := range chunks {
		b = append(b, c[:]...)
	}
	return b
}

// nameOf binds a segment to its name: a copy under another name is not a segment.
func nameOf(salt []byte) string { return hex.EncodeToString(salt[:16]) + suffix }

// padded rounds a length up so that it tells little (the Padmé scheme: at most 12% more,
// and 3% from a megabyte on).
func padded(n int) int {
	if n <= minFile {
		return minFile
	}
	exponent := bits.Len(uint(n)) - 1
	low := exponent - bits.Len(uint(exponent))
	mask := 1<<low - 1
	return (n + mask) &^ mask
}

// segment is one file, opened: what it holds is known, its vectors are still sealed.
type segment struct {
	header
	name   string
	size   int64
	chunks []Chunk
	frame  []extent

	box       cipher.AEAD
	described []byte
	spoilt    map[int]bool // frames that did not open; guarded by the cache's mutex
}

type extent struct {
	at     int64
	length int
}

// open reads the front of a segment. An error that is none of errDamaged, errSealed and
// errFuture is the file system's and says nothing of the segment.
func (k Key) open(name string, r io.ReaderAt, size int64) (*segment, error) {
	front, err := readAt(r, extent{0, indexAt})
	if err != nil {
		return nil, err
	}
	prefix := front[:prefixSize:prefixSize]
	if !bytes.HasPrefix(prefix, []byte(magic)) {
		return nil, errDamaged
	}
	switch v := binary.LittleEndian.Uint32(prefix[len(magic):]); {
	case v > version:
		return nil, errFuture
	case v < version || nameOf(prefix[prefixSize-saltSize:]) != name:
		return nil, errDamaged
	}
	s := &segment{name: name, size: size}
	if s.box, err = k.box(prefix); err != nil {
		return nil, err
	}
	plain, err := s.box.Open(nil, nonce(headerNonce), front[prefixSize:], prefix)
	if err != nil {
		return nil, errSealed
	}
	s.described = append(prefix, plain...)
	if s.header, err = parseHeader(plain); err != nil {
		return nil, err
	}
	return s, s.readIndex(r)
}

// readIndex reads ids and extents. The header is authentic by now and its bounds hold.
func (s *segment) readIndex(r io.ReaderAt) error {
	length := s.indexSize() + overhead
	if int64(indexAt+length) > s.size {
		return errDamaged
	}
	sealed, err := readAt(r, extent{int64(indexAt), length})
	if err != nil {
		return err
	}
	plain, err := s.box.Open(sealed[:0], nonce(indexNonce), sealed, s.described)
	if err != nil {
		return errDamaged
	}
	s.chunks = make([]Chunk, s.rows)
	for i := range s.chunks {
		s.chunks[i] = Chunk(plain[i*idSize : (i+1)*idSize])
	}
	at := int64(indexAt + length)
	for lengths := plain[s.rows*idSize : s.rows*idSize+s.frames()*4]; len(lengths) > 0; lengths = lengths[4:] {
		e := extent{at, int(binary.LittleEndian.Uint32(lengths))}
		if e.length <= overhead || e.length > 2*maxFrame {
			return errDamaged
		}
		s.frame = append(s.frame, e)
		at += int64(e.length)
	}
	if at != s.size {
		return errDamaged
	}
	return nil
}

// planes opens one frame of vectors and gives its decoded planes.
func (s *segment) planes(r io.ReaderAt, frame int) ([]byte, error) {
	sealed, err := readAt(r, s.frame[frame])
	if err != nil {
		return nil, err
	}
	from, to := s.span(frame)
	packed, err := s.box.Open(sealed[:0], nonce(firstNonce+frame), sealed, with(s.described, s.chunks[from:to]))
	if err != nil {
		return nil, errDamaged
	}
	return unpack(packed, (to-from)*s.width*planes)
}

// readAt reads an extent whole. A file that ends too early is damaged.
func readAt(r io.ReaderAt, e extent) ([]byte, error) {
	b := make([]byte, e.length)
	if n, err := r.ReadAt(b, e.at); n < len(b) {
		if errors.Is(err, io.EOF) {
			err = errDamaged
		}
		return nil, err
	}
	return b, nil
}
