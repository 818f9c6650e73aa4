package semantic

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"candor"
	"candor/internal/fakeollama"
)

// change swaps the model that a fake serves as all-minilm.
func change(s *fakeollama.Server, m fakeollama.Model) {
	s.Change(func(s *fakeollama.Server) { s.Models = map[string]fakeollama.Model{"all-minilm:latest": m} })
}

// embeddedBy counts how often chunks were embedded while do ran.
func embeddedBy(fake *fakeollama.Server, chunks []*candor.Chunk, do func()) int {
	before := len(fake.Texts())
	do()
	n := 0
	for _, text := range fake.Texts()[before:] {
		if slices.ContainsFunc(chunks, func(c *candor.Chunk) bool { return Compose(c).String() == text }) {
			n++
		}
	}
	return n
}

var (
	modelA = fakeollama.Model{Digest: "aaaa", Width: 32, Space: 1}
	modelB = fakeollama.Model{Digest: "bbbb", Width: 32, Space: 2}
)

// A swap under the same name never mixes two spaces, and the way back costs nothing.
func TestModelSwapped(t *testing.T) {
	fake := fakeollama.New()
	l, _ := testLeg(t, fake)
	chunks := testChunks(numbered(30)...)
	x := testFilled(t, l, chunks)
	want, err := x.Retrieve(t.Context(), candor.Query{Text: "topic 3 passage 3"}, 5)
	if err != nil {
		t.Fatal(err)
	}

	change(fake, modelB)
	_, err = x.Retrieve(t.Context(), candor.Query{Text: "topic 3 passage 3"}, 5)
	var u *Unavailable
	if !errors.As(err, &u) || u.Reason != "no passage has a vector: run candor embed" {
		t.Errorf("after the swap: %v", err)
	}
	if n := embeddedBy(fake, chunks, func() { testFilled(t, l, chunks) }); n != len(chunks) {
		t.Errorf("%d of %d chunks embedded for the new model", n, len(chunks))
	}
	holdsOwn(t, x, fake)

	change(fake, modelA)
	if n := embeddedBy(fake, chunks, func() { x = testFilled(t, l, chunks) }); n != 0 {
		t.Errorf("%d chunks embedded again for a model that they had vectors of", n)
	}
	holdsOwn(t, x, fake)
	got, err := x.Retrieve(t.Context(), candor.Query{Text: "topic 3 passage 3"}, 5)
	if err != nil || !slices.EqualFunc(got.Hits, want.Hits, func(a, b candor.Hit) bool { return a.Slot == b.Slot && a.Score == b.Score }) {
		t.Errorf("back at the first model: %v, not %v (%v)", got.Hits, want.Hits, err)
	}
}

// A vector made between the swap of a model and its discovery is not believed.
func TestModelSwappedInFlight(t *testing.T) {
	fake := fakeollama.New()
	l, _ := testLeg(t, fake)
	chunks := testChunks(numbered(40)...)
	batches := 0
	fake.Fault = func(r fakeollama.Request) fakeollama.Fault { // under the server's lock
		if batches++; batches%5 == 0 {
			next := modelA
			if fake.Models["all-minilm:latest"].Space == 1 {
				next = modelB
			}
			fake.Models = map[string]fakeollama.Model{"all-minilm:latest": next}
		}
		return fakeollama.None
	}
	for range 10 {
		_, _ = l.Fill(t.Context(), slices.Values(chunks), nil)
	}
	fake.Change(func(s *fakeollama.Server) { s.Fault = nil })
	for _, m := range []fakeollama.Model{modelA, modelB} {
		change(fake, m)
		holdsOwn(t, testFilled(t, l, chunks), fake)
	}
}

