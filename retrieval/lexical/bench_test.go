package lexical

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"candor"
)

// prose makes n chunks of about 110 words with the frequencies of a language.
func prose(n int) []*candor.Chunk {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 8, 40_000)
	chunks := make([]*candor.Chunk, n)
	for i := range chunks {
		var b strings.Builder
		for range 60 + r.IntN(100) {
			w := z.Uint64()
			b.WriteString(strings.Repeat("ab"[w&1:], int(w%3)+1))
			fmt.Fprintf(&b, "%x ", w*2654435761%0xFFFFF)
		}
		chunks[i] = note(fmt.Sprintf("notes/%d.md", i/4), fmt.Sprintf("Note %d", i/4), b.String())
	}
	return chunks
}

func BenchmarkBuild(b *testing.B) {
	chunks := prose(5000)
	size := 0
	for _, c := range chunks {
		size += len(c.Text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		New(Options{}).Update(chunks)
	}
}

func BenchmarkUpdateOne(b *testing.B) {
	chunks := prose(5000)
	var x candor.Index = index(Options{}, chunks...)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		edited := *chunks[i%len(chunks)]
		chunks[i%len(chunks)] = &edited
		x = x.Update(chunks)
	}
}

func BenchmarkRetrieve(b *testing.B) {
	chunks := prose(5000)
	x := index(Options{}, chunks...)
	words := strings.Fields(chunks[77].Text)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q := strings.Join(words[i%50:i%50+5], " ")
		if _, err := x.Retrieve(context.Background(), candor.Query{Text: q}, 10); err != nil {
			b.Fatal(err)
		}
	}
}
