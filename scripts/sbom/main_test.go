package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// The bill of this test names the toolchain, and is the same each time.
func TestWrite(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, again bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &again} {
		if err := write(out, self); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != again.String() {
		t.Error("two bills of one program differ")
	}
	var b bom
	if err := json.Unmarshal(first.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || len(b.Metadata.Component.Hashes) != 1 ||
		!regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(b.Serial) {
		t.Errorf("%+v", b)
	}
	if len(b.Components) == 0 || !strings.HasPrefix("go"+b.Components[0].Version, runtime.Version()) {
		t.Errorf("no toolchain in %+v", b.Components)
	}
}

func TestBill(t *testing.T) {
	b := bill("candor", [32]byte{1}, &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "candor", Version: "(devel)"},
		Deps:     []*debug.Module{{Path: "example.org/a b/v2", Version: "v2.0.0+incompatible", Sum: "h1:x"}, {Path: "old", Replace: &debug.Module{Path: "new", Version: "v1.0.0"}}},
		Settings: []debug.BuildSetting{{Key: "CGO_ENABLED", Value: "0"}},
	})
	var refs []string
	for _, c := range b.Components {
		refs = append(refs, c.PURL)
	}
	want := "pkg:golang/std@1.26.8 pkg:golang/example.org/a%20b/v2@v2.0.0+incompatible pkg:golang/new@v1.0.0"
	if got := strings.Join(refs, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(b.Dependencies) != 1 || len(b.Dependencies[0].On) != 3 || b.Metadata.Properties[0] != (property{"go:build:CGO_ENABLED", "0"}) {
		t.Errorf("%+v", b)
	}
}

func TestNoGoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write(&bytes.Buffer{}, file); err == nil {
		t.Error("a bill of what is no Go program")
	}
}