// What makes a model another, and what does not.
func TestModelIdentity(t *testing.T) {
	for _, c := range []struct {
		name   string
		after  fakeollama.Model
		again  bool // the server is started again
		anew   bool // passages are embedded anew
		rename string
	}{
		{name: "started again", after: modelA, again: true},
		{name: "another digest, the same vectors", after: fakeollama.Model{Digest: "cccc", Width: 32, Space: 1}},
		{name: "the same digest, another space, started again", after: fakeollama.Model{Digest: "aaaa", Width: 32, Space: 9}, again: true, anew: true},
		{name: "another digest and space", after: modelB, anew: true},
		{name: "another width", after: fakeollama.Model{Digest: "dddd", Width: 48, Space: 1}, anew: true},
		{name: "under its tag", after: modelA, rename: "all-minilm:latest"},
		{name: "under another name", after: modelA, rename: "my-minilm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := fakeollama.New()
			dir := t.TempDir()
			chunks := testChunks(numbered(12)...)
			line := fake.Pipe(t)
			l := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
			testFilled(t, l, chunks)
			if c.again {
				line.Stop()
				line.Resume()
			}
			change(fake, c.after)
			fake.Change(func(s *fakeollama.Server) { s.Models["my-minilm:latest"] = c.after })
			if c.rename != "" {
				l = newTestLeg(t, line, LegOptions{Cache: testCache(t, dir), Embedder: Options{Model: c.rename}})
			}
			var x *Index
			n := embeddedBy(fake, chunks, func() { x = testFilled(t, l, chunks) })
			if c.anew != (n == len(chunks)) || !c.anew && n != 0 {
				t.Errorf("%d of %d chunks embedded anew", n, len(chunks))
			}
			holdsOwn(t, x, fake)
		})
	}
}

// A later run, and another process, give a model the same fingerprint, though it rounds
// otherwise now.
func TestFingerprintLasts(t *testing.T) {
	fake := fakeollama.New()
	dir := t.TempDir()
	line := fake.Pipe(t)
	chunks := testChunks(numbered(5)...)
	first := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
	testFilled(t, first, chunks)
	was, _ := first.Model()
	drifted := first.models()[0]
	for i := range drifted {
		drifted[i] += 4e-4
	}
	second := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
	if got := second.embedder.find(drifted); got != was.Fingerprint {
		t.Errorf("rounded otherwise the model is %q, not %q", got, was.Fingerprint)
	}
	for i := range drifted {
		drifted[i] += 4e-3
	}
	if got := second.embedder.find(drifted); got != "" {
		t.Errorf("another space is taken for %q", got)
	}
}

// Without the model the answer is one sentence with the command that helps, told once;
// when it is there it is used without a restart.
func TestModelMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		var warned []string
		l := newTestLeg(t, fake.Pipe(t), LegOptions{Embedder: Options{
			Model: "embed-x", Warn: func(m string) { warned = append(warned, m) },
		}})
		const want = "the model embed-x is not there: run ollama pull embed-x"
		for range 20 {
			_, _, err := l.embedder.Query(t.Context(), "ferry")
			var u *Unavailable
			if !errors.As(err, &u) || u.Reason != want || !errors.Is(err, ErrMissing) {
				t.Fatalf("without the model: %v", err)
			}
			time.Sleep(5 * time.Second)
		}
		if _, err := l.Fill(t.Context(), slices.Values(testChunks("x")), nil); !errors.Is(err, ErrMissing) {
			t.Errorf("filling without the model: %v", err)
		}
		if !slices.Equal(warned, []string{want}) {
			t.Errorf("warned %d times: %q", len(warned), warned)
		}
		if sent := fake.Texts(); len(sent) > 0 {
			t.Errorf("%q went out", sent)
		}
		fake.Change(func(s *fakeollama.Server) { s.Models["embed-x:latest"] = modelA })
		eventually(t, func() bool {
			_, _, err := l.embedder.Query(t.Context(), "ferry")
			return err == nil
		})
	})
}

