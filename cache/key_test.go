package cache

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/internal/vaulttest"
)

func TestNewKey(t *testing.T) {
	for _, n := range []int{0, 16, 31, 33, 64} {
		if _, err := NewKey(make([]byte, n)); err == nil {
			t.Errorf("%d bytes are a key", n)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v %x %s", testKey(1), testKey(1), testKey(1), testKey(1), testKey(1)); got != "key key key key key" {
		t.Errorf("a key shows as %q", got)
	}
}

// TestNames holds that names differ wherever anything differs that they are made of.
func TestNames(t *testing.T) {
	k := testKey(1)
	long := strings.Repeat("long text ", 200)
	seen := map[[32]byte]string{}
	for what, name := range map[string][32]byte{
		"chunk":                  k.Chunk("1", "ab"),
		"chunker":                k.Chunk("2", "ab"),
		"split":                  k.Chunk("1a", "b"),
		"joined":                 k.Chunk("1ab"),
		"with an empty part":     k.Chunk("1", "ab", ""),
		"query":                  k.Query("1", "ab"),
		"space":                  k.Space("1", "ab"),
		"no parts":               k.Chunk(),
		"one empty part":         k.Chunk(""),
		"long":                   k.Chunk("1", long),
		"long, last byte":        k.Chunk("1", long[:len(long)-1]+"!"),
		"other key":              testKey(2).Chunk("1", "ab"),
		"the length of another":  k.Chunk("\x02\x00\x00\x00\x00\x00\x00\x00ab"),
		"the buffer, just full":  k.Chunk(strings.Repeat("x", 504)),
		"the buffer, one beyond": k.Chunk(strings.Repeat("x", 505)),
	} {
		if other, ok := seen[name]; ok {
			t.Errorf("%s and %s have one name", what, other)
		}
		seen[name] = what
	}
	if k.Chunk("1", long) != k.Chunk("1", strings.Clone(long)) {
		t.Error("one text has two names")
	}
}

// TestDictionary is the thief of a folder who guesses texts right, and hashes each guess
// in every way that needs no key.
func TestDictionary(t *testing.T) {
	dir := t.TempDir()
	c := testOpen(t, dir, 1)
	const kept = 200
	secret := func(n int) string { return fmt.Sprintf("salary of employee %d is %d", n/100, n%100*500) }
	var entries []Entry
	for n := range kept {
		id := ID{c.Key().Space("all-minilm", ""), c.Key().Chunk("1", secret(n))}
		entries = append(entries, Entry{id, vectorOf(id)})
	}
	testPut(t, c, entries...)
	windows := map[[8]byte]bool{}
	for _, data := range filesOf(t, dir) {
		for at := 0; at+8 <= len(data); at++ {
			windows[[8]byte(data[at:])] = true
		}
	}
	if len(windows) < kept*idSize {
		t.Fatalf("only %d windows: nothing was stored", len(windows))
	}
	hit := func(sum []byte) {
		if windows[[8]byte(sum)] {
			t.Fatal("a guess is confirmed")
		}
	}
	guesses := 1_000_000
	if testing.Short() {
		guesses = 10_000
	}
	for n := range guesses {
		sum := sha256.Sum256([]byte(secret(n)))
		hit(sum[:])
	}
	for n := range kept { // not even the right names are there to be seen, nor the vectors
		hit(entries[n].ID.Chunk[:])
		hit(entries[n].ID.Space[:])
		for _, key := range []string{"", "candor", "cache", magic, strings.Repeat("\x00", 32)} {
			m := hmac.New(sha256.New, []byte(key))
			m.Write([]byte(secret(n)))
			hit(m.Sum(nil))
		}
		hit(pack([][]float32{entries[n].Vector}, width)[12:])
	}
	check(t, c)
}

// TestNoPlaintext looks for planted words in every byte of the folder.
func TestNoPlaintext(t *testing.T) {
	dir := t.TempDir()
	c := testOpen(t, dir, 1)
	canaries := vaulttest.Canaries(30)
	w := testWriter(t, c)
	for i, canary := range canaries {
		id := ID{c.Key().Space("model", canary), c.Key().Chunk("1", canary, strings.Repeat(canary, 50))}
		if err := w.Put([]Entry{{id, vectorOf(id)}}); err != nil {
			t.Fatal(err)
		}
		if i%10 == 9 {
			if _, err := w.Prune(func(id ID) bool { return id.Chunk[0] < 200 }); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := filesOf(t, dir)
	all = append(all, fmt.Appendf(nil, "%+v %+v %v", c.Stat(), w, c.Key()))
	if len(all) < 10 {
		t.Fatalf("only %d files", len(all))
	}
	vaulttest.NoLeak(t, canaries, bytes.Join(all, []byte{0}))
}

// filesOf gives what a thief of the folder has: names and bytes.
func filesOf(t *testing.T, dir string) [][]byte {
	t.Helper()
	var all [][]byte
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, []byte(filepath.Base(path)), data)
	}
	return all
}
