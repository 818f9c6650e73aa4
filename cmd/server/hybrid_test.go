package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"candor"
	"candor/cache"
	"candor/internal/fakeollama"
	"candor/internal/keys"
	"candor/internal/vaulttest"
	"candor/kb"
)

var questions = flag.Int("questions", 60, "questions that TestLexicalWhateverOllamaDoes asks")

// hybridHome makes a home with a verdict, and with vectors if they are wanted, for a
// configuration over a fake Ollama; it becomes the home of the test.
func hybridHome(t *testing.T, fake *fakeollama.Server, yaml string, files map[string]string, embed bool) (home string, a *app) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	dir, _ := configured(t, yaml+fmt.Sprintf("ollama: {url: %q, model: all-minilm}\n", fake.Start(t)), files)
	m := &Main{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}
	a = &app{Main: m, global: global{Config: filepath.Join(dir, "candor.yaml")}}
	if embed {
		if code := m.Run(t.Context(), []string{"embed", "--config", a.Config}); code != 0 {
			t.Fatalf("embed: status %d", code)
		}
	}
	s, err := a.build()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := verdictFor(t, a).Save(s.verdictDir(), s.keys.Subkey(keys.Verdict)); err != nil {
		t.Fatal(err)
	}
	return home, a
}

// opened is the site of a command.
func (a *app) opened(t *testing.T) *site {
	t.Helper()
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// faults that a question meets: from no connection to half an answer.
var halfway = []fakeollama.Fault{
	fakeollama.Internal, fakeollama.Torn, fakeollama.None, fakeollama.Narrow, fakeollama.NaN, fakeollama.Empty, fakeollama.Closing,
}

// Lexical answers are the same bytes without an ollama section, with Ollama dead, and
// with one that fails halfway, save the words for the mode. (Case 131 of the attacks.)
func TestLexicalWhateverOllamaDoes(t *testing.T) {
	files := vaulttest.Random(6, 60)
	fake := fakeollama.New()
	_, a := hybridHome(t, fake, zones, files, true)
	with := a.opened(t).base()
	text, err := os.ReadFile(a.Config)
	if err != nil {
		t.Fatal(err)
	}
	plainYAML := filepath.Join(filepath.Dir(a.Config), "lexical.yaml")
	before, _, _ := strings.Cut(string(text), "ollama:")
	vaulttest.Put(t, filepath.Dir(plainYAML), "lexical.yaml", before)
	b := *a
	b.Config = plainYAML
	without := b.opened(t).base()

	ask := func(b *kb.Base, q string) (candor.Mode, string) {
		t.Helper()
		got, err := b.Search(t.Context(), kb.SearchRequest{Query: q, Limit: 20, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		mode := got.Mode
		if got.ModeReason == "" && mode == candor.ModeLexical {
			t.Errorf("%q: an answer does not say why it is lexical", q)
		}
		got.Mode, got.ModeReason = "", ""
		return mode, mustJSON(got)
	}
	list := questionsOf(files, *questions)
	if mode, _ := ask(with, list[0]); mode != candor.ModeHybrid {
		t.Fatalf("%s: the test proves nothing", mode)
	}
	var calls atomic.Int64
	for name, fault := range map[string]func(fakeollama.Request) fakeollama.Fault{
		"halfway": func(fakeollama.Request) fakeollama.Fault { return halfway[int(calls.Add(1))%len(halfway)] },
		"dead":    func(fakeollama.Request) fakeollama.Fault { return fakeollama.Closing },
	} {
		fake.Change(func(s *fakeollama.Server) { s.Fault = fault })
		lexical := 0
		for i, q := range list {
			mode, got := ask(with, fmt.Sprintf("%s %s%d", q, name, i)) // no question twice: its vector may be known
			if mode != candor.ModeLexical {
				continue
			}
			lexical++
			if _, want := ask(without, fmt.Sprintf("%s %s%d", q, name, i)); got != want {
				t.Errorf("%s: %q:\n%s\n%s", name, q, want, got)
			}
		}
		if lexical < len(list)/2 {
			t.Errorf("%s: only %d of %d answers are lexical", name, lexical, len(list))
		}
	}
}

// questionsOf are questions of words of the notes, some of which nothing answers.
func questionsOf(files map[string]string, n int) []string {
	rng := rand.New(rand.NewPCG(131, 1))
	var words []string
	for _, text := range files {
		words = append(words, strings.Fields(text)...)
	}
	slices.Sort(words)
	out := make([]string, n)
	for i := range out {
		for range 1 + rng.IntN(6) {
			out[i] += pick(rng, words) + " "
		}
		if rng.IntN(4) == 0 {
			out[i] += "zanzibar quillfeather"
		}
	}
	return out
}

// cached is the folder of vectors of a home.
func cached(t *testing.T, a *app) string {
	t.Helper()
	s, err := a.build()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	return s.vectorsDir()
}

// stats counts what the cache holds, by the command.
func stats(t *testing.T, a *app) (st cache.Stat) {
	t.Helper()
	var out bytes.Buffer
	m := &Main{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: os.Getenv}
	if code := m.Run(t.Context(), []string{"cache", "stat", "--json", "--config", a.Config}); code != 0 {
		t.Fatalf("cache stat: status %d", code)
	}
	if err := json.Unmarshal(out.Bytes(), &st); err != nil {
		t.Fatal(err)
	}
	return st
}

// run runs a command and wants a status.
func (a *app) run(t *testing.T, want int, args ...string) {
	t.Helper()
	if code := a.Run(t.Context(), append(args, "--config", a.Config)); code != want {
		t.Fatalf("%v: status %d, want %d", args, code, want)
	}
}

// noteEach are notes of one passage each.
func noteEach(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("internal/n%03d.md", i)] = fmt.Sprintf("# Note %d\n\nwords of the note %[1]d alone\n", i)
	}
	files["public/keep.md"] = "# Keep\n\nwords that everybody reads\n"
	return files
}

// Many servers on one vault and one cache answer all, embed each text once between them,
// and leave a sound cache. (Report 23.)
func TestServersShareTheWork(t *testing.T) {
	fake := fakeollama.New()
	home, a := hybridHome(t, fake, zones, noteEach(200), false)
	before := len(fake.Texts())
	fake.Change(func(s *fakeollama.Server) { s.PerText = 2 * time.Millisecond })
	var servers []*served
	for range 4 {
		servers = append(servers, startAt(t, home, "--config="+a.Config).greet())
	}
	var asking sync.WaitGroup
	for _, c := range servers {
		asking.Go(func() {
			c.until("hybrid", func() bool {
				got := c.call("search", map[string]any{"query": "words of the note 7"})
				return !got.isError && strings.Contains(got.raw, `"mode":"hybrid"`)
			})
		})
	}
	asking.Wait()
	for _, c := range servers {
		if code := c.close(); code != 0 {
			t.Errorf("status %d: %s", code, c.stderr)
		}
	}
	count := map[string]int{}
	for _, text := range fake.Texts()[before:] {
		if strings.Contains(text, "alone") {
			count[text]++
		}
	}
	for text, n := range count {
		if n > 1 {
			t.Errorf("embedded %d times: %.60q", n, text)
		}
	}
	if len(count) != 200 {
		t.Errorf("%d texts were embedded", len(count))
	}
	a.run(t, exitAnswered, "cache", "verify")
}

// With the embedder hung in the middle of the filling a server that is told to leave
// leaves, by the end of its input and by a signal, and the cache stays sound. (Report 3.)
func TestLeavesWhileEmbedding(t *testing.T) {
	fake := fakeollama.New()
	home, a := hybridHome(t, fake, zones, noteEach(120), false)
	fake.Change(func(s *fakeollama.Server) {
		s.Fault = func(r fakeollama.Request) fakeollama.Fault {
			if slices.ContainsFunc(r.Texts, func(s string) bool { return strings.Contains(s, "note 9") }) {
				return fakeollama.Hung
			}
			return fakeollama.None
		}
	})
	for _, leave := range []func(*served){
		func(c *served) { c.in.Close() },
		func(c *served) { c.cmd.Process.Signal(os.Interrupt) },
	} {
		before := len(fake.Texts())
		c := startAt(t, home, "--config="+a.Config).greet()
		c.until("texts are embedded", func() bool { return len(fake.Texts()) > before+8 })
		if got := c.call("search", map[string]any{"query": "words of the note 7"}); !strings.Contains(got.raw, `"mode":"lexical"`) {
			t.Errorf("vectors are missing, and the answer is not lexical: %s", got.raw)
		}
		leave(c)
		if code := c.wait(); code != 0 && code != exitError {
			t.Errorf("status %d: %s", code, c.stderr)
		}
		a.run(t, exitAnswered, "cache", "verify")
	}
}

// With all that can be wrong at once, stdout carries JSON-RPC alone, the first answer
// comes without vectors and says so, and nothing that is damaged is used. (Reports 14, 16.)
func TestFirstAnswerOverADamagedCache(t *testing.T) {
	fake := fakeollama.New()
	home, a := hybridHome(t, fake, zones, noteEach(40), true)
	segments, err := filepath.Glob(filepath.Join(cached(t, a), "*"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("%v, %v: the test proves nothing", segments, err)
	}
	for _, file := range segments {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			vaulttest.Put(t, filepath.Dir(file), filepath.Base(file), strings.Repeat("\x00damage", int(info.Size())/7))
		}
	}
	fake.Change(func(s *fakeollama.Server) {
		s.Fault = func(fakeollama.Request) fakeollama.Fault { return fakeollama.HTML }
	})
	c := startAt(t, home, "--config="+a.Config, "--debug").greet()
	first := c.call("search", map[string]any{"query": "words of the note 7"})
	if first.isError || first.data["mode"] != "lexical" || first.data["mode_reason"] == "" || !strings.Contains(first.text, "note 7") {
		t.Errorf("the first answer: %s", first.raw)
	}
	fake.Change(func(s *fakeollama.Server) { s.Fault = nil })
	c.until("the vectors are made anew", func() bool {
		return strings.Contains(c.call("search", map[string]any{"query": "words of the note 7"}).raw, `"mode":"hybrid"`)
	})
	if code := c.close(); code != 0 {
		t.Errorf("status %d", code)
	}
	for _, line := range c.output() {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON on stdout: %q", line)
		}
	}
}