// A model that the local server would forward to another machine gets nothing.
func TestRemoteModel(t *testing.T) {
	for _, name := range []string{"gpt-oss:120b-cloud", "x:cloud", "X:Cloud", "me/x:8b-cloud"} {
		if _, err := NewEmbedder(Options{URL: "http://127.0.0.1", Model: name}); !errors.Is(err, ErrRemote) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, hidden := range []bool{false, true} {
		fake := fakeollama.New()
		change(fake, fakeollama.Model{Digest: "aaaa", Width: 32, Space: 1, RemoteHost: "https://ollama.example", Unlisted: hidden})
		l, _ := testLeg(t, fake)
		_, _, err := l.embedder.Query(t.Context(), "a secret question")
		if !errors.Is(err, ErrRemote) {
			t.Errorf("a forwarded model: %v", err)
		}
		if _, err := l.Fill(t.Context(), slices.Values(testChunks("a secret text")), nil); !errors.Is(err, ErrRemote) {
			t.Errorf("filling from a forwarded model: %v", err)
		}
		if sent := fake.Texts(); len(sent) > 0 {
			t.Errorf("%q went out", sent)
		}
	}
}

// Each family gets its prefixes, the owner may write others, and a change of the
// document's prefix embeds anew.
func TestPrefixes(t *testing.T) {
	const represent = "Represent this sentence for searching relevant passages: "
	for model, want := range map[string]Prefixes{
		"all-minilm":                          {},
		"all-minilm:33m":                      {},
		"unheard-of":                          {},
		"nomic-embed-text":                    {"search_query: ", "search_document: "},
		"nomic-embed-text:v1.5":               {"search_query: ", "search_document: "},
		"me/nomic-embed-text-v2-moe":          {"search_query: ", "search_document: "},
		"mxbai-embed-large":                   {represent, ""},
		"snowflake-arctic-embed:22m":          {represent, ""},
		"snowflake-arctic-embed2":             {"query: ", ""},
		"bge-large":                           {represent, ""},
		"bge-m3":                              {},
		"embeddinggemma":                      {"task: search result | query: ", "title: none | text: "},
		"granite-embedding:278m":              {},
		"jeffh/intfloat-multilingual-e5-base": {"query: ", "passage: "},
		"qwen3-embedding:0.6b":                {"Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""},
	} {
		fake := fakeollama.New()
		fake.Models[canonical(model)] = modelA
		fake.Models[model] = modelA
		l := newTestLeg(t, fake.Pipe(t), LegOptions{Embedder: Options{Model: model}})
		x := testFilled(t, l, testChunks("the text"))
		if _, err := x.Retrieve(t.Context(), candor.Query{Text: "the question"}, 1); err != nil {
			t.Errorf("%s: %v", model, err)
		}
		sent := fake.Texts()[len(canaries):]
		if !slices.Equal(sent, []string{want.Document + "Note\nthe text", want.Query + "the question"}) {
			t.Errorf("%s gets %q", model, sent)
		}
	}

	fake := fakeollama.New()
	dir := t.TempDir()
	chunks := testChunks(numbered(6)...)
	for _, c := range []struct {
		prefix string
		anew   int
	}{{"", 6}, {"doc: ", 6}, {"", 0}, {"doc: ", 0}} {
		before := len(fake.Texts())
		l := newTestLeg(t, fake.Pipe(t), LegOptions{Cache: testCache(t, dir), Embedder: Options{
			DocumentPrefix: ptr(c.prefix), QueryPrefix: ptr("ask: "),
		}})
		testFilled(t, l, chunks)
		if n := len(fake.Texts()) - before - len(canaries); n != c.anew {
			t.Errorf("with prefix %q %d texts are embedded, not %d", c.prefix, n, c.anew)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	for name, c := range map[string]struct {
		d    *time.Duration
		want string
	}{
		"the server's own": {nil, ""},
		"ten minutes":      {ptr(10 * time.Minute), `"10m0s"`},
		"not at all":       {ptr(time.Duration(0)), `"0s"`},
		"for ever":         {ptr(time.Duration(-1)), `-1`}, // the string is refused
	} {
		fake := fakeollama.New()
		l := newTestLeg(t, fake.Pipe(t), LegOptions{Embedder: Options{KeepAlive: c.d}})
		if _, _, err := l.embedder.Query(t.Context(), "ferry"); err != nil {
			t.Fatal(err)
		}
		for _, r := range fake.Requests("/api/embed") {
			if string(r.KeepAlive) != c.want {
				t.Errorf("%s is sent as %s, not %s", name, r.KeepAlive, c.want)
			}
			if r.Truncate == nil || *r.Truncate {
				t.Errorf("%s: the server may cut texts silently", name)
			}
		}
	}
}

// A probe that fails says nothing about the vectors that there are.
func TestFailedProbeDropsNothing(t *testing.T) {
	for _, fault := range []fakeollama.Fault{fakeollama.Unavailable, fakeollama.NotFound, fakeollama.HTML, fakeollama.Narrow} {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := fakeollama.New()
				dir := t.TempDir()
				line := fake.Pipe(t)
				chunks := testChunks(numbered(9)...)
				testFilled(t, newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)}), chunks)
				before := contents(t, dir)

				l := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
				fake.Change(func(s *fakeollama.Server) {
					s.Fault = func(r fakeollama.Request) fakeollama.Fault { return fault }
					if fault != fakeollama.Narrow {
						s.OtherWay = func(string) fakeollama.Fault { return fault }
					}
				})
				_, _, _ = l.embedder.Query(t.Context(), "ferry")
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, _ = l.Fill(ctx, slices.Values(chunks), nil)
				fake.Change(func(s *fakeollama.Server) { s.Fault, s.OtherWay = nil, nil })
				after := contents(t, dir)
				maps.DeleteFunc(after, func(name string, _ string) bool { _, old := before[name]; return !old })
				if !maps.Equal(before, after) {
					t.Error("files of the cache are gone or differ")
				}
				if n := embeddedBy(fake, chunks, func() {
					time.Sleep(maxRest)
					testFilled(t, l, chunks)
				}); n != 0 {
					t.Errorf("%d chunks embedded anew", n)
				}
			})
		})
	}
}

