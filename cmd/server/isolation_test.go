package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"candor"
	"candor/internal/vaulttest"
	"candor/kb"
	"candor/mcpserver"
	"candor/retrieval/lexical"
)

// zones is the configuration of the usual test vault.
const zones = `
vaults: [{name: v, root: ./vault}]
profiles:
  guest: {allow: ["public/**"]}
  staff: {allow: ["public/**", "internal/**"]}
  admin: {allow: ["**"]}
default_profile: staff
`

// then is the time of every file and of the clock, so that only content differs.
var then = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// openSite opens a site over files, path to text, as one profile.
func openSite(t *testing.T, files map[string]string, profile string) *site {
	t.Helper()
	all := map[string]string{"candor.yaml": zones, "vault/public/keep.md": "# Keep\n"}
	for name, text := range files {
		all["vault/"+name] = text
	}
	dir := vaulttest.WriteMap(t, all)
	for name := range all {
		if err := os.Chtimes(filepath.Join(dir, name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	m := &Main{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}
	a := &app{Main: m, global: global{Config: filepath.Join(dir, "candor.yaml"), Profile: profile}}
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// session sends lines to an MCP server over a Base and gives the answers, sorted, since
// they may come in any order.
func session(t *testing.T, base *kb.Base, lines []string) []string {
	t.Helper()
	server, err := mcpserver.New(mcpserver.Options{
		Base: base, Version: "test", Nonce: func() string { return strings.Repeat("ab", 16) },
	})
	if err != nil {
		t.Fatal(err)
	}
	out := &answered{all: make(chan struct{})}
	for _, line := range lines {
		if strings.Contains(line, `"id":`) {
			out.left++
		}
	}
	in := io.MultiReader(strings.NewReader(strings.Join(lines, "\n")+"\n"), out.end())
	if err := server.ServeStdio(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.text.String()), "\n")
	slices.Sort(answers)
	return answers
}

// answered takes a server's lines and knows when all requests have their answer: an end
// of input before that would have a slow machine's server leave some of them out.
type answered struct {
	text bytes.Buffer
	left int
	all  chan struct{}
}

func (a *answered) Write(line []byte) (int, error) {
	if a.left--; a.left == 0 {
		close(a.all)
	}
	return a.text.Write(line)
}

// end is an end of input that comes when all is answered.
func (a *answered) end() io.Reader {
	r, w := io.Pipe()
	go func() {
		select {
		case <-a.all:
		case <-time.After(5 * time.Minute): // an answer is missing, and the test will say so
		}
		_ = w.Close()
	}()
	return r
}

// caller makes random calls over all tools, from words and paths that stand in allowed
// and in denied notes alike.
type caller struct {
	rng   *rand.Rand
	words []string
	paths []string
	ids   []string
}

// newCaller gathers its material from the files and from what an admin may cite.
func newCaller(t *testing.T, seed uint64, files map[string]string) *caller {
	c := &caller{rng: rand.New(rand.NewPCG(seed, 1))}
	words := map[string]bool{}
	for name, text := range files {
		c.paths = append(c.paths, name)
		for _, w := range strings.Fields(text) {
			words[w] = true
		}
	}
	c.words = slices.Sorted(maps.Keys(words))
	slices.Sort(c.paths)
	snap := openSite(t, files, "admin").corpus.Snapshot("admin")
	for _, ch := range snap.Chunks {
		c.ids = append(c.ids, ch.Citation().ID)
	}
	slices.Sort(c.ids)
	return c
}

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// calls makes n requests behind a handshake.
func (c *caller) calls(n int) []string {
	lines := []string{
		`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for i := range n {
		method, params := c.call()
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": method, "params": params})
		lines = append(lines, string(body))
	}
	return lines
}

// call makes one request.
func (c *caller) call() (method string, params map[string]any) {
	args := map[string]any{}
	tool := pick(c.rng, []string{"search", "search", "search", "search", "read", "outline", "links", "status", "resource", "list"})
	switch tool {
	case "search":
		var q []string
		for range 1 + c.rng.IntN(6) {
			q = append(q, pick(c.rng, c.words))
		}
		args["query"] = strings.Join(q, " ")
		args["explain"] = c.rng.IntN(2) == 0
		args["limit"] = 1 + c.rng.IntN(50)
		if c.rng.IntN(4) == 0 {
			args["exclude"] = []string{pick(c.rng, c.ids)}
		}
		if c.rng.IntN(4) == 0 {
			args["paths"] = pick(c.rng, []string{"**", "public/**", "restricted/**", "**/*a*.md"})
		}
	case "read":
		if c.rng.IntN(2) == 0 {
			args["citation"] = pick(c.rng, c.ids)
		} else {
			args["path"] = pick(c.rng, c.paths)
		}
	case "links":
		args["path"] = pick(c.rng, c.paths)
	case "outline":
		args["superseded"] = c.rng.IntN(2) == 0
		args["depth"] = 1 + c.rng.IntN(6)
	case "resource":
		return "resources/read", map[string]any{"uri": "candor://note/" + pick(c.rng, c.paths)}
	case "list":
		return "resources/list", map[string]any{}
	}
	return "tools/call", map[string]any{"name": tool, "arguments": args}
}

// denied are sets of notes that staff may not see, each unlike the others in every way
// that such notes can differ. Allowed paths are those of the base vault.
func denied(base map[string]string) map[string]map[string]string {
	allowed := slices.Sorted(maps.Keys(base))
	many, louder, pointing := map[string]string{}, map[string]string{}, map[string]string{}
	for name, text := range vaulttest.Random(99, 120) {
		many["restricted/"+name] = text
	}
	for i, p := range allowed {
		louder[fmt.Sprintf("restricted/loud-%d.md", i)] = strings.Repeat(base[p]+"\n", 10)
		// The name, the text and the title of an allowed note, links to it, and the
		// claim to supersede it.
		pointing["restricted/"+filepath.Base(p)] = fmt.Sprintf(
			"---\ntitle: same\nsupersedes: [%q]\naliases: [%q]\n---\n[[%s]] [x](../%s)\n%s", p, p, p, p, base[p])
	}
	narrowed := map[string]string{}
	for i, p := range allowed {
		narrowed[fmt.Sprintf("internal/narrow-%d.md", i)] = "---\ncandor: {profiles: [admin]}\nsupersedes: " + p + "\n---\n" + base[p]
	}
	return map[string]map[string]string{
		"none": {}, "many": many, "louder": louder, "pointing": pointing, "narrowed": narrowed,
	}
}

// merged is the union of maps of files.
func merged(parts ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}

// baseVault is random notes of the zones that staff may see, and some that point out of
// them.
func baseVault(seed uint64) map[string]string {
	files := map[string]string{}
	for name, text := range vaulttest.Random(seed, 60) {
		if !strings.HasPrefix(name, "restricted/") {
			files[name] = text
		}
	}
	files["public/pointers.md"] = "---\nsuperseded_by: restricted/loud-1.md\n---\n# Pointers\n[[loud-1]] ![[restricted/loud-2]] [x](../restricted/loud-3.md)\n"
	files["public/links.md"] = "# Links\n[[loud-1]] [[narrow-1]] [x](../internal/narrow-2.md) and more words of it\n"
	return files
}

// TestNoninterference holds that nothing a profile can see depends on what it may not
// see: vaults that differ in denied notes alone answer in the same bytes.
func TestNoninterference(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for seed := range uint64(2) {
		base := baseVault(seed)
		sets := denied(base)
		var everything []map[string]string
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			everything = append(everything, sets[name])
		}
		calls := newCaller(t, seed, merged(append(everything, base)...)).calls(400)
		want := session(t, openSite(t, base, "staff").base(), calls)
		if !strings.Contains(strings.Join(want, ""), `"abstained\":false`) && !strings.Contains(strings.Join(want, ""), `"abstained":false`) {
			t.Fatal("no call was answered: the test proves nothing")
		}
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			got := session(t, openSite(t, merged(base, sets[name]), "staff").base(), calls)
			if i := firstDifference(want, got); i >= 0 {
				t.Errorf("seed %d, %s: denied notes move an answer:\n%s\n%s", seed, name, want[i], got[i])
			}
		}
	}
}

// firstDifference is the first index at which two lists differ, or -1.
func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return min(i, len(a)-1, len(b)-1)
		}
	}
	return -1
}

