package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"candor"
)

// lineParts are what lines of markdown are made of: containers, then a leaf.
var (
	markers = []string{"", "", "", "", "> ", ">", "- ", "1. ", "  ", "    ", "* ", "10) ", " "}
	leaves  = []string{
		"", "", "", "text", "two words", "# Head", "## **Sub** head", "#### Deep ####", "#tag", "===", "---", "***",
		"```", "````go", "~~~", "| 1 | 2 |", "<!--", "-->", "<div>", "</div>", "<b>x</b>",
		"[ref]: target.md", "[[wiki|alias]] and [a](b.md)", "`code` [x][ref]", "word\r", "日本語の文",
		"<pre>", "</pre>", "-", "1.", ">", "![i](data:image/png;base64," + strings.Repeat("QUJD", 40) + ")",
	}
)

// notes generates markdown, with more to draw lines from if need be.
func notes(extra ...string) *rapid.Generator[string] {
	line := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			b.WriteString(rapid.SampledFrom(slices.Concat(extra, markers)).Draw(t, "marker"))
		}
		b.WriteString(rapid.SampledFrom(slices.Concat(extra, leaves)).Draw(t, "leaf"))
		return b.String()
	})
	return rapid.Map(rapid.SliceOfN(line, 0, 30), func(lines []string) string { return strings.Join(lines, "\n") })
}

func TestEveryLineIsInOnePiece(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := notes("|---|", "| a | b |", "|---|:-:|", "%%", "%% x", "a %%", "\t", "\f", "\u00a0").Draw(t, "note")
		opt := Options{FirstLine: rapid.IntRange(0, 9).Draw(t, "first"), Words: rapid.IntRange(0, 20).Draw(t, "words")}
		check(t, src, opt, parse(src, opt))
	})
}

// The size of a piece is bounded by what one line or one unit of a table needs.
func TestPiecesAreNotTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := notes().Draw(t, "note")
		most := rapid.IntRange(8, 20).Draw(t, "words")
		for _, p := range parse(src, Options{Words: most}).Pieces {
			if p.Words > 2*most+most/4+12 {
				t.Fatalf("%d words in a piece of at most %d: %q", p.Words, most, p.Text)
			}
		}
	})
}

// A piece of nothing but headings stands only in a note of nothing else.
func TestNoPieceIsOnlyAHeading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"# A", "## B", "### C", "text", "", "---", "other"})).Draw(t, "lines")
		doc := parse(strings.Join(lines, "\n"), Options{})
		for _, p := range doc.Pieces {
			own := strings.Contains(p.Text, "text") || strings.Contains(p.Text, "other") || strings.Contains(p.Text, "---")
			if !own && len(doc.Pieces) > 1 {
				t.Fatalf("a piece is only headings: %q", p.Text)
			}
		}
	})
}

func TestFirstLineMovesAllLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := notes().Draw(t, "note")
		want, got := parse(src, Options{}), parse(src, Options{FirstLine: 8})
		for i := range got.Pieces {
			back(&got.Pieces[i].Lines)
		}
		for i := range got.Sections {
			back(&got.Sections[i].Lines)
		}
		for i := range got.Links {
			got.Links[i].Line -= 7
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func back(s *candor.Span) { s.Start, s.End = s.Start-7, s.End-7 }

func FuzzParse(f *testing.F) {
	for _, s := range append(leaves, "> - # x\n>\n>   [a\n> b](c)", "%%\n# x\n%%", "``[x](y)`", "a|b\n-|-\n1|2", "[a]: <b> 'c\nd\n---") {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, src string, words int) {
		opt := Options{Words: words % 50}
		d := parse(src, opt)
		check(t, src, opt, d)
		for _, l := range d.Links {
			if l.Line < 1 || l.Line > strings.Count(src, "\n")+1 || l.Target == "" {
				t.Errorf("link %+v", l)
			}
		}
	})
}
