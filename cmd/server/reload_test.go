package main

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"candor"
	"candor/config"
	"candor/evals/hybrid"
	"candor/internal/fakeollama"
	"candor/internal/keys"
	"candor/internal/vaulttest"
	"candor/kb"
)

var reloads = flag.Int("reloads", 12, "how often TestPolicyTightenedWhileServing closes a folder")

// startLive builds a site over a configuration and files, and lets it answer as serve
// does, but for the looking around, which the test does itself.
func startLive(t *testing.T, yaml string, files map[string]string) (l *live, said *lockedBuffer, dir string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	dir, _ = configured(t, yaml, files)
	said = &lockedBuffer{}
	m := &Main{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: said, Getenv: os.Getenv}
	a := &app{Main: m, global: global{Config: filepath.Join(dir, "candor.yaml")}}
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.everyone = true
	l = a.goLive(s, slog.New(slog.DiscardHandler))
	l.begin(t.Context())
	t.Cleanup(func() {
		l.end()
		l.at.Load().close()
	})
	return l, said, dir
}

// tells is all that a door tells of a note by search, path, citation, outline and links.
func tells(t *testing.T, d door, words, path, citation string) string {
	var out []any
	a, err := d.Search(t.Context(), kb.SearchRequest{Query: words, Explain: true})
	for _, h := range a.Hits { // the words of the question may be told again
		out = append(out, h.Title, h.Text, h.Citation)
	}
	out = append(out, err)
	for _, q := range []kb.ReadRequest{readPath(path), {Citation: citation}} {
		a, err := d.Read(t.Context(), q)
		out = append(out, mustJSON(a), err)
	}
	outline, err := d.Outline(t.Context(), kb.OutlineRequest{Depth: 6})
	out = append(out, mustJSON(outline), err)
	links, err := d.Links(t.Context(), kb.LinksRequest{Path: "public/keep.md"})
	return fmt.Sprint(append(out, mustJSON(links), err)...)
}

// Once a tighter policy is acknowledged no answer tells what it denies, however the
// question races those who read files and those who ask. (Case 14 of the attacks.)
func TestPolicyTightenedWhileServing(t *testing.T) {
	canary := vaulttest.Canary(14)
	shut := strings.Replace(zones, `"internal/**"]}`, `"internal/**"], deny: ["internal/pay/**"]}`, 1)
	l, _, dir := startLive(t, zones, map[string]string{
		"public/keep.md":       "# Keep\n\nround words [[note]]\n",
		"internal/pay/note.md": fmt.Sprintf("# About %[1]s\n\n%[1]s in round words [[keep]]\n", canary),
	})
	d := l.door("staff")
	first, err := d.Search(t.Context(), kb.SearchRequest{Query: canary})
	if err != nil || len(first.Hits) != 1 {
		t.Fatalf("%+v, %v: the test proves nothing", first, err)
	}
	ask := func() string { return tells(t, d, "round "+canary, "internal/pay/note.md", first.Hits[0].Citation.ID) }
	put := func(yaml string) {
		vaulttest.Save(t, dir, "candor.yaml", yaml)
		if err := reloaded(t, l); err != nil {
			t.Fatal(err)
		}
	}
	var epoch atomic.Int64 // odd while the folder is denied
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
	racers.Go(func() { // the one who reads the files, whatever is denied
		for epoch.Load() >= 0 {
			_ = l.at.Load().corpus.Refresh(t.Context(), []candor.Path{"internal/pay/note.md", "public/keep.md"})
		}
	})
	for i := range *reloads {
		put(shut)
		epoch.Add(1)
		if got := ask(); strings.Contains(got, canary) {
			t.Errorf("round %d: what the policy denies is told: %s", i, got)
		}
		epoch.Add(1)
		put(zones)
		// What is open again is read when the vault is listed.
		if err := l.at.Load().corpus.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(ask(), canary) {
			t.Fatal("the note is not told when it may be: the test proves nothing")
		}
	}
	epoch.Store(-1)
	racers.Wait()
}

