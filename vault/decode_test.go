package vault_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"candor/internal/vaulttest"
	"candor/vault"
)

func TestDecoding(t *testing.T) {
	for _, test := range []struct {
		name, in, want, encoding string
		repaired                 int
	}{
		{"plain", "a\nb", "a\nb", "UTF-8", 0},
		{"empty", "", "", "UTF-8", 0},
		{"UTF-8 mark", "\xef\xbb\xbf# A\n", "# A\n", "UTF-8", 0},
		{"mark inside", "a\ufeffb", "a\ufeffb", "UTF-8", 0},
		{"Windows-1252", "caf\xe9\n", "caf\uFFFD\n", "UTF-8", 1},
		{"invalid", "x\xff\xfe", "x\uFFFD\uFFFD", "UTF-8", 2},
		{"cut off at a line's end", "a\xe2\x82\nb", "a\uFFFD\uFFFD\nb", "UTF-8", 2},
		{"NUL", "a\x00b\n", "a\uFFFDb\n", "UTF-8", 1},
		{"U+FFFD itself", "a\uFFFDb", "a\uFFFDb", "UTF-8", 0},
		{"ends of lines", "a\r\nb\rc\u2028d\n", "a\r\nb\rc\u2028d\n", "UTF-8", 0},
		{"UTF-16LE", "\xff\xfe#\x00 \x00\xe9\x00\n\x00=\xd8\x00\xde", "# é\n😀", "UTF-16LE", 0},
		{"UTF-16BE", "\xfe\xff\x00#\x00\r\x00\n\xd8=\xde\x00", "#\r\n😀", "UTF-16BE", 0},
		{"half a pair", "\xff\xfe=\xd8a\x00", "\uFFFDa", "UTF-16LE", 2},
		{"half a pair at the end", "\xff\xfea\x00=\xd8", "a\uFFFD", "UTF-16LE", 2},
		{"odd byte", "\xff\xfea\x00b", "a\uFFFD", "UTF-16LE", 1},
		{"NUL in UTF-16", "\xff\xfea\x00\x00\x00", "a\uFFFD", "UTF-16LE", 2},
		{"only a mark", "\xff\xfe", "", "UTF-16LE", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := readBack(t, test.in)
			if f.Text != test.want || f.Encoding != test.encoding || f.Repaired != test.repaired {
				t.Errorf("%q as %s, %d repaired; want %q as %s, %d", f.Text, f.Encoding, f.Repaired, test.want, test.encoding, test.repaired)
			}
		})
	}
}

func readBack(t testing.TB, data string) vault.File {
	t.Helper()
	r := open(t, vaulttest.WriteMap(t, map[string]string{"a.md": data}), vault.Options{})
	f, err := r.Read(entry(t, r, "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOneLongLine(t *testing.T) {
	r := open(t, vaulttest.WriteMap(t, map[string]string{"a.md": strings.Repeat("a\xff", 5<<20)}), vault.Options{FileBytes: 10 << 20})
	f, err := r.Read(entry(t, r, "a.md"))
	if err != nil || f.Repaired != 5<<20 || !utf8.ValidString(f.Text) {
		t.Error(f.Repaired, err)
	}
}
