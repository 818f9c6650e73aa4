package lexical

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

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"candor"
)

// note makes a chunk; title "" takes the file's name, as markdown does.
func note(path, title, text string) *candor.Chunk {
	if title == "" {
		title = fileName(candor.Path(path))
	}
	return &candor.Chunk{
		Path: candor.Path(path), Title: title, Heading: []string{title}, Text: text,
		Lines: candor.Span{Start: 1, End: 1 + strings.Count(text, "\n")},
	}
}

func index(o Options, chunks ...*candor.Chunk) *Index {
	return New(o).Update(chunks).(*Index)
}

func ask1(t testing.TB, x candor.Retriever, query string) candor.Ranking {
	t.Helper()
	r, err := x.Retrieve(context.Background(), candor.Query{Text: query, Explain: true}, 10)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	return r
}

// TestUpdateEqualsFresh holds every history of an index to an index built at once.
func TestUpdateEqualsFresh(t *testing.T) {
	words := []string{"backup", "Backups", "flush_queue", "leave", "Gebühr", "予約", "the", "who", "4.18.2-rc1", "maxRetryCount"}
	rapid.Check(t, func(t *rapid.T) {
		serial := 0
		draw := func() *candor.Chunk {
			serial++
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "text"), " ")
			return note(fmt.Sprintf("n%d.md", rapid.IntRange(0, 3).Draw(t, "path")), rapid.SampledFrom(words).Draw(t, "title"), text)
		}
		chunks := make([]*candor.Chunk, rapid.IntRange(0, 400).Draw(t, "slots"))
		for i := range chunks {
			chunks[i] = note(fmt.Sprintf("m%d.md", i%7), words[i%len(words)], words[i*7%len(words)]+" "+words[i*3%len(words)])
		}
		var x candor.Index = index(Options{}, chunks...)
		for range rapid.IntRange(1, 6).Draw(t, "updates") {
			next := append([]*candor.Chunk(nil), chunks...)
			changed := 0
			for range rapid.IntRange(0, 12).Draw(t, "edits") {
				if len(next) == 0 || rapid.IntRange(0, 3).Draw(t, "grow") == 0 {
					next = append(next, draw())
					continue
				}
				slot := rapid.IntRange(0, len(next)-1).Draw(t, "slot")
				if next[slot] = nil; rapid.Bool().Draw(t, "replace") {
					next[slot] = draw()
				}
			}
			for i, c := range next {
				if c != nil && (i >= len(chunks) || chunks[i] != c) {
					changed++
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "shrink") == 0 {
				next = next[:len(next)/2]
				changed = -1
			}
			x, chunks = x.Update(next), next
			if got := x.(*Index).analyzed; changed >= 0 && got != changed {
				t.Fatalf("analysed %d chunks for %d changed ones", got, changed)
			}
		}
		fresh := index(Options{}, chunks...)
		for _, q := range []string{"backup leave", "backups", `"backup leave"`, "the who", "予約", "flush queue -leave", "gebuehr 4.18.2-rc1"} {
			want := retrieve(t, fresh, q)
			if diff := cmp.Diff(want, retrieve(t, x, q)); diff != "" {
				t.Fatalf("%q:\n%s", q, diff)
			}
		}
	})
}

func retrieve(t *rapid.T, x candor.Retriever, query string) candor.Ranking {
	r, err := x.Retrieve(context.Background(), candor.Query{Text: query, Explain: true}, 20)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	sum, last := 0.0, r.Ceiling
	for _, h := range r.Hits {
		sum = 0
		for _, p := range h.Parts {
			sum += p
		}
		if sum != h.Score || h.Score > last || len(h.Parts) != len(h.Matched) {
			t.Fatalf("%q: score %v, parts %v, the one before %v", query, h.Score, h.Parts, last)
		}
		last = h.Score
	}
	return r
}