// A change embeds what changed: one edited note, a profile that sees little, and another
// model leave the other vectors where they are. (Reports 31, 79, 80.)
func TestVectorsSurvive(t *testing.T) {
	fake := fakeollama.New()
	fake.Models["other:latest"] = fakeollama.Model{Digest: "bbbb", Width: 32, Space: 2}
	_, a := hybridHome(t, fake, zones, noteEach(60), true)
	root := filepath.Join(filepath.Dir(a.Config), "vault")
	documents := func() int {
		n := 0
		for _, r := range fake.Requests("/api/embed") {
			for _, text := range r.Texts {
				if strings.Contains(text, "words") {
					n++
				}
			}
		}
		return n
	}
	before, sent := stats(t, a).Vectors, documents()
	if sent != 61 {
		t.Fatalf("%d texts were embedded", sent)
	}
	vaulttest.Save(t, root, "internal/n007.md", "# Note 7\n\nother words of this note\n")
	a.run(t, exitAnswered, "embed")
	if n := documents() - sent; n != 1 || stats(t, a).Vectors != before+1 {
		t.Errorf("an edited note: %d texts embedded, %d vectors of %d", n, stats(t, a).Vectors, before)
	}
	text, err := os.ReadFile(a.Config)
	if err != nil {
		t.Fatal(err)
	}
	config := func(yaml string) {
		vaulttest.Save(t, filepath.Dir(a.Config), "candor.yaml", yaml)
		a.run(t, exitAnswered, "embed")
	}
	sent = documents()
	config(strings.NewReplacer(`"internal/**"`, `"none/**"`, `["**"]`, `["public/**"]`).Replace(string(text)))
	if n := documents() - sent; n != 0 || stats(t, a).Vectors != before+1 {
		t.Errorf("profiles that see little: %d texts embedded, %d vectors of %d", n, stats(t, a).Vectors, before)
	}
	config(strings.Replace(string(text), "model: all-minilm", "model: other", 1))
	if n := documents() - sent; n != 61 {
		t.Errorf("another model embeds %d texts", n)
	}
	s := a.opened(t)
	if err := s.needVectors(a); err != nil {
		t.Fatal(err)
	}
	if model, err := s.leg.Identify(t.Context()); err != nil || model.Width != 32 {
		t.Errorf("%+v, %v", model, err)
	}
	sent = documents()
	config(string(text))
	if n := documents() - sent; n != 0 {
		t.Errorf("back at the first model, %d texts are embedded", n)
	}
	a.run(t, exitAnswered, "cache", "verify")
}

