package cache

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// segmentOf seals n vectors and gives them, the bytes and their name.
func segmentOf(t testing.TB, k Key, n int) (ids []ID, name string, data []byte) {
	t.Helper()
	entries := entriesOf(k, "a", n)
	c := contents{space: entries[0].ID.Space, width: width}
	for _, e := range entries {
		c.chunks = append(c.chunks, e.ID.Chunk)
		c.rows = append(c.rows, e.Vector)
	}
	name, data, err := k.seal(c)
	if err != nil {
		t.Fatal(err)
	}
	return idsOf(entries), name, data
}

// hold gives a disk that holds the given file.
func hold(name string, data []byte) *fakeDisk {
	d := newFakeDisk()
	d.now[name] = &fakeFile{data, len(data)}
	d.durable[name] = d.now[name]
	return d
}

// TestEveryByte flips each byte of a segment of 8 KB, and cuts it at each, and wants all
// of it noticed: every byte of a file is authentic, and what is left is right.
func TestEveryByte(t *testing.T) {
	ids, name, data := segmentOf(t, testKey(1), 65)
	if len(data) < 7<<10 || len(data) > 9<<10 {
		t.Fatalf("the segment has %d bytes", len(data))
	}
	if c := testOn(t, hold(name, data)); found(t, c, ids) != len(ids) {
		t.Fatal("the segment cannot be read while it is sound")
	}
	try := func(what string, at int, changed []byte) {
		c := testOn(t, hold(name, changed))
		if n := found(t, c, ids); n > 0 {
			t.Fatalf("%s at %d: %d vectors are still used", what, at, n)
		}
		if r, err := c.Verify(); err != nil || len(r.Faults) != 1 {
			t.Fatalf("%s at %d: not noticed: %+v, %v", what, at, r, err)
		}
	}
	for at := range data {
		changed := slices.Clone(data)
		changed[at] ^= byte(1 + at%255)
		try("flip", at, changed)
		try("cut", at, data[:at])
	}
	try("more", len(data), append(slices.Clone(data), 0))
}

// faultRuns is more on demand: go test ./cache -run RandomFaults -faults 100000
var faultRuns = flag.Int("faults", 400, "random faults to try")

// TestRandomFaults damages a larger segment in seeded ways.
func TestRandomFaults(t *testing.T) {
	ids, name, data := segmentOf(t, testKey(1), 5000) // three frames
	r := rand.New(rand.NewPCG(6, 114))
	used := 0
	for range *faultRuns {
		changed := damage(r, slices.Clone(data))
		if bytes.Equal(changed, data) {
			continue
		}
		c := testOn(t, hold(name, changed))
		n := found(t, c, ids)
		if n == len(ids) {
			t.Fatal("a damaged file is used whole")
		}
		used += n
	}
	if used == 0 {
		t.Error("damage in one frame took the others with it every time")
	}
}

// damage changes bytes as broken disks and hostile hands do.
func damage(r *rand.Rand, b []byte) []byte {
	at := r.IntN(len(b))
	end := min(len(b), at+1+r.IntN(600))
	switch r.IntN(7) {
	case 0:
		b[at] ^= 1 << r.IntN(8)
	case 1:
		clear(b[at:end])
	case 2:
		for i := at; i < end; i++ {
			b[i] = byte(r.Uint32())
		}
	case 3:
		b = b[:at]
	case 4:
		b = slices.Delete(b, at, end)
	case 5:
		copy(b[at:end], b[r.IntN(len(b)):])
	case 6:
		b = slices.Insert(b, at, b[at:end]...)
	}
	return b
}