// sharedIndex is the fault that TestNoninterference must see: one index over the notes
// of all profiles, with a filter for the one that asks.
type sharedIndex struct {
	all   *candor.Index
	chunk []*candor.Chunk
	mine  map[int]int // slot of the shared index to the profile's
}

func (s sharedIndex) Update(chunks []*candor.Chunk) candor.Index {
	out := sharedIndex{all: s.all, chunk: s.chunk, mine: map[int]int{}}
	for i, ch := range chunks {
		for j, other := range s.chunk {
			if ch != nil && other != nil && ch.Citation().ID == other.Citation().ID {
				out.mine[j] = i
			}
		}
	}
	return out
}

func (s sharedIndex) Retrieve(ctx context.Context, q candor.Query, limit int) (candor.Ranking, error) {
	keep := q.Keep
	q.Keep = func(slot int) bool {
		mine, ok := s.mine[slot]
		return ok && (keep == nil || keep(mine))
	}
	r, err := (*s.all).Retrieve(ctx, q, limit)
	for i := range r.Hits {
		r.Hits[i].Slot = s.mine[r.Hits[i].Slot]
	}
	return r, err
}

// TestNoninterferenceSeesASharedIndex takes the control out: with the statistics of
// all profiles in one index the bytes must differ.
func TestNoninterferenceSeesASharedIndex(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	base := baseVault(1)
	sets := denied(base)
	calls := newCaller(t, 1, merged(base, sets["louder"])).calls(200)
	shared := func(files map[string]string) []string {
		s := openSite(t, files, "staff")
		admin := s.corpus.Snapshot("admin").Chunks
		all := lexical.New(lexical.Options{}).Update(admin)
		opt := s.baseOptions("staff")
		opt.Lexical = sharedIndex{all: &all, chunk: admin}
		b := kb.New(opt)
		b.Sync()
		return session(t, b, calls)
	}
	if firstDifference(shared(base), shared(merged(base, sets["louder"]))) < 0 {
		t.Error("a shared index went unseen")
	}
}
