package semantic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"candor"
	"candor/cache"
	"candor/internal/fakeollama"
)

// TestMain starts what the codec of the cache keeps for the whole process, so that no
// synctest bubble takes it for its own.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "semantic")
	if err == nil {
		err = warm(dir)
		os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// warm stores a vector and reads it.
func warm(dir string) error {
	c, err := cache.Open(cache.Options{Dir: dir, Key: make([]byte, cache.KeySize)})
	if err != nil {
		return err
	}
	defer c.Close()
	w, err := c.Writer()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Put([]cache.Entry{{Vector: []float32{1}}}); err != nil {
		return err
	}
	if _, ok := c.Get(cache.ID{}); !ok {
		return errors.New("a stored vector is not there")
	}
	return nil
}

// testLeg is a leg over a fake Ollama without a network.
func testLeg(t testing.TB, fake *fakeollama.Server) (*Leg, *fakeollama.Line) {
	t.Helper()
	line := fake.Pipe(t)
	return newTestLeg(t, line, LegOptions{}), line
}

// newTestLeg is a leg over a line; what opt leaves open is filled in.
func newTestLeg(t testing.TB, line *fakeollama.Line, opt LegOptions) *Leg {
	t.Helper()
	opt.Embedder.URL, opt.Embedder.Dial = "http://127.0.0.1:11434", line.Dial
	if opt.Embedder.Model == "" {
		opt.Embedder.Model = "all-minilm"
	}
	l, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// testCache is a cache in a folder; the same folder gives the same vectors again.
func testCache(t testing.TB, dir string) *cache.Cache {
	t.Helper()
	c, err := cache.Open(cache.Options{Dir: dir, Key: make([]byte, cache.KeySize)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// testChunks makes a chunk of each text, in a note of its own.
func testChunks(texts ...string) []*candor.Chunk {
	out := make([]*candor.Chunk, len(texts))
	for i, text := range texts {
		out[i] = &candor.Chunk{
			Path: candor.Path(fmt.Sprintf("note-%05d.md", i)), Title: "Note", Heading: []string{},
			Lines: candor.Span{Start: 1, End: 1}, Text: text, Digest: candor.Digest(text),
		}
	}
	return out
}

// numbered makes n texts that differ.
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("passage number %d speaks of topic %d and of colour %d", i, i%17, i%5)
	}
	return out
}

// testFilled is an index of chunks that all have their vectors.
func testFilled(t testing.TB, l *Leg, chunks []*candor.Chunk) *Index {
	t.Helper()
	if _, err := l.Fill(t.Context(), slices.Values(chunks), nil); err != nil {
		t.Fatal(err)
	}
	x := l.Index("staff").Update(chunks).(*Index)
	if have, total := x.Ready(); have != total {
		t.Fatalf("%d of %d chunks have a vector", have, total)
	}
	return x
}

// texts are the chunks of hits.
func texts(chunks []*candor.Chunk, r candor.Ranking) []string {
	out := []string{}
	for _, h := range r.Hits {
		out = append(out, chunks[h.Slot].Text)
	}
	return out
}

func ptr[T any](v T) *T { return &v }

// faulty makes the server answer embeddings of questions, not canaries, with a fault.
func faulty(s *fakeollama.Server, f fakeollama.Fault) {
	s.Change(func(s *fakeollama.Server) {
		s.Fault = func(r fakeollama.Request) fakeollama.Fault {
			if slices.Equal(r.Texts, canaries) {
				return fakeollama.None
			}
			return f
		}
		s.Delay = time.Second
	})
}

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}
