package semantic

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"candor"
)

// The sizes at which the way of searching changes.
const (
	// exactSize is up to how many vectors all are scored: by chromem-go, or those that
	// a filter keeps one by one.
	exactSize = 4096
	// Of more, those nearest by sketch are scored exactly: minCandidates, or one in
	// shareCandidates where that is more. Of 6,862 sentences under all-minilm one in 8
	// held all of the best 10 of 172 questions and 99.2% of the best 100; one in 16
	// held 99.9% and 96.2%.
	minCandidates   = 1024
	shareCandidates = 8
)

// errNoVectors says that there is nothing to search yet.
var errNoVectors = errors.New("no passage has a vector")

// Retrieve implements candor.Retriever. The score of a hit is the cosine. Errors are
// Unavailable; a blank query gives an empty ranking.
func (x *Index) Retrieve(ctx context.Context, q candor.Query, limit int) (candor.Ranking, error) {
	if strings.TrimSpace(q.Text) == "" || limit <= 0 {
		return candor.Ranking{}, nil
	}
	v, m, err := x.question(ctx, q.Text)
	if err != nil {
		return candor.Ranking{}, err
	}
	s := x.current()
	switch {
	case s.total == 0:
		return candor.Ranking{Ceiling: 1}, nil
	case s.have == 0:
		return candor.Ranking{}, &Unavailable{Reason: "no passage has a vector: run candor embed", Err: errNoVectors}
	case s.model.Fingerprint != m.Fingerprint:
		return candor.Ranking{}, unavailable(ErrChanged)
	}
	return candor.Ranking{Hits: s.search(ctx, v, q.Keep, limit), Ceiling: 1}, ctx.Err()
}

// question gives the vector of a question, from memory if the profile has asked it
// before. Then too the model is looked up again, so that an answer never rests on an
// embedder that is gone. The vectors of passages are never looked up here: that would
// tell what text there is.
func (x *Index) question(ctx context.Context, text string) (Vector, Model, error) {
	prefix := x.leg.embedder.prefixes.Query
	if m, ok := x.leg.Model(); ok {
		if v, ok := x.questions.get(x.questions.name(text, prefix, m.Fingerprint)); ok {
			err := x.leg.embedder.Alive(ctx, m)
			if !errors.Is(err, ErrChanged) {
				return v, m, err
			}
		}
	}
	v, m, err := x.leg.embedder.Query(ctx, text)
	if err == nil {
		x.questions.put(x.questions.name(text, prefix, m.Fingerprint), v)
	}
	return v, m, err
}

// search gives the best hits of a vector.
func (s *state) search(ctx context.Context, v Vector, keep func(int) bool, limit int) []candor.Hit {
	var found []int
	switch {
	case s.have > exactSize:
		found = s.sift(v, keep, max(minCandidates, s.have/shareCandidates, 4*limit))
	case keep != nil:
		found = s.kept(keep)
	default:
		found = s.scan(ctx, v, limit)
	}
	scores := make([]float32, len(found))
	for i, slot := range found {
		scores[i] = dot(v, s.pages[slot/pageSize].vecs[slot%pageSize])
	}
	bar := nth(scores, limit)
	var hits []candor.Hit
	for i, slot := range found {
		if scores[i] >= bar {
			hits = append(hits, candor.Hit{Slot: slot, Score: float64(scores[i])})
		}
	}
	slices.SortFunc(hits, s.order)
	return hits[:min(limit, len(hits))]
}

// order is the order of hits: score, then path, then line.
func (s *state) order(a, b candor.Hit) int {
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Or(s.chunks[a.Slot].Before(s.chunks[b.Slot]), cmp.Compare(a.Slot, b.Slot))
}

// nth is the n-th highest score, or the lowest where there are fewer.
func nth(scores []float32, n int) float32 {
	best := make([]float32, 0, n) // ascending
	for _, x := range scores {
		if len(best) == n {
			if x <= best[0] {
				continue
			}
			best = append(best[:0], best[1:]...)
		}
		at, _ := slices.BinarySearch(best, x)
		best = slices.Insert(best, at, x)
	}
	if len(best) == 0 {
		return 0
	}
	return best[0]
}

// kept gives all slots with a vector that a filter keeps.
func (s *state) kept(keep func(int) bool) []int {
	var found []int
	for n, p := range s.pages {
		for i, v := range p.vecs {
			if slot := n*pageSize + i; v != nil && keep(slot) {
				found = append(found, slot)
			}
		}
	}
	return found
}

// scan has chromem-go search all pages. It gives all slots that may be among the best.
func (s *state) scan(ctx context.Context, v Vector, limit int) []int {
	var found []int
	for n, p := range s.pages {
		for _, slot := range p.best(ctx, v, limit) {
			found = append(found, n*pageSize+slot)
		}
	}
	return found
}

// slack is how far apart two sums of one cosine may be, ours and chromem-go's.
const slack = 1e-5

// best gives the slots of a page that may be among the best: where several are equally
// near, chromem-go picks among them at random, so more are asked for until the last is
// farther than the limit-th, beyond what rounding makes.
func (p *page) best(ctx context.Context, v Vector, limit int) []int {
	for ask := limit + 1; p.have > 0; ask *= 2 {
		ask = min(ask, p.have)
		got, err := p.coll.QueryEmbedding(ctx, v, ask, nil, nil)
		if err != nil || len(got) == 0 {
			return nil // the context ended, or the width is another's
		}
		if ask < p.have && got[len(got)-1].Similarity >= got[limit-1].Similarity-slack {
			continue
		}
		slots := make([]int, len(got))
		for i, r := range got {
			slots[i], _ = strconv.Atoi(r.ID) // the ids are ours
		}
		return slots
	}
	return nil
}

// sift gives the wanted number of slots whose sketches are nearest to a vector's, and
// all that are as near as the last of them, so that it doesn't matter where they lie.
func (s *state) sift(v Vector, keep func(int) bool, want int) []int {
	bits := make([]uint64, (len(v)+63)/64)
	sketch(bits, v)
	distances := make([]uint16, len(s.chunks))
	counts := make([]int, len(v)+2)
	for n, p := range s.pages {
		p.measure(distances[n*pageSize:], bits, keep, n*pageSize)
		for _, d := range distances[n*pageSize : n*pageSize+len(p.vecs)] {
			counts[min(int(d), len(v)+1)]++
		}
	}
	bar, sum := 0, 0
	for bar = range len(v) + 1 {
		if sum += counts[bar]; sum >= want {
			break
		}
	}
	found := make([]int, 0, sum)
	for slot, d := range distances {
		if int(d) <= bar {
			found = append(found, slot)
		}
	}
	return found
}
