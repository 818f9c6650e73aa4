package vaulttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// Canary gives the n-th canary: 16 small letters that no text holds by chance and that
// no stemmer shortens to a common word.
func Canary(n int) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("canary"), uint64(n)))
	word := make([]byte, 16)
	for i := range word {
		word[i] = "bcdfghjklmnpqrtvwxz"[int(sum[i])%19]
	}
	return string(word)
}

// Canaries gives the first n canaries.
func Canaries(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = Canary(i)
	}
	return all
}

// NoLeak fails the test if a canary stands in an output: as it is in any case,
// backwards, in hex, in base64 at any offset, or in UTF-16. It reads an output once,
// however many the canaries are.
func NoLeak[T string | []byte](t testing.TB, canaries []string, outputs ...T) {
	t.Helper()
	folded, exact := sieve{}, sieve{}
	for _, canary := range canaries {
		if len(canary) < mesh {
			t.Fatalf("%q stands anywhere by chance", canary)
		}
		for _, f := range forms(strings.ToLower(canary)) {
			folded.add(canary, f)
		}
		for _, in := range []string{canary, strings.ToLower(canary), strings.ToUpper(canary)} {
			for _, coded := range base64Forms([]byte(in)) {
				exact.add(canary, form{"base64", coded})
			}
		}
	}
	for i, output := range outputs {
		found := map[string]string{}
		folded.sift(bytes.ToLower([]byte(output)), found)
		exact.sift([]byte(output), found)
		for canary, name := range found {
			t.Errorf("output %d holds canary %s as %s", i, canary, name)
		}
	}
}

// sieve finds many forms in one reading, by the first bytes of each.
type sieve map[[mesh]byte][]needle

// mesh is how many bytes are looked up: few, since a canary may be short.
const mesh = 4

// needle is a form of a canary.
type needle struct {
	canary string
	form
}

func (s sieve) add(canary string, f form) {
	key := [mesh]byte(f.bytes)
	s[key] = append(s[key], needle{canary, f})
}

// sift notes the first form in which each canary stands in the text.
func (s sieve) sift(text []byte, found map[string]string) {
	for at := 0; at+mesh <= len(text); at++ {
		for _, n := range s[[mesh]byte(text[at:])] {
			if found[n.canary] == "" && bytes.HasPrefix(text[at:], n.bytes) {
				found[n.canary] = n.name
			}
		}
	}
}

type form struct {
	name  string
	bytes []byte
}

// forms are those in which case does not matter.
func forms(canary string) []form {
	back := []byte(canary)
	slices.Reverse(back)
	var little, big []byte
	for _, unit := range utf16.Encode([]rune(canary)) {
		little = binary.LittleEndian.AppendUint16(little, unit)
		big = binary.BigEndian.AppendUint16(big, unit)
	}
	upper := hex.EncodeToString([]byte(strings.ToUpper(canary)))
	return []form{
		{"text", []byte(canary)},
		{"text backwards", back},
		{"hex", []byte(hex.EncodeToString([]byte(canary)))},
		{"hex", []byte(upper)},
		{"UTF-16LE", little},
		{"UTF-16BE", big},
	}
}

// base64Forms are the middles of the three encodings that a word has, by its offset in
// what is encoded. Letters need neither of the two characters in which alphabets differ.
func base64Forms(word []byte) [][]byte {
	var all [][]byte
	for offset := range 3 {
		coded := base64.RawStdEncoding.EncodeToString(append(make([]byte, offset), word...))
		from := []int{0, 2, 3}[offset] // characters that also hold bits of what is before
		to := (offset + len(word)) * 8 / 6
		all = append(all, []byte(coded[from:to]))
	}
	return all
}
