package notes_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"candor/notes"
)

// filled gives a zone whose ledger has n entries, and its lines.
func filled(t *testing.T, n int) (*notes.Zone, string, []string) {
	t.Helper()
	z, dir := zone(t, nil)
	w := z.Writer("staff", resolve)
	for i := range n {
		if _, err := w.AppendLedger(t.Context(), lesson(fmt.Sprintf("lesson %d", i))); err != nil {
			t.Fatal(err)
		}
	}
	whole(t, z, n)
	return z, dir, slices.Collect(strings.Lines(read(t, dir, "ledger.jsonl")))
}

func TestAppendLedger(t *testing.T) {
	z, dir := zone(t, nil)
	a, err := z.Writer("staff", resolve).AppendLedger(t.Context(), notes.EntryRequest{Subject: "Leave", Lesson: "Weeks <b>,\n\u200bnot \"days\".", Evidence: cited})
	if err != nil {
		t.Fatal(err)
	}
	if a.Evidence != cited || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(a.ID) {
		t.Errorf("%+v", a)
	}
	want := `"entry":{"id":"` + a.ID + `","at":"2026-11-30T10:00:00Z","profile":"staff","subject":"Leave","lesson":"Weeks <b>,\nnot \"days\".","evidence":"` + cited + `"}}` + "\n"
	if got := read(t, dir, "ledger.jsonl"); !strings.HasPrefix(got, `{"length":`) || !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant at its end\n%s", got, want)
	}
	whole(t, z, 1)
}

// Case 21: what a profile is told does not depend on what another has written.
func TestEntryIDsTellNothing(t *testing.T) {
	seen := map[bool][]string{}
	for _, other := range []bool{false, true} {
		z, _ := zone(t, func(o *notes.Options) { o.Random = &counter{} })
		guest, admin := z.Writer("guest", resolve), z.Writer("admin", resolve)
		for i := range 3 {
			a, err := guest.AppendLedger(t.Context(), lesson(fmt.Sprint("lesson ", i)))
			if err != nil {
				t.Fatal(err)
			}
			if len(a.ID) != 32 || len(fmt.Sprintf("%+v", a)) != len("{ID: Evidence:}")+32+len(cited) {
				t.Errorf("%+v tells more than an id", a)
			}
			seen[other] = append(seen[other], a.ID)
			if other {
				if _, err := admin.AppendLedger(t.Context(), lesson("unseen")); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	// The ids are the random source's and nothing else: the draws of admin aside they are alike.
	if seen[false][0] != seen[true][0] || seen[false][2] != seen[true][1] {
		t.Errorf("%v", seen)
	}
}

// counter is a source of bytes that go up with each read.
type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	c.n++
	for i := range p {
		p[i] = c.n
	}
	return len(p), nil
}

// Case 158: whatever is done to a line, Verify names the first that is bad, and nothing is
// appended behind it.
func TestTampering(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(lines []string) []string
		bad    int
	}{
		"edited":         {func(l []string) []string { l[4] = strings.Replace(l[4], "lesson 4", "lesson 9", 1); return l }, 5},
		"edited, summed": {func(l []string) []string { l[4] = resum(l[4]); return l }, 5},
		"removed":        {func(l []string) []string { return append(l[:4:4], l[5:]...) }, 5},
		"first removed":  {func(l []string) []string { return l[1:] }, 1},
		"swapped":        {func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }, 4},
		"repeated":       {func(l []string) []string { return append(l[:5:5], l[4:]...) }, 6},
		"cut in half":    {func(l []string) []string { l[4] = l[4][:len(l[4])/2] + "\n"; return l }, 5},
		"joined":         {func(l []string) []string { l[4] = strings.TrimSuffix(l[4], "\n"); return l }, 5},
		"space added":    {func(l []string) []string { l[4] = " " + l[4]; return l }, 5},
		"key added": {func(l []string) []string {
			l[4] = strings.Replace(l[4], `{"length"`, `{"more":1,"length"`, 1)
			return l
		}, 5},
		"an empty line":   {func(l []string) []string { l[4] = "\n" + l[4]; return l }, 5},
		"zeros within":    {func(l []string) []string { l[4] = strings.Repeat("\x00", len(l[4])); return l }, 5},
		"last edited":     {func(l []string) []string { l[8] = strings.Replace(l[8], "lesson 8", "lesson 9", 1); return l }, 9},
		"nothing but one": {func(l []string) []string { return []string{"{}\n"} }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			z, dir, lines := filled(t, 9)
			changed := strings.Join(tt.change(lines), "")
			put(t, changed, dir, "ledger.jsonl")
			r, err := z.Verify(t.Context())
			if err != nil || r.BadLine != tt.bad || r.Entries != tt.bad-1 || r.Why == "" {
				t.Errorf("%+v, %v; want line %d", r, err, tt.bad)
			}
			again := reopen(t, dir, nil)
			if _, err := again.Writer("staff", resolve).AppendLedger(t.Context(), lesson("more")); !errors.Is(err, notes.ErrUnavailable) {
				t.Errorf("appended: %v", err)
			}
			if read(t, dir, "ledger.jsonl") != changed || len(r.Aside) > 0 {
				t.Error("the evidence was changed")
			}
		})
	}
}