// TestForeignFiles holds that nothing but a segment of this key and version, under its
// own name, is used.
func TestForeignFiles(t *testing.T) {
	k := testKey(1)
	ids, name, data := segmentOf(t, k, 65)
	_, otherName, other := segmentOf(t, k, 65)
	_, foreignName, foreign := segmentOf(t, testKey(2), 65)
	future := slices.Clone(data)
	binary.LittleEndian.PutUint32(future[len(magic):], version+1)
	past := slices.Clone(data)
	binary.LittleEndian.PutUint32(past[len(magic):], 0)
	full := bytes.Repeat([]byte{0xff}, 8000)
	for _, test := range []struct {
		what, name string
		data       []byte
		want       error
	}{
		{"empty", name, nil, errDamaged},
		{"zeros", name, make([]byte, 8000), errDamaged},
		{"ones", name, full, errDamaged},
		{"future version", name, future, errFuture},
		{"version 0", name, past, errDamaged},
		{"other key", foreignName, foreign, errSealed},
		{"other name", otherName, data, errDamaged},
		{"header of another", name, slices.Concat(data[:prefixSize], other[prefixSize:]), errSealed},
		{"index of another", name, slices.Concat(data[:indexAt], other[indexAt:]), errDamaged},
	} {
		t.Run(test.what, func(t *testing.T) {
			d := hold(test.name, test.data)
			c := testOn(t, d)
			if n := found(t, c, ids); n != 0 {
				t.Errorf("%d vectors are used", n)
			}
			s := c.Stat()
			if len(s.Faults) != 1 || s.Faults[0].Reason != test.want.Error() {
				t.Errorf("got %+v, want %v", s.Faults, test.want)
			}
			testPut(t, c, entriesOf(k, "a", 65)...)
			if n := found(t, c, ids); n != len(ids) {
				t.Errorf("after filling again %d of %d vectors", n, len(ids))
			}
			w := testWriter(t, c)
			if _, err := w.Prune(func(ID) bool { return true }); err != nil {
				t.Fatal(err)
			}
			_, stays := d.now[test.name]
			if wanted := errors.Is(test.want, errFuture); stays != wanted {
				t.Errorf("after a prune the file is there: %v, want %v", stays, wanted)
			}
			if s := testOn(t, d).Stat(); s.Vectors != len(ids) {
				t.Errorf("after a prune %d of %d vectors", s.Vectors, len(ids))
			}
		})
	}
}

// TestSwappedRecords swaps sealed frames inside a segment and between two. The frames are
// of equal length, as all rows are equal, so that only the seal can tell.
func TestSwappedRecords(t *testing.T) {
	k := testKey(1)
	_, per := rowsFor(width)
	ids := idsOf(entriesOf(k, "a", 2*per))
	c := contents{space: ids[0].Space, width: width}
	for _, id := range ids {
		c.chunks = append(c.chunks, id.Chunk)
		c.rows = append(c.rows, vectorOf(ids[0]))
	}
	seal := func() (*segment, []byte) {
		name, data, err := k.seal(c)
		if err != nil {
			t.Fatal(err)
		}
		return must(k.open(name, bytes.NewReader(data), int64(len(data)))), data
	}
	s, data := seal()
	o, other := seal()
	a, b := s.frame[0], s.frame[1]
	if a.length != b.length || o.frame[0] != a {
		t.Fatal("the frames differ in length")
	}
	part := func(from []byte, e extent) []byte { return from[e.at : e.at+int64(e.length)] }
	inside, between := slices.Clone(data), slices.Clone(data)
	copy(part(inside, a), part(data, b))
	copy(part(inside, b), part(data, a))
	copy(part(between, a), part(other, a))
	for _, test := range []struct {
		data []byte
		want int
	}{{data, 2 * per}, {inside, 0}, {between, per}} {
		n := 0
		for range testOn(t, hold(s.name, test.data)).All(ids) {
			n++
		}
		if n != test.want {
			t.Errorf("%d vectors are used, want %d", n, test.want)
		}
	}
}

// TestBombs seals what expands to far more than the header says, with the right key.
func TestBombs(t *testing.T) {
	k := testKey(1)
	e := must(zstd.NewWriter(nil, zstd.WithEncoderCRC(false)))
	zeros := make([]byte, 128<<20)
	sized := e.EncodeAll(zeros, nil)
	var stream, zipped bytes.Buffer
	z := must(zstd.NewWriter(&stream, zstd.WithWindowSize(64<<20)))
	_, _ = z.Write(zeros)
	_ = z.Close()
	g := gzip.NewWriter(&zipped)
	_, _ = g.Write(zeros)
	_ = g.Close()
	lower := make([]byte, 1000*width*(planes-1)) // stored as they are, before what expands
	small := e.EncodeAll(make([]byte, 1000*width), nil)
	one := e.EncodeAll(make([]byte, 1), nil)
	// A window of 2 GiB and no size: descriptor 0, window exponent 21, then an empty block.
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00}
	for _, test := range []struct {
		what   string
		packed []byte
	}{
		{"a size that it names", sized},
		{"a size that it does not name", stream.Bytes()},
		{"nested", e.EncodeAll(sized, nil)},
		{"one after another", bytes.Repeat(small, 20)},
		{"one more byte", append(slices.Clone(small), one...)},
		{"one byte less", e.EncodeAll(make([]byte, 1000*width-1), nil)},
		{"gzip", zipped.Bytes()},
		{"a window of 2 GiB", window},
		{"nothing", nil},
	} {
		t.Run(test.what, func(t *testing.T) {
			entries := entriesOf(k, "a", 1000)
			var chunks []Chunk
			for _, e := range entries {
				chunks = append(chunks, e.ID.Chunk)
			}
			h := header{space: entries[0].ID.Space, width: width, rows: len(chunks)}
			name, data, err := k.assemble(h, chunks, [][]byte{append(slices.Clone(lower), test.packed...)})
			if err != nil {
				t.Fatal(err)
			}
			c := testOn(t, hold(name, data))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range c.All(idsOf(entries)) {
				t.Fatal("a vector came out")
			}
			runtime.ReadMemStats(&after)
			if rise := after.TotalAlloc - before.TotalAlloc; rise > 4<<20 {
				t.Errorf("%d bytes were allocated", rise)
			}
		})
	}
}

