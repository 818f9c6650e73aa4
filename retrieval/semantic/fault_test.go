package semantic

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"candor"
	"candor/internal/fakeollama"
)

// Whatever the embedder does, a question ends within its deadline with a reason that
// repeats nothing, and once it does well again questions are answered without anybody's
// help.
func TestFaultyAnswer(t *testing.T) {
	chunks := testChunks("the ferry leaves at nine", "parental leave is ten weeks")
	for _, fault := range fakeollama.Faults() {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := fakeollama.New()
				fake.Elsewhere = "http://192.0.2.7:11434/api/embed"
				l, _ := testLeg(t, fake)
				x := testFilled(t, l, chunks)
				faulty(fake, fault)

				const deadline = 2 * time.Second
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				began := time.Now()
				r, err := x.Retrieve(ctx, candor.Query{Text: "when does the canarybird ferry leave"}, 5)
				var u *Unavailable
				if !errors.As(err, &u) || u.ModeReason() == "" || len(r.Hits) != 0 {
					t.Fatalf("hits %v, error %v", r.Hits, err)
				}
				if strings.Contains(err.Error(), "canarybird") {
					t.Errorf("the error repeats the question: %v", err)
				}
				if took := time.Since(began); took > deadline {
					t.Errorf("it took %v", took)
				}

				faulty(fake, fakeollama.None)
				eventually(t, func() bool {
					_, err := x.Retrieve(t.Context(), candor.Query{Text: "when does the ferry leave"}, 5)
					return err == nil
				})
			})
		})
	}
}

// No fault gives a chunk a vector, and each chunk has its own once the fault is over.
func TestFaultyFilling(t *testing.T) {
	chunks := testChunks(numbered(20)...)
	for _, fault := range fakeollama.Faults() {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := fakeollama.New()
				l, _ := testLeg(t, fake)
				if _, err := l.Identify(t.Context()); err != nil {
					t.Fatal(err)
				}
				faulty(fake, fault)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				p, err := l.Fill(ctx, slices.Values(chunks), nil)
				x := l.Index("staff").Update(chunks).(*Index)
				if have, total := x.Ready(); err == nil || p.Have != 0 || have != 0 || total != len(chunks) {
					t.Fatalf("%v, ready %d of %d, error %v", p, have, total, err)
				}
				faulty(fake, fakeollama.None)
				time.Sleep(maxRest)
				holdsOwn(t, testFilled(t, l, chunks), fake)
			})
		})
	}
}

// holdsOwn holds that each chunk has the vector of its own text.
func holdsOwn(t *testing.T, x *Index, fake *fakeollama.Server) {
	t.Helper()
	s := x.current()
	m := fake.Models["all-minilm:latest"]
	for slot, c := range s.chunks {
		want, err := unit(fakeollama.Vector(Compose(c).String(), m.Width, m.Space))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.pages[slot/pageSize].vecs[slot%pageSize]; len(got) != len(want) || far(got, want) > 1e-6 {
			t.Errorf("chunk %d has another vector than its text", slot)
		}
	}
}

// eventually holds that something becomes true within a minute.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for range 120 {
		if ok() {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Error("it never comes back")
}

// Vectors that are not of length one are brought to it.
func TestRawVectors(t *testing.T) {
	chunks := testChunks(numbered(8)...)
	query := candor.Query{Text: "passage number 3 of topic 3"}
	var want candor.Ranking
	for _, scale := range []float32{1, 14, 0.001} {
		fake := fakeollama.New()
		fake.Models["all-minilm:latest"] = fakeollama.Model{Digest: "aaaa", Width: 32, Space: 1, Scale: scale}
		l, _ := testLeg(t, fake)
		got, err := testFilled(t, l, chunks).Retrieve(t.Context(), query, 8)
		if err != nil {
			t.Fatal(err)
		}
		if scale == 1 {
			want = got
		}
		for i, h := range got.Hits {
			if h.Slot != want.Hits[i].Slot || h.Score-want.Hits[i].Score > 1e-5 || h.Score > 1.00001 {
				t.Errorf("with norm %v hit %d is %v, not %v", scale, i, h, want.Hits[i])
			}
		}
	}
}

