package main

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"candor"
	"candor/retrieval/lexical"
)

var zero candor.Ranking

// speed builds one index of everything in English, repeated to 45,000 chunks, and asks
// it every question.
func speed() {
	var chunks []*candor.Chunk
	var qs []query
	bytes := 0
	for round := 0; len(chunks) < 45_000; round++ {
		for _, name := range []string{"scifact", "k8s-docs-qa", "claude-docs-qa", "datatalks-faq", "cranfield", "locomo", "chroma-chunking", "mtrag-un-pool"} {
			c := load(name)
			c.index = nil
			for _, k := range c.chunks {
				k.Path += candor.Path("/" + strconv.Itoa(round))
			}
			chunks = append(chunks, c.chunks...)
			if round == 0 {
				qs = append(qs, sample(c.queries, 150)...)
			}
		}
	}
	chunks = chunks[:45_000]
	bytes = 0
	for _, k := range chunks {
		bytes += len(k.Text) + len(k.Title)
	}
	before := heap()
	var x candor.Index
	for range *rounds {
		start, cpu := time.Now(), cpuTime()
		x = lexical.New(indexOptions("")).Update(chunks)
		fmt.Printf("build %d chunks of %d MB: %.2f s, %.2f s of processors\n",
			len(chunks), bytes>>20, time.Since(start).Seconds(), (cpuTime() - cpu).Seconds())
	}
	fmt.Printf("heap %d MB\n", (heap()-before)>>20)
	c := collection{index: x, docs: make([]string, len(chunks))}
	for _, depth := range []int{10, 100} {
		var took []time.Duration
		for _, q := range qs {
			start := time.Now()
			c.retrieve(q.Text, depth)
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		fmt.Printf("top %d: p50 %v p95 %v max %v\n", depth, took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
	}
	next := slices.Clone(chunks)
	for i := range 5 {
		edited := *next[i*100]
		next[i*100] = &edited
		start := time.Now()
		x = x.Update(next)
		fmt.Printf("update of one chunk: %v\n", time.Since(start))
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
