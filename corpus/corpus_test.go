package corpus_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/corpus"
	"candor/internal/vaulttest"
	"candor/policy"
	"candor/redact"
	"candor/vault"
)

// open makes a corpus over a folder under the policy of the usual test vault.
func open(t *testing.T, dir string, opt corpus.Options) *corpus.Corpus {
	t.Helper()
	root, err := vault.Open("v", dir, vault.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if opt.Redactor, err = redact.New(redact.Options{}); err != nil {
		t.Fatal(err)
	}
	if opt.Policy == nil {
		opt.Policy = vaulttest.Zones(t)
	}
	opt.Roots = []*vault.Root{root}
	c := corpus.New(opt)
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// paths are the notes of a profile.
func paths(c *corpus.Corpus, profile string) []string {
	var out []string
	for _, p := range c.Snapshot(profile).Paths() {
		out = append(out, string(p))
	}
	return out
}

func TestEachProfileHasItsOwnNotes(t *testing.T) {
	c := open(t, vaulttest.Write(t, `
-- public/a.md --
# A
-- internal/b.md --
# B
-- restricted/c.md --
# C
-- internal/narrow.md --
---
candor: {profiles: [admin]}
---
# Narrow
-- internal/nobody.md --
---
candor: {profiles: []}
---
# Nobody
-- internal/unclear.md --
---
candor: perhaps
---
# Unclear
`), corpus.Options{})
	for profile, want := range map[string][]string{
		"guest": {"public/a.md"},
		"staff": {"internal/b.md", "public/a.md"},
		"admin": {"internal/b.md", "internal/narrow.md", "public/a.md", "restricted/c.md"},
	} {
		if diff := cmp.Diff(want, paths(c, profile)); diff != "" {
			t.Errorf("%s: %s", profile, diff)
		}
	}
	if c.Snapshot("boss") != nil {
		t.Error("an unknown profile has a snapshot")
	}
	var hidden []string
	for _, p := range c.Report().Hidden {
		hidden = append(hidden, string(p.Path))
	}
	if diff := cmp.Diff([]string{"internal/nobody.md", "internal/unclear.md"}, hidden); diff != "" {
		t.Errorf("hidden notes, for the owner: %s", diff)
	}
}

func TestAChangeCostsThatChange(t *testing.T) {
	dir := vaulttest.WriteMap(t, vaulttest.Random(3, 200))
	c := open(t, dir, corpus.Options{})
	before := c.FilesRead()
	old := c.Snapshot("admin")
	vaulttest.Put(t, dir, "public/new.md", "# New\nzanzibar\n")
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.FilesRead() - before; n != 1 {
		t.Errorf("one new note cost reading %d files", n)
	}
	// The chunks of all other notes keep their slots, so an index analyses one note.
	now := c.Snapshot("admin")
	for slot, ch := range old.Chunks {
		if now.Chunks[slot] != ch {
			t.Fatalf("slot %d moved", slot)
		}
	}
	if len(now.Chunks) != len(old.Chunks)+1 {
		t.Errorf("%d slots became %d", len(old.Chunks), len(now.Chunks))
	}
	// Nothing changed: nothing read, and the very same snapshot.
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Snapshot("admin") != now {
		t.Error("a snapshot was made although nothing changed")
	}
}

func TestANoteAskedForTwiceIsReadOnce(t *testing.T) {
	dir := vaulttest.Write(t, "-- public/a.md --\n# A\n")
	c := open(t, dir, corpus.Options{})
	twice := []candor.Path{"public/a.md", "public/none.md", "public/a.md"}
	for name, again := range map[string]func() error{
		"Refresh": func() error { return c.Refresh(t.Context(), twice) },
		"Fresh": func() error {
			_, err := c.Fresh(t.Context(), c.Snapshot("guest"), twice)
			return err
		},
	} {
		vaulttest.Save(t, dir, "public/a.md", "# "+name+"\n")
		before := c.FilesRead()
		if err := again(); err != nil {
			t.Fatal(err)
		}
		if n := c.FilesRead() - before; n != 1 {
			t.Errorf("%s reads one note %d times", name, n)
		}
	}
}

func TestFreshSeesWhatTheDiskHas(t *testing.T) {
	dir := vaulttest.Write(t, `
-- public/a.md --
# A
one
-- public/b.md --
# B
two
`)
	c := open(t, dir, corpus.Options{})
	snap := c.Snapshot("guest")
	ask := func() bool {
		t.Helper()
		fresh, err := c.Fresh(t.Context(), snap, []candor.Path{"public/a.md", "public/b.md", "public/none.md"})
		if err != nil {
			t.Fatal(err)
		}
		return fresh
	}
	if !ask() {
		t.Fatal("untouched notes are not fresh")
	}
	vaulttest.Save(t, dir, "public/a.md", "# A\nthree\n")
	if ask() {
		t.Error("an edited note is fresh")
	}
	if text, _ := c.Snapshot("guest").Note("public/a.md").Lines(candor.Span{Start: 2, End: 2}); text != "three" {
		t.Errorf("after the check the note reads %q", text)
	}
	snap = c.Snapshot("guest")
	if err := os.Remove(filepath.Join(dir, "public/b.md")); err != nil {
		t.Fatal(err)
	}
	if ask() || c.Snapshot("guest").Note("public/b.md") != nil {
		t.Error("a deleted note is still there")
	}
	snap = c.Snapshot("guest")
	vaulttest.Save(t, dir, "public/a.md", "---\ncandor: {profiles: []}\n---\n# A\nthree\n")
	if ask() || c.Snapshot("guest").Note("public/a.md") != nil {
		t.Error("a note that narrowed itself is still there")
	}
}

func TestLinksStayInsideTheProfile(t *testing.T) {
	c := open(t, vaulttest.Write(t, `
-- public/hub.md --
# Hub
[[note]] [[public/sub/note|the note]] ![[secret]] [x](sub/other%20note.md#Part) [y](/public/sub/other%20note.md)
[out](https://example.org/sub/note.md) [gone](missing.md) [[#Hub]]
-- public/sub/note.md --
# Note
back to [hub](../hub.md)
-- public/sub/other note.md --
# Other
## Part
words
-- restricted/secret.md --
# Secret
[[hub]]
-- public/stale.md --
---
status: superseded
---
[[hub]]
`), corpus.Options{})
	show := func(profile string) []string {
		snap := c.Snapshot(profile)
		var out []string
		for _, l := range snap.Links(snap.Note("public/hub.md")) {
			out = append(out, fmt.Sprintf("> %s %q", l.To.Path, l.Heading))
		}
		for _, l := range snap.Backlinks(snap.Note("public/hub.md")) {
			out = append(out, "< "+string(l.From.Path))
		}
		return out
	}
	guest := []string{
		`> public/sub/note.md ""`, `> public/sub/note.md ""`, `> public/sub/other note.md "Part"`,
		`> public/sub/other note.md ""`, "< public/sub/note.md",
	}
	if diff := cmp.Diff(guest, show("guest")); diff != "" {
		t.Errorf("guest: %s", diff)
	}
	if got := show("admin"); !slices.Contains(got, `> restricted/secret.md ""`) || !slices.Contains(got, "< restricted/secret.md") {
		t.Errorf("admin: %v", got)
	}
}

// Text that has moved is looked for within a bound: of bytes, each run once, and of runs.
func TestTheSearchForMovedTextIsBounded(t *testing.T) {
	long := strings.Repeat(strings.Repeat("word ", 2000)+"\n", 290) // 2.9 MB: two runs, not three
	c := open(t, vaulttest.WriteMap(t, map[string]string{
		"public/near.md": strings.Repeat("\n", 1000) + "one\ntwo\n",
		"public/far.md":  strings.Repeat("\n", 200_000) + "one\ntwo\n",
		"public/long.md": "# A\n" + long + "end\n",
	}), corpus.Options{})
	find := func(path candor.Path, span candor.Span, text string) bool {
		_, ok := c.Snapshot("guest").Note(path).Find(span, candor.Digest(text))
		return ok
	}
	first := candor.Span{Start: 1, End: 1}
	if !find("public/near.md", first, "two") || find("public/far.md", first, "two") {
		t.Error("blank lines are not bounded, or too narrowly")
	}
	if !find("public/long.md", candor.Span{Start: 1, End: 290}, strings.TrimSuffix(long, "\n")) {
		t.Error("a long text one line on is not found")
	}
}

// TestSlotsFollowEdits compares, after each of many random edits, the snapshot that was
// followed with one of a corpus that is read afresh.
func TestSlotsFollowEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	dir := vaulttest.WriteMap(t, vaulttest.Random(5, 30))
	c := open(t, dir, corpus.Options{})
	for step := range 60 {
		all := paths(c, "admin")
		switch at := all[rng.IntN(len(all))]; rng.IntN(4) {
		case 0:
			if err := os.Remove(filepath.Join(dir, at)); err != nil {
				t.Fatal(err)
			}
		case 1:
			vaulttest.Save(t, dir, at, fmt.Sprintf("---\nstatus: superseded\n---\n# Old %d\n", step))
		default:
			vaulttest.Save(t, dir, fmt.Sprintf("internal/%d.md", rng.IntN(40)), fmt.Sprintf("# New %d\n\ntext\n\n## Part\n\nmore\n", step))
		}
		if err := c.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ids(open(t, dir, corpus.Options{}).Snapshot("staff")), ids(c.Snapshot("staff"))); diff != "" {
			t.Fatalf("step %d: %s", step, diff)
		}
	}
}

