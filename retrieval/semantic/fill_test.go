package semantic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"candor"
	"candor/cache"
	"candor/internal/fakeollama"
)

// A text that several profiles have is embedded once, under its title and headings.
func TestFillDedupes(t *testing.T) {
	fake := fakeollama.New()
	l, _ := testLeg(t, fake)
	a := &candor.Chunk{Path: "a.md", Title: "Leave", Heading: []string{"Leave", "Parental leave"}, Text: "Ten weeks.", Context: "| who | weeks |"}
	b := &candor.Chunk{Path: "b.md", Title: "Leave", Heading: []string{"Leave", "Parental leave"}, Text: "Ten weeks.", Context: "| who | weeks |"}
	c := &candor.Chunk{Path: "c.md", Title: "Figures", Heading: []string{"Charts"}, Text: "![](data:image/png;base64,AAAA)", Index: "a chart"}
	p, err := l.Fill(t.Context(), slices.Values([]*candor.Chunk{a, b, nil, c, a}), nil)
	if err != nil || p.Total != 2 || p.Added != 2 || p.Have != 2 {
		t.Fatalf("%+v, error %v", p, err)
	}
	want := []string{"Leave > Parental leave\n| who | weeks |\nTen weeks.", "Figures > Charts\na chart"}
	if sent := fake.Texts()[len(canaries):]; !slices.Equal(sent, want) {
		t.Errorf("embedded: %q", sent)
	}
	if p, err = l.Fill(t.Context(), slices.Values([]*candor.Chunk{a, b, c}), nil); err != nil || p.Added != 0 || p.Have != 2 {
		t.Errorf("the second time: %+v, error %v", p, err)
	}
}

// A heading path without end doesn't crowd out the passage, and is cut between
// characters.
func TestLongHeading(t *testing.T) {
	c := &candor.Chunk{Title: "T", Heading: []string{strings.Repeat("長い見出し", 100)}, Text: "the passage"}
	d := Compose(c)
	if len(d.Header) > maxHeader || len(d.Header) < maxHeader-4 || strings.ContainsRune(d.Header, '\uFFFD') || !strings.HasSuffix(d.String(), "\nthe passage") {
		t.Errorf("%d bytes: %q", len(d.Header), d.String())
	}
}

// Nothing blank is ever sent, and a blank question is no question.
func TestBlank(t *testing.T) {
	fake := fakeollama.New()
	l, _ := testLeg(t, fake)
	out, _, err := l.embedder.Documents(t.Context(), []Document{{Body: "\n\n\n"}, {Body: "words"}, {Header: " ", Body: "\t"}, {}})
	if err != nil || out[1].Vector == nil || out[0].Err == nil || out[2].Err == nil || out[3].Err == nil {
		t.Errorf("%v, error %v", out, err)
	}
	x := testFilled(t, l, testChunks("words"))
	for _, q := range []string{"", "   ", "\n"} {
		if r, err := x.Retrieve(t.Context(), candor.Query{Text: q}, 5); err != nil || len(r.Hits) != 0 {
			t.Errorf("%q gives %v, error %v", q, r, err)
		}
	}
	for _, text := range fake.Texts() {
		if strings.TrimSpace(text) == "" {
			t.Errorf("%q was sent", text)
		}
	}
}

// A text that the embedder always fails on costs itself and nothing else; it is tried
// again later, not at once.
func TestPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		fake.Poison = func(text string) bool { return strings.Contains(text, "number 13 ") }
		l, _ := testLeg(t, fake)
		chunks := testChunks(numbered(64)...)
		p, err := l.Fill(t.Context(), slices.Values(chunks), nil)
		if err == nil || !strings.Contains(err.Error(), "1 of 64") || p.Have != 63 || p.Failed != 1 {
			t.Fatalf("%+v, error %v", p, err)
		}
		before := len(fake.Texts())
		if p, err = l.Fill(t.Context(), slices.Values(chunks), nil); err == nil || p.Failed != 1 {
			t.Errorf("the second time: %+v, error %v", p, err)
		}
		if n := len(fake.Texts()) - before - len(canaries); n != 0 {
			t.Errorf("%d texts are sent again at once", n)
		}
		fake.Change(func(s *fakeollama.Server) { s.Poison = nil })
		time.Sleep(minRest)
		holdsOwn(t, testFilled(t, l, chunks), fake)
	})
}

