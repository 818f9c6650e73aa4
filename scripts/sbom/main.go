// Command sbom writes the software bill of materials of a Go program, as CycloneDX 1.6:
// what the program itself says that it was built from. It reads the file and nothing
// else, so it needs no network, and equal programs give equal bills.
//
//	go run ./scripts/sbom FILE > FILE.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// bom is the part of CycloneDX that is used here.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component  component  `json:"component"`
	Properties []property `json:"properties"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom FILE")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the bill of a program.
func write(w io.Writer, file string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(bill(filepath.Base(file), sum, info))
}

// bill makes the bill; its serial number is drawn from the sum of the program.
func bill(name string, sum [sha256.Size]byte, info *debug.BuildInfo) bom {
	b := bom{Format: "CycloneDX", Spec: "1.6", Serial: "urn:uuid:" + uuid(sum), Version: 1}
	b.Metadata.Component = component{
		Type: "application", Ref: info.Main.Path, Name: name, Version: info.Main.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	for _, s := range info.Settings {
		b.Metadata.Properties = append(b.Metadata.Properties, property{"go:build:" + s.Key, s.Value})
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = []component{{
		Type: "platform", Ref: "std", Name: "std", Version: goVersion, PURL: "pkg:golang/std@" + goVersion,
	}}
	for _, m := range info.Deps {
		b.Components = append(b.Components, module(m))
	}
	all := dependency{Ref: info.Main.Path, On: []string{}}
	for _, c := range b.Components {
		all.On = append(all.On, c.Ref)
	}
	b.Dependencies = []dependency{all}
	return b
}

// module is one module that was built in.
func module(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	parts := strings.Split(m.Path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	purl := "pkg:golang/" + strings.Join(parts, "/") + "@" + url.PathEscape(m.Version)
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if m.Sum != "" { // of the module as a tree, as in go.sum
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// uuid forms a UUID of version 8, whose bits are the maker's own.
func uuid(sum [sha256.Size]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	s := hex.EncodeToString(sum[:16])
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}