// A new masking rule counts in the next answer, and the vector of the text as it was is
// used no more; pruning drops it. (Report 88.)
func TestNewRuleVoidsTheVector(t *testing.T) {
	fake := fakeollama.New()
	secret := vaulttest.Canary(88)
	files := noteEach(5)
	files["public/permit.md"] = "# Permit\n\nwords of the permit PX-" + secret + " of the harbour\n"
	_, a := hybridHome(t, fake, zones, files, true)
	text, err := os.ReadFile(a.Config)
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Save(t, filepath.Dir(a.Config), "candor.yaml", string(text)+"redact: {rules: [{name: permit, pattern: 'PX-[a-z]+'}]}\n")
	sent := len(fake.Texts())
	s := a.opened(t)
	got, err := s.base().Search(t.Context(), kb.SearchRequest{Query: "permit of the harbour"})
	if err != nil || got.Mode != candor.ModeLexical || !strings.Contains(got.ModeReason, "passages have vectors") {
		t.Errorf("the vector of the former text counts: %s %s %v", got.Mode, got.ModeReason, err)
	}
	if len(got.Hits) == 0 || !strings.Contains(got.Hits[0].Text, "harbour") {
		t.Errorf("the note is not found: %s", mustJSON(got))
	}
	a.run(t, exitAnswered, "embed")
	before := stats(t, a).Vectors
	a.run(t, exitAnswered, "cache", "prune")
	if n := before - stats(t, a).Vectors; n != 1 {
		t.Errorf("pruning dropped %d vectors", n)
	}
	vaulttest.NoLeak(t, []string{secret}, append(fake.Texts()[sent:], mustJSON(got))...)
}