// TestShardsAreNotSeen: one build on all processors, many small updates, and a build in
// another order of slots answer alike.
func TestShardsAreNotSeen(t *testing.T) {
	chunks := prose(4 * minShard)
	whole := index(Options{}, chunks...)
	var grown candor.Index = New(Options{})
	for n := 0; n < len(chunks); n += 97 {
		grown = grown.Update(chunks[:n])
	}
	grown = grown.Update(chunks)
	if n := len(grown.(*Index).segments); n > 12 {
		t.Errorf("%d segments for %d chunks", n, len(chunks))
	}
	for i := range 20 {
		q := strings.Join(strings.Fields(chunks[i*31].Text)[:6], " ")
		if diff := cmp.Diff(ask1(t, whole, q), ask1(t, grown, q)); diff != "" {
			t.Fatalf("%q:\n%s", q, diff)
		}
	}
}

// TestOldIndexStays: an update leaves the index it came from as it was.
func TestOldIndexStays(t *testing.T) {
	chunks := prose(300)
	old := index(Options{}, chunks...)
	q := strings.Join(strings.Fields(chunks[7].Text)[:5], " ")
	want := ask1(t, old, q)
	next := append([]*candor.Chunk(nil), chunks...)
	for i := range 200 {
		next[i] = nil
	}
	old.Update(next).Update(chunks[:10])
	if diff := cmp.Diff(want, ask1(t, old, q)); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrentUse(t *testing.T) {
	chunks := prose(300)
	x := index(Options{}, chunks...)
	q := strings.Join(strings.Fields(chunks[7].Text)[:5], " ")
	want := ask1(t, x, q)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 20 {
				if diff := cmp.Diff(want, ask1(t, x, q)); diff != "" {
					t.Error(diff)
				}
				x.Update(chunks[:i*10])
			}
		})
	}
	wg.Wait()
}

// TestSearchesWaitForAProcessor holds that a search beyond the processors waits, and that
// giving up ends the wait.
func TestSearchesWaitForAProcessor(t *testing.T) {
	x := New(Options{}).Update([]*candor.Chunk{note("a.md", "", "the ferry leaves at nine")})
	for range cap(cores) {
		cores <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := x.Retrieve(ctx, candor.Query{Text: "ferry"}, 5); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beyond the processors: %v", err)
	}
	for range cap(cores) {
		<-cores
	}
	if r, err := x.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 5); err != nil || len(r.Hits) != 1 || len(cores) != 0 {
		t.Errorf("afterwards: %v, %v, %d places taken", r.Hits, err, len(cores))
	}
}

// TestIndexesTakeTurns: eight questions to one profile wait for the one processor, then one
// to another profile. It is the second that is answered, not the ninth; and one that gives
// up in front holds nobody. (Case 88 of the attacks.)
func TestIndexesTakeTurns(t *testing.T) {
	usual := cores
	defer func() { cores = usual }()
	synctest.Test(t, func(t *testing.T) {
		cores = make(chan struct{}, 1)
		var order []string // written by who holds the processor
		ask := func(ctx context.Context, name string, x *Index) {
			_, _ = x.Retrieve(ctx, candor.Query{Text: "ferry", Keep: func(int) bool {
				order = append(order, name)
				return true
			}}, 5)
		}
		text := []*candor.Chunk{note("a.md", "", "the ferry leaves at nine")}
		flooded := New(Options{}).Update(text).Update(text).(*Index) // whatever it was made from
		other := New(Options{}).Update(text).(*Index)
		cores <- struct{}{}
		impatient, leave := context.WithCancel(t.Context())
		go ask(impatient, "nobody", flooded)
		synctest.Wait()
		for range 8 {
			go ask(t.Context(), "flood", flooded)
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		go ask(t.Context(), "other", other)
		synctest.Wait()
		<-cores
		synctest.Wait()
		if want := append([]string{"flood", "other"}, slices.Repeat([]string{"flood"}, 7)...); !slices.Equal(order, want) {
			t.Errorf("answered in the order %v", order)
		}
	})
}
