package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"candor/internal/vaulttest"
)

// reported are notes that users of such systems could not find, by name.
var reported = map[string]string{
	"adr.md":            "# Decisions\n\nADR-0137 replaced the blue-green switch; run `rollctl -p 3`, 2024-2025, 15-20 %\n",
	"queue.md":          "# Queue\n\nSet `flush_queue_max_age` and override `__init_subclass__` there.\n",
	"net.md":            "# Network\n\nupgraded to 4.18.2-rc1; `cfg.retry.backoff` in 00-start.md for 10.20.0.0/16\n",
	"marks.md":          "# Marks\n\nYou can't mount at 80 km/h: red, amber; root@bastion, which port? retries=5 #oncall [todo] region:eu half a quote\n",
	"camel.md":          "# Camel\n\n`maxRetryCount` guards HTTPServerError in the iOS17Build job\n",
	"vpn-onboarding.md": "# First day\n\nAsk the desk for a token and install the client.\n",
	"network-diary.md":  "# Diary\n\n" + strings.Repeat("the vpn was slow, so the vpn was restarted\n", 30),
	"handbook.md":       sections("lantern", 60, 12), "l1.md": "# One\n\na lantern in the hall\n", "l2.md": "# Two\n\na lantern in the yard\n",
	"l3.md": "# Three\n\na lantern in the shed\n", "l4.md": "# Four\n\na lantern in the loft\n", "copy/l4.md": "# Four\n\na lantern in the loft\n",
}

// sections is a note of n sections of which the first hits are about a word, more so than
// any short note is.
func sections(word string, n, hits int) string {
	var b strings.Builder
	b.WriteString("# Handbook\n")
	for i := range n {
		about := "thing"
		if i < hits {
			about = word
		}
		fmt.Fprintf(&b, "\n## The %[1]s %[2]d\n\na %[1]s, a %[1]s of kind %[2]d\n", about, i)
	}
	return b.String()
}

