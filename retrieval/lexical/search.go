package lexical

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sort"
	"unicode/utf8"

	"candor"
)

// scratch is the working memory of one search.
type scratch struct {
	scores []float64   // by document of the segment in hand
	unions [][]posting // of words with several terms
	used   int
}

// weighed is a word with its place in the index: what finds it in each segment.
type weighed struct {
	ask
	lists [][]posting // by segment
	exact [][]posting // of the form as typed, where that is another term
	idf   float64
	share float64 // of idf that counts: less than 1 for wholes
	found int
}

func (w weighed) weight() float64 { return w.idf * w.share }

// cores bounds how many searches run at one time. More than there are processors make none
// faster, and with many clients they make the slowest some times slower.
var cores = make(chan struct{}, runtime.GOMAXPROCS(0))

// Retrieve implements candor.Retriever.
func (x *Index) Retrieve(ctx context.Context, q candor.Query, limit int) (candor.Ranking, error) {
	if err := ctx.Err(); err != nil {
		return candor.Ranking{}, err
	}
	if err := x.enter(ctx); err != nil {
		return candor.Ranking{}, err
	}
	defer func() { <-cores }()
	s := x.pool.Get().(*scratch)
	defer x.pool.Put(s)
	s.used = 0
	asked := x.analyzer.parse(q.Text, x.holds)
	words := x.weigh(s, asked)
	r := candor.Ranking{Terms: make([]candor.Term, len(words)), Unseen: x.idf(0)}
	for i, w := range words {
		r.Terms[i] = candor.Term{Text: w.text, Weight: w.weight(), Found: w.found, Name: w.name}
		r.Ceiling += w.weight() * (x.params.K1 + 1 + x.params.Close)
	}
	if !slices.ContainsFunc(words, func(w weighed) bool { return w.found > 0 }) {
		r.Ceiling = 0
	}
	if limit <= 0 || r.Ceiling == 0 {
		return r, nil
	}
	f := finder{Index: x, scratch: s, words: words, asked: asked, keep: q.Keep, ceiling: r.Ceiling}
	if err := f.run(ctx, limit); err != nil {
		return candor.Ranking{}, err
	}
	r.Hits = f.hits(limit, q.Explain)
	return r, nil
}

// enter waits for a core. Of each index one search waits at the front, so that indexes
// take turns: many questions to one profile keep those to another waiting for one of
// them, not for all.
func (x *Index) enter(ctx context.Context) error {
	select {
	case x.front <- struct{}{}:
		defer func() { <-x.front }()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case cores <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// holds reports whether any living chunk has a term.
func (x *Index) holds(term string) bool {
	for _, s := range x.segments {
		if s.holders(s.postings(term)) > 0 {
			return true
		}
	}
	return false
}

// weigh looks the words up and drops the commonest beyond maxWords.
func (x *Index) weigh(s *scratch, q question) []weighed {
	words := make([]weighed, 0, len(q.words)+len(q.wholes))
	for _, a := range q.words {
		words = append(words, x.look(s, a, 1))
	}
	if n := len(words); n > maxWords {
		sort.SliceStable(words, func(i, j int) bool { return words[i].idf > words[j].idf })
		words = words[:maxWords]
	}
	for _, a := range q.wholes {
		if len(words) == maxWords {
			break
		}
		if w := x.look(s, a, x.params.Whole); w.found > 0 {
			words = append(words, w)
		}
	}
	return words
}

// look finds the postings of a word and its weight.
func (x *Index) look(s *scratch, a ask, share float64) weighed {
	w := weighed{ask: a, share: share, lists: make([][]posting, len(x.segments))}
	inflected := x.params.Form > 0 && !slices.Contains(a.alts, a.form)
	if inflected {
		w.exact = make([][]posting, len(x.segments))
	}
	for i, seg := range x.segments {
		w.lists[i] = seg.postings(a.alts[0])
		for _, alt := range a.alts[1:] {
			w.lists[i] = s.union(w.lists[i], seg.postings(alt))
		}
		if inflected {
			w.exact[i] = seg.postings(a.form)
		}
		w.found += seg.holders(w.lists[i])
	}
	w.idf = x.idf(w.found)
	if w.found == 0 {
		w.idf = x.strange(a.form)
	}
	return w
}

// idf is the weight of a word by how many chunks hold it.
func (x *Index) idf(found int) float64 {
	n := float64(x.chunkN) + x.params.Prior
	return math.Log1p((n - float64(found) + 0.5) / (float64(found) + 0.5))
}

// strange is the weight of a word that no chunk holds. A pair of characters of a packed
// script may just straddle two words, so it weighs no more than its rarer character.
func (x *Index) strange(form string) float64 {
	if r, n := utf8.DecodeRuneInString(form); n == len(form) || !isPacked(r) {
		return x.idf(0)
	}
	least := math.MaxInt
	for _, r := range form {
		found := 0
		for _, s := range x.segments {
			found += s.holders(s.postings(string(r)))
		}
		least = min(least, found)
	}
	return x.idf(least)
}

// union merges two lists; a list that adds nothing costs nothing.
func (s *scratch) union(a, b []posting) []posting {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	if s.used == len(s.unions) {
		s.unions = append(s.unions, nil)
	}
	out := s.unions[s.used][:0]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].doc < b[0].doc:
			out, a = append(out, a[0]), a[1:]
		case a[0].doc > b[0].doc:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, posting{a[0].doc, union(a[0].tf, b[0].tf)})
			a, b = a[1:], b[1:]
		}
	}
	out = append(append(out, a...), b...)
	s.unions[s.used] = out
	s.used++
	return out
}