// What is denied is not told by its vector: the same text in an allowed and in a denied
// note is cited from the allowed one alone, and not at all once that is gone, and a
// question costs the same whether a denied passage has its words. (Cases 6, 7, 13.)
func TestHybridTellsNothingDenied(t *testing.T) {
	fake := fakeollama.New()
	const words = "the heron nests in the reeds by the mill"
	files := map[string]string{"public/a.md": "# A\n\n" + words + "\n", "restricted/b.md": "# A\n\n" + words + "\n", "public/c.md": "# C\n\nother matters\n"}
	files["restricted/d.md"] = "# Pay\n\nthe director is paid in walrus ivory\n"
	_, a := hybridHome(t, fake, zones, files, true)
	s := a.opened(t)
	search := func(profile, query string) (out string) {
		t.Helper()
		s.bases[profile].Sync()
		sent := len(fake.Requests("/api/embed"))
		got, err := s.bases[profile].Search(t.Context(), kb.SearchRequest{Query: query})
		if err != nil || got.Mode != candor.ModeHybrid {
			t.Fatalf("%s, %v: the test proves nothing", mustJSON(got), err)
		}
		for _, h := range got.Hits {
			out += string(h.Citation.Path) + fmt.Sprint(h.Duplicates)
		}
		return fmt.Sprintf("%s, %d calls", out, len(fake.Requests("/api/embed"))-sent)
	}
	if got := search("staff", words); !strings.HasPrefix(got, "public/a.md[]") || strings.Contains(got, "restricted") {
		t.Errorf("staff: %s", got)
	}
	const denied = "the director is paid in walrus ivory"
	known, unknown := search("staff", "# Pay\n\n"+denied), search("staff", "# Pal\n\nthe director was paid in narwhal horns")
	if !strings.HasSuffix(known, " 1 calls") || !strings.HasSuffix(unknown, " 1 calls") {
		t.Errorf("a denied passage's text costs %s, another %s", known, unknown)
	}
	// The admin's question is answered first, then the same one by staff's own index.
	if got := search("admin", denied+" indeed"); !strings.Contains(got, "restricted/d.md") {
		t.Errorf("admin: %s", got)
	}
	if got := search("staff", denied+" indeed"); strings.Contains(got, "restricted") || !strings.HasSuffix(got, " 1 calls") {
		t.Errorf("staff after admin: %s", got)
	}
	if err := os.Remove(filepath.Join(s.cfg.Vaults[0].Root, "public/a.md")); err != nil {
		t.Fatal(err)
	}
	if got := search("staff", words+" still"); strings.Contains(got, "a.md") || strings.Contains(got, "restricted") {
		t.Errorf("staff, the allowed copy gone: %s", got)
	}
}

