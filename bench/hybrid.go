package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/philippgille/chromem-go"

	"candor"
	"candor/cache"
	"candor/retrieval"
	"candor/retrieval/lexical"
	"candor/retrieval/semantic"
)

// depth is how many hits of a leg go into fusion.
const depth = 100

// timing is what one way to answer needs at one size.
type timing struct {
	what     string
	size     int
	p50, p95 time.Duration
	ratio    float64 // to the bare query of the same size's run
}

// measureHybrid times questions in hybrid at several numbers of passages, each beside a
// bare query to the same Ollama, and the scans that stand for other ways to search.
// Vectors of passages are synthetic: what a scan costs does not depend on their meaning.
func (b *bench) measureHybrid(ctx context.Context, sizes []int) error {
	peer := &bare{url: b.ollama, model: b.model}
	first, err := peer.embed(ctx, "how wide are vectors")
	if err != nil {
		return err
	}
	front, err := startHalf(ctx, b.ollama, len(first[0]))
	if err != nil {
		return err
	}
	for _, size := range sizes {
		if err := b.hybridAt(ctx, peer, front, size); err != nil {
			return err
		}
		runtime.GC()
	}
	return nil
}

// passages are size passages of the vault, each with a text of its own.
func (b *bench) passages(size int) []*candor.Chunk {
	out := make([]*candor.Chunk, size)
	for i := range out {
		c := *b.chunks[i%len(b.chunks)]
		c.Path += candor.Path(fmt.Sprintf("~%d", i))
		c.Title += fmt.Sprintf(" (%s %d)", synthetic, i)
		out[i] = &c
	}
	return out
}

// hybridAt measures one size.
func (b *bench) hybridAt(ctx context.Context, peer *bare, front string, size int) error {
	chunks := b.passages(size)
	vectors, err := cache.Open(cache.Options{Key: make([]byte, cache.KeySize)})
	if err != nil {
		return err
	}
	defer vectors.Close()
	if err := b.fillFrom(ctx, front, vectors, chunks); err != nil {
		return err
	}
	leg, err := semantic.New(semantic.LegOptions{Embedder: semantic.Options{URL: b.ollama, Model: b.model}, Cache: vectors, Chunker: "bench"})
	if err != nil {
		return err
	}
	defer leg.Close()
	if _, err := leg.Identify(ctx); err != nil {
		return err
	}
	index := leg.Index("bench").Update(chunks)
	if have, total := index.(*semantic.Index).Ready(); have != total {
		return fmt.Errorf("%d of %d passages have a vector", have, total)
	}
	engine := retrieval.Engine{Lexical: lexical.New(lexical.Options{}).Update(chunks), Semantic: index}
	return b.askHybrid(ctx, peer, &engine, size)
}

// fillFrom gives passages their synthetic vectors.
func (b *bench) fillFrom(ctx context.Context, front string, vectors *cache.Cache, chunks []*candor.Chunk) error {
	leg, err := semantic.New(semantic.LegOptions{Embedder: semantic.Options{URL: front, Model: b.model}, Cache: vectors, Chunker: "bench"})
	if err != nil {
		return err
	}
	defer leg.Close()
	if _, err := leg.Identify(ctx); err != nil {
		return err
	}
	_, err = leg.Fill(ctx, slices.Values(chunks), nil)
	return err
}

// turn is one question asked in each way.
type turn struct {
	engine               *retrieval.Engine
	peer                 *bare
	vector               []float32
	alone, hybrid, words []time.Duration
}

// askHybrid asks each question by turns, of Ollama alone and of the engine, now the one
// and now the other first, so that a busy machine is busy for both.
func (b *bench) askHybrid(ctx context.Context, peer *bare, engine *retrieval.Engine, size int) error {
	t := turn{engine: engine, peer: peer}
	for i, q := range b.queries[:min(b.hybridQuestions, len(b.queries))] {
		// No text is asked twice, since a vector is remembered.
		ways := []func() error{
			func() error { return t.askAlone(ctx, fmt.Sprintf("%s %d", q, 2*size+1)) },
			func() error { return t.askEngine(ctx, fmt.Sprintf("%s %d", q, 2*size)) },
		}
		for n := range ways {
			if err := ways[(n+i)%2](); err != nil {
				return err
			}
		}
		if i == warm/4 {
			t.alone, t.hybrid, t.words = nil, nil, nil
		}
	}
	if len(t.alone) == 0 {
		return errors.New("too few questions for --hybrid-questions")
	}
	return b.report(ctx, &t, size)
}

