package frontmatter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/frontmatter"
)

func TestWindowsLinesAndByteOrderMark(t *testing.T) {
	h, body := frontmatter.Split("\ufeff---\r\ntitle: T\r\ntags: hr\r\nsuperseded_by: b.md\r\n---\r\nbody\r\n")
	got := show(h, body)
	want := "lines: 5\ntitle: T\ntags: hr\nsuperseded_by: b.md\nbody: body\r\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Hostile headers cost little and lose nothing but themselves.
func TestHostileHeaders(t *testing.T) {
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i <= 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	tests := map[string]string{
		"alias bomb":     bomb + "tags: *a9\n",
		"merge bomb":     "m: &m {<<: [*m, *m, *m]}\n<<: [*m, *m, *m]\n",
		"deep brackets":  "tags: " + strings.Repeat("[", 60_000) + "\n",
		"deep and whole": "tags: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "\n",
		"many fields":    strings.Repeat("a:\n", 20_000) + "b: c: d\n",
		"many tags":      "tags: [" + strings.Repeat("a, ", 20_000) + "b]\n",
		"NUL and bell":   "x: \"\x00\a\"\n",
		"not UTF-8":      "x: \xff\xfe\n",
	}
	for name, header := range tests {
		t.Run(name, func(t *testing.T) {
			h, body := frontmatter.Split("---\nsuperseded_by: new.md\n" + header + "---\nbody\n")
			if body != "body\n" || len(h.SupersededBy) != 1 {
				t.Errorf("body %q, superseded by %v", body[:min(len(body), 40)], h.SupersededBy)
			}
			if len(h.Words)+len(h.Tags) > 5_000 {
				t.Errorf("%d words, %d tags", len(h.Words), len(h.Tags))
			}
		})
	}
}

func TestHeaderOverTheBoundIsText(t *testing.T) {
	text := "---\ntitle: T\ncandor: {profiles: []}\nx: " + strings.Repeat("y", 70_000) + "\n---\nbody\n"
	h, body := frontmatter.Split(text)
	if body != text || h.Lines != 0 || h.Err == nil {
		t.Errorf("taken as a header of %d lines, err %v", h.Lines, h.Err)
	}
	if !h.Narrowed && !h.Denied {
		t.Error("its audience is lost")
	}
}

func TestMapMasksEveryValue(t *testing.T) {
	h, _ := frontmatter.Split("---\ntitle: k\ntags: [k]\naliases: k\nstatus: k\nsuperseded_by: k\n" +
		"supersedes: k\nother: {deep: [k]}\ncandor: {profiles: [k]}\n---\n")
	before := show(h, "")
	got := show(h.Map(func(string) string { return "masked" }), "")
	want := "lines: 10\ntitle: masked\ntags: masked\naliases: masked\nstatus: masked\nsuperseded_by: masked\n" +
		"supersedes: masked\nwords: masked\nprofiles: [k]\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, show(h, "")); diff != "" {
		t.Errorf("Map changed its receiver:\n%s", diff)
	}
}

// Errors are shown to the owner and in logs, so they repeat nothing of the note.
func TestErrorsRepeatNoValue(t *testing.T) {
	for _, header := range []string{"a: *swordfish", "a: swordfish: b", "updated: swordfish", "candor: swordfish", "swordfish: \t["} {
		h, _ := frontmatter.Split("---\n" + header + "\n---\n")
		if h.Err == nil || strings.Contains(h.Err.Error(), "swordfish") {
			t.Errorf("%s: error %v", header, h.Err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("---\ntitle: a: b\ncandor: {profiles: [staff]}\n---\nbody")
	f.Add("---\r\ntags: &t [a, *t]\r\n...\r\nbody")
	f.Add("\n---\n<<: [*a, {candor: no}]\n---\n")
	f.Add("---\ncandor:\n- x\n")
	f.Add("---\n? candor\n: {profiles: [a]}\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, body := frontmatter.Split(text)
		head, ok := strings.CutSuffix(text, body)
		if !ok {
			t.Fatal("the body is not the end of the text")
		}
		lines := strings.Count(head, "\n")
		if head != "" && !strings.HasSuffix(head, "\n") {
			lines++
		}
		if lines != h.Lines {
			t.Errorf("%d lines, want %d", h.Lines, lines)
		}
		if h.Denied && h.Err == nil {
			t.Error("denied and does not say why")
		}
		restricted := h.Narrowed || h.Denied
		if h.Lines > 0 && strings.Contains(strings.ToLower(head), "\ncandor:") && !restricted {
			t.Error("an audience is lost")
		}
	})
}
