package markdown

import (
	"fmt"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// reference is a full CommonMark parser with tables: what the scanner must agree with.
var reference = goldmark.New(goldmark.WithParser(parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200),
	),
))).Parser()

// outline is the block structure of a text as far as pieces depend on it.
type outline struct {
	Headings []string     // "line level" of the note's own headings
	Code     map[int]bool // lines inside fences and indented code
	Tables   []string     // lines of their header rows
}

func newOutline() outline { return outline{Code: map[int]bool{}} }

// referenceOutline is the outline by the reference parser.
func referenceOutline(src string) outline {
	o := newOutline()
	starts := lineStarts(src)
	line := func(offset int) int { return sort.SearchInts(starts, offset+1) }
	doc := reference.Parse(text.NewReader([]byte(src)))
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
				if strings.TrimSpace(string(seg.Value([]byte(src)))) != "" {
					o.Code[line(seg.Start)] = true
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return o
}

// scannerOutline is the outline by the scanner.
func scannerOutline(src string) outline {
	o := newOutline()
	lines := strings.Split(src, "\n")
	for _, b := range scanAll(src) {
		switch b.kind {
		case heading:
			o.Headings = append(o.Headings, fmt.Sprintf("%d %d", b.first, b.level))
		case fence, indented:
			for n := b.first; n <= b.last; n++ {
				if strings.TrimSpace(lines[n-1]) != "" {
					o.Code[n] = true
				}
			}
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
