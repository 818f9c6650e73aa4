package semantic

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"candor"
)

// realOllama is the address of a real Ollama with all-minilm; see scripts/ollama.
func realOllama(t testing.TB) string {
	t.Helper()
	url := os.Getenv("CANDOR_TEST_OLLAMA")
	if url == "" {
		if os.Getenv("CANDOR_REQUIRE_OLLAMA") != "" {
			t.Fatal("CANDOR_TEST_OLLAMA is not set, and CANDOR_REQUIRE_OLLAMA wants it")
		}
		t.Skip("no real Ollama; hint: export \"$(scripts/ollama start)\"")
	}
	return url
}

// realLeg is a leg over the real Ollama.
func realLeg(t testing.TB) *Leg {
	t.Helper()
	l, err := New(LegOptions{Embedder: Options{URL: realOllama(t), Model: "all-minilm"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestRealVector(t *testing.T) {
	l := realLeg(t)
	v, m, err := l.embedder.Query(t.Context(), "hello world")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{-0.0345, 0.0309, 0.0067, 0.0261, -0.0394} {
		if math.Abs(float64(v[i])-want) > 1e-4 {
			t.Errorf("dimension %d is %v, not %v", i, v[i], want)
		}
	}
	if len(v) != 384 || m.Width != 384 || m.Context != 512 || math.Abs(float64(dot(v, v))-1) > 1e-6 {
		t.Errorf("%d dimensions of norm %v; the model is %d wide with a context of %d", len(v), dot(v, v), m.Width, m.Context)
	}
	again, err := realLeg(t).Identify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !sameSpace(again.Canary, m.Canary) {
		t.Errorf("two connections see two models")
	}
}

// A vector must not depend on what it was sent with.
func TestRealBatch(t *testing.T) {
	l := realLeg(t)
	docs := make([]Document, 40)
	for i := range docs {
		docs[i] = Document{Header: "Handbook", Body: strings.Repeat(numbered(40)[i]+". ", i%6+1)}
	}
	together, m, err := l.embedder.Documents(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	one, err := l.embedder.embed(t.Context(), m, []string{docs[0].String()})
	if err != nil {
		t.Fatal(err)
	}
	if c := dot(one[0], together[0].Vector); c < 0.999 {
		t.Errorf("the first text of a batch has cosine %v with itself alone", c)
	}
	for i, d := range docs {
		alone, _, err := l.embedder.Documents(t.Context(), []Document{d})
		if err != nil {
			t.Fatal(err)
		}
		if c := dot(alone[0].Vector, together[i].Vector); c < 0.999 {
			t.Errorf("text %d of a batch has cosine %v with itself alone", i, c)
		}
	}
}

// What is too long for the model is cut by us, and takes nothing else with it.
func TestRealTooLong(t *testing.T) {
	l := realLeg(t)
	docs := []Document{
		{Body: "the ferry leaves at nine"},
		{Header: "Dense", Body: strings.Repeat("${{ }}=:| ", 600)},
		{Body: strings.Repeat("3141592653", 600)},
		{Body: strings.Repeat("⛵🚢🛟", 100)},
		{Body: strings.Repeat("Long prose goes on and on about the harbour. ", 200)},
		{Body: "the red button"},
	}
	out, m, err := l.embedder.Documents(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range out {
		if e.Err != nil || len(e.Vector) != m.Width {
			t.Errorf("text %d has no vector: %v", i, e.Err)
		}
	}
	if out[0].Parts != 1 || out[5].Parts != 1 || out[1].Parts < 2 || out[4].Parts < 2 {
		t.Errorf("parts: %d %d %d %d", out[0].Parts, out[5].Parts, out[1].Parts, out[4].Parts)
	}
	long := strings.Repeat("when does the ferry leave in winter ", 110) // under 4 KiB
	if _, _, err := l.embedder.Query(t.Context(), long); err != nil {
		t.Errorf("a long question: %v", err)
	}
}

// A question that shares no word with its passage finds it.
func TestRealParaphrase(t *testing.T) {
	l := realLeg(t)
	chunks := testChunks(
		"Boats to the island depart at half past nine in the morning.",
		"New mothers and fathers may stay home for ten weeks with full pay.",
		"Press the red button to restart the tide gauge.",
		"Receipts for meals must be handed in within thirty days.",
	)
	x := testFilled(t, l, chunks)
	for query, want := range map[string]int{
		"what time does the ferry go":              0,
		"how long is parental leave":               1,
		"rebooting a sensor that hangs":            2,
		"deadline for expense claims after dinner": 3,
	} {
		r, err := x.Retrieve(t.Context(), candor.Query{Text: query}, 4)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) != 4 || r.Hits[0].Slot != want {
			t.Errorf("%q finds %v", query, r.Hits)
		}
	}
}

func BenchmarkRealQuery(b *testing.B) {
	l := realLeg(b)
	m, err := l.Identify(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	texts := []string{"how long is parental leave for the second parent"}
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.embedder.peer.embed(b.Context(), texts); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("digest", func(b *testing.B) {
		for b.Loop() {
			if err := l.embedder.confirm(b.Context(), m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("checked", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := l.embedder.Query(b.Context(), texts[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRealFill compares filling with a bare client in several batch sizes.
func BenchmarkRealFill(b *testing.B) {
	l := realLeg(b)
	if _, err := l.Identify(b.Context()); err != nil {
		b.Fatal(err)
	}
	words := numbered(48)
	for i := range words {
		words[i] = strings.Repeat(words[i]+" ", 3+i%6)
	}
	chunks := testChunks(words...)
	bare := func(ctx context.Context, size int) error {
		for part := range slices.Chunk(chunks, size) {
			var in []string
			for _, c := range part {
				in = append(in, Compose(c).String())
			}
			if _, err := l.embedder.peer.embed(ctx, in); err != nil {
				return err
			}
		}
		return nil
	}
	for _, size := range []int{1, 4, 16, 48} {
		b.Run(fmt.Sprintf("bare/%d", size), func(b *testing.B) {
			for b.Loop() {
				if err := bare(b.Context(), size); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("fill", func(b *testing.B) {
		for b.Loop() {
			if _, err := realLeg(b).Fill(b.Context(), slices.Values(chunks), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
