package vault

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the bytes, the text is valid, has no NUL and as many lines as sed counts.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"a\nb\r\n", "\xef\xbb\xbfa", "\xff\xfea\x00\n\x00", "\xfe\xff\x00\n", "\xff\n\xe2\x82\n", "\x00\n", "\xff\xfe=\xd8\n\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, encoding, repaired := decode(data)
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			t.Errorf("%q is no text", text)
		}
		if encoding == "UTF-8" && strings.Count(text, "\n") != bytes.Count(data, []byte("\n")) {
			t.Error("lines moved")
		}
		if repaired == 0 && encoding == "UTF-8" && text != strings.TrimPrefix(string(data), "\uFEFF") {
			t.Error("changed although nothing was amiss")
		}
		if repaired > len(data) {
			t.Error("repaired more than there is")
		}
	})
}
