package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"candor"
	"candor/evals"
	"candor/evidence"
	"candor/frontmatter"
	"candor/markdown"
	"candor/redact"
	"candor/retrieval/lexical"
)

var masker = func() *redact.Redactor {
	r, err := redact.New(redact.Options{})
	must(err)
	return r
}()

// cutDocument cuts a document as corpus does. Its title is found as a note's is.
func cutDocument(path candor.Path, d evals.Document) []*candor.Chunk {
	header, body := frontmatter.Split(d.Text)
	if header.Lines == 0 {
		header.Title = d.Title
	}
	doc := markdown.Parse(masker.Clean(body), markdown.Options{FirstLine: header.Lines + 1, Words: *size})
	title := strings.TrimSuffix(filepath.Base(string(path)), ".md")
	for _, t := range []string{doc.Title, header.Title} {
		if strings.TrimSpace(t) != "" {
			title = t
		}
	}
	chunks := make([]*candor.Chunk, len(doc.Pieces))
	for i, p := range doc.Pieces {
		chunks[i] = &candor.Chunk{
			Path: path, Title: title, Aliases: header.Aliases, Heading: append([]string{}, p.Heading...),
			Lines: p.Lines, Text: p.Text, Index: p.Index, Context: p.Context,
		}
	}
	if len(chunks) > 0 {
		chunks[0].Meta = strings.Join(header.Words, " ")
	}
	return chunks
}

// readVault reads a folder of notes.
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
		rel, err := filepath.Rel(dir, path)
		chunks = append(chunks, cutDocument(candor.Path(filepath.ToSlash(rel)), evals.Document{Text: string(data)})...)
		return err
	}))
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
		fmt.Printf("\n  margin %.2f %s %+v\n", v.Margin, v.Reason, v.Best)
		for _, h := range r.Hits[:min(3, len(r.Hits))] {
			c := chunks[h.Slot]
			fmt.Printf("  %.2f %v %s %q\n", h.Score/r.Ceiling, v.Stands(h.Slot), c.Path, c.Heading)
		}
	}
}
