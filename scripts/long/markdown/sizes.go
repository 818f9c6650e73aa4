package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"candor"
	"candor/frontmatter"
	"candor/markdown"
	"candor/redact"
	"candor/retrieval/lexical"
)

// record is a line of a BEIR collection.
type record struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// collection is a judged collection.
type collection struct {
	docs, queries []record
	gains         map[string]map[string]float64 // by query and document
}

// sizes prints, for several lengths of pieces, what lexical search by passage reaches
// on a judged collection; a document counts by its best passage.
func sizes(dir string, masker *redact.Redactor) error {
	c, err := readCollection(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d documents, %d queries\n", filepath.Base(dir), len(c.docs), len(c.queries))
	for _, words := range []int{60, 100, 130, 160, 200, 260, 400} {
		chunks, owners := cut(c.docs, words, masker)
		index := lexical.New(lexical.Options{}).Update(chunks)
		gain, first := 0.0, 0
		for _, q := range c.queries {
			ranked, err := rank(index, q.Text, owners)
			if err != nil {
				return err
			}
			judged := c.gains[q.ID]
			gain += ndcg(ranked, judged)
			if len(ranked) > 0 && judged[ranked[0]] > 0 {
				first++
			}
		}
		n := float64(len(c.queries))
		fmt.Printf("  %3d words: %6d pieces, nDCG@10 %.3f, hit@1 %.3f\n", words, len(chunks), gain/n, float64(first)/n)
	}
	return nil
}

func cut(docs []record, words int, masker *redact.Redactor) (chunks []*candor.Chunk, owners []string) {
	for _, d := range docs {
		header, body := frontmatter.Split(d.Text)
		doc := markdown.Parse(masker.Clean(body), markdown.Options{Words: words})
		for _, p := range doc.Pieces {
			chunks = append(chunks, &candor.Chunk{
				Path: candor.Path(d.ID), Title: cmp.Or(d.Title, header.Title, doc.Title), Heading: p.Heading,
				Lines: p.Lines, Text: cmp.Or(p.Index, p.Text), Context: p.Context, Words: p.Words,
			})
			owners = append(owners, d.ID)
		}
	}
	return chunks, owners
}

// rank gives the documents of the best passages.
func rank(index candor.Index, query string, owners []string) ([]string, error) {
	r, err := index.Retrieve(context.Background(), candor.Query{Text: query}, 200)
	var docs []string
	for _, h := range r.Hits {
		if id := owners[h.Slot]; !slices.Contains(docs, id) && len(docs) < 10 {
			docs = append(docs, id)
		}
	}
	return docs, err
}

func ndcg(ranked []string, judged map[string]float64) float64 {
	var got, ideal float64
	for i, id := range ranked {
		got += judged[id] / math.Log2(float64(i+2))
	}
	var gains []float64
	for _, g := range judged {
		gains = append(gains, g)
	}
	slices.SortFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, g := range gains[:min(len(gains), 10)] {
		ideal += g / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return got / ideal
}

func readCollection(dir string) (collection, error) {
	c := collection{gains: map[string]map[string]float64{}}
	err := lines(filepath.Join(dir, "qrels.tsv"), func(line string) error {
		f := strings.Split(line, "\t")
		gain, err := strconv.ParseFloat(f[len(f)-1], 64)
		if len(f) != 3 || err != nil || gain <= 0 {
			return nil // the header, or not relevant
		}
		if c.gains[f[0]] == nil {
			c.gains[f[0]] = map[string]float64{}
		}
		c.gains[f[0]][f[1]] = gain
		return nil
	})
	if err != nil {
		return c, err
	}
	err = lines(filepath.Join(dir, "corpus.jsonl"), func(line string) error {
		var r record
		err := json.Unmarshal([]byte(line), &r)
		c.docs = append(c.docs, r)
		return err
	})
	if err != nil {
		return c, err
	}
	return c, lines(filepath.Join(dir, "queries.jsonl"), func(line string) error {
		var r record
		err := json.Unmarshal([]byte(line), &r)
		if c.gains[r.ID] != nil {
			c.queries = append(c.queries, r)
		}
		return err
	})
}

func lines(file string, take func(string) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		if err := take(in.Text()); err != nil {
			return err
		}
	}
	return in.Err()
}
