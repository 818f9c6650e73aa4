package markdown

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"
)

// newReference makes a full CommonMark parser: what the scanner must agree with.
func newReference(more ...util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), more...)...),
	)
}

var (
	reference  = newReference()
	withTables = newReference(util.Prioritized(extension.NewTableParagraphTransformer(), 200))
)

// outline is the block structure of a text as far as pieces depend on it.
type outline struct {
	Headings []string     // "line level" of the note's own headings
	Code     map[int]bool // lines inside fences and indented code
	Tables   []int        // lines of their header rows
}

func newOutline() outline { return outline{Code: map[int]bool{}} }

// code notes a line of code. The reference leaves out fences and blank lines, so these
// do not count.
func (o outline) code(src string, n int) {
	line := strings.Trim(strings.Split(src, "\n")[n-1], "> \t\r\f-*10.)")
	if line != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		o.Code[n] = true
	}
}

// referenceOutline is the outline by a reference parser.
func referenceOutline(p parser.Parser, src string) outline {
	o := newOutline()
	starts := lineStarts(src)
	line := func(offset int) int { return sort.SearchInts(starts, offset+1) }
	doc := p.Parse(text.NewReader([]byte(src)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading:
			if n.Parent().Kind() == ast.KindDocument {
				o.Headings = append(o.Headings, fmt.Sprintf("%d %d", line(n.Pos()), n.(*ast.Heading).Level))
			}
		case ast.KindFencedCodeBlock, ast.KindCodeBlock:
			for i := range n.Lines().Len() {
				seg := n.Lines().At(i)
				o.code(src, line(seg.Start))
			}
		case east.KindTable:
			o.Tables = append(o.Tables, line(n.FirstChild().FirstChild().Pos()))
		}
		return ast.WalkContinue, nil
	})
	return o
}

// scannerOutline is the outline by the scanner.
func scannerOutline(src string) outline {
	o := newOutline()
	for _, b := range scanAll(src) {
		switch b.kind {
		case heading:
			o.Headings = append(o.Headings, fmt.Sprintf("%d %d", b.first, b.level))
		case fence, indented:
			for n := b.first; n <= b.last; n++ {
				o.code(src, n)
			}
		case table:
			o.Tables = append(o.Tables, b.first)
		}
	}
	return o
}

// scanAll gives the blocks of a text.
func scanAll(src string) []block {
	var all []block
	s := scanner{src: src, emit: func(b block) { all = append(all, b) }}
	s.run(1)
	return all
}

func lineStarts(src string) []int {
	starts := []int{0}
	for i := range len(src) {
		if src[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// TestBlocksAgreeWithCommonMark compares the scanner with a full parser.
func TestBlocksAgreeWithCommonMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := notes().Filter(noEmptyItem).Draw(t, "note")
		if diff := cmp.Diff(referenceOutline(reference, src), scannerOutline(src)); diff != "" {
			t.Fatalf("%s\n(-reference +scanner):\n%s", src, diff)
		}
	})
}

// emptyItem is where the reference departs from the specification: after an empty item
// and a blank line it forgets the items around.
var emptyItem = regexp.MustCompile(`(?m)(^|[ \t>])([-*]|10?[.)])[ \t>]*\r?$`)

func noEmptyItem(src string) bool { return !emptyItem.MatchString(src) }

func TestTablesAgreeWithCommonMark(t *testing.T) {
	// Only rows of two cells: the reference fills up a header that is too short.
	rows := []string{"| a | b |", "a|b", "|---|:-:|", "-|-", "", "# h", "```", "| a \\| b | c |", " | c | d"}
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(rows), 0, 12).Draw(t, "lines"), "\n")
		if diff := cmp.Diff(referenceOutline(withTables, src), scannerOutline(src)); diff != "" {
			t.Fatalf("%s\n(-reference +scanner):\n%s", src, diff)
		}
	})
}
