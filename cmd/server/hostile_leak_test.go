package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"candor"
	"candor/internal/vaulttest"
	"candor/kb"
)

// harsh is the setting in which least is held back: the gates off and all bounds as far
// up as they go.
const harsh = zones + `
evidence: {min_score: 0, min_coverage: 0, per_note: 0}
limits: {results: 200, result_tokens: 25000}
`

// planted is a vault with a canary in every place that staff may not see, and the
// canaries.
func planted(t *testing.T) (files map[string]string, canaries []string) {
	c := func() string {
		canaries = append(canaries, vaulttest.Canary(100+len(canaries)))
		return canaries[len(canaries)-1]
	}
	body := func() string {
		return fmt.Sprintf("title: %s\ntags: [%s, leave]\naliases: [%s, keep]\nstatus: %s\nowner: %s\nsupersedes: [public/leave.md, %s]\nsuperseded_by: %s\n---\n"+
			"# %s\n\nleave words %s #%s [%s](%s.md) [[%s|%s]] [[leave]] ![%s](%s.png)\n\n## %s\n\n| %s |\n|---|\n| leave %s |\n\n```\n%s\n```\n<!-- %s -->\n",
			c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c(), c())
	}
	files = map[string]string{
		"public/leave.md":          "---\ntags: [leave]\n---\n# Leave\n\nleave words of the handbook [[note]] [x](../restricted/note.md)\n\n## More\n\nwords\n",
		"public/other.md":          "# Other\n\nsee [[leave]] words\n",
		"internal/old.md":          "---\nsuperseded_by: leave\n---\n# Old\n\nleave as it was\n",
		"restricted/note.md":       "---\n" + body(),
		"restricted/leave.md":      "---\n" + body(),
		"public/admin.md":          "---\ncandor: {profiles: [admin]}\n" + body(),
		"public/nobody.md":         "---\ncandor: {profiles: []}\n" + body(),
		"public/unreadable.md":     "---\ncandor: {profiles: {a: 1}}\n" + body(),
		"public/.obsidian/x.md":    "---\n" + body(),
		"public/.trash/leave.md":   "---\n" + body(),
		"public/node_modules/x.md": "---\n" + body(),
		"public/leave.md~":         c(), "public/leave.txt": c(), "public/.leave.md.swp": c(), "root.md": "---\n" + body(),
	}
	for _, dir := range []string{"restricted", "restricted/" + c(), "drafts/" + c()} {
		files[dir+"/"+c()+".md"] = "---\n" + body()
	}
	return files, canaries
}

// everything that a client can ask of a server, each call and each page.
func everything(c *served, files map[string]string, canaries []string) {
	pages := func(name string, args map[string]any) {
		for range 200 {
			a := c.call(name, args)
			next, _ := a.data["next_cursor"].(string)
			if next == "" {
				return
			}
			args["cursor"] = next
		}
	}
	queries := []string{"leave", "words", "leave words of the handbook more old other see", "note", "keep"}
	for i, canary := range canaries {
		queries = append(queries, canary, "leave "+canary, `"`+canary+`"`, canary[:8])
		pages("search", map[string]any{"query": "leave", "tags": []string{canary}, "limit": 1 + i%200})
		pages("outline", map[string]any{"paths": "**/*" + canary + "*"})
	}
	for _, q := range queries {
		pages("search", map[string]any{"query": q, "limit": 3, "explain": true})
	}
	pages("outline", map[string]any{"depth": 6, "superseded": true})
	pages("search", map[string]any{"query": "leave", "paths": "restricted/**", "updated_after": "1970-01-02"})
	for name := range files {
		for _, p := range []string{name, strings.TrimSuffix(name, ".md"), "./" + name, strings.ToUpper(name)} {
			c.call("read", map[string]any{"path": p})
			c.call("read", map[string]any{"citation": p + "#L1-L3@00000000"})
			pages("links", map[string]any{"path": p})
			c.ask("resources/read", map[string]any{"uri": "candor://note/" + p})
		}
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping", "no/such"} {
		c.ask(method, map[string]any{})
	}
	c.ask("prompts/get", map[string]any{"name": "grounded_answer", "arguments": map[string]any{"question": "leave"}})
	c.call("status", nil)
	c.call("search", map[string]any{"query": "leave", "bad": 1})
}

