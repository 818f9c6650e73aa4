package hybrid_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/evals/hybrid"
)

var key = bytes.Repeat([]byte{7}, 32)

// yes is a verdict of yes.
func yes(t *testing.T) hybrid.Verdict {
	t.Helper()
	_, v := better(t)
	if !v.Yes {
		t.Fatal(v.Reason)
	}
	return v
}

func TestVerdictLasts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state", "candor")
	if got, err := hybrid.Load(folder, key); got != nil || err != nil {
		t.Fatalf("before: %v, %v", got, err)
	}
	v := yes(t)
	for range 2 { // the second replaces the first
		if err := v.Save(folder, key); err != nil {
			t.Fatal(err)
		}
	}
	got, err := hybrid.Load(folder, key)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v, *got); diff != "" {
		t.Error(diff)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if info, err := os.Stat(filepath.Join(folder, hybrid.FileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	again, err := decide(t, newWorld(60, 1, fair, sharp)).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := v.Bytes(); !bytes.Equal(first, again) {
		t.Error("equal runs give other bytes")
	}
}

// TestOneEditedByte: whichever byte of the file is another, hybrid is off.
func TestOneEditedByte(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, hybrid.FileName)
	v := yes(t)
	if err := v.Save(folder, key); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	now := hybrid.Conditions{Setup: setup, Vectors: 1}
	if ok, why := hybrid.Open(folder, key).Holds(now); !ok {
		t.Fatal("unedited:", why)
	}
	refused := func(data []byte, what string) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, why := hybrid.Open(folder, key).Holds(now); ok || !strings.Contains(why, "was edited") {
			t.Fatalf("%s: %v, %q", what, ok, why)
		}
	}
	for i := range whole {
		if i > 200 && i < len(whole)-200 && i%17 != 0 {
			continue
		}
		data := slices.Clone(whole)
		data[i] ^= 1
		refused(data, "one byte")
	}
	refused(whole[:len(whole)-1], "cut")
	refused(append(slices.Clone(whole), '\n'), "longer")
	refused(append([]byte(" "), whole...), "a blank before it")
	refused(nil, "empty")
	refused(bytes.Replace(whole, []byte(`"yes":true`), []byte(`"yes":true,"yes":true`), 1), "a key twice")
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := hybrid.Load(folder, bytes.Repeat([]byte{8}, 32)); !errors.Is(err, hybrid.ErrEdited) {
		t.Errorf("another key: %v", err)
	}
	if _, err := hybrid.Load(folder, nil); !errors.Is(err, hybrid.ErrEdited) {
		t.Errorf("no key: %v", err)
	}
	if err := v.Save(folder, key[:5]); err == nil {
		t.Error("sealed with a short key")
	}
}

func TestLinkIsNoVerdict(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	v := yes(t)
	if err := v.Save(elsewhere, key); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, hybrid.FileName), filepath.Join(folder, hybrid.FileName)); err != nil {
		t.Skip("no links here")
	}
	if ok, why := hybrid.Open(folder, key).Holds(hybrid.Conditions{Setup: setup, Vectors: 1}); ok {
		t.Error("taken:", why)
	}
}

func TestConditions(t *testing.T) {
	v := yes(t)
	v.Topics = v.Topics[:88]
	no := v
	no.Yes, no.Reason = false, "not better: nDCG@10 -0.010"
	more := func(n int) (out []string) {
		out = slices.Clone(v.Topics)
		for i := range n {
			out = append(out, "new"+strings.Repeat("x", i))
		}
		return out
	}
	for _, c := range []struct {
		name   string
		sw     hybrid.Switch
		change func(*hybrid.Conditions)
		ok     bool
		why    string
	}{
		{"as measured", hybrid.With(v), func(*hybrid.Conditions) {}, true, ""},
		{"missing", hybrid.Switch{}, func(*hybrid.Conditions) {}, false, "no verdict: run candor eval hybrid"},
		{"no state folder", hybrid.Open("", key), func(*hybrid.Conditions) {}, false, "no verdict"},
		{"failed", hybrid.With(no), func(*hybrid.Conditions) {}, false, "the verdict is no: not better: nDCG@10 -0.010"},
		{"another model", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.Model = "m2" }, false, "for another model:"},
		{"another query prefix", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.QueryPrefix = "query: " }, false, "for another query prefix:"},
		{"another document prefix", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.DocumentPrefix = "x" }, false, "for another document prefix:"},
		{"another chunker", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.Chunker = "x" }, false, "for another chunker:"},
		{"another analyzer", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.Analyzer = "x" }, false, "for another analyzer:"},
		{"another fusion", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.Fusion = "x" }, false, "for another fusion:"},
		{"another pin", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.Pin = "x" }, false, "for another pin rule:"},
		{"other gates", hybrid.With(v), func(c *hybrid.Conditions) { c.Setup.Gates = "x" }, false, "for another gate setting:"},
		{"vectors missing", hybrid.With(v), func(c *hybrid.Conditions) { c.Vectors = 0.985 }, false, "only 98.5% of the passages have vectors, 99% are needed"},
		{"99% will do", hybrid.With(v), func(c *hybrid.Conditions) { c.Vectors = 0.99 }, true, ""},
		{"same topics", hybrid.With(v), func(c *hybrid.Conditions) { c.Topics = v.Topics }, true, ""},
		{"topics added later", hybrid.With(v), func(c *hybrid.Conditions) { c.Topics = more(21) }, true, "21 of 109 topics are not measured yet"},
		{"until they are a fifth", hybrid.With(v), func(c *hybrid.Conditions) { c.Topics = more(22) }, false, "22 of 110 topics are not measured: run"},
		{"a few taken away", hybrid.With(v), func(c *hybrid.Conditions) { c.Topics = v.Topics[:71] }, true, ""},
		{"topics taken away", hybrid.With(v), func(c *hybrid.Conditions) { c.Topics = v.Topics[:70] }, false, "18 of the 88 measured topics are gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := hybrid.Conditions{Setup: setup, Vectors: 1}
			c.change(&now)
			if ok, why := c.sw.Holds(now); ok != c.ok || !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("%v, %q; want %v, %q", ok, why, c.ok, c.why)
			}
		})
	}
}
