package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"candor"
	"candor/internal/vaulttest"
)

// twists are ways to spell a path. None of them leads to a note that guests may read.
var twists = []func(r *rand.Rand, p string) string{
	func(_ *rand.Rand, p string) string { return p },
	func(_ *rand.Rand, p string) string { return strings.ToUpper(p) },
	func(_ *rand.Rand, p string) string { return strings.ToUpper(p[:1]) + p[1:] },
	func(_ *rand.Rand, p string) string { return "./" + p },
	func(_ *rand.Rand, p string) string { return "/" + p },
	func(_ *rand.Rand, p string) string { return "../vault/" + p },
	func(_ *rand.Rand, p string) string { return "public/../" + p },
	func(r *rand.Rand, p string) string { return strings.Repeat("../", r.IntN(300)) + p },
	func(r *rand.Rand, p string) string { return strings.Repeat("a/../", r.IntN(300)) + p },
	func(_ *rand.Rand, p string) string { return "public/dir/" + p },
	func(_ *rand.Rand, p string) string { return "public/dir/../" + p },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", "//") },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", "/./") },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", `\`) },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", "%2f") },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", "%252F") },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", "／") },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "/", "∕") },
	func(_ *rand.Rand, p string) string { return url.PathEscape(p) },
	func(_ *rand.Rand, p string) string { return norm.NFD.String(p) },
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "a", "а") }, // Cyrillic
	func(_ *rand.Rand, p string) string { return strings.ReplaceAll(p, "s", "ſ") },
	func(_ *rand.Rand, p string) string { return p + "/" },
	func(_ *rand.Rand, p string) string { return p + "/." },
	func(_ *rand.Rand, p string) string { return p + "." },
	func(_ *rand.Rand, p string) string { return p + " " },
	func(_ *rand.Rand, p string) string { return " " + p },
	func(_ *rand.Rand, p string) string { return p + "\n" },
	func(_ *rand.Rand, p string) string { return p + "\x00.md" },
	func(_ *rand.Rand, p string) string { return p + "::$DATA" },
	func(_ *rand.Rand, p string) string { return p + "#x" },
	func(_ *rand.Rand, p string) string { return p + "?x=1" },
	func(_ *rand.Rand, p string) string { return strings.TrimSuffix(p, ".md") },
	func(_ *rand.Rand, p string) string { return "file:///" + p },
	func(_ *rand.Rand, p string) string { return "candor://note/" + p },
	func(_ *rand.Rand, p string) string { return "~/" + p },
	func(_ *rand.Rand, p string) string { return `\\?\C:\` + p },
	func(_ *rand.Rand, p string) string { return "v/" + p },
	func(r *rand.Rand, p string) string { at := r.IntN(len(p)); return p[:at] + "\u200b" + p[at:] },
	func(r *rand.Rand, p string) string { at := r.IntN(len(p)); return p[:at] + "\u202e" + p[at:] },
	func(r *rand.Rand, p string) string { at := r.IntN(len(p)); return p[:at] + "*" + p[at:] },
}

// twisted spells a path in up to three of the ways at once.
func twisted(r *rand.Rand, p string) string {
	for range 1 + r.IntN(3) {
		if next := strings.ToValidUTF8(twists[r.IntN(len(twists))](r, p), "x"); len(next) < 4000 {
			p = next
		}
	}
	return p
}

// hidden are paths that guests may not read though something is there, each with one
// beside it that is free.
var hidden = [][2]string{
	{"restricted/pay.md", "restricted/pax.md"},
	{"restricted/ärger/täglich.md", "restricted/ärger/täglicx.md"},
	{"public/nobody.md", "public/nobodx.md"},
	{"public/admins.md", "public/admina.md"},
	{"public/sym.md", "public/syn.md"},
	{"public/hard.md", "public/harx.md"},
	{"public/dir/pay.md", "public/dir/pax.md"},
	{"public/pipe.md", "public/pipx.md"},
	{"public/.hidden/a.md", "public/.hidden/b.md"},
	{"public/plain.txt", "public/plain.txx"},
	{".git/x.md", ".git/y.md"},
	{"candor.yaml", "candor.yamm"},
	{"restricted", "restrictee"},
	{"public", "publik"},
}

// hiddenVault is a vault with all of those, seen by guests.
func hiddenVault(t *testing.T) *site {
	files := map[string]string{
		"restricted/pay.md": "# Pay\n", "restricted/ärger/täglich.md": "# Daily\n", "public/nobody.md": "---\ncandor: {profiles: []}\n---\n# N\n",
		"public/admins.md": "---\ncandor: {profiles: [admin]}\n---\n# A\n", "public/.hidden/a.md": "# H\n", "public/plain.txt": "text", ".git/x.md": "# X\n",
	}
	s := openSite(t, files, "guest")
	root := s.cfg.Vaults[0].Root
	vaulttest.Symlink(t, root, "../restricted/pay.md", "public/sym.md")
	vaulttest.Symlink(t, root, "../restricted", "public/dir")
	vaulttest.Link(t, root, filepath.Join(root, "restricted/pay.md"), "public/hard.md")
	if err := mkfifo(filepath.Join(root, "public/pipe.md")); err != nil && !os.IsExist(err) {
		t.Log(err)
	}
	if err := s.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.bases["admin"].Sync()
	if _, err := s.bases["admin"].Read(t.Context(), readPath("restricted/ärger/täglich.md")); err != nil {
		t.Fatal("an admin cannot read what guests may not: the test proves nothing")
	}
	return s
}

var answerID = regexp.MustCompile(`"id":\d+`)

// sameness sends requests and fails where two answers to the same question differ.
func sameness(t *testing.T, s *site, asks []ask) {
	t.Helper()
	lines := []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`}
	for i, a := range asks {
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i + 1, "method": a.method, "params": a.params})
		lines = append(lines, string(body))
	}
	answers := map[int]string{}
	for _, line := range session(t, s.base(), lines) {
		var m struct{ ID int }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		answers[m.ID] = answerID.ReplaceAllString(line, `"id":0`)
	}
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d requests", len(answers), len(lines))
	}
	first := map[string]int{}
	for i, a := range asks {
		at, seen := first[a.kind]
		if !seen {
			first[a.kind] = i
			continue
		}
		if answers[i+1] != answers[at+1] {
			t.Errorf("%s: %v is answered\n%s\nand %v\n%s", a.kind, asks[at].params, answers[at+1], a.params, answers[i+1])
		}
	}
}

