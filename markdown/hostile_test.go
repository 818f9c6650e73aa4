package markdown

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile are inputs on which a parser that looks back or ahead without bound needs
// hours at this size; ours needs milliseconds, so a slip shows as a test that hangs.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	var ticks strings.Builder
	for i := 1; ticks.Len() < n; i++ {
		ticks.WriteString(strings.Repeat("`", i%2000+1) + "a")
	}
	nested := ""
	for i := range 2000 {
		nested += strings.Repeat("  ", i) + "- x\n"
	}
	return map[string]string{
		"brackets":        fill("["),
		"links":           fill("[a]("),
		"links in angles": fill("[a](<b"),
		"links in titles": fill("[a](b \"c"),
		"links in parens": fill("[a](b (c"),
		"closed brackets": fill("[a]") + "\n\n[a]: b\n",
		"wikilinks":       fill("[[a"),
		"images":          fill("![") + fill("](a)"),
		"references":      fill("[a][") + "\n\n[a]: b\n",
		"definitions":     fill("[a]: b\n"),
		"spaced bracket":  strings.Repeat(" ", n/2) + strings.Repeat("[", n/2) + "]: x",
		"emphasis":        fill("*a **a _a "),
		"tick":            fill("`"),
		"ticks":           ticks.String(),
		"quotes":          fill("> "),
		"quote lines":     fill(strings.Repeat(">", 1000) + "\n"),
		"quote tabs":      fill(strings.Repeat(">\t", 1000) + "x\n"),
		"bullets":         fill("- "),
		"bullet lines":    fill("- a\n"),
		"nested bullets":  nested,
		"nested blanks":   strings.Repeat("- ", 40) + "x" + fill("\n"),
		"spaces":          fill(" "),
		"lazy":            "> a\n" + fill("b\n"),
		"bars":            fill("|"),
		"wide table":      "|" + fill("a|") + "\n|" + fill("-|") + "\n" + fill("|\n"),
		"delimiters":      fill("a|b\n-|-\n\n"),
		"tags":            fill("<a "),
		"html":            fill("<div>\n"),
		"open comment":    fill("<!--\n"),
		"remarks":         fill("%% a\n"),
		"remark marks":    fill("%%\n\n"),
		"setext":          fill("a\n") + "===\n",
		"underlines":      fill("a\n=\n"),
		"definition head": fill("[a]: b\n") + "===\n",
		"headings":        fill("# a\n"),
		"heading line":    "# " + fill("[a"),
		"heading links":   fill("# " + strings.Repeat("[", 300) + strings.Repeat("](a)", 200) + "\n"),
		"heading ticks":   fill("# " + strings.Repeat("`a``", 150) + "\n"),
		"heading stars":   fill("# " + strings.Repeat("*", 500) + strings.Repeat(" *a", 100) + "\n"),
		"hashes":          fill("#"),
		"inline tags":     fill("#a "),
		"data":            fill("data:"),
		"data folded":     fill("data:x," + strings.Repeat("A", 64) + " "),
		"folds by hand":   fill("data: ,…"),
		"line":            fill("a"),
		"words":           fill("a "),
		"returns":         fill("\r"),
		"ids":             fill("# a {#\n"),
		"list numbers":    fill("123456789) a\n"),
		"fences":          fill("```\na\n"),
	}
}

func TestHostileNotesTakeLinearTime(t *testing.T) {
	for name, src := range hostile(1 << 20) {
		t.Run(name, func(t *testing.T) {
			d := parse(src, Options{})
			if len(d.Sections) > maxSections || len(d.Links) > maxLinks || len(d.Tags) > maxTags {
				t.Errorf("%d sections, %d links, %d tags", len(d.Sections), len(d.Links), len(d.Tags))
			}
		})
	}
}

// What is allocated grows with the size of a note, not with its shape.
func TestHostileNotesTakeLittleMemory(t *testing.T) {
	for name, src := range hostile(1 << 20) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parse(src, Options{})
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 48<<20 {
			t.Errorf("%s: %d MiB for a note of %d KiB", name, got>>20, len(src)>>10)
		}
	}
}

func TestHeadingsPastTheBoundAreText(t *testing.T) {
	var src strings.Builder
	for i := range maxSections + 100 {
		fmt.Fprintf(&src, "# h%d\nt\n", i)
	}
	d := parse(src.String(), Options{})
	if len(d.Sections) != maxSections {
		t.Errorf("%d sections", len(d.Sections))
	}
	last := d.Pieces[len(d.Pieces)-1]
	if want := fmt.Sprintf("# h%d\nt", maxSections+99); !strings.HasSuffix(last.Text, want) {
		t.Errorf("the note ends with %q", last.Text)
	}
}