// A configuration is taken over on save: rules, then masks, then the profiles; a faulty
// one leaves all as it was and says which line is at fault.
func TestConfigurationSavedWhileServing(t *testing.T) {
	files := map[string]string{
		"public/a.md": "# Heron\n\nthe heron eats frogs, permit ZX-4711\n", "internal/b.md": "# Otter\n\nthe otter eats trout\n",
	}
	l, said, dir := startLive(t, zones, files)
	d := l.door("staff")
	search := func(words string) string {
		a, err := d.Search(t.Context(), kb.SearchRequest{Query: words})
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, h := range a.Hits {
			out = append(out, h.Tier, h.Text)
		}
		return strings.Join(out, " ")
	}
	save := func(yaml, want string) {
		t.Helper()
		before := len(said.String())
		vaulttest.Save(t, dir, "candor.yaml", yaml)
		l.look(t.Context())
		if got := said.String()[before:]; !strings.Contains(got, want) {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	const force = "is in force"
	save(strings.Replace(zones, `, "internal/**"`, "", 1), force)
	if got := search("otter"); got != "" {
		t.Errorf("what is denied is found: %q", got)
	}
	if got := search("heron permit"); !strings.Contains(got, "T0") || !strings.Contains(got, "4711") {
		t.Errorf("what is allowed is not found: %q", got)
	}
	save(strings.Replace(zones, "guest:", "gast: {alow: [x]}\n  guest:", 1), "candor.yaml:4: ")
	save(strings.Replace(zones, "guest:", "gast: {alow: [x]}\n  guest:", 1), "") // said once
	if n := strings.Count(said.String(), "hint: "); n != 1 || search("otter") != "" {
		t.Errorf("a faulty file is told %d times, or was put in force: %s", n, said)
	}
	save(zones+"trust: [{paths: ['public/**'], tier: T2}]\ntrust_default: T1\n", force)
	if got := search("heron"); !strings.Contains(got, "T2") {
		t.Errorf("another trust is not told: %q", got)
	}
	before := l.at.Load()
	save(zones+"redact: {rules: [{name: permit, pattern: 'ZX-[0-9]+'}]}\n", force)
	if got := search("heron permit"); strings.Contains(got, "4711") || !strings.Contains(got, "frogs") {
		t.Errorf("a new mask is not in force: %q", got)
	}
	if before == l.at.Load() || before.corpus == l.at.Load().corpus {
		t.Error("other masks leave the notes as they were read")
	}
	save(zones+"write: {drafts: drafts}\n", "only a restart changes write")
	save(zones+"limits: {results: 7, write_bytes: 2KiB}\n", "only a restart changes limits.results, limits.write_bytes\n")
	save(strings.Replace(strings.Replace(zones, "  staff:", "  team:", 1), "default_profile: staff", "default_profile: team", 1), force)
	if got := search("heron"); got != candor.ErrNotFound.Error() {
		t.Errorf("a profile that is no more is told: %q", got)
	}
	if a, err := l.door("team").Read(t.Context(), readPath("public/a.md")); err != nil || a.Title != "Heron" {
		t.Errorf("a new profile is not answered: %+v, %v", a, err)
	}
	save(zones, force)
	if got := search("heron"); !strings.Contains(got, "frogs") {
		t.Errorf("a profile that is there again finds nothing: %q", got)
	}
}

// An emptied or missing candor.yaml leaves all in force and says so, on save and again on
// each hangup; the same words as before are taken over again.
func TestEmptiedWhileServing(t *testing.T) {
	l, said, dir := startLive(t, zones, map[string]string{"internal/b.md": "# Otter\n\nthe otter eats trout\n"})
	file := filepath.Join(dir, "candor.yaml")
	took := 0
	look := func(hangup bool, want string) {
		t.Helper()
		if hangup {
			l.again(t.Context())
		} else {
			l.look(t.Context())
		}
		if got := said.String()[took:]; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("said %q, want %q", got, want)
		}
		took = len(said.String())
		if a, err := l.door("staff").Read(t.Context(), readPath("internal/b.md")); err != nil || a.Title != "Otter" {
			t.Errorf("what was in force is not: %+v, %v", a, err)
		}
	}
	const empty, kept = "is empty\n  hint: ", "what was in force stays in force"
	look(false, "")
	vaulttest.Put(t, dir, "candor.yaml", "")
	look(false, empty)
	look(false, "")
	look(true, empty)
	look(true, kept)
	vaulttest.Put(t, dir, "candor.yaml", "# nothing\n")
	look(true, empty)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	look(false, "no such file")
	look(false, "")
	vaulttest.Put(t, dir, "candor.yaml", "")
	look(false, empty)
	vaulttest.Put(t, dir, "candor.yaml", zones)
	look(false, "is in force")
	look(true, "is in force")
}

// A vault that is replaced by another folder of its name is read, not the one before.
func TestVaultReplacedWhileServing(t *testing.T) {
	l, said, dir := startLive(t, zones, map[string]string{"public/a.md": "# Heron\n\nthe heron eats frogs\n"})
	root := filepath.Join(dir, "vault")
	l.look(t.Context())
	if err := os.Rename(root, root+".old"); err != nil {
		t.Skip("an open folder cannot be renamed here: ", err)
	}
	l.look(t.Context()) // while it is away
	vaulttest.Put(t, dir, "vault/public/a.md", "# Otter\n\nthe otter eats trout\n")
	l.look(t.Context())
	a, err := l.door("staff").Read(t.Context(), readPath("public/a.md"))
	if err != nil || a.Title != "Otter" {
		t.Errorf("%+v, %v\n%s", a, err, said)
	}
	vaulttest.Save(t, dir, "vault/public/a.md", "# Newt\n\nthe newt eats flies\n")
	if a, err = l.door("staff").Read(t.Context(), readPath("public/a.md")); err != nil || a.Title != "Newt" {
		t.Errorf("the new folder is not followed: %+v, %v", a, err)
	}
}

// A verdict is in force when it is recorded, edited or removed, without a restart.
func TestVerdictWhileServing(t *testing.T) {
	fake := fakeollama.New()
	url := fake.Start(t)
	yaml := zones + fmt.Sprintf("ollama: {url: %q, model: all-minilm}\n", url)
	l, said, _ := startLive(t, yaml, map[string]string{"public/a.md": "# Heron\n\nthe heron eats frogs\n"})
	status := func() kb.StatusAnswer {
		t.Helper()
		l.look(t.Context())
		a, err := l.door("staff").Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := status(); a.Mode != candor.ModeLexical || !strings.Contains(a.ModeReason, "no verdict") || len(fake.Requests("")) > 0 {
		t.Fatalf("without a verdict: %+v, %d requests", a, len(fake.Requests("")))
	}
	s := l.at.Load()
	dir, key := s.verdictDir(), s.keys.Subkey(keys.Verdict)
	if err := verdictFor(t, l.app).Save(dir, key); err != nil {
		t.Fatal(err)
	}
	hybridComes := func() {
		t.Helper()
		for end := time.Now().Add(patience); status().Mode != candor.ModeHybrid; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) { // the model answers and the vectors come soon
				t.Fatalf("never hybrid: %+v\n%s", status(), said)
			}
		}
	}
	hybridComes()
	file := filepath.Join(dir, hybrid.FileName)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Put(t, dir, hybrid.FileName, strings.Replace(string(data), "true", " true", 1))
	if a := status(); a.Mode != candor.ModeLexical || a.ModeReason != hybrid.ErrEdited.Error() {
		t.Errorf("the verdict is edited: %+v", a)
	}
	vaulttest.Put(t, dir, hybrid.FileName, string(data))
	hybridComes()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if a := status(); a.Mode != candor.ModeLexical || !strings.Contains(a.ModeReason, "no verdict") {
		t.Errorf("the verdict is removed: %+v", a)
	}
}