// TestBounds holds that a header which claims too much is refused before it is believed.
func TestBounds(t *testing.T) {
	k := testKey(1)
	for _, h := range []header{
		{width: 0, rows: 1},
		{width: maxWidth + 1, rows: 1},
		{width: 1, rows: maxRows + 1},
		{width: maxWidth, rows: 257},
		{width: 384, rows: 0},
		{width: 384, rows: 1 << 31},
		{width: 1 << 31, rows: 1},
		{width: 1, rows: 1, padding: 1 << 31},
	} {
		prefix := append(binary.LittleEndian.AppendUint32([]byte(magic), version), make([]byte, saltSize)...)
		box := must(k.box(prefix))
		data := box.Seal(slices.Clone(prefix), nonce(headerNonce), h.bytes(), prefix)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := k.open(nameOf(make([]byte, saltSize)), bytes.NewReader(data), 1<<40)
		runtime.ReadMemStats(&after)
		if rise := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, errDamaged) || rise > 1<<20 {
			t.Errorf("%+v: %v after %d bytes", h, err, rise)
		}
	}
}

// TestSizesTellLittle holds that the size of a file follows from counts alone, roughly,
// and that no two files share a byte run longer than their first twelve.
func TestSizesTellLittle(t *testing.T) {
	k := testKey(1)
	sizes := map[int]int{}
	for n := 1; n <= 400; n++ {
		_, _, data := segmentOf(t, k, n)
		sizes[len(data)]++
	}
	if len(sizes) > 400/6 {
		t.Errorf("400 counts show as %d sizes", len(sizes))
	}
	_, _, a := segmentOf(t, k, 60)
	_, _, b := segmentOf(t, k, 60)
	clear := len(magic) + 4
	for at := clear; at+8 <= len(a); at++ {
		if bytes.Contains(b, a[at:at+8]) {
			t.Fatalf("two seals of the same vectors share 8 bytes at %d", at)
		}
	}
}

// TestOnDisk holds the format to a real folder: one segment copied under another name is
// ignored, and what is there is complete.
func TestOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "cache")
	k := testKey(1)
	c := testOpen(t, dir, 1)
	entries := entriesOf(k, "a", 300)
	testPut(t, c, entries[:200]...)
	testPut(t, c, entries[200:]...)
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(dir, strings.Repeat("0", 32)+suffix)
	if err := os.WriteFile(stray, data, 0o600); err != nil {
		t.Fatal(err)
	}
	again := testOpen(t, dir, 1)
	if n := found(t, again, idsOf(entries)); n != len(entries) {
		t.Fatalf("%d of %d vectors", n, len(entries))
	}
	if faults := again.Stat().Faults; len(faults) != 1 || faults[0].File != filepath.Base(stray) {
		t.Errorf("faults: %+v", faults)
	}
	if err := os.Remove(stray); err != nil {
		t.Fatal(err)
	}
	check(t, testOpen(t, dir, 1))
	for _, path := range append(files, filepath.Join(dir, lockName), dir) {
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// FuzzOpenSegment reads hostile bytes as a segment: no panic, no vector.
func FuzzOpenSegment(f *testing.F) {
	k := testKey(1)
	ids, name, data := segmentOf(f, k, 65)
	_, _, foreign := segmentOf(f, testKey(2), 3)
	f.Add(data)
	f.Add(data[:indexAt])
	f.Add(foreign)
	f.Add([]byte(magic))
	f.Add(make([]byte, 5000))
	f.Fuzz(func(t *testing.T, in []byte) {
		c := testOn(t, hold(name, in))
		if n := found(t, c, ids); n > 0 && !bytes.Equal(in, data) {
			t.Fatalf("%d vectors from %d bytes", n, len(in))
		}
	})
}
