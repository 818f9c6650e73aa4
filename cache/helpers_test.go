package cache

import (
	"bytes"
	"testing"
)

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

func testPut(t testing.TB, c *Cache, entries ...Entry) {
	t.Helper()
	w, err := c.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(entries); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