// An embedder that takes connections and never answers costs one deadline, not one for
// each question; when it is back it is used again.
func TestHungEmbedder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		l, _ := testLeg(t, fake)
		x := testFilled(t, l, testChunks("the ferry leaves at nine"))
		fake.Change(func(s *fakeollama.Server) {
			s.Fault = func(fakeollama.Request) fakeollama.Fault { return fakeollama.Hung }
		})
		took := func(q string) time.Duration {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			began := time.Now()
			if _, err := x.Retrieve(ctx, candor.Query{Text: q}, 5); err == nil {
				t.Fatalf("%q is answered", q)
			}
			return time.Since(began)
		}
		if d := took("first"); d > 2*time.Second {
			t.Errorf("the first question takes %v", d)
		}
		for _, q := range []string{"second", "third", "fourth"} {
			if d := took(q); d != 0 {
				t.Errorf("the %s question takes %v", q, d)
			}
			time.Sleep(20 * time.Second) // probes hang too, and nobody waits for them
		}
		fake.Change(func(s *fakeollama.Server) { s.Fault = nil })
		time.Sleep(probeTimeout)
		eventually(t, func() bool {
			_, err := x.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 5)
			return err == nil
		})
	})
}

// An embedder that goes and comes every three seconds for five minutes: each question
// ends at once, with hits or a reason, and it is used again afterwards.
func TestFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		l, line := testLeg(t, fake)
		x := testFilled(t, l, testChunks("the ferry leaves at nine"))
		answered, refused := 0, 0
		for second := range 300 {
			switch second % 6 {
			case 0:
				line.Stop()
			case 3:
				line.Resume()
			}
			began := time.Now()
			_, err := x.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 5)
			if took := time.Since(began); took > 250*time.Millisecond {
				t.Errorf("a question takes %v", took)
			}
			if err == nil {
				answered++
			} else {
				refused++
			}
			time.Sleep(time.Second)
		}
		if answered == 0 || refused < 100 {
			t.Errorf("%d answered and %d refused", answered, refused)
		}
		line.Resume()
		eventually(t, func() bool {
			_, err := x.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 5)
			return err == nil
		})
	})
}

// Three failures open the breaker: from then on the embedder is left alone.
func TestFailuresOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		l, _ := testLeg(t, fake)
		x := testFilled(t, l, testChunks("the ferry leaves at nine"))
		faulty(fake, fakeollama.Internal)
		before := len(fake.Requests("/api/embed"))
		for _, q := range numbered(10) {
			_, _ = x.Retrieve(t.Context(), candor.Query{Text: q}, 5)
		}
		if n := len(fake.Requests("/api/embed")) - before; n != maxFailures {
			t.Errorf("a failing embedder is asked %d times, not %d", n, maxFailures)
		}
	})
}

// A model that loads for long costs the first question its deadline; then it is used.
func TestColdModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		fake.Load = 12 * time.Second
		l, _ := testLeg(t, fake)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, _, err := l.embedder.Query(ctx, "ferry")
		var u *Unavailable
		if !errors.As(err, &u) || u.Reason != "the embedder did not answer in time" {
			t.Errorf("the first question: %v", err)
		}
		eventually(t, func() bool {
			_, _, err := l.embedder.Query(t.Context(), "ferry")
			return err == nil
		})
	})
}

// A caller that gives up says nothing about the embedder.
func TestCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeollama.New()
		l, _ := testLeg(t, fake)
		x := testFilled(t, l, testChunks("the ferry leaves at nine"))
		faulty(fake, fakeollama.Late)
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(300*time.Millisecond, cancel)
			if _, err := x.Retrieve(ctx, candor.Query{Text: "ferry"}, 5); err == nil {
				t.Fatal("an answer after the caller gave up")
			}
		}
		if _, err := x.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 5); err != nil {
			t.Errorf("the embedder is shut out: %v", err)
		}
	})
}

// An answer with a vector of another width is no answer for any of its batch.
func TestBatchOfTwoWidths(t *testing.T) {
	fake := fakeollama.New()
	fake.Fault = func(r fakeollama.Request) fakeollama.Fault {
		if len(r.Texts) > 1 && !slices.Equal(r.Texts, canaries) {
			return fakeollama.Ragged
		}
		return fakeollama.None
	}
	l, _ := testLeg(t, fake)
	out, m, err := l.embedder.Documents(t.Context(), []Document{{Body: "one"}, {Body: "two"}, {Body: "three"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range out {
		if len(e.Vector) != m.Width {
			t.Errorf("text %d has a vector of %d dimensions", i, len(e.Vector))
		}
	}
}
