package semantic

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"candor"
	"candor/cache"
	"candor/internal/fakeollama"
)

func TestFindsTheNearest(t *testing.T) {
	l, _ := testLeg(t, fakeollama.New())
	chunks := testChunks("the ferry leaves at nine", "parental leave is ten weeks", "reset the gauge with the red button", "")
	x := testFilled(t, l, chunks)
	for query, want := range map[string]string{
		"when does the ferry leave": "the ferry leaves at nine",
		"weeks of parental leave":   "parental leave is ten weeks",
		"red button":                "reset the gauge with the red button",
	} {
		r, err := x.Retrieve(t.Context(), candor.Query{Text: query}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(chunks, r); len(got) != 2 || got[0] != want {
			t.Errorf("%q finds %q, not %q first", query, got, want)
		}
	}
}

// planted is an index of chunks with given vectors, and the leg that they are from.
func planted(t testing.TB, l *Leg, chunks []*candor.Chunk, vectors []Vector) *Index {
	t.Helper()
	plant(t, l, chunks, vectors)
	return l.Index("staff").Update(chunks).(*Index)
}

// plant stores vectors for chunks.
func plant(t testing.TB, l *Leg, chunks []*candor.Chunk, vectors []Vector) {
	t.Helper()
	if _, err := l.Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	space, _, _ := l.space()
	w, err := l.cache.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var batch []cache.Entry
	for i, c := range chunks {
		if c != nil && vectors[i] != nil {
			batch = append(batch, cache.Entry{ID: cache.ID{Space: space, Chunk: l.names.chunk(Compose(c).String())}, Vector: vectors[i]})
		}
	}
	if err := w.Put(batch); err != nil {
		t.Fatal(err)
	}
	l.version.Add(1)
}

// brute ranks by the exact cosine, with the order of chunks between equals.
func brute(x *Index, v Vector, keep func(int) bool, limit int) []candor.Hit {
	s := x.current()
	hits := []candor.Hit{}
	for slot, c := range s.chunks {
		vec := s.pages[slot/pageSize].vecs
		if c == nil || vec[slot%pageSize] == nil || keep != nil && !keep(slot) {
			continue
		}
		hits = append(hits, candor.Hit{Slot: slot, Score: float64(dot(v, vec[slot%pageSize]))})
	}
	slices.SortFunc(hits, func(a, b candor.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), s.chunks[a.Slot].Before(s.chunks[b.Slot]), cmp.Compare(a.Slot, b.Slot))
	})
	return hits[:min(limit, len(hits))]
}

func sameHits(a, b []candor.Hit) bool {
	return slices.EqualFunc(a, b, func(a, b candor.Hit) bool { return a.Slot == b.Slot && a.Score == b.Score })
}

// random is a unit vector, now and then one of few, so that many are equal.
func random(r *rand.Rand, width, few int) Vector {
	if few > 0 && r.IntN(2) == 0 {
		r = rand.New(rand.NewPCG(uint64(r.IntN(few)), 7))
	}
	raw := make([]float32, width)
	for i := range raw {
		raw[i] = float32(r.NormFloat64())
	}
	v, err := unit(raw)
	if err != nil {
		return random(r, width, few)
	}
	return v
}

