package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"candor/markdown"
)

// expectation says what a place must be; nil when the feature asks nothing of us.
var expectations = map[string]func(n *note, line int) bool{
	"#word without space (tag or broken heading)": noHeading,
	"heading-like # line inside code fence":       noHeading,
	"heading inside HTML comment":                 noHeading,
	"indented-code # line (4 spaces/tab)":         noHeading,
	"heading in blockquote":                       noHeading,
	"heading in list item":                        noHeading,
	"# followed by NBSP/ideographic space":        noHeading,

	"setext heading ---":            isHeading,
	"setext heading ===":            isHeading,
	"closed heading (## x ##)":      isHeading,
	"indented heading (1-3 spaces)": isHeading,
	"heading with inline code":      isHeading,
	"heading with link":             isHeading,
	"heading with wikilink":         isHeading,
	"heading with {#anchor}":        isHeading,
	"heading > 300 chars":           isHeading,
	"heading level skip":            isHeading,
	"empty heading":                 isHeading,
	"first heading deeper than h2":  isHeading,
	"duplicate headings in a file":  isHeading,

	"wikilink":                    isWikilink,
	"note embed ![[x]]":           isWikilink,
	"embed of a heading ![[x#h]]": isWikilink,
	"embed of a block ![[x#^id]]": isWikilink,
	"nested #tag/sub":             hasNestedTag,

	"UTF-8 BOM":                              anything,
	"frontmatter closed by ...":              hasHeader,
	"frontmatter duplicate keys":             hasHeader,
	"frontmatter empty":                      hasHeader,
	"frontmatter fence with trailing space":  hasHeader,
	"frontmatter invalid YAML":               hasBrokenHeader,
	"frontmatter tags as a string":           hasTags,
	"frontmatter tags list with non-strings": hasTags,
	"frontmatter with # comment line":        hasHeader,
	"blank line before frontmatter":          hasHeader,
	"frontmatter with template code":         anything,
}

func anything(*note, int) bool { return true }

func section(n *note, line int) *markdown.Section {
	for i := range n.doc.Sections {
		if s := &n.doc.Sections[i]; s.Lines.Start <= line && line <= s.Lines.Start+1 {
			if s.Lines.Start == line || underlined(n, line) {
				return s
			}
		}
	}
	return nil
}

func underlined(n *note, line int) bool {
	return strings.Trim(n.lines[line-1], "=- \r") == ""
}

func noHeading(n *note, line int) bool { return section(n, line) == nil }
func isHeading(n *note, line int) bool { return section(n, line) != nil }

func isWikilink(n *note, line int) bool {
	return slices.ContainsFunc(n.doc.Links, func(l markdown.Link) bool { return l.Wiki && l.Line == line })
}

func hasNestedTag(n *note, _ int) bool {
	nested := func(tag string) bool { return strings.Contains(tag, "/") }
	return slices.ContainsFunc(n.doc.Tags, nested) || slices.ContainsFunc(n.header.Tags, nested)
}

func hasHeader(n *note, _ int) bool       { return n.header.Lines > 0 }
func hasBrokenHeader(n *note, _ int) bool { return n.header.Err != nil }
func hasTags(n *note, _ int) bool         { return len(n.header.Tags) > 0 }

// oddPlaces holds the table of odd places against what was read there.
func oddPlaces(file string, notes map[string]*note) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	right, asked := map[string]int{}, map[string]int{}
	in := bufio.NewScanner(f)
	for in.Scan() {
		cols := strings.Split(in.Text(), "\t")
		if len(cols) != 4 {
			continue
		}
		n, line := notes[cols[1]+"/"+cols[2]], 0
		line, err = strconv.Atoi(cols[3])
		expect := expectations[cols[0]]
		if err != nil || n == nil || expect == nil {
			continue
		}
		asked[cols[0]]++
		if expect(n, line) {
			right[cols[0]]++
			continue
		}
		at := ""
		if line > 0 && line <= len(n.lines) {
			at = n.lines[line-1]
		}
		fmt.Printf("odd   %s: %s/%s:%d %.60q\n", cols[0], n.vault, n.path, line, at)
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		fmt.Printf("%4d of %-4d %s\n", right[name], asked[name], name)
	}
	return in.Err()
}