// What is over the model's context is cut and marked; its neighbours don't notice.
func TestTooLong(t *testing.T) {
	dense := strings.Repeat("${{ }}=:| ", 600)
	long := []string{
		dense, strings.Repeat("3141592653", 600), strings.Repeat("⛵", 3000),
		strings.Repeat("One block.\n\n", 400), strings.Repeat("A sentence of words. ", 300), "x" + strings.Repeat(" ", 5000) + "x",
	}
	texts := numbered(30)
	for i, text := range long {
		texts[5*i] = text
	}
	fake := fakeollama.New()
	fake.Models["all-minilm:latest"] = fakeollama.Model{Digest: "aaaa", Width: 32, Space: 1, Context: 1000}
	l, _ := testLeg(t, fake)
	chunks := testChunks(texts...)
	p, err := l.Fill(t.Context(), slices.Values(chunks), nil)
	if err != nil || p.Have != 30 || p.Cut != len(long) {
		t.Fatalf("%+v, error %v", p, err)
	}
	if n := len(fake.Requests("/api/embed")); n > 120 {
		t.Errorf("%d requests", n)
	}
	if p, err = l.Fill(t.Context(), slices.Values(chunks), nil); err != nil || p.Added != 0 {
		t.Errorf("the second time: %+v, error %v", p, err)
	}
}

// Cuts are at the best border there is and lose nothing but white space.
func TestHalve(t *testing.T) {
	for _, c := range []struct{ text, left, right string }{
		{"first block of it\n\nsecond block is here", "first block of it", "second block is here"},
		{"a line of words\nand one. more of it", "a line of words", "and one. more of it"},
		{"One sentence ends. Another one begins", "One sentence ends.", "Another one begins"},
		{"words without any of the other marks", "words without any", "of the other marks"},
		{"とても長い文。別の長い文が続く", "とても長い文。", "別の長い文が続く"},
		{strings.Repeat("é", 20), strings.Repeat("é", 10), strings.Repeat("é", 10)},
	} {
		if left, right, ok := halve(c.text); !ok || left != c.left || right != c.right {
			t.Errorf("%q is cut into %q and %q", c.text, left, right)
		}
	}
	if left, _, ok := halve("short"); ok {
		t.Errorf("a short text is cut at %q", left)
	}
}

func FuzzHalve(f *testing.F) {
	for _, s := range []string{"", "a. b", "one\n\ntwo three four five six seven", strings.Repeat("é", 40), strings.Repeat("\n", 99), "\xff\xfe" + strings.Repeat("\x80", 60)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		left, right, ok := halve(s)
		if !ok {
			return
		}
		if len(left) >= len(s) || len(right) >= len(s) {
			t.Errorf("%q doesn't get shorter", s)
		}
		squash := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squash(left)+squash(right) != squash(s) {
			t.Errorf("%q is cut into %q and %q", s, left, right)
		}
	})
}

// On a machine that takes six seconds for a text, and whose embedder is killed after
// fifty, fifty vectors stay and the rest is counted; the next run goes on.
func TestSlowAndKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		fake.PerText = 6 * time.Second
		l, line := testLeg(t, fake)
		chunks := testChunks(numbered(200)...)
		p, err := l.Fill(t.Context(), slices.Values(chunks), func(p Progress) {
			if p.Have == 50 {
				line.Stop()
			}
		})
		if err == nil || p.Have != 50 || p.Total != 200 {
			t.Fatalf("%+v, error %v", p, err)
		}
		if rate := p.Rate; rate < 0.1 || rate > 0.2 || p.Left == 0 {
			t.Errorf("rate %v, left %v", rate, p.Left)
		}
		line.Resume()
		if n := embeddedBy(fake, chunks, func() { testFilled(t, l, chunks) }); n != 150 {
			t.Errorf("%d chunks embedded in the second run", n)
		}
	})
}

// However often filling is ended, it goes on where it was, and no chunk gets another's
// vector.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		fake.PerText = 20 * time.Millisecond
		dir := t.TempDir()
		line := fake.Pipe(t)
		chunks := testChunks(numbered(120)...)
		var x *Index
		kills := 0
		for have := 0; have < len(chunks) && kills < 200; kills++ {
			l := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(100+37*kills%200)*time.Millisecond)
			_, _ = l.Fill(ctx, slices.Values(chunks), nil)
			cancel()
			x = l.Index("staff").Update(chunks).(*Index)
			now, _ := x.Ready()
			if now < have {
				t.Fatalf("from %d vectors to %d", have, now)
			}
			have = now
		}
		if kills < 5 || kills == 200 {
			t.Errorf("done after %d runs", kills)
		}
		holdsOwn(t, x, fake)
		if n := len(fake.Texts()) - kills*len(canaries); n > 3*len(chunks) {
			t.Errorf("%d texts embedded for %d chunks", n, len(chunks))
		}
	})
}