// ids are the citations of a snapshot's chunks, sorted. Their number must be the one
// that it tells.
func ids(s *corpus.Snapshot) []string {
	var out []string
	for _, ch := range s.Chunks {
		if ch != nil {
			out = append(out, ch.Citation().ID)
		}
	}
	slices.Sort(out)
	if _, n := s.Size(); n != len(out) {
		out = append(out, fmt.Sprintf("says it has %d", n))
	}
	return out
}

func TestSecretsAreMaskedWhereverTheyStand(t *testing.T) {
	key := "AKIA" + "QWERTYUIOPASDFGH"
	dir := vaulttest.WriteMap(t, map[string]string{
		"public/body.md":        "# Body\n\nthe key is " + key + " for now\n",
		"public/front.md":       "---\ntitle: " + key + "\ntags: [" + key + "]\naliases: " + key + "\nnote: " + key + "\n---\n# Front\ntext\n",
		"public/head.md":        "# Head " + key + "\n\n[" + key + "](x.md) [[" + key + "]]\n",
		"public/" + key + ".md": "# Named\ntext\n",
		"public/password.md":    "---\npassword: hunter2hunter\n---\n# P\ntext\n",
	})
	c := open(t, dir, corpus.Options{})
	snap := c.Snapshot("guest")
	var all strings.Builder
	for _, p := range snap.Paths() {
		n := snap.Note(p)
		text, _ := n.Lines(candor.Span{Start: 1, End: 1 << 20})
		fmt.Fprintln(&all, p, n.Title, n.Tags, text)
		for _, s := range n.Sections {
			fmt.Fprintln(&all, s.Heading, s.Path)
		}
		for _, l := range snap.Links(n) {
			fmt.Fprintln(&all, l.Text)
		}
		for _, ch := range n.Chunks {
			fmt.Fprintf(&all, "%+v\n", *ch)
		}
	}
	vaulttest.NoLeak(t, []string{key, "hunter2hunter"}, all.String())
	if len(c.Report().Masked) != 5 {
		t.Errorf("the owner is told of %v", c.Report().Masked)
	}
	if snap.Note(candor.Path("public/"+key+".md")) != nil {
		t.Error("a note is known by its secret name")
	}
}

