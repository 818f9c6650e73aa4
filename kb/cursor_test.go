package kb

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// FuzzCursor: what is accepted was made for this very profile, tool and request, and
// each cursor that was made is accepted there, and nowhere else with a bit changed.
func FuzzCursor(f *testing.F) {
	const tool = "search"
	key := []byte("a key of thirty-two bytes, no more")
	staff := &Base{opt: Options{Profile: "staff", CursorKey: key}}
	guest := &Base{opt: Options{Profile: "guest", CursorKey: key}}
	other := &Base{opt: Options{Profile: "staff", CursorKey: key[1:]}}
	args := SearchRequest{Query: "rent"}
	good := staff.cursor(tool, args, 300)
	zeros := base64.RawURLEncoding.EncodeToString(make([]byte, cursorMAC+1))
	for _, hostile := range []string{
		good, good + "A", good[1:], good + "=", good + "\n", zeros, zeros[:8], strings.Repeat("A", 1<<12), strings.Repeat("_", 64),
		"restricted/x.md", "\x00", "\xff", "é", "Ef+BAgEBBkN1cnNvcgH/ggABAQEHTGFzdFVJRAEMAAAA", // a list of another library
		base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 40))),
		guest.cursor(tool, args, 300), other.cursor(tool, args, 300), staff.cursor("outline", args, 300),
	} {
		f.Add(hostile, uint32(300), uint16(5))
	}
	f.Fuzz(func(t *testing.T, hostile string, at uint32, bit uint16) {
		if got, err := staff.offset(hostile, tool, args); err == nil && hostile != "" && staff.cursor(tool, args, got) != hostile {
			t.Errorf("%.80q is accepted as %d", hostile, got)
		} else if err != nil && !errors.Is(err, errCursor) {
			t.Errorf("%.80q is refused in words of its own: %v", hostile, err)
		}
		at %= 1<<30 + 1
		made := staff.cursor(tool, args, int(at))
		if got, err := staff.offset(made, tool, args); err != nil || got != int(at) {
			t.Errorf("the cursor for %d reads as %d: %v", at, got, err)
		}
		raw, err := base64.RawURLEncoding.DecodeString(made)
		if err != nil {
			t.Fatal(err)
		}
		bit %= uint16(8 * len(raw))
		raw[bit/8] ^= 1 << (bit % 8)
		flipped := base64.RawURLEncoding.EncodeToString(raw)
		for what, try := range map[string]func() (int, error){
			"a flipped bit":   func() (int, error) { return staff.offset(flipped, tool, args) },
			"another profile": func() (int, error) { return guest.offset(made, tool, args) },
			"another key":     func() (int, error) { return other.offset(made, tool, args) },
			"another tool":    func() (int, error) { return staff.offset(made, "outline", args) },
			"another request": func() (int, error) { return staff.offset(made, tool, SearchRequest{Query: "rents"}) },
		} {
			if got, err := try(); err == nil {
				t.Errorf("%s: the cursor for %d is accepted as %d", what, at, got)
			}
		}
	})
}
