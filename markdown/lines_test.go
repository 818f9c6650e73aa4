package markdown

import (
	"fmt"
	"strings"
	"testing"

	"candor/redact"
)

func TestLinesAreCountedAsSedDoes(t *testing.T) {
	src := "# A\r\none\rstill one\r\n\r\ntwo\u2028still two\r\r\n```\r\n# no\r\n```\r\n# B\r\nlast\r"
	d := parse(src, Options{FirstLine: 5})
	check(t, src, Options{FirstLine: 5}, d)
	want := "piece 0, lines 5-11, 11 words: \"A\"\n"
	if got := show(d); !strings.Contains(got, want) || !strings.Contains(got, "section 12-13: h1 \"B\"") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := d.Pieces[0].Text, "# A\none\rstill one\n\ntwo\u2028still two\r\n```\n# no\n```"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestTabsStopAtEveryFourthColumn(t *testing.T) {
	for src, code := range map[string]bool{
		"\tcode":          true,
		"  \tcode":        true,
		"-\t\tcode":       true,
		"- a\n\n\tb":      false,
		"- a\n\n\t\tcode": true,
		">\t\tcode":       true,
		"> \ttext":        false,
		"1.\ttext":        false,
	} {
		last := scanAll(src)
		got := last[len(last)-1].kind == indented
		if got != code {
			t.Errorf("%q: code %v, want %v", src, got, code)
		}
	}
}

// A picture in a note costs one mark, wherever it stands.
func TestBigPicturesAreNoText(t *testing.T) {
	picture := "data:image/png;base64," + strings.Repeat("iVBORw0KGgo+/A", 30_000)
	src := "# Plan\nbefore\n\n![x](" + picture + ")\n\nafter\n\n![y][p]\n\n[p]: " + picture + "\n\nlast line\n"
	d := parse(src, Options{})
	check(t, src, Options{}, d)
	if len(d.Pieces) != 1 || len(d.Pieces[0].Text) > 200 || strings.Contains(d.Pieces[0].Text, "iVBOR") {
		t.Errorf("%d pieces, the first of %d bytes", len(d.Pieces), len(d.Pieces[0].Text))
	}
	if strings.Contains(d.Pieces[0].Index, "base64") {
		t.Errorf("index %q", d.Pieces[0].Index)
	}
	if !strings.HasSuffix(d.Pieces[0].Text, "last line") || d.Pieces[0].Lines.End != 12 {
		t.Errorf("lines %v end with %q", d.Pieces[0].Lines, d.Pieces[0].Text)
	}
}

// Every row of a long table can be found by its columns, and is cited by its line.
func TestRowsOfALongTableKeepTheirHeader(t *testing.T) {
	var src strings.Builder
	src.WriteString("# Ports\n\n| Port | Service | Owner |\n|---|---|---|\n")
	for i := range 200 {
		fmt.Fprintf(&src, "| %d | svc%d | team%d |\n", 8300+i, i, i%7)
	}
	d := parse(src.String(), Options{})
	check(t, src.String(), Options{}, d)
	if len(d.Pieces) < 5 {
		t.Fatalf("%d pieces", len(d.Pieces))
	}
	for i, p := range d.Pieces {
		if header := "| Port | Service | Owner |"; (i == 0) != strings.Contains(p.Text, header) || (i > 0) != (p.Context == header) {
			t.Errorf("piece %d has context %q and begins %.40q", i, p.Context, p.Text)
		}
	}
}

func TestLongNamesAreCut(t *testing.T) {
	d := parse("# "+strings.Repeat("ä", 1<<16)+"\n\n|"+strings.Repeat("h", 1<<16)+"|\n|-|\n"+strings.Repeat("|a|\n", 500), Options{})
	if n := len(d.Title); n > maxHeading+3 || !strings.HasSuffix(d.Title, "ä…") {
		t.Errorf("a title of %d bytes", n)
	}
	if n := len(d.Pieces[len(d.Pieces)-1].Context); n > maxContext+3 || n < 100 {
		t.Errorf("a context of %d bytes", n)
	}
}

func TestEmptyNotesHaveNoPieces(t *testing.T) {
	for _, src := range []string{"", "\n", " \t\r\n\n", "\u00a0\n\u3000"} {
		if d := parse(src, Options{}); len(d.Pieces)+len(d.Sections) != 0 {
			t.Errorf("%q: %+v", src, d)
		}
	}
}

// What is cut is the masked text.
func TestParseTakesCleanText(t *testing.T) {
	masker, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clean := masker.Clean("# Keys\npassword: hunter2correct")
	d := Parse(clean, Options{})
	if len(d.Pieces) != 1 || d.Pieces[0].Text != clean.String() {
		t.Errorf("%+v, want %q", d.Pieces, clean.String())
	}
}
