package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"

	"candor"
	"candor/retrieval/lexical"
)

// row is what one engine needs at one size.
type row struct {
	size int
	peer
}

// top is how many passages a question asks for.
const top = 10

// warm is how many questions are asked before any is timed.
const warm = 20

// measureSearch asks every engine at one size.
func (b *bench) measureSearch(ctx context.Context, size int) error {
	chunks := resize(b.chunks, size)
	file := filepath.Join(b.dir, fmt.Sprintf("%d.jsonl", size))
	if err := writeChunks(file, chunks); err != nil {
		return err
	}
	defer os.Remove(file)
	questions := filepath.Join(b.dir, "queries.json")
	list, err := json.Marshal(b.queries)
	if err != nil {
		return err
	}
	if err := os.WriteFile(questions, list, 0o600); err != nil {
		return err
	}
	for engine := range strings.SplitSeq(b.engines, ",") {
		var p *peer
		switch engine {
		case "candor":
			p, err = b.askCandor(ctx, chunks)
		case "bleve":
			p, err = b.askBleve(ctx, chunks)
		default:
			p, err = b.python1(ctx, job{Engine: engine, Chunks: file, Queries: questions, Tries: 1})
		}
		if err != nil {
			return err
		}
		if p != nil {
			b.rows = append(b.rows, row{size, *p})
			fmt.Fprintf(os.Stderr, "%d passages, %s: %s, p50 %s, p95 %s\n", size, engine, seconds(p.Insert), milli(p.P50), milli(p.P95))
		}
	}
	return nil
}

// resize takes passages from all over the vault, or repeats them under other paths.
func resize(chunks []*candor.Chunk, size int) []*candor.Chunk {
	out := make([]*candor.Chunk, 0, size)
	if size <= len(chunks) {
		for i := range size {
			out = append(out, chunks[i*len(chunks)/size])
		}
		return out
	}
	for i := range size {
		c, turn := *chunks[i%len(chunks)], i/len(chunks)
		if turn > 0 {
			c.Path += candor.Path(fmt.Sprintf("~%d", turn))
		}
		out = append(out, &c)
	}
	return out
}

// askCandor measures the lexical leg.
func (b *bench) askCandor(ctx context.Context, chunks []*candor.Chunk) (*peer, error) {
	before := heap()
	var x candor.Index
	p := timed("candor", func() { x = lexical.New(lexical.Options{}).Update(chunks) })
	p.Resident = heap() - before
	err := b.ask(p, func(q string) error {
		_, err := x.Retrieve(ctx, candor.Query{Text: q}, top)
		return err
	})
	runtime.KeepAlive(x)
	return p, err
}

// askBleve measures bleve with its index on disk, as it is meant to be used.
func (b *bench) askBleve(ctx context.Context, chunks []*candor.Chunk) (*peer, error) {
	dir := filepath.Join(b.dir, "bleve")
	defer os.RemoveAll(dir)
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = en.AnalyzerName
	m.StoreDynamic, m.DocValuesDynamic = false, false
	before := heap()
	var x bleve.Index
	var err error
	p := timed("bleve", func() { x, err = indexBleve(dir, m, chunks) })
	if err != nil {
		return p, err
	}
	defer x.Close()
	p.Resident = max(0, heap()-before)
	err = b.ask(p, func(q string) error {
		_, err := x.SearchInContext(ctx, bleve.NewSearchRequestOptions(bleve.NewMatchQuery(q), top, 0, false))
		return err
	})
	return p, err
}

// batch is how many passages bleve gets at once.
const batch = 1000

func indexBleve(dir string, m mapping.IndexMapping, chunks []*candor.Chunk) (bleve.Index, error) {
	x, err := bleve.NewUsing(dir, m, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(chunks, batch) {
		to := x.NewBatch()
		for _, c := range part {
			id := fmt.Sprintf("%s#%d", c.Path, c.Lines.Start)
			if err := to.Index(id, map[string]any{"text": document(c)}); err != nil {
				return x, err
			}
		}
		if err := x.Batch(to); err != nil {
			return x, err
		}
	}
	return x, nil
}

// timed measures the making of an index.
func timed(engine string, make func()) *peer {
	wall, cpu := time.Now(), cpuTime()
	make()
	return &peer{Engine: engine, Insert: time.Since(wall).Seconds(), CPU: (cpuTime() - cpu).Seconds()}
}

// ask times each question by itself.
func (b *bench) ask(p *peer, search func(q string) error) error {
	for _, q := range b.queries[:min(warm, len(b.queries))] {
		if err := search(q); err != nil {
			return err
		}
	}
	var times []time.Duration
	for _, q := range b.queries {
		begin := time.Now()
		if err := search(q); err != nil {
			return err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	p.P50 = times[len(times)/2].Seconds()
	p.P95 = times[(len(times)-1)*95/100].Seconds()
	return nil
}

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
