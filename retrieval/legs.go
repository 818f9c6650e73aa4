package retrieval

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"candor"
)

// answer is what a leg came back with.
type answer struct {
	ranking candor.Ranking
	err     error
}

// start asks the semantic leg; nil without one. The answer comes by the deadline even if
// the leg does not obey its context.
func (e *Engine) start(ctx context.Context, q candor.Query, depth int) <-chan answer {
	if e.Semantic == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(e.Deadline, 0), DefaultDeadline))
	out, done := make(chan answer, 1), make(chan answer, 1)
	go func() {
		ranking, err := e.Semantic.Retrieve(ctx, q, depth)
		done <- answer{ranking, err}
	}()
	go func() {
		defer cancel()
		select {
		case a := <-done:
			out <- a
		case <-ctx.Done():
			out <- answer{err: ctx.Err()}
		}
	}()
	return out
}

// fault says in words for any client why the semantic leg is missing.
func fault(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the embedder did not answer in time"
	}
	var said interface{ ModeReason() string }
	if errors.As(err, &said) {
		return said.ModeReason()
	}
	return "the embedder did not answer"
}

// rank fills the hits of a result from its rankings.
func (e *Engine) rank(r *Result) {
	switch r.Mode {
	case candor.ModeLexical:
		r.Hits = single(r.Lexical, func(h *Hit, rank int) { h.LexicalRank, h.LexicalShare = rank, h.Score })
	case candor.ModeSemantic:
		r.Hits = single(r.Semantic, func(h *Hit, rank int) { h.SemanticRank, h.SemanticShare = rank, h.Score })
	default:
		fused := e.Fusion.Fuse(r.Lexical, r.Semantic)
		r.Hits = make([]Hit, len(fused))
		for i, f := range fused {
			r.Hits[i] = Hit{
				Slot: f.Slot, Score: f.Score,
				LexicalRank: f.Ranks[0], SemanticRank: f.Ranks[1],
				LexicalShare: f.Shares[0], SemanticShare: f.Shares[1],
			}
		}
		e.Pin.apply(r)
	}
}

// single takes over the ranking of one leg.
func single(ranking candor.Ranking, mark func(h *Hit, rank int)) []Hit {
	hits := make([]Hit, len(ranking.Hits))
	for i, h := range ranking.Hits {
		hits[i] = Hit{Slot: h.Slot, Score: h.Score}
		mark(&hits[i], i+1)
	}
	return hits
}

// Pin says when the first lexical hit goes above fusion: when it holds the rarest word
// of the query, that word is all but unique here, and the hit is well past the lexical
// gates. The zero value is the default; a negative Found switches the rule off.
type Pin struct {
	Found    int     // most chunks that hold the rarest word; 0 is 2
	Score    float64 // least share of the highest score; 0 is 0.4
	Coverage float64 // least share of the query's words by weight; 0 is 0.6
}

// apply pins at most one hit.
func (p Pin) apply(r *Result) {
	if !p.Applies(r.Lexical) {
		return
	}
	first := r.Lexical.Hits[0]
	i := slices.IndexFunc(r.Hits, func(h Hit) bool { return h.Slot == first.Slot })
	if i < 0 {
		return
	}
	hit := r.Hits[i]
	hit.Pinned = true
	copy(r.Hits[1:i+1], r.Hits[:i])
	r.Hits[0] = hit
}

// Applies reports whether the first hit of a lexical ranking is an exact match beyond
// doubt.
func (p Pin) Applies(r candor.Ranking) bool {
	if p.Found < 0 || len(r.Hits) == 0 || r.Ceiling <= 0 {
		return false
	}
	h := r.Hits[0]
	rarest, total, covered := 0, 0.0, 0.0
	for i, t := range r.Terms {
		total += t.Weight
		if t.Found < r.Terms[rarest].Found {
			rarest = i
		}
	}
	for _, i := range h.Matched {
		covered += r.Terms[i].Weight
	}
	return slices.Contains(h.Matched, rarest) &&
		r.Terms[rarest].Found <= cmp.Or(p.Found, 2) &&
		h.Score >= cmp.Or(p.Score, 0.4)*r.Ceiling &&
		covered >= cmp.Or(p.Coverage, 0.6)*total
}