// Two processes never embed the same chunks: the second is told.
func TestOneFills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		fake.PerText = time.Second
		dir := t.TempDir()
		line := fake.Pipe(t)
		chunks := testChunks(numbered(20)...)
		a := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
		b := newTestLeg(t, line, LegOptions{Cache: testCache(t, dir)})
		var fills sync.WaitGroup
		fills.Go(func() {
			if _, err := a.Fill(t.Context(), slices.Values(chunks), nil); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(5 * time.Second)
		if _, err := b.Fill(t.Context(), slices.Values(chunks), nil); !errors.Is(err, cache.ErrBusy) {
			t.Errorf("the second process: %v", err)
		}
		if _, err := b.Identify(t.Context()); err != nil {
			t.Fatal(err)
		}
		x := b.Index("staff").Update(chunks).(*Index)
		fills.Wait()
		time.Sleep(others)
		if have, total := x.Ready(); have != total {
			t.Errorf("the second process sees %d of %d vectors", have, total)
		}
	})
}

// Questions go before filling: all are answered, none waits for more than a batch, and
// the embedder never has more than one of each.
func TestQuestionsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		fake.PerText, fake.Most = 30*time.Millisecond, 2
		l, _ := testLeg(t, fake)
		chunks := testChunks(numbered(300)...)
		x := testFilled(t, l, chunks[:1]).Update(chunks).(*Index)
		var all sync.WaitGroup
		all.Go(func() {
			if p, err := l.Fill(t.Context(), slices.Values(chunks), nil); err != nil || p.Have != 300 {
				t.Errorf("%+v, error %v", p, err)
			}
		})
		time.Sleep(time.Second)
		began := time.Now()
		for i := range 12 {
			all.Go(func() {
				if _, err := x.Retrieve(t.Context(), candor.Query{Text: fmt.Sprint("question ", i)}, 5); err != nil {
					t.Errorf("question %d: %v", i, err)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("question %d takes %v", i, took)
				}
			})
		}
		all.Wait()
		if peak := fake.Peak(); peak > 2 {
			t.Errorf("%d requests in flight", peak)
		}
		question := func(r fakeollama.Request) bool { return strings.HasPrefix(r.Texts[0], "question ") }
		sent := fake.Requests("/api/embed")
		sent = sent[slices.IndexFunc(sent, question):]
		for n := 0; n < 12; sent = sent[1:] {
			switch {
			case question(sent[0]):
				n++
			case !slices.Equal(sent[0].Texts, canaries):
				t.Fatal("a batch begins while questions wait")
			}
		}
	})
}

// Filling goes on, if slowly, while questions never end.
func TestFillingIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for ctx.Err() == nil {
					if leave, err := l.enterQuery(ctx); err == nil {
						time.Sleep(50 * time.Millisecond)
						leave()
					}
				}
			})
		}
		time.Sleep(time.Second)
		began := time.Now()
		leave, err := l.enterBatch(ctx)
		if err != nil || time.Since(began) > maxYield {
			t.Errorf("a batch waits %v, error %v", time.Since(began), err)
		}
		leave()
		cancel()
		all.Wait()
	})
}

// Pruning drops what the vaults no longer hold and nothing else.
func TestPruneKeepsTheLive(t *testing.T) {
	fake := fakeollama.New()
	c := testCache(t, t.TempDir())
	l := newTestLeg(t, fake.Pipe(t), LegOptions{Cache: c, Chunker: "7"})
	chunks := testChunks(numbered(10)...)
	testFilled(t, l, chunks)
	w, err := c.Writer()
	if err != nil {
		t.Fatal(err)
	}
	pruned, err := w.Prune(Live(c.Key(), "7", slices.Values(chunks[:4])))
	if err != nil || pruned.Vectors != 6 {
		t.Errorf("%d vectors pruned, error %v", pruned.Vectors, err)
	}
	w.Close()
	if n := embeddedBy(fake, chunks, func() { testFilled(t, l, chunks[:4]) }); n != 0 {
		t.Errorf("%d live chunks embedded anew", n)
	}
	if len(l.models()) != 1 {
		t.Error("the list of models is pruned")
	}
}