// Public reports 41 to 45 and 53: with the gates as they come, each query finds its note
// first, in one session with the program itself.
func TestReportedWords(t *testing.T) {
	c := dial(t, "--vault", vaulttest.WriteMap(t, reported))
	for _, tt := range []struct {
		want    string
		queries []string
	}{
		{"adr.md", []string{"ADR-0137", `"ADR-0137"`, "adr 0137", "blue-green", "rollctl -p", "15-20", "2024-2025", "what replaced the blue-green switch?"}},
		{"queue.md", []string{"flush_queue_max_age", "queue max age", "flush_queue", "init subclass", "__init_subclass__"}},
		{"net.md", []string{
			"4.18.2-rc1", `"4.18.2-rc1"`, "4.18.2-rc1.", "4.18.2-rc1?", "cfg.retry.backoff", `"cfg.retry.backoff"`, "cfg.retry.backoff?",
			"00-start.md", "00-start.md.", "10.20.0.0/16", "10.20.0.0/16?", `"10.20.0.0/16"`,
		}},
		{"marks.md", []string{"can't mount", "km/h", "red, amber", "root@bastion", "which port?", "retries=5", "#oncall", "[todo]", "region:eu", `"half a quote`}},
		{"camel.md", []string{"retry count", "maxretrycount", "http server error", "MaxRetryCount", "HTTPServerError", "ios17build"}},
		{"vpn-onboarding.md", []string{"vpn onboarding", "vpn-onboarding"}},
	} {
		for _, q := range tt.queries {
			if got := c.found(q); len(got) == 0 || got[0] != tt.want {
				t.Errorf("%s: %v, want %s first", q, got, tt.want)
			}
		}
	}
	for _, q := range []string{"OR AND", "*", "NOT", `"`, `""`, "-", "a:b:c", "(", `\`, "who is it"} {
		if a := c.call("search", map[string]any{"query": q}); a.isError {
			t.Errorf("%q is an error: %s", q, a.text)
		}
	}
}

// Public report 60: a long note does not take every place while others match, is not
// held back alone, and a copy is shown once with both paths.
func TestReportedShares(t *testing.T) {
	c := dial(t, "--vault", vaulttest.WriteMap(t, reported))
	paths := func(args map[string]any) []string {
		args["query"] = "lantern"
		var out []string
		hits, _ := c.call("search", args).data["hits"].([]any)
		for _, h := range hits {
			out = append(out, h.(map[string]any)["citation"].(map[string]any)["path"].(string))
		}
		return out
	}
	mixed := paths(map[string]any{"limit": 7})
	others := slices.DeleteFunc(slices.Clone(mixed), func(p string) bool { return p == "handbook.md" })
	if slices.Sort(others); !cmp.Equal(others, []string{"copy/l4.md", "l1.md", "l2.md", "l3.md"}) && !cmp.Equal(others, []string{"l1.md", "l2.md", "l3.md", "l4.md"}) {
		t.Errorf("the first seven are %v", mixed)
	}
	if a := c.call("search", map[string]any{"query": "lantern in the loft", "limit": 1}); !strings.Contains(a.raw, `"duplicates":["`) ||
		!strings.Contains(a.raw, "duplicate_of") {
		t.Errorf("the copy is not told: %s", a.raw)
	}
	if alone := paths(map[string]any{"limit": 12, "paths": "handbook.md"}); len(alone) != 12 {
		t.Errorf("alone the handbook has %d passages", len(alone))
	}
}

// Public reports 66 to 68: fences of every kind, underlined headings and repeated ones
// give the real heading path and lines.
func TestReportedHeadings(t *testing.T) {
	var log strings.Builder
	log.WriteString("# Changes\n")
	for i, word := range []string{"aardvark", "badger", "capybara", "dormouse", "elephant"} {
		fmt.Fprintf(&log, "\n## Release %d\n\n### Fixed\n\nthe %s bug\n", 5-i, word)
	}
	c := dial(t, "--vault", vaulttest.WriteMap(t, map[string]string{
		"log.md": log.String(),
		"fence.md": "# Fences\n\n## Tilde\n\n~~~\n# not a heading quokka\n~~~\n\n## Nested\n\n````\n```\n# neither numbat\n```\n````\n\n## List\n\n- item\n  ```\n  # nor this wombat\n  ```\n\n" +
			"## Open\n\n```\n# to the end bilby\n\n## and on\n",
		"setext.md": "Release plan\n=====\n\nthe possum phase\n\n# Second\n\nthe wallaby phase\n\n# Third\n## Below\n\nthe koala phase\n",
	}))
	for word, want := range map[string]string{
		"dormouse": `["Changes","Release 2","Fixed"] 21 25`, "quokka": `["Fences","Tilde"] 1 7`, "numbat": `["Fences","Nested"] 9 15`,
		"wombat": `["Fences","List"] 17 22`, "bilby": `["Fences","Open"] 24 29`, "possum": `["Release plan"] 1 4`, "wallaby": `["Second"] 6 8`,
		"koala": `["Third","Below"]`,
	} {
		hits, _ := c.call("search", map[string]any{"query": word}).data["hits"].([]any)
		if len(hits) != 1 {
			t.Errorf("%s: %d hits", word, len(hits))
			continue
		}
		cite := hits[0].(map[string]any)["citation"].(map[string]any)
		heading, _ := json.Marshal(cite["heading"])
		if got := fmt.Sprintf("%s %v %v", heading, cite["start_line"], cite["end_line"]); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// Public reports 6, 7, 8, 11 and 20: results fit the schemas that are declared, each half
// is bounded and says how to go on, huge lines end nothing, polling leaves no trace.
func TestReportedResults(t *testing.T) {
	c := dial(t, "--vault", vaulttest.WriteMap(t, longNotes()))
	holdResults(t, c)
	if a := c.call("search", map[string]any{"query": strings.Repeat("heron ", 50_000)}); !a.isError || a.data != nil || len(a.text) > 400 {
		t.Errorf("a question of 300 KB: %.400s", a.raw)
	}
	if code := c.close(); code != 0 || c.stderr.String() != onlyProfile {
		t.Errorf("status %d: %s", code, c.stderr)
	}
}

// longNotes are notes that fill more than an answer.
func longNotes() map[string]string {
	files := map[string]string{"line.md": strings.Repeat("heron ", 340_000), "long.md": "# Long\n\n" + strings.Repeat("a line about the heron\n\n", 60_000)}
	for i := range 60 {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("# N %d\n\n%s\n", i, strings.Repeat("heron lantern words \n", 380))
	}
	return files
}

// holdResults holds that every result over longNotes fits what is declared, each half
// bounded and enough by itself, and polls for lists.
func holdResults(t *testing.T, c asker) {
	t.Helper()
	schemas := outputSchemas(t, c)
	for _, tt := range []struct {
		tool string
		args map[string]any
		fail bool
	}{
		{"search", map[string]any{"query": "heron lantern", "limit": 50}, false},
		{"search", map[string]any{"query": "heron lantern", "limit": 50, "explain": true}, false},
		{"search", map[string]any{"query": "how tall is Kilimanjaro"}, false},
		{"read", map[string]any{"path": "long.md"}, false},
		{"read", map[string]any{"path": "line.md"}, false},
		{"read", map[string]any{"path": "long.md", "start_line": 100, "end_line": 119_000}, false},
		{"outline", map[string]any{}, false},
		{"links", map[string]any{"path": "long.md"}, false},
		{"status", nil, false},
		{"read", map[string]any{"path": "none.md"}, true},
		{"read", map[string]any{"path": "long.md", "start_line": 200_000}, true},
		{"search", map[string]any{}, true},
	} {
		a := c.call(tt.tool, tt.args)
		what := fmt.Sprintf("%s %.60v", tt.tool, tt.args)
		if a.isError != tt.fail || a.text == "" {
			t.Errorf("%s: error %v: %.200s", what, a.isError, a.text)
			continue
		}
		if tt.fail {
			if a.data != nil || len(a.text) > 400 {
				t.Errorf("%s: an error of %d bytes, data %v", what, len(a.text), a.data)
			}
			continue
		}
		data, _ := json.Marshal(a.data)
		if max(len(data), len(a.text)) > 24_000 {
			t.Errorf("%s: %d and %d bytes", what, len(data), len(a.text))
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schemas[tt.tool].Validate(value)
		}
		if err != nil {
			t.Errorf("%s does not fit its schema: %v", what, err)
		}
		for _, field := range []string{"next_cursor", "next_line"} {
			if next, ok := a.data[field]; ok && next != "" && next != 0. && !strings.Contains(a.text, fmt.Sprint(next)) {
				t.Errorf("%s: the text does not say that it goes on at %v", what, next)
			}
		}
	}
	for range 50 {
		for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
			c.ask(method, map[string]any{})
		}
	}
}

// outputSchemas compiles what tools/list declares.
func outputSchemas(t *testing.T, c asker) map[string]*jsonschema.Schema {
	t.Helper()
	var m struct {
		Result struct {
			Tools []struct {
				Name         string
				OutputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(c.ask("tools/list", map[string]any{})), &m); err != nil || len(m.Result.Tools) != 6 {
		t.Fatal(err, len(m.Result.Tools))
	}
	out := map[string]*jsonschema.Schema{}
	for _, tool := range m.Result.Tools {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.OutputSchema))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("mem:///"+tool.Name, value); err != nil {
			t.Fatal(err)
		}
		if out[tool.Name], err = compiler.Compile("mem:///" + tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Public report 16: the handshake is answered before the vault is read, and what is asked
// meanwhile is answered from it, not with an abstention.
func TestReportedStart(t *testing.T) {
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("%d/n%d.md", i%40, i)] = fmt.Sprintf("# Note %d\n\nthe word w%d stands here, among others of the vault\n", i, i)
	}
	c := start(t, "--vault", vaulttest.WriteMap(t, files))
	c.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"},
	})
	if early := c.call("status", nil); !strings.Contains(early.raw, `"state":"loading"`) {
		t.Error("the handshake waits for the vault: " + early.raw)
	}
	c.ask("tools/list", map[string]any{})
	c.until("a note is found", func() bool {
		a := c.call("search", map[string]any{"query": "w4999"})
		if a.data["abstained"] == true {
			t.Fatal("an abstention before the vault was read")
		}
		return !a.isError
	})
}

// Public report 91: two vaults with the same file stay apart, in names, policy and
// statistics, and a wrong vault is a miss.
func TestReportedVaults(t *testing.T) {
	dir := t.TempDir()
	for name, text := range twoVaults() {
		vaulttest.Put(t, dir, name, text)
	}
	flag := "--config=" + filepath.Join(dir, "candor.yaml")
	holdVaults(t, dir, dial(t, flag), dial(t, flag, "--profile=left"))
}

// twoVaults have the same files; left reads one of them, both nearly all.
func twoVaults() map[string]string {
	files := map[string]string{"candor.yaml": `
vaults: [{name: one, root: ./one}, {name: two, root: ./two}]
profiles:
  left: {allow: ["one/**"]}
  both: {allow: ["**"], deny: ["two/private/**"]}
default_profile: both
`}
	for _, name := range []string{"one", "two"} {
		files[name+"/index.md"] = "# Index of " + name + "\n\nthe heron of " + name + "\n"
		files[name+"/private/p.md"] = "# Private\n\nthe private heron of " + name + "\n"
	}
	return files
}

// holdVaults holds that twoVaults stay apart for c, which reads both, and for left.
func holdVaults(t *testing.T, dir string, c, left asker) {
	t.Helper()
	got := c.found("heron")
	if slices.Sort(got); !cmp.Equal(got, []string{"one/index.md", "one/private/p.md", "two/index.md"}) {
		t.Errorf("found %v", got)
	}
	miss := c.call("read", map[string]any{"path": "three/index.md"}).raw
	for _, p := range []string{"index.md", "two/private/p.md", "One/index.md", "one/two/index.md", "one/../two/index.md"} {
		if got := c.call("read", map[string]any{"path": p}).raw; got != miss {
			t.Errorf("%s: %s", p, got)
		}
	}
	// What the other vault holds moves nothing here.
	ask := map[string]any{"query": "heron private index", "explain": true}
	before := left.call("search", ask).raw
	for i := range 20 {
		vaulttest.Put(t, dir, fmt.Sprintf("two/more%d.md", i), fmt.Sprintf("# Heron\n\nheron private index %d\n", i))
	}
	c.until("the notes of the other vault are found", func() bool { return len(c.found("heron")) > 10 })
	if after := left.call("search", ask).raw; maskNonce(after) != maskNonce(before) {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// stampParts are what differs between the stamps of equal calls: call, time and MAC.
var stampParts = regexp.MustCompile(`[0-9A-Za-z_.-]+:[0-9a-f]{32}|("fetched_at":)"[^"]*"|("mac":)"[^"]*"`)

// maskNonce replaces the boundary and the stamp, which are new in each answer.
func maskNonce(s string) string {
	s = stampParts.ReplaceAllString(s, "$1$2")
	_, rest, ok := strings.Cut(s, "between lines of ")
	if !ok || len(rest) < 32 {
		return s
	}
	return strings.ReplaceAll(s, rest[:32], "nonce")
}

// Public report 72: names that are odd, or as long as a disk allows, are indexed or told
// to the owner, and globs of policy take brackets as documented.
func TestReportedNames(t *testing.T) {
	long := strings.Repeat("n", 247) + ".md"
	dir, flag := configured(t, `
vaults: [{name: v, root: ./vault}]
profiles: {all: {allow: ["**"], deny: ["[ab].md", "\\[c\\].md", "🧙‍♂️/**", "q?.md"]}}
`, map[string]string{
		long: "# Long\n\nthe heron\n", "a.md": "# A\n", "[ab].md": "# Brackets\n\nthe heron\n", "[c].md": "# C\n", "c.md": "# See\n\nthe heron\n",
		"🧙‍♂️/notes.md": "# W\n", "q1.md": "# Q\n", "q12.md": "# Q\n\nthe heron\n", "x\ny.md": "# Newline\n\nthe heron\n", "tab\t.md": "# Tab\n",
	})
	c := dial(t, flag)
	got := c.found("heron")
	if slices.Sort(got); !cmp.Equal(got, []string{"[ab].md", "c.md", long, "q12.md"}) {
		t.Errorf("found %q", got)
	}
	for _, p := range got {
		if a := c.call("read", map[string]any{"path": p}); a.isError {
			t.Errorf("%s cannot be read: %s", p, a.text)
		}
	}
	m := &Main{Stdin: strings.NewReader(""), Stdout: &lockedBuffer{}, Stderr: &lockedBuffer{}, Getenv: os.Getenv}
	if code := m.Run(t.Context(), []string{"check", flag}); code != 0 || strings.Count(fmt.Sprint(m.Stdout), "skipped") != 2 {
		t.Errorf("check: status %d\n%v", code, m.Stdout)
	}
	_ = dir
}