// However an index came to be, by whatever updates, it ranks as an exhaustive search of
// its chunks does.
func TestRanksAsBruteForce(t *testing.T) {
	fake := fakeollama.New()
	line := fake.Pipe(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := newTestLeg(t, line, LegOptions{})
		defer l.Close()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		slots := rapid.SampledFrom([]int{0, 1, 2, 40, pageSize - 1, pageSize, pageSize + 1, 3 * pageSize}).Draw(rt, "slots")
		chunks := testChunks(numbered(slots)...)
		vectors := make([]Vector, slots)
		for i := range vectors {
			vectors[i] = random(r, 32, 3)
			if r.IntN(20) == 0 {
				vectors[i] = nil // not filled yet
			}
		}
		x := planted(t, l, chunks, vectors)
		for range rapid.IntRange(0, 3).Draw(rt, "updates") {
			chunks = slices.Clone(chunks)
			for range rapid.IntRange(0, 5).Draw(rt, "changes") {
				if len(chunks) == 0 {
					break
				}
				at := r.IntN(len(chunks))
				chunks[at] = nil
				if r.IntN(3) > 0 {
					chunks[at] = testChunks(fmt.Sprint("new text ", r.Uint64()))[0]
					plant(t, l, chunks[at:at+1], []Vector{random(r, 32, 3)})
				}
			}
			if r.IntN(3) == 0 {
				chunks = append(chunks, testChunks(fmt.Sprint("more ", r.Uint64()))...)
				plant(t, l, chunks[len(chunks)-1:], []Vector{random(r, 32, 3)})
			}
			x = x.Update(chunks).(*Index)
		}
		var keep func(int) bool
		if every := rapid.IntRange(0, 3).Draw(rt, "keep"); every > 0 {
			keep = func(slot int) bool { return slot%every == 0 }
		}
		v := random(r, 32, 3)
		limit := rapid.SampledFrom([]int{1, 2, 10, 100}).Draw(rt, "limit")
		got, want := x.current().search(t.Context(), v, keep, limit), brute(x, v, keep, limit)
		if !sameHits(got, want) {
			rt.Fatalf("of %d chunks the best %d are\n%v, not\n%v", len(chunks), limit, got, want)
		}
		cold := l.Index("staff").Update(chunks).(*Index)
		if again := cold.current().search(t.Context(), v, keep, limit); !sameHits(again, want) {
			rt.Fatalf("an index made at once ranks\n%v, not\n%v", again, want)
		}
		haveX, totalX := x.Ready()
		haveC, totalC := cold.Ready()
		if haveX != haveC || totalX != totalC {
			rt.Fatalf("ready %d of %d, and made at once %d of %d", haveX, totalX, haveC, totalC)
		}
	})
}

// Equal passages rank by path, each time.
func TestTiesAreOrdered(t *testing.T) {
	l, _ := testLeg(t, fakeollama.New())
	chunks := testChunks(numbered(600)...)
	for _, c := range chunks {
		c.Text = "the same text"
	}
	slices.Reverse(chunks)
	x := testFilled(t, l, chunks)
	for range 20 {
		r, err := x.Retrieve(t.Context(), candor.Query{Text: "text"}, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range r.Hits {
			if want := candor.Path(fmt.Sprintf("note-%05d.md", i)); chunks[h.Slot].Path != want {
				t.Fatalf("hit %d is %s, not %s", i, chunks[h.Slot].Path, want)
			}
		}
	}
}

// Few chunks, opposite ones and filters that leave little give fewer hits, no error.
func TestFewHits(t *testing.T) {
	l, _ := testLeg(t, fakeollama.New())
	none := l.Index("staff").Update(nil).(*Index)
	if _, err := l.Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := none.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 10); err != nil || len(r.Hits) != 0 {
		t.Errorf("of no chunks: %v, error %v", r, err)
	}
	one := testFilled(t, l, testChunks("the ferry"))
	if r, err := one.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 10); err != nil || len(r.Hits) != 1 {
		t.Errorf("of one chunk: %v, error %v", r, err)
	}
	if r, err := one.Retrieve(t.Context(), candor.Query{Text: "ferry"}, 0); err != nil || len(r.Hits) != 0 {
		t.Errorf("limit 0: %v, error %v", r, err)
	}

	v := random(rand.New(rand.NewPCG(1, 2)), 32, 0)
	opposite := make(Vector, len(v))
	for i := range v {
		opposite[i] = -v[i]
	}
	hits := planted(t, l, testChunks("along", "against"), []Vector{v, opposite}).current().search(t.Context(), v, nil, 10)
	if len(hits) != 2 || hits[0].Slot != 0 || hits[0].Score < 0.999 || hits[1].Score > -0.999 {
		t.Errorf("an opposite chunk: %v", hits)
	}

	chunks := testChunks(numbered(500)...)
	x := testFilled(t, l, chunks)
	r, err := x.Retrieve(t.Context(), candor.Query{Text: "passage", Keep: func(slot int) bool { return slot == 7 || slot == 499 }}, 10)
	if err != nil || len(r.Hits) != 2 {
		t.Errorf("of two that a filter leaves: %v, error %v", r, err)
	}
}

