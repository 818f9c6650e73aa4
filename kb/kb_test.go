package kb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/corpus"
	"candor/evidence"
	"candor/internal/vaulttest"
	"candor/kb"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

// open makes a Base over a folder, for a profile that sees all unless opt says another.
func open(t *testing.T, dir string, opt kb.Options) *kb.Base {
	t.Helper()
	root, err := vault.Open("v", dir, vault.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if opt.Redactor, err = redact.New(redact.Options{}); err != nil {
		t.Fatal(err)
	}
	opt.Corpus = corpus.New(corpus.Options{Roots: []*vault.Root{root}, Policy: vaulttest.Zones(t), Redactor: opt.Redactor})
	if err := opt.Corpus.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if opt.Profile == "" {
		opt.Profile = "admin"
	}
	opt.Lexical = lexical.New(lexical.Options{})
	if opt.Gates == (evidence.Gates{}) {
		opt.Gates = evidence.Default()
	}
	opt.CursorKey = []byte("a key of 32 bytes for the tests.")
	b := kb.New(opt)
	b.Sync()
	return b
}

// search asks and fails the test on an error.
func search(t *testing.T, b *kb.Base, req kb.SearchRequest) kb.SearchAnswer {
	t.Helper()
	a, err := b.Search(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// found are the paths of the hits.
func found(a kb.SearchAnswer) []string {
	out := []string{}
	for _, h := range a.Hits {
		out = append(out, string(h.Citation.Path))
	}
	return out
}

// TestLongNotesLeaveRoom: passages of one note beyond the cap come after those of other
// notes, and nothing is capped where no other note matches; a copy is shown once, with
// both paths.
func TestLongNotesLeaveRoom(t *testing.T) {
	var long strings.Builder
	long.WriteString("# Handbook\n")
	for i := range 60 {
		fmt.Fprintf(&long, "\n## Part %d\n\nsome text about subject %d\n", i, i)
		if i%5 == 0 {
			long.WriteString("\nthe heron lantern is checked here\n")
		}
	}
	files := map[string]string{"public/handbook.md": long.String()}
	for i := range 4 {
		files[fmt.Sprintf("public/other-%d.md", i)] = fmt.Sprintf("# Other %d\n\nnote %d tells of the heron lantern once, among other things\n", i, i)
	}
	files["public/z-copy.md"] = files["public/other-0.md"]
	dir := vaulttest.WriteMap(t, files)
	b := open(t, dir, kb.Options{PerNote: 1})
	a := search(t, b, kb.SearchRequest{Query: "heron lantern", Limit: 5})
	seen := map[string]int{}
	for _, p := range found(a) {
		seen[p]++
	}
	if seen["public/handbook.md"] != 1 || len(seen) != 5 {
		t.Errorf("five hits are of %v", seen)
	}
	for _, h := range a.Hits {
		if h.Citation.Path == "public/other-0.md" {
			if diff := cmp.Diff([]candor.Path{"public/z-copy.md"}, h.Duplicates); diff != "" {
				t.Errorf("copies: %s", diff)
			}
			if diff := cmp.Diff([]candor.Flag{candor.FlagDuplicate}, h.Flags); diff != "" {
				t.Errorf("flags: %s", diff)
			}
		}
	}
	alone := search(t, b, kb.SearchRequest{Query: "heron lantern", Limit: 5, Paths: "public/handbook.md"})
	if len(alone.Hits) != 5 || alone.More != 7 {
		t.Errorf("alone the handbook gives %d hits and %d more, not 5 and 7", len(alone.Hits), alone.More)
	}
}

// TestPages: cursors walk all hits once, in the order of one long page, and cannot be
// used with other arguments, by another profile, or changed.
func TestPages(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("public/n%02d.md", i)] = fmt.Sprintf("# Note %d\n\nthe heron lantern number %d\n", i, i)
	}
	dir := vaulttest.WriteMap(t, files)
	b := open(t, dir, kb.Options{})
	whole := search(t, b, kb.SearchRequest{Query: "heron lantern", Limit: 20})
	var walked []string
	req := kb.SearchRequest{Query: "heron lantern", Limit: 3}
	first := search(t, b, req)
	for a := first; ; {
		walked = append(walked, found(a)...)
		if a.NextCursor == "" {
			break
		}
		req.Cursor = a.NextCursor
		a = search(t, b, req)
		if len(a.Hits) > 0 && a.Hits[0].Rank != len(walked)+1 {
			t.Fatalf("rank %d after %d hits", a.Hits[0].Rank, len(walked))
		}
	}
	if diff := cmp.Diff(found(whole), walked); diff != "" || len(walked) != 20 {
		t.Errorf("pages differ from one list: %s", diff)
	}
	guest := open(t, dir, kb.Options{Profile: "guest"})
	bad := map[string]func() error{
		"other words": func() error {
			_, err := b.Search(t.Context(), kb.SearchRequest{Query: "heron", Limit: 3, Cursor: first.NextCursor})
			return err
		},
		"other profile": func() error {
			_, err := guest.Search(t.Context(), kb.SearchRequest{Query: "heron lantern", Limit: 3, Cursor: first.NextCursor})
			return err
		},
		"other tool": func() error {
			_, err := b.Outline(t.Context(), kb.OutlineRequest{Cursor: first.NextCursor})
			return err
		},
		"long": func() error {
			_, err := b.Search(t.Context(), kb.SearchRequest{Query: "heron lantern", Limit: 3, Cursor: strings.Repeat("A", 1<<20)})
			return err
		},
	}
	for i := range first.NextCursor {
		bad[fmt.Sprintf("character %d changed", i)] = func() error {
			c := []byte(first.NextCursor)
			c[i] ^= 1
			_, err := b.Search(t.Context(), kb.SearchRequest{Query: "heron lantern", Limit: 3, Cursor: string(c)})
			return err
		}
	}
	for name, use := range bad {
		var input *candor.InputError
		if err := use(); !errors.As(err, &input) || input.Field != "cursor" || strings.Contains(err.Error(), first.NextCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestResultsStayWithinTheBudget: however long sections are and however many hits are
// asked for, the structured form stays under the limit and says how to go on.
func TestResultsStayWithinTheBudget(t *testing.T) {
	files := map[string]string{"public/line.md": "# Line\n\n" + strings.Repeat("heron \"lantern\" ", 120_000) + "\n"}
	for i := range 60 {
		files[fmt.Sprintf("public/n%d.md", i)] = "# N\n\n" + strings.Repeat(fmt.Sprintf("heron lantern %d\n", i), 500)
	}
	b := open(t, vaulttest.WriteMap(t, files), kb.Options{})
	size := func(v any) int {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return len(data)
	}
	const limit = kb.DefaultResultTokens * 3
	a := search(t, b, kb.SearchRequest{Query: "heron lantern", Limit: 50})
	if n := size(a); n > limit || len(a.Hits) == 0 || a.NextCursor == "" {
		t.Errorf("a search gives %d bytes, %d hits, cursor %q", n, len(a.Hits), a.NextCursor)
	}
	giant := search(t, b, kb.SearchRequest{Query: "heron lantern", Paths: "public/line.md"})
	if n := size(giant); n > limit || len(giant.Hits) != 1 || !giant.Hits[0].Cut {
		t.Errorf("a giant line gives %d bytes, %d hits", n, len(giant.Hits))
	}
	// Reading on by next_line gives every line once.
	var lines int
	for next := 1; next != 0; {
		r, err := b.Read(t.Context(), kb.ReadRequest{Path: "public/n7.md", StartLine: next})
		if err != nil {
			t.Fatal(err)
		}
		if n := size(r); n > limit {
			t.Errorf("a read gives %d bytes", n)
		}
		if r.Citation.StartLine != next {
			t.Errorf("line %d was asked for, %d came", next, r.Citation.StartLine)
		}
		lines += r.Citation.EndLine - r.Citation.StartLine + 1
		next = r.NextLine
	}
	if lines != 502 {
		t.Errorf("reading on gave %d lines of 502", lines)
	}
	r, err := b.Read(t.Context(), kb.ReadRequest{Citation: giant.Hits[0].Citation.ID})
	if err != nil || r.NextLine != 3 || slices.Contains(r.Flags, candor.FlagCut) {
		t.Fatalf("the passage of a giant line goes on at %d, flags %v, error %v", r.NextLine, r.Flags, err)
	}
	r, err = b.Read(t.Context(), kb.ReadRequest{Path: "public/line.md", StartLine: r.NextLine})
	if n := size(r); err != nil || n > limit || n < limit/2 || !slices.Contains(r.Flags, candor.FlagCut) {
		t.Errorf("a giant line reads as %d bytes, flags %v, error %v", n, r.Flags, err)
	}
	again, err := b.Read(t.Context(), kb.ReadRequest{Citation: r.Citation.ID}) // is of the whole line, so it holds
	if err != nil || again.State != kb.Current || again.Text != r.Text {
		t.Errorf("the citation of a giant line is %s, %v", again.State, err)
	}
}

// TestCitationsSurviveEdits: the same text at other lines is moved, changed text is
// stale, and no other text is ever given under an old id.
func TestCitationsSurviveEdits(t *testing.T) {
	note := func(intro, part string) string {
		return "# Guide\n\n" + intro + "## Fixed\n\nfirst thing\n\n## Part\n\n" + part + "\n\n## Fixed\n\nsecond thing\n"
	}
	dir := vaulttest.WriteMap(t, map[string]string{"public/g.md": note("", "the heron lantern is blue")})
	b := open(t, dir, kb.Options{})
	cited := search(t, b, kb.SearchRequest{Query: "heron lantern blue", Limit: 1}).Hits[0]
	read := func(id string) kb.ReadAnswer {
		t.Helper()
		a, err := b.Read(t.Context(), kb.ReadRequest{Citation: id})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := read(cited.Citation.ID); a.State != kb.Current || a.Text != cited.Text {
		t.Errorf("unedited: %s %q", a.State, a.Text)
	}
	lines, err := b.Read(t.Context(), kb.ReadRequest{Path: "public/g.md", StartLine: 8, EndLine: 9})
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Save(t, dir, "public/g.md", note("one\n\ntwo\n\n", "the heron lantern is blue"))
	if a := read(cited.Citation.ID); a.State != kb.Moved || a.Text != cited.Text || a.Citation.StartLine != cited.Citation.StartLine+4 {
		t.Errorf("shifted: %s, line %d, %q", a.State, a.Citation.StartLine, a.Text)
	}
	if a := read(lines.Citation.ID); a.State != kb.Moved || a.Text != lines.Text || a.Citation.StartLine != 12 {
		t.Errorf("shifted lines: %s, line %d, %q", a.State, a.Citation.StartLine, a.Text)
	}
	vaulttest.Save(t, dir, "public/g.md", note("one\n\ntwo\n\n", "the heron lantern is green"))
	a := read(cited.Citation.ID)
	if a.State != kb.Stale || a.Text != "" || strings.Join(a.Citation.Heading, ">") != "Guide>Part" {
		t.Errorf("changed: %s %q, now at %v", a.State, a.Text, a.Citation.Heading)
	}
	if err := os.Rename(filepath.Join(dir, "public/g.md"), filepath.Join(dir, "public/h.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(t.Context(), kb.ReadRequest{Citation: cited.Citation.ID}); !errors.Is(err, candor.ErrNotFound) {
		t.Errorf("renamed: %v", err)
	}
}

// TestEditsShowInTheNextAnswer: no refresh, no watcher.
func TestEditsShowInTheNextAnswer(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{
		"public/a.md": "# A\n\nthe heron lantern\n", "public/b.md": "# B\n\nthe heron mirror\n", "public/c.md": "# C\n\nnothing\n",
	})
	b := open(t, dir, kb.Options{})
	if got := found(search(t, b, kb.SearchRequest{Query: "lantern"})); len(got) != 1 {
		t.Fatalf("found %v", got)
	}
	vaulttest.Save(t, dir, "public/a.md", "# A\n\nthe heron candle\n")
	if a := search(t, b, kb.SearchRequest{Query: "lantern"}); !a.Abstained {
		t.Errorf("the old word is still found: %v", found(a))
	}
	if got := found(search(t, b, kb.SearchRequest{Query: "candle"})); len(got) != 1 {
		t.Errorf("the new word finds %v", got)
	}
	if err := os.Remove(filepath.Join(dir, "public/b.md")); err != nil {
		t.Fatal(err)
	}
	if a := search(t, b, kb.SearchRequest{Query: "heron mirror"}); strings.Contains(fmt.Sprint(found(a)), "b.md") {
		t.Errorf("a deleted note is found: %v", found(a))
	}
}

func TestFlags(t *testing.T) {
	dir := vaulttest.Write(t, `
-- public/due.md --
---
valid_until: 2026-01-31
---
# Due
the heron lantern is due
-- public/masked.md --
# Masked
the heron candle has password: hunter2hunter2 today
-- public/old.md --
---
superseded_by: due.md
---
# Old
the heron mirror was here
`)
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	b := open(t, dir, kb.Options{Now: func() time.Time { return now }})
	flags := func(query string) []candor.Flag {
		t.Helper()
		a := search(t, b, kb.SearchRequest{Query: query, Limit: 1})
		if len(a.Hits) == 0 {
			t.Fatalf("%s: %s", query, a.Reason)
		}
		return a.Hits[0].Flags
	}
	if got := flags("lantern due"); len(got) != 0 {
		t.Errorf("on the last day: %v", got)
	}
	now = now.AddDate(0, 0, 1)
	if diff := cmp.Diff([]candor.Flag{candor.FlagReviewDue}, flags("lantern due")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]candor.Flag{candor.FlagMasked}, flags("heron candle")); diff != "" {
		t.Error(diff)
	}
	if a := search(t, b, kb.SearchRequest{Query: "heron mirror was here"}); strings.Contains(fmt.Sprint(found(a)), "old.md") {
		t.Error("a superseded note is given as current")
	}
	r, err := b.Read(t.Context(), kb.ReadRequest{Path: "public/old.md"})
	if err != nil || r.SupersededBy != "public/due.md" {
		t.Errorf("reading it points to %q, %v", r.SupersededBy, err)
	}
	if diff := cmp.Diff([]candor.Flag{candor.FlagSuperseded}, r.Flags); diff != "" {
		t.Error(diff)
	}
}

// TestBeforeTheVaultIsRead: a search waits, then says so; it is not an abstention.
func TestBeforeTheVaultIsRead(t *testing.T) {
	p, err := policy.New(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := kb.New(kb.Options{
		Profile: policy.DefaultProfile, Corpus: corpus.New(corpus.Options{Policy: p, Redactor: r}), Redactor: r,
		Lexical: lexical.New(lexical.Options{}), Wait: time.Millisecond,
	})
	if _, err := b.Search(t.Context(), kb.SearchRequest{Query: "lantern"}); !errors.Is(err, candor.ErrLoading) {
		t.Errorf("search: %v", err)
	}
	if s, err := b.Status(t.Context()); err != nil || s.State != "loading" {
		t.Errorf("status: %+v, %v", s, err)
	}
}

func TestRequestsOutOfRangeAreRefusedByName(t *testing.T) {
	b := open(t, vaulttest.WriteMap(t, map[string]string{"public/a.md": "# A\n"}), kb.Options{})
	for field, req := range map[string]kb.SearchRequest{
		"query":         {Query: strings.Repeat("x", kb.DefaultQueryBytes+1)},
		"limit":         {Query: "x", Limit: kb.DefaultResults + 1},
		"mode":          {Query: "x", Mode: candor.ModeHybrid},
		"updated_after": {Query: "x", UpdatedAfter: "yesterday"},
		"paths":         {Query: "x", Paths: "[a"},
		"exclude":       {Query: "x", Exclude: []string{"a.md"}},
		"tags":          {Query: "x", Tags: make([]string, 101)},
	} {
		var input *candor.InputError
		if _, err := b.Search(t.Context(), req); !errors.As(err, &input) || input.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestExplainIsWhatRanked: the weights of the words add up to the score, the score and
// the rank are those of the answer, and the list says why it ended.
func TestExplainIsWhatRanked(t *testing.T) {
	b := open(t, vaulttest.WriteMap(t, vaulttest.Random(11, 50)), kb.Options{PerNote: 1, Gates: evidence.Gates{MinScore: 0.01}})
	snap := b
	text, err := snap.Outline(t.Context(), kb.OutlineRequest{})
	if err != nil || len(text.Notes) == 0 {
		t.Fatal(err)
	}
	a := search(t, b, kb.SearchRequest{Query: text.Notes[0].Title + " " + text.Notes[3].Title, Limit: 20, Explain: true})
	if len(a.Hits) < 2 || a.Ended == "" {
		t.Fatalf("%d hits, ended %q, %s", len(a.Hits), a.Ended, a.Reason)
	}
	for _, h := range a.Hits {
		sum := 0.0
		for _, w := range h.Explain.Lexical.Words {
			sum += w.Weight
		}
		if got := h.Explain.Lexical.Score; got != h.Score || sum < got-1e-9 || sum > got+1e-9 {
			t.Errorf("%s: score %v, explained as %v, words add up to %v", h.Citation.ID, h.Score, got, sum)
		}
		if h.Explain.Lexical.Rank != h.Legs.Lexical {
			t.Errorf("%s: rank %d, explained as %d", h.Citation.ID, h.Legs.Lexical, h.Explain.Lexical.Rank)
		}
	}
}
