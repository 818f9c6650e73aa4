package vaulttest

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// recorder is a test that remembers whether it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestNoLeakFindsEveryForm(t *testing.T) {
	word := Canary(7)
	backwards := ""
	for _, r := range word {
		backwards = string(r) + backwards
	}
	outputs := map[string]string{
		"text":      "a " + word + " b",
		"upper":     strings.ToUpper(word),
		"backwards": "x" + backwards,
		"hex":       hex.EncodeToString([]byte("a" + word)),
		"upper hex": strings.ToUpper(hex.EncodeToString([]byte(word))),
	}
	for pad := range 4 {
		text := strings.Repeat("p", pad) + word + strings.Repeat("q", pad)
		outputs[fmt.Sprint("base64 ", pad)] = base64.StdEncoding.EncodeToString([]byte(text))
		outputs[fmt.Sprint("base64 url ", pad)] = base64.RawURLEncoding.EncodeToString([]byte(text + "?>~"))
	}
	var wide strings.Builder
	for _, unit := range utf16.Encode([]rune(word)) {
		wide.WriteByte(byte(unit))
		wide.WriteByte(byte(unit >> 8))
	}
	outputs["UTF-16LE"] = wide.String()
	outputs["UTF-16BE"] = "\x00" + wide.String()
	for name, output := range outputs {
		r := &recorder{TB: t}
		NoLeak(r, Canaries(10), "clean", output)
		if !r.failed {
			t.Errorf("%s: not found in %q", name, output)
		}
	}
	r := &recorder{TB: t}
	NoLeak(r, Canaries(100), word[:15], base64.StdEncoding.EncodeToString([]byte(word[1:])), strings.Repeat("z", 1000))
	NoLeak(r, Canaries(100), []byte(word[1:]))
	if r.failed {
		t.Error("found where there is none")
	}
}

func TestCanariesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, word := range Canaries(1000) {
		if len(word) != 16 || seen[word] {
			t.Fatalf("canary %q", word)
		}
		seen[word] = true
	}
}

func TestRandomDependsOnItsSeedAlone(t *testing.T) {
	if diff := cmp.Diff(Random(1, 50), Random(1, 50)); diff != "" {
		t.Error(diff)
	}
	if len(Random(1, 50)) != 50 || cmp.Equal(Random(1, 50), Random(2, 50)) {
		t.Error("50 notes of each seed's own")
	}
}

func TestWrite(t *testing.T) {
	dir := Write(t, "-- a/b.md --\n# B\n-- c.md --\n")
	Save(t, dir, "c.md", "saved")
	Symlink(t, dir, "a", "link")
	for name, want := range map[string]string{"a/b.md": "# B\n", "c.md": "saved", "link/b.md": "# B\n"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