// An update of one chunk makes one page anew and shares the others; the index before it
// goes on as it was.
func TestUpdateShares(t *testing.T) {
	l, _ := testLeg(t, fakeollama.New())
	chunks := testChunks(numbered(4 * pageSize)...)
	before := testFilled(t, l, chunks)
	was := before.current()
	changed := slices.Clone(chunks)
	changed[pageSize+1] = nil
	after := before.Update(changed).(*Index).current()
	shared := 0
	for i := range was.pages {
		if was.pages[i] == after.pages[i] {
			shared++
		}
	}
	if shared != 3 {
		t.Errorf("%d of 4 pages are shared", shared)
	}
	if before.current() != was || was.have != 4*pageSize || after.have != 4*pageSize-1 {
		t.Errorf("before: %d vectors, after: %d", was.have, after.have)
	}
}

// The text of a question is never looked up among passages: one that repeats a passage
// is embedded like any other, and other profiles don't profit from it.
func TestQuestionsTellNothing(t *testing.T) {
	fake := fakeollama.New()
	l, _ := testLeg(t, fake)
	chunks := testChunks("the salary of the director is a secret", "the ferry leaves at nine")
	staff := testFilled(t, l, chunks[1:])
	admin := l.Index("admin").Update(chunks).(*Index)
	asked := func(x *Index, q string) int {
		before := len(fake.Requests("/api/embed"))
		if _, err := x.Retrieve(t.Context(), candor.Query{Text: q}, 5); err != nil {
			t.Fatal(err)
		}
		return len(fake.Requests("/api/embed")) - before
	}
	for _, q := range []string{Compose(chunks[0]).String(), chunks[0].Text, "never seen"} {
		if n := asked(staff, q); n != 1 {
			t.Errorf("%q costs %d requests", q, n)
		}
	}
	if n := asked(admin, "never seen"); n != 1 {
		t.Errorf("a question of another profile costs %d requests", n)
	}
	if n := asked(staff.Update(chunks[1:]).(*Index), "never seen"); n != 0 {
		t.Errorf("a question asked before costs %d requests", n)
	}
	if n := asked(l.Index("staff").Update(chunks[1:]).(*Index), "never seen"); n != 0 {
		t.Errorf("a question that another index of the profile was asked costs %d requests", n)
	}
}