// askAlone times a bare query.
func (t *turn) askAlone(ctx context.Context, q string) error {
	start := time.Now()
	v, err := t.peer.embed(ctx, q)
	if err != nil {
		return err
	}
	t.alone, t.vector = append(t.alone, time.Since(start)), v[0]
	return nil
}

// askEngine times a question in hybrid, and the lexical leg by itself.
func (t *turn) askEngine(ctx context.Context, q string) error {
	start := time.Now()
	r, err := t.engine.Search(ctx, candor.Query{Text: q}, depth)
	if err != nil {
		return err
	}
	t.hybrid = append(t.hybrid, time.Since(start))
	if r.Mode != candor.ModeHybrid {
		return errors.New("not hybrid: " + r.ModeReason)
	}
	start = time.Now()
	_, err = t.engine.Lexical.Retrieve(ctx, candor.Query{Text: q}, depth)
	t.words = append(t.words, time.Since(start))
	return err
}

// report adds the timings of one size.
func (b *bench) report(ctx context.Context, all *turn, size int) error {
	base := quantile(all.alone, 0.5)
	add := func(what string, took []time.Duration) {
		t := timing{what, size, quantile(took, 0.5), quantile(took, 0.95), 0}
		t.ratio = float64(t.p50) / float64(base)
		b.timings = append(b.timings, t)
		fmt.Fprintf(os.Stderr, "%d passages, %s: p50 %s, p95 %s\n", size, what, milli(t.p50.Seconds()), milli(t.p95.Seconds()))
	}
	add("ollama alone", all.alone)
	add("candor hybrid", all.hybrid)
	add("candor lexical", all.words)
	scan, err := scanChromem(ctx, all.vector, size)
	if err != nil {
		return err
	}
	add("chromem-go's scan", scan)
	add("flat scan of dot products", scanFlat(all.vector, size))
	return nil
}

// scans is how often a scan is timed.
const scans = 20

// scanChromem times chromem-go's own search over synthetic vectors.
func scanChromem(ctx context.Context, q []float32, size int) ([]time.Duration, error) {
	rng := rand.New(rand.NewPCG(5, 6))
	refuse := func(context.Context, string) ([]float32, error) { return nil, errors.New("vectors are given") }
	c, err := chromem.NewDB().CreateCollection("bench", nil, refuse)
	if err != nil {
		return nil, err
	}
	for i := range size {
		if err := c.AddDocument(ctx, chromem.Document{ID: strconv.Itoa(i), Embedding: unit(rng, len(q))}); err != nil {
			return nil, err
		}
	}
	var took []time.Duration
	for range scans {
		start := time.Now()
		if _, err := c.QueryEmbedding(ctx, q, min(depth, size), nil, nil); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

// scanFlat times the simplest search: a dot product with each vector of one array, on
// one processor, then a sort of the scores.
func scanFlat(q []float32, size int) []time.Duration {
	rng := rand.New(rand.NewPCG(7, 8))
	flat := make([]float32, 0, size*len(q))
	for range size {
		flat = append(flat, unit(rng, len(q))...)
	}
	type scored struct {
		at    int
		score float32
	}
	var took []time.Duration
	for range scans {
		start := time.Now()
		all := make([]scored, size)
		for i := range all {
			sum := float32(0)
			for d, x := range flat[i*len(q) : (i+1)*len(q)] {
				sum += x * q[d]
			}
			all[i] = scored{i, sum}
		}
		slices.SortFunc(all, func(a, b scored) int {
			switch {
			case a.score > b.score:
				return -1
			case a.score < b.score:
				return 1
			}
			return a.at - b.at
		})
		took = append(took, time.Since(start))
	}
	return took
}

// quantile is a value of a sample.
func quantile(took []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// printHybrid writes the timings as a table.
func (b *bench) printHybrid(out io.Writer) error {
	t := table{out: out}
	_, t.err = fmt.Fprintf(out, "\n%s by Ollama, %d questions, synthetic vectors of passages\n\n", b.model, min(b.hybridQuestions, len(b.queries)))
	t.row("passages", "what", "p50", "p95", "times ollama alone")
	t.row("--:", "---", "--:", "--:", "--:")
	for _, m := range b.timings {
		t.row(strconv.Itoa(m.size), m.what, milli(m.p50.Seconds()), milli(m.p95.Seconds()), fmt.Sprintf("%.2f", m.ratio))
	}
	if b.filled != "" && t.err == nil {
		_, t.err = fmt.Fprintf(out, "\n%s\n", b.filled)
	}
	return t.err
}