// candidate is a chunk on its way into the ranking.
type candidate struct {
	score   float64
	segment int
	doc     uint32
	named   bool // the query is its note's name
}

// finder runs one search.
type finder struct {
	*Index
	*scratch
	words   []weighed
	asked   question
	keep    func(slot int) bool
	ceiling float64

	heap  []candidate // the best so far, worst first
	named []candidate // chunks of notes whose name is the query
	top   float64     // best score of all, kept or not
}

func (f *finder) chunk(c candidate) *candor.Chunk { return f.chunks[f.slot(c)] }
func (f *finder) slot(c candidate) int            { return int(f.segments[c.segment].slots[c.doc]) }

// worse is the reverse of the order of a ranking.
func (f *finder) worse(a, b candidate) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	return cmp.Or(f.chunk(a).Before(f.chunk(b)), cmp.Compare(f.slot(a), f.slot(b))) > 0
}

// run scores all chunks and keeps the best.
func (f *finder) run(ctx context.Context, limit int) error {
	if len(f.asked.phrases) > 0 || f.asked.literal != "" {
		limit = max(limit, phraseDepth)
	}
	limit = max(limit, nearDepth)
	for i, seg := range f.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.score(i, seg)
		f.collect(i, seg, limit)
	}
	return nil
}

// score fills f.scores for one segment.
func (f *finder) score(i int, seg *segment) {
	n := len(seg.slots)
	f.scores = slices.Grow(f.scores[:0], n)[:n]
	clear(f.scores)
	for _, w := range f.words {
		scale, exact := f.scales(w)
		f.addTo(seg, w.lists[i], scale)
		if w.exact != nil {
			f.addTo(seg, w.exact[i], exact)
		}
	}
	for _, a := range f.asked.avoid {
		for _, alt := range a.alts {
			for _, p := range seg.postings(alt) {
				f.scores[p.doc] = 0
			}
		}
	}
}

// scales gives the highest score of a word: of any of its forms, and of the exact one.
func (f *finder) scales(w weighed) (all, exact float64) {
	all = w.weight() * (f.params.K1 + 1)
	if w.exact == nil {
		return all, 0
	}
	return all * (1 - f.params.Form), all * f.params.Form
}

// addTo adds the score of a word to its chunks.
func (f *finder) addTo(seg *segment, list []posting, scale float64) {
	for _, p := range list {
		f.scores[p.doc] += scale * f.saturated(seg, p)
	}
}

// saturated is the weighed frequency in all fields, brought under 1.
func (f *finder) saturated(seg *segment, p posting) float64 {
	l := &seg.lens[p.doc]
	tf := float64(p.tf&textOnly) * f.norms[FieldText].of(l[FieldText])
	if p.tf > textOnly {
		tf += f.header(p.tf, l)
	}
	return tf / (f.params.K1 + tf)
}

// header is the weighed frequency outside the text.
func (f *finder) header(tf uint16, l *lengths) float64 {
	sum := 0.0
	for field := FieldTitle; field < NumFields; field++ {
		if n := frequency(tf, field); n > 0 {
			sum += float64(n) * f.norms[field].of(l[field])
		}
	}
	return sum
}

// collect takes the best of f.scores into the heap.
func (f *finder) collect(i int, seg *segment, limit int) {
	for _, p := range f.namesakes(seg) {
		c := candidate{f.scores[p.doc], i, uint32(p.doc), true}
		if c.score > 0 && !seg.isDead(c.doc) && f.kept(c) {
			f.named = append(f.named, c)
		}
	}
	floor := f.floor(limit)
	for doc, score := range f.scores {
		if score <= f.top && score < floor || score == 0 || seg.isDead(uint32(doc)) {
			continue
		}
		f.top = max(f.top, score)
		c := candidate{score, i, uint32(doc), false}
		if score < floor || !f.kept(c) {
			continue
		}
		if f.offer(c, limit) {
			floor = f.floor(limit)
		}
	}
}

func (f *finder) kept(c candidate) bool { return f.keep == nil || f.keep(f.slot(c)) }

func (f *finder) namesakes(seg *segment) []posting {
	if f.asked.key == "" {
		return nil
	}
	return seg.postings(f.asked.key)
}

// floor is the score below which nothing enters the heap.
func (f *finder) floor(limit int) float64 {
	if len(f.heap) < limit {
		return 0
	}
	return f.heap[0].score
}

// offer puts a candidate into the heap if it belongs among the best.
func (f *finder) offer(c candidate, limit int) bool {
	h := f.heap
	if len(h) == limit {
		if !f.worse(h[0], c) {
			return false
		}
		h[0] = c
		f.sink(0)
		return true
	}
	f.heap = append(h, c)
	h = f.heap
	for i := len(h) - 1; i > 0 && f.worse(h[i], h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	return true
}

func (f *finder) sink(i int) {
	h := f.heap
	for {
		least := i
		for _, j := range [2]int{2*i + 1, 2*i + 2} {
			if j < len(h) && f.worse(h[j], h[least]) {
				least = j
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