// In the harshest setting no byte of a denied note reaches a client, nor the log.
func TestNothingDeniedIsToldInTheHarshestSetting(t *testing.T) {
	files, canaries := planted(t)
	dir, flag := configured(t, harsh, files)
	root := filepath.Join(dir, "vault")
	vaulttest.Symlink(t, root, "../restricted/note.md", "public/sym.md")
	vaulttest.Symlink(t, root, "../restricted", "public/dir")
	vaulttest.Link(t, root, filepath.Join(root, "restricted/note.md"), "public/hard.md")
	c := dial(t, flag, "--debug")
	everything(c, files, canaries)
	if code := c.close(); code != 0 {
		t.Errorf("status %d", code)
	}
	out := c.output()
	if all := strings.Join(out, ""); strings.Count(all, "leave words of the handbook") < 10 || !strings.Contains(all, "leave as it was") {
		t.Fatal("what staff may see was not told: the test proves nothing")
	}
	// The hard link takes the note from everybody: an admin sees the others.
	admin := dial(t, flag, "--profile=admin")
	everything(admin, files, canaries)
	seen := strings.Join(admin.output(), "")
	told := slices.DeleteFunc(slices.Clone(canaries), func(s string) bool { return !strings.Contains(seen, s) })
	if len(told) < 30 {
		t.Fatalf("an admin saw %d canaries of %d: the test proves nothing", len(told), len(canaries))
	}
	vaulttest.NoLeak(t, canaries, strings.Join(out, "\n"), c.stderr.String())
	for _, line := range out {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %q", line)
		}
	}
}

var tighten = flag.Int("tighten", 50, "how often TestTightenedWhileReading closes a note")

// A note that narrows itself is gone from the next answer, however the question races
// the one who reads the files.
func TestTightenedWhileReading(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	canary := vaulttest.Canary(7)
	head := map[bool]string{true: "---\ncandor: {profiles: [admin]}\n---\n", false: "---\ncandor: {profiles: [staff]}\n---\n"}
	text := func(closed bool, i int) string {
		return fmt.Sprintf("%s# About %s\n\n%s in round %d [[keep]]\n", head[closed], canary, canary, i)
	}
	s := openSite(t, map[string]string{"public/note.md": text(false, 0), "public/keep.md": "# Keep\n\nround [[note]]\n"}, "staff")
	root := s.cfg.Vaults[0].Root
	ask := func() string {
		var out []any
		a1, e1 := s.base().Search(t.Context(), kb.SearchRequest{Query: "round " + canary, Explain: true})
		for _, h := range a1.Hits { // the words of the question may be told again
			out = append(out, h.Title, h.Text, h.Citation)
		}
		a2, e2 := s.base().Read(t.Context(), readPath("public/note.md"))
		a3, e3 := s.base().Outline(t.Context(), kb.OutlineRequest{Depth: 6})
		a4, e4 := s.base().Links(t.Context(), kb.LinksRequest{Path: "public/keep.md"})
		return fmt.Sprint(out, e1, mustJSON(a2), e2, mustJSON(a3), e3, mustJSON(a4), e4)
	}
	var epoch atomic.Int64 // odd while the note is closed
	var racers sync.WaitGroup
	for range 3 {
		racers.Go(func() {
			for e := epoch.Load(); e >= 0; e = epoch.Load() {
				if got := ask(); e%2 == 1 && e == epoch.Load() && strings.Contains(got, canary) {
					t.Errorf("in epoch %d: %s", e, got)
				}
			}
		})
	}
	for i := range *tighten {
		vaulttest.Save(t, root, "public/note.md", text(true, i))
		epoch.Add(1)
		if got := ask(); strings.Contains(got, canary) {
			t.Errorf("round %d: a note is told that denies itself: %s", i, got)
		}
		epoch.Add(1)
		vaulttest.Save(t, root, "public/note.md", text(false, i))
		// What is open again is found when its folder is watched; here it is told.
		if err := s.corpus.Refresh(t.Context(), []candor.Path{"public/note.md"}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(ask(), canary) {
			t.Fatal("the note is not told when it may be: the test proves nothing")
		}
	}
	epoch.Store(-1)
	racers.Wait()
	if err := os.Remove(filepath.Join(root, "public/note.md")); err != nil {
		t.Fatal(err)
	}
	vaulttest.NoLeak(t, []string{canary}, ask())
}