// verdictFor makes a verdict of yes that holds for how things stand.
func verdictFor(t *testing.T, a *app) hybrid.Verdict {
	t.Helper()
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.needVectors(a); err != nil {
		t.Fatal(err)
	}
	model, err := s.leg.Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return hybrid.Verdict{Format: hybrid.Version, Yes: true, Setup: s.setup(model)}
}

// What changes for one profile moves no byte of another's answers.
func TestOthersRulesTellNothing(t *testing.T) {
	base := baseVault(3)
	files := merged(base, denied(base)["pointing"])
	calls := newCaller(t, 3, files).calls(200)
	l, _, dir := startLive(t, zones, files)
	ask := func() []string {
		s := l.at.Load()
		s.base().Sync()
		return session(t, s.base(), calls)
	}
	want := ask()
	vaulttest.Save(t, dir, "candor.yaml", strings.NewReplacer(
		`guest: {allow: ["public/**"]}`, `visitor: {allow: ["restricted/**"]}`, `["**"]`, `["**"], deny: ["public/**"]`).Replace(zones))
	if err := reloaded(t, l); err != nil {
		t.Fatal(err)
	}
	if err := l.at.Load().corpus.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := ask()
	if i := firstDifference(want, got); i >= 0 {
		t.Errorf("another profile's rules move an answer:\n%s\n%s", want[i], got[i])
	}
}

// reloaded puts the saved candor.yaml in force.
func reloaded(t *testing.T, l *live) error {
	t.Helper()
	text, err := config.Read(l.at.Load().cfg.File)
	if err != nil {
		t.Fatal(err)
	}
	return l.reload(t.Context(), text)
}
