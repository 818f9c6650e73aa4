package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"candor"
)

//go:embed peers.py
var peersScript string

// job is what the Python side is asked to do.
type job struct {
	Engine  string `json:"engine"`  // fts5, tantivy or bm25s
	Chunks  string `json:"chunks"`  // JSONL of passages
	Queries string `json:"queries"` // JSON list of questions; "" asks none
	Tries   int    `json:"tries"`   // inserts, the best of which counts
}

// peer is what one engine needed. Times are in seconds.
type peer struct {
	Engine   string  `json:"engine"`
	Insert   float64 `json:"insert"`
	CPU      float64 `json:"cpu"`
	P50      float64 `json:"p50"`
	P95      float64 `json:"p95"`
	Resident int64   `json:"resident"` // bytes, what the index added
}

// python1 runs one job in a fresh Python; without one the result is nil.
func (b *bench) python1(ctx context.Context, j job) (*peer, error) {
	if b.python == "" {
		return nil, nil
	}
	if j.Chunks == "" {
		j.Chunks = filepath.Join(b.dir, "all.jsonl")
		if _, err := os.Stat(j.Chunks); err != nil {
			if err := writeChunks(j.Chunks, b.chunks); err != nil {
				return nil, err
			}
		}
	}
	arg, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, b.python, "-c", peersScript, string(arg))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", j.Engine, err, stderr.Bytes())
	}
	var p peer
	if err := json.Unmarshal(out, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", j.Engine, err)
	}
	return &p, nil
}

// document is the text of a passage that every other engine gets: what candor indexes
// of it, in one field.
func document(c *candor.Chunk) string {
	return strings.Join([]string{c.Title, strings.Join(c.Heading, "\n"), c.Indexed()}, "\n")
}

func writeChunks(name string, chunks []*candor.Chunk) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, c := range chunks {
		if err := enc.Encode(document(c)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// plain leaves the words of a question, which no query syntax can mistake.
func plain(q string) string {
	return strings.Join(strings.FieldsFunc(q, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}), " ")
}
