package vault

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode makes text of the bytes of a file and counts those that are none. A line
// feed stays a line feed and none is added, so lines keep their numbers.
func decode(data []byte) (text, encoding string, repaired int) {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		text, repaired = decode16(data[2:], binary.LittleEndian)
		return text, "UTF-16LE", repaired
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		text, repaired = decode16(data[2:], binary.BigEndian)
		return text, "UTF-16BE", repaired
	}
	text, repaired = decode8(bytes.TrimPrefix(data, []byte("\uFEFF")))
	return text, "UTF-8", repaired
}

func decode8(data []byte) (string, int) {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return string(data), 0
	}
	var b strings.Builder
	b.Grow(len(data))
	repaired := 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == 0 || r == utf8.RuneError && n == 1 {
			r = utf8.RuneError
			repaired++
		}
		b.WriteRune(r)
		data = data[n:]
	}
	return b.String(), repaired
}

func decode16(data []byte, order binary.ByteOrder) (string, int) {
	var b strings.Builder
	b.Grow(len(data))
	repaired := 0
	bad := func(n int) {
		b.WriteRune(utf8.RuneError)
		repaired += n
	}
	for len(data) >= 2 {
		r := rune(order.Uint16(data))
		data = data[2:]
		switch {
		case utf16.IsSurrogate(r) && len(data) >= 2 && utf16.DecodeRune(r, rune(order.Uint16(data))) != utf8.RuneError:
			b.WriteRune(utf16.DecodeRune(r, rune(order.Uint16(data))))
			data = data[2:]
		case utf16.IsSurrogate(r) || r == 0:
			bad(2)
		default:
			b.WriteRune(r)
		}
	}
	if len(data) == 1 {
		bad(1)
	}
	return b.String(), repaired
}