// resum edits a line and gives it a right length and sum, as a forger without the lines
// behind it would.
func resum(line string) string {
	return strings.Replace(strings.Replace(line, "lesson 4", "lesson 44", 1), `"length":`, `"length":1`, 1)
}

// A tail that a crash has torn is set aside, never lost, and what was acknowledged stays.
func TestTornTail(t *testing.T) {
	for name, tail := range map[string]string{
		"half a line":     `{"length":212,"prev":"00`,
		"no line end":     "", // the last line without its LF
		"zeros":           strings.Repeat("\x00", 300),
		"a page of zeros": `{"length":9,` + strings.Repeat("\x00", 300) + "}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			z, dir, lines := filled(t, 3)
			good, torn := strings.Join(lines, ""), tail
			if tail == "" {
				good = lines[0] + lines[1]
				torn = strings.TrimSuffix(lines[2], "\n")
			}
			put(t, good+torn, dir, "ledger.jsonl")
			again := reopen(t, dir, nil)
			if r, err := again.Verify(t.Context()); err != nil || r.BadLine != strings.Count(good, "\n")+1 || !strings.Contains(r.Why, "torn") {
				t.Errorf("before: %+v, %v", r, err)
			}
			if err := again.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			r, err := again.Verify(t.Context())
			if err != nil || r.BadLine != 0 || len(r.Aside) != 1 {
				t.Fatalf("after: %+v, %v", r, err)
			}
			if read(t, dir, "ledger.jsonl") != good || read(t, dir, r.Aside[0]) != torn {
				t.Error("something was lost")
			}
			if _, err := again.Writer("staff", resolve).AppendLedger(t.Context(), lesson("more")); err != nil {
				t.Error(err)
			}
			whole(t, again, strings.Count(good, "\n")+1)
			if tail != "" { // a writer that has read the whole goes on as well
				if _, err := z.Writer("staff", resolve).AppendLedger(t.Context(), lesson("more")); err != nil {
					t.Error(err)
				}
				whole(t, z, 5)
			}
		})
	}
}

// Case 155: the ledger is a regular file with one name, or nothing is written.
func TestLedgerThatIsALink(t *testing.T) {
	const secret = "# Restricted\n"
	for name, swap := range map[string]func(target, file string) error{
		"symbolic": func(_, file string) error { return os.Symlink("../restricted/secret.md", file) },
		"hard":     os.Link,
		"dangling": func(_, file string) error { return os.Symlink("../restricted/none.md", file) },
		"folder":   func(_, file string) error { return os.Mkdir(file, 0o700) },
	} {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/before=%v", name, before), func(t *testing.T) {
				dir := t.TempDir()
				for _, sub := range []string{"notes", "restricted"} {
					if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				target, file := filepath.Join(dir, "restricted", "secret.md"), filepath.Join(dir, "notes", "ledger.jsonl")
				put(t, secret, target)
				opt := notes.Options{Ledger: file, Secret: masker.Finds, Floor: 1}
				if before {
					if err := swap(target, file); err != nil {
						t.Fatal(err)
					}
				}
				z, err := notes.Open(opt)
				if err == nil {
					defer z.Close()
					if !before {
						if _, err := z.Writer("staff", resolve).AppendLedger(t.Context(), lesson("good")); err != nil {
							t.Fatal(err)
						}
						if err := errors.Join(os.Remove(file), swap(target, file)); err != nil {
							t.Fatal(err)
						}
					}
					_, err = z.Writer("staff", resolve).AppendLedger(t.Context(), lesson("bad"))
					if verified, bad := z.Verify(t.Context()); bad == nil {
						t.Errorf("verified: %+v", verified)
					}
				}
				if err == nil {
					t.Error("appended")
				}
				if got := read(t, target); got != secret {
					t.Errorf("the restricted note is now %q", got)
				}
				if left, _ := os.ReadDir(filepath.Join(dir, "restricted")); len(left) != 1 {
					t.Errorf("%v", left)
				}
			})
		}
	}
}

// A ledger that a person puts away is begun anew; one that is put back is read anew.
func TestLedgerThatIsReplaced(t *testing.T) {
	z, dir, lines := filled(t, 3)
	file := filepath.Join(dir, "ledger.jsonl")
	if err := os.Rename(file, file+".2026"); err != nil {
		t.Fatal(err)
	}
	w := z.Writer("staff", resolve)
	if _, err := w.AppendLedger(t.Context(), lesson("first")); err != nil {
		t.Fatal(err)
	}
	whole(t, z, 1)
	put(t, strings.Join(lines, ""), file)
	if _, err := w.AppendLedger(t.Context(), lesson("fourth")); err != nil {
		t.Fatal(err)
	}
	whole(t, z, 4)
}
