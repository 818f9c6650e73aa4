package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"candor"
	"candor/evidence"
	"candor/retrieval/lexical"
)

// readVault reads a folder of notes, cut at headings.
func readVault(dir string) []*candor.Chunk {
	var chunks []*candor.Chunk
	must(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		chunks = append(chunks, cutNote(candor.Path(filepath.ToSlash(rel)), string(data))...)
		return nil
	}))
	return chunks
}

func cutNote(path candor.Path, text string) []*candor.Chunk {
	base := filepath.Base(string(path))
	title := strings.TrimSuffix(base, ".md")
	var chunks []*candor.Chunk
	var heading []string
	for i, section := range strings.Split("\n"+text, "\n#") {
		if i > 0 {
			line, _, _ := strings.Cut(section, "\n")
			level := len(line) - len(strings.TrimLeft(line, "#"))
			name := strings.TrimSpace(strings.TrimLeft(line, "#"))
			heading = append(heading[:min(level, len(heading)):min(level, len(heading))], name)
			if level == 0 && i == 1 {
				title = name
			}
		}
		for _, piece := range pieces(section, *size) {
			chunks = append(chunks, &candor.Chunk{Path: path, Title: title, Heading: heading, Text: piece, Lines: candor.Span{Start: len(chunks) + 1, End: len(chunks) + 1}})
		}
	}
	return chunks
}

// ask answers questions over a folder of notes.
func ask(dir string, questions []string) {
	chunks := readVault(dir)
	x := lexical.New(indexOptions("")).Update(chunks)
	fmt.Println(len(chunks), "chunks")
	for _, q := range questions {
		r, err := x.Retrieve(context.Background(), candor.Query{Text: q, Explain: true}, 100)
		must(err)
		v := evidence.Default().Assess(r, zero)
		fmt.Printf("\n%s\n", q)
		for _, t := range r.Terms {
			fmt.Printf("  %s %.1f/%d", t.Text, t.Weight, t.Found)
		}
		fmt.Printf("\n  abstained %v %s %+v\n", v.Abstained, v.Reason, v.Best)
		for _, h := range r.Hits[:min(3, len(r.Hits))] {
			c := chunks[h.Slot]
			fmt.Printf("  %.2f %v %s %q\n", h.Score/r.Ceiling, v.Stands(h.Slot), c.Path, c.Heading)
		}
	}
}
