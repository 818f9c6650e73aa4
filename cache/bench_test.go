package cache

import (
	"math"
	"math/rand/v2"
	"testing"
)

// unit gives a random vector of length one, as models make them.
func unit(r *rand.Rand, width int) []float32 {
	v := make([]float32, width)
	sum := 0.0
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// corpus gives entries as 50,000 chunks under a small model have them.
func corpus(k Key, n, width int) ([]ID, []Entry) {
	r := rand.New(rand.NewPCG(1, 2))
	space := k.Space("model")
	ids, entries := make([]ID, n), make([]Entry, n)
	for i := range entries {
		var c Chunk
		for b := range c {
			c[b] = byte(r.Uint32())
		}
		ids[i] = ID{space, c}
		entries[i] = Entry{ids[i], unit(r, width)}
	}
	return ids, entries
}

func BenchmarkStore(b *testing.B) {
	k := testKey(1)
	_, entries := corpus(k, 50_000, 384)
	for b.Loop() {
		c := testOpen(b, b.TempDir(), 1)
		w, err := c.Writer()
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Put(entries); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(c.Stat().Bytes), "bytes")
		_ = w.Close()
		_ = c.Close()
	}
}

func BenchmarkLoad(b *testing.B) {
	ids, entries := corpus(testKey(1), 50_000, 384)
	dir := b.TempDir()
	c := testOpen(b, dir, 1)
	testPut(b, c, entries...)
	for b.Loop() {
		c := testOpen(b, dir, 1)
		n := 0
		for range c.All(ids) {
			n++
		}
		if n != len(ids) {
			b.Fatalf("%d of %d vectors", n, len(ids))
		}
		_ = c.Close()
	}
}

func BenchmarkName(b *testing.B) {
	k := testKey(1)
	text := string(make([]byte, 1200))
	for b.Loop() {
		k.Chunk("1", text)
	}
}