// An embedder that writes a text back in its error doesn't get it into ours.
func TestErrorsRepeatNothing(t *testing.T) {
	fake := fakeollama.New()
	l, _ := testLeg(t, fake)
	if _, err := l.Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	faulty(fake, fakeollama.Echo)
	out, _, err := l.embedder.Documents(t.Context(), []Document{{Body: "the canarybird sings"}})
	if err != nil || out[0].Err == nil {
		t.Fatalf("%v, error %v", out, err)
	}
	if strings.Contains(out[0].Err.Error(), "canarybird") {
		t.Errorf("the error repeats the text: %v", out[0].Err)
	}
}

// A question that finds the model changed, in width even, is asked of the new one. A
// server that was started again is looked at anew, though it names the same digest.
func TestQuestionFollowsTheModel(t *testing.T) {
	fake := fakeollama.New()
	l, line := testLeg(t, fake)
	for i, m := range []fakeollama.Model{
		modelA, modelB, {Digest: "eeee", Width: 48, Space: 3}, modelA, {Digest: "aaaa", Width: 32, Space: 4},
	} {
		if i == 4 {
			line.Stop()
			line.Resume()
		}
		change(fake, m)
		v, got, err := l.embedder.Query(t.Context(), "the ferry")
		want, _ := unit(fakeollama.Vector("the ferry", m.Width, m.Space))
		canary, _ := unit(fakeollama.Vector(canaries[0], m.Width, m.Space))
		if err != nil || len(v) != len(want) || far(v, want) > 1e-6 || far(canary, got.Canary) > 1e-6 {
			t.Errorf("model %d: %d dimensions, error %v", i, len(v), err)
		}
	}
}
