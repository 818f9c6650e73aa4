package cache

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// width is that of the small vectors of most tests.
const width = 24

func testSecret(n byte) []byte { return bytes.Repeat([]byte{n}, KeySize) }

func testKey(n byte) Key { return must(NewKey(testSecret(n))) }

func testOpen(t testing.TB, dir string, key byte) *Cache {
	t.Helper()
	c, err := Open(Options{Dir: dir, Key: testSecret(key)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testOn opens a cache on a fake disk.
func testOn(t fataler, d *fakeDisk) *Cache {
	c := newCache(testKey(1), d)
	if err := c.Refresh(); err != nil {
		t.Fatalf("refresh: %v", err)
	}
	return c
}

type fataler interface{ Fatalf(string, ...any) }

func testWriter(t fataler, c *Cache) *Writer {
	w, err := c.Writer()
	if err != nil {
		t.Fatalf("writer: %v", err)
	}
	return w
}

func testPut(t fataler, c *Cache, entries ...Entry) {
	w := testWriter(t, c)
	if err := w.Put(entries); err != nil {
		t.Fatalf("put: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// vectorOf is the one vector that belongs to a name, so that a wrong one is seen.
func vectorOf(id ID) []float32 {
	if v, ok := vectors.Load(id); ok {
		return v.([]float32)
	}
	seed := binary.LittleEndian.Uint64(id.Space[:]) ^ binary.LittleEndian.Uint64(id.Chunk[:])
	v := unit(rand.New(rand.NewPCG(seed, 1)), width)
	vectors.Store(id, v)
	return v
}

var vectors sync.Map // by ID, as making them takes longer than what is tested

// entry is the n-th chunk under a model.
func entry(k Key, model string, n int) Entry {
	id := ID{k.Space(model, ""), k.Chunk("1", fmt.Sprint("text ", n))}
	return Entry{id, vectorOf(id)}
}

func entriesOf(k Key, model string, n int) []Entry {
	out := make([]Entry, n)
	for i := range out {
		out[i] = entry(k, model, i)
	}
	return out
}

func idsOf(entries []Entry) []ID {
	ids := make([]ID, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return ids
}

// found counts the ids that have a vector and fails on a wrong one.
func found(t fataler, c *Cache, ids []ID) int {
	n := 0
	for i, v := range c.All(ids) {
		if !slices.Equal(v, vectorOf(ids[i])) {
			t.Fatalf("wrong vector for id %d", i)
		}
		n++
	}
	return n
}

// check is the integrity check that ends each storage test: read by a process that
// starts now, every file is sound, holds each vector once and only right ones.
func check(t fataler, c *Cache) {
	r, err := c.Verify()
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if len(r.Faults) > 0 || r.Damaged > 0 {
		t.Fatalf("verify: %+v", r)
	}
	ids := slices.Collect(func(yield func(ID) bool) {
		for id := range c.index {
			if !yield(id) {
				return
			}
		}
	})
	if n := found(t, c, ids); n != len(ids) {
		t.Fatalf("%d of %d vectors can be read", n, len(ids))
	}
}
