package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"candor"
	"candor/cache"
	"candor/retrieval/semantic"
)

// fillTurns is how often each side embeds all texts, by turns; the best turn counts.
const fillTurns = 2

// measureFill embeds the same texts with a bare client in its best batch size and with
// candor's filler into a cache on disk, by turns, and compares their rates.
func (b *bench) measureFill(ctx context.Context, count int) error {
	peer := &bare{url: b.ollama, model: b.model}
	var chunks []*candor.Chunk
	var texts []string
	for _, c := range resize(b.chunks, min(len(b.chunks), 4*count)) {
		if text := semantic.Compose(c).String(); len(texts) < count && c.Words < 150 && !slices.Contains(texts, text) {
			chunks, texts = append(chunks, c), append(texts, text)
		}
	}
	batch, err := b.bestBatch(ctx, peer, texts)
	if err != nil {
		return err
	}
	var ours, best time.Duration // over as many turns for either
	for range fillTurns {
		took, err := b.fillOnce(ctx, chunks)
		if err != nil {
			return err
		}
		if ours == 0 || took < ours {
			ours = took
		}
		if took, err = embedAll(ctx, peer, texts, batch); err != nil {
			return err
		}
		if best == 0 || took < best {
			best = took
		}
	}
	n := float64(len(texts))
	b.filled = fmt.Sprintf("embedding %d texts: bare client, batches of %d: %.2f texts a second; candor: %.2f, %.0f%% of it",
		len(texts), batch, n/best.Seconds(), n/ours.Seconds(), 100*best.Seconds()/ours.Seconds())
	return nil
}

// bestBatch finds the batch size in which a bare client is quickest.
func (b *bench) bestBatch(ctx context.Context, peer *bare, texts []string) (batch int, err error) {
	var best time.Duration
	for _, size := range []int{1, 4, 8, 16, 32, 64} {
		took, err := embedAll(ctx, peer, texts, size)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(os.Stderr, "%d texts in batches of %d: %s\n", len(texts), size, took.Round(time.Millisecond))
		if batch == 0 || took < best {
			best, batch = took, size
		}
	}
	return batch, nil
}

// embedAll embeds texts in batches.
func embedAll(ctx context.Context, peer *bare, texts []string, batch int) (time.Duration, error) {
	start := time.Now()
	for part := range slices.Chunk(texts, batch) {
		if _, err := peer.embed(ctx, part...); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// fillOnce fills an empty cache on disk.
func (b *bench) fillOnce(ctx context.Context, chunks []*candor.Chunk) (time.Duration, error) {
	dir, err := os.MkdirTemp(b.dir, "vectors-")
	if err != nil {
		return 0, err
	}
	c, err := cache.Open(cache.Options{Dir: dir, Key: make([]byte, cache.KeySize)})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	leg, err := semantic.New(semantic.LegOptions{Embedder: semantic.Options{URL: b.ollama, Model: b.model}, Cache: c, Chunker: "bench"})
	if err != nil {
		return 0, err
	}
	defer leg.Close()
	if _, err := leg.Identify(ctx); err != nil {
		return 0, err
	}
	start := time.Now()
	p, err := leg.Fill(ctx, slices.Values(chunks), nil)
	took := time.Since(start)
	if err == nil && p.Have != len(chunks) {
		err = fmt.Errorf("%d of %d texts have a vector", p.Have, len(chunks))
	}
	fmt.Fprintf(os.Stderr, "%d texts by candor: %s\n", len(chunks), took.Round(time.Millisecond))
	return took, err
}