// ask is one request; those of a kind must be answered alike.
type ask struct {
	kind, method string
	params       map[string]any
}

func tool(kind, name string, args map[string]any) ask {
	return ask{kind, "tools/call", map[string]any{"name": name, "arguments": args}}
}

// Five thousand spellings of notes that are denied, hidden, linked or not there at all
// are one and the same miss with every tool that takes a path.
func TestSpellingsOfWhatCannotBeRead(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	s := hiddenVault(t)
	r := rand.New(rand.NewPCG(5, 5))
	var asks []ask
	for i := range 5000 {
		p := hidden[i%len(hidden)][r.IntN(2)]
		if i >= 2*len(hidden) {
			p = twisted(r, p)
		}
		cite := candor.CitationID(candor.Path(p), candor.Span{Start: 1, End: 1}, candor.Digest("# Pay"))
		asks = append(asks,
			tool("read path", "read", map[string]any{"path": p}), tool("read lines", "read", map[string]any{"path": p, "start_line": 1 + r.IntN(9)}),
			tool("read citation", "read", map[string]any{"citation": cite}),
			tool("links path", "links", map[string]any{"path": p}), tool("links citation", "links", map[string]any{"citation": cite}),
			ask{"resource", "resources/read", map[string]any{"uri": "candor://note/" + p}})
	}
	sameness(t, s, asks)
}

// Filters tell nothing either: what a path does in one, a free path beside it does.
func TestFiltersTellNothing(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	s := hiddenVault(t)
	r := rand.New(rand.NewPCG(6, 6))
	var asks []ask
	for i := range 1000 {
		pair := hidden[i%len(hidden)]
		seed := r.Uint64()
		for _, p := range pair {
			p = twisted(rand.New(rand.NewPCG(seed, 0)), p)
			if strings.Contains(p, "*") {
				continue // may match what is allowed
			}
			cite := candor.CitationID(candor.Path(p), candor.Span{Start: 1, End: 1}, candor.Digest("# Pay"))
			kind := fmt.Sprint(i)
			asks = append(asks, tool(kind+" paths", "search", map[string]any{"query": "pay keep", "paths": p}),
				tool(kind+" exclude", "search", map[string]any{"query": "pay keep", "exclude": []string{cite}}),
				tool(kind+" outline", "outline", map[string]any{"paths": p}))
		}
	}
	sameness(t, s, asks)
}