// In hybrid too the one note with a rare word comes first, before all that is near in
// meaning, and the short note that answers before the long one that touches every word.
// (Reports 54, 59.)
func TestHybridKeepsTheUnmistakable(t *testing.T) {
	files := map[string]string{
		"public/birds.md": "# Birds of prey\n\nThe falcon, the gyr and the falcon's kin hunt over the fells in the north.\n",
		"public/toner.md": "# Toner\n\nTo replace the printer toner open the front lid and pull the green lever.\n",
		"public/diary.md": "# Diary\n\n" + strings.Repeat("We talked of this and that until late. ", 400) + "The printer hummed. " +
			strings.Repeat("Nothing else came of the day. ", 400) + "I had to replace a lamp. The toner is on the list.\n",
	}
	for i := range 45 {
		files[fmt.Sprintf("public/config-%02d.md", i)] = fmt.Sprintf("# Setting %d\n\nThe value %[1]d of the configuration is set in the file of host %[1]d.\n", i)
	}
	files["public/config-31.md"] = "# Setting 31\n\nThe value of the configuration gyrfalcon is set in the file of a host.\n"
	_, a := hybridHome(t, fakeollama.New(), zones, files, true)
	base := a.opened(t).base()
	for query, want := range map[string]candor.Path{"gyrfalcon": "public/config-31.md", "replace the printer toner": "public/toner.md"} {
		got, err := base.Search(t.Context(), kb.SearchRequest{Query: query})
		if err != nil || got.Mode != candor.ModeHybrid || len(got.Hits) == 0 || got.Hits[0].Citation.Path != want {
			t.Errorf("%s: %s, %v", query, mustJSON(got), err)
		}
	}
}

// A cancelled question is not answered, however its embedder hangs, and the next one is.
// (Report 4.)
func TestCancelledWhileEmbedding(t *testing.T) {
	fake := fakeollama.New()
	home, a := hybridHome(t, fake, zones, noteEach(3), true)
	c := startAt(t, home, "--config="+a.Config).greet()
	c.until("hybrid", func() bool { return strings.Contains(c.call("status", nil).raw, `"mode":"hybrid"`) })
	fake.Change(func(s *fakeollama.Server) {
		s.Fault = func(fakeollama.Request) fakeollama.Fault { return fakeollama.Hung }
	})
	c.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"query":"a question that hangs"}}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}`)
	got := c.call("search", map[string]any{"query": "words of the note 1", "mode": "lexical"})
	if got.isError || got.data["mode"] != "lexical" || got.data["abstained"] != false {
		t.Errorf("the next question: %s", got.raw)
	}
	if code := c.close(); code != 0 {
		t.Errorf("status %d: %s", code, c.stderr)
	}
	for _, line := range c.output() {
		if strings.Contains(line, `"id":7,`) {
			t.Errorf("a cancelled call is answered: %s", line)
		}
	}
}

// A new key voids the verdict and every vector: answers are lexical and say why, nothing
// made before is read, and embedding starts anew. (Case 121.)
func TestKeyRotated(t *testing.T) {
	fake := fakeollama.New()
	_, a := hybridHome(t, fake, zones, noteEach(5), true)
	search := func() kb.SearchAnswer {
		t.Helper()
		got, err := a.opened(t).base().Search(t.Context(), kb.SearchRequest{Query: "words of the note 3"})
		if err != nil || got.Abstained {
			t.Fatalf("%s, %v", mustJSON(got), err)
		}
		return got
	}
	if got := search(); got.Mode != candor.ModeHybrid {
		t.Fatalf("%s: the test proves nothing", got.ModeReason)
	}
	a.run(t, exitAnswered, "cache", "rotate-key")
	if got := search(); got.Mode != candor.ModeLexical || !strings.Contains(got.ModeReason, "sealed under another key") {
		t.Errorf("under a new key: %s, %s", got.Mode, got.ModeReason)
	}
	if st := stats(t, a); st.Vectors != 0 || len(st.Faults) == 0 {
		t.Errorf("vectors of the former key are read: %+v", st)
	}
	a.run(t, exitAnswered, "embed")
	if st := stats(t, a); st.Vectors < 6 {
		t.Errorf("not embedded anew: %+v", st)
	}
}