// A question asked before is answered by the model alone that made its vector, and not
// without an embedder.
func TestQuestionsAreForgotten(t *testing.T) {
	fake := fakeollama.New()
	l, line := testLeg(t, fake)
	x := testFilled(t, l, testChunks(numbered(9)...))
	ask := func() error {
		_, err := x.Retrieve(t.Context(), candor.Query{Text: "topic 3"}, 5)
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	line.Stop()
	if err := ask(); err == nil {
		t.Error("an answer without an embedder")
	}
	line.Resume()
	change(fake, modelB)
	if err := ask(); err == nil {
		t.Error("an answer from the vector of another model")
	}
	q := newQuestions(l.names.key)
	for i := range 2 * maxQuestions {
		q.put(q.name(fmt.Sprint(i), "", ""), Vector{1})
	}
	if len(q.by) != maxQuestions || q.order.Len() != maxQuestions {
		t.Errorf("%d questions are kept", len(q.by))
	}
	if _, ok := q.get(q.name(fmt.Sprint(2*maxQuestions-1), "", "")); !ok {
		t.Error("the last question is forgotten")
	}
}

// topical are vectors in clusters of neighbours, as texts have: half of a vector is its
// topic's.
func topical(r *rand.Rand, width, topics int) func() Vector {
	centres := make([]Vector, topics)
	for i := range centres {
		centres[i] = random(r, width, 0)
	}
	return func() Vector { return mean([]Vector{centres[r.IntN(topics)], random(r, width, 0)}, []float64{1, 1}) }
}

// recall is the share of the exact best that a search finds, over questions.
func recall(t testing.TB, x *Index, limit int, questions []Vector) float64 {
	found, all := 0, 0
	for _, v := range questions {
		got := map[int]bool{}
		for _, h := range x.current().search(t.Context(), v, nil, limit) {
			got[h.Slot] = true
		}
		for _, h := range brute(x, v, nil, limit) {
			all++
			if got[h.Slot] {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

// Beyond exactSize the sketch chooses who is scored. It loses little: of the exact best
// 10 and 100 it finds at least these shares.
func TestSketchRecall(t *testing.T) {
	const n, width = 12_000, 384
	fake := fakeollama.New()
	fake.Models["all-minilm:latest"] = fakeollama.Model{Digest: "aaaa", Width: width, Space: 1}
	l, _ := testLeg(t, fake)
	r := rand.New(rand.NewPCG(3, 4))
	next := topical(r, width, 60)
	vectors := make([]Vector, n)
	for i := range vectors {
		vectors[i] = next()
	}
	x := planted(t, l, testChunks(numbered(n)...), vectors)
	questions := make([]Vector, 30)
	for i := range questions {
		questions[i] = next()
	}
	for limit, want := range map[int]float64{10: 0.995, 100: 0.99} {
		if got := recall(t, x, limit, questions); got < want {
			t.Errorf("recall at %d is %.3f, under %v", limit, got, want)
		} else {
			t.Logf("recall at %d: %.4f", limit, got)
		}
	}
	once := x.current().search(t.Context(), questions[0], nil, 100)
	moved := slices.Clone(x.current().chunks)
	slices.Reverse(moved) // other slots, the same notes
	y := x.Update(moved).(*Index)
	for i, h := range y.current().search(t.Context(), questions[0], nil, 100) {
		if y.current().chunks[h.Slot] != x.current().chunks[once[i].Slot] {
			t.Fatalf("in other slots hit %d is another", i)
		}
	}
}

// Nothing of a text is held by a collection.
func TestCollectionsHoldNoText(t *testing.T) {
	l, _ := testLeg(t, fakeollama.New())
	chunks := testChunks("the canarybird sings", "the ferry")
	x := testFilled(t, l, chunks)
	for _, p := range x.current().pages {
		for _, id := range []string{"0", "1"} {
			doc, err := p.coll.GetByID(t.Context(), id)
			if err != nil || doc.Content != "" || len(doc.Metadata) > 0 {
				t.Errorf("%+v, error %v", doc, err)
			}
		}
		if _, err := p.coll.Query(t.Context(), "canarybird", 1, nil, nil); err == nil || !strings.Contains(err.Error(), errEmbed.Error()) {
			t.Errorf("a collection embeds by itself: %v", err)
		}
	}
}

// scaled is an index of n synthetic passages.
func scaled(b *testing.B, n int) (*Leg, *Index, Vector) {
	fake := fakeollama.New()
	fake.Models["all-minilm:latest"] = fakeollama.Model{Digest: "aaaa", Width: 384, Space: 1}
	l, _ := testLeg(b, fake)
	r := rand.New(rand.NewPCG(3, 4))
	next := topical(r, 384, 500)
	vectors := make([]Vector, n)
	for i := range vectors {
		vectors[i] = next()
	}
	return l, planted(b, l, testChunks(numbered(n)...), vectors), next()
}

func BenchmarkSearch(b *testing.B) {
	sizes := map[string]int{"1k": 1000, "4k": 4000, "10k": 10_000, "50k": 50_000}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		l, x, v := scaled(b, sizes[name])
		s := x.current()
		b.Run(name+"/index", func(b *testing.B) {
			for b.Loop() {
				s.search(b.Context(), v, nil, 100)
			}
		})
		b.Run(name+"/filtered", func(b *testing.B) {
			for b.Loop() {
				s.search(b.Context(), v, func(slot int) bool { return slot%10 > 0 }, 100)
			}
		})
		b.Run(name+"/chromem", func(b *testing.B) {
			for b.Loop() {
				s.scan(b.Context(), v, 100)
			}
		})
		b.Run(name+"/flat", func(b *testing.B) {
			for b.Loop() {
				brute(x, v, nil, 100)
			}
		})
		b.Run(name+"/update", func(b *testing.B) {
			for b.Loop() {
				chunks := slices.Clone(s.chunks)
				chunks[len(chunks)/2] = nil
				x.Update(chunks)
			}
		})
		b.Run(name+"/build", func(b *testing.B) {
			for b.Loop() {
				l.Index("staff").Update(s.chunks)
			}
		})
	}
}