// TestIndexBytes holds that the bound is kept for each profile by itself.
// The owner's links lead to the file, whatever its name is shown as.
func TestFileIsOnTheDisk(t *testing.T) {
	key := "AKIA" + "Z7Q2M4X6P3L5K7J2"
	names := []string{"plain.md", "cafe\u0301.md", key + ".md"}
	files := map[string]string{}
	for _, name := range names {
		files["public/"+name] = "# A\n"
	}
	dir := vaulttest.WriteMap(t, files)
	snap := open(t, dir, corpus.Options{}).Snapshot("guest")
	var want, got []string
	for _, name := range names {
		want = append(want, filepath.Join(dir, "public", name))
	}
	shown := fmt.Sprint(snap.Paths())
	for _, p := range snap.Paths() {
		got = append(got, snap.Note(p).File())
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(shown, key) || !strings.Contains(shown, "caf\u00e9") {
		t.Errorf("the notes are shown as %s", shown)
	}
}

func TestIndexBytes(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{
		"internal/big.md": strings.Repeat("word ", 100), "public/a.md": "# A\n", "public/b.md": "# B\n",
	})
	c := open(t, dir, corpus.Options{IndexBytes: 100})
	if got := paths(c, "guest"); len(got) != 2 {
		t.Errorf("guest has %v: notes of others took its room", got)
	}
	staff := c.Snapshot("staff")
	if diff := cmp.Diff([]candor.Path{"internal/big.md", "public/a.md", "public/b.md"}, staff.Left()); diff != "" {
		t.Errorf("left out: %s", diff)
	}
}

func TestPolicyIsTheCorpus(t *testing.T) {
	p, err := policy.New(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, t.TempDir(), corpus.Options{Policy: p})
	if c.Policy() != p || c.Snapshot(policy.DefaultProfile) == nil {
		t.Error("an empty vault under no policy has no snapshot")
	}
}

// A note that is front matter alone is found by it, under the lines that hold it; one
// that holds nothing to find has no passage.
func TestFrontMatterAlone(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: Heron\n---\n":               "---\ntitle: Heron\n---",
		"---\r\naliases: [Heron]\r\n---\r\n\r\n": "---\naliases: [Heron]\n---",
		"---\nowner: heron\n---":                 "---\nowner: heron\n---",
		"---\n---\n":                             "",
		"":                                       "",
		"\n\n":                                   "",
	} {
		dir := vaulttest.WriteMap(t, map[string]string{"public/a.md": text})
		c := open(t, dir, corpus.Options{})
		got := ""
		for _, ch := range c.Snapshot("guest").Chunks {
			got += ch.Text
			if ch.Lines.Start != 1 || ch.Lines.End != 1+strings.Count(ch.Text, "\n") || ch.Digest != candor.Digest(ch.Text) {
				t.Errorf("%q: lines %v", text, ch.Lines)
			}
		}
		if got != want {
			t.Errorf("%q has the passage %q, want %q", text, got, want)
		}
	}
}
