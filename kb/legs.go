package kb

import (
	"context"
	"errors"
	"time"

	"candor"
	"candor/fusion"
)

// LegRankings is what both legs found for a question before fusion and gates.
type LegRankings struct {
	Lexical, Semantic         candor.Ranking
	LexicalTook, SemanticTook time.Duration
	Pinned                    bool // the engine puts the first lexical hit above fusion
	// Cite gives the citation of a slot that either leg has.
	Cite func(slot int) candor.Citation
}

// Legs asks both legs, for whoever measures them. It needs Options.Semantic.
func (b *Base) Legs(ctx context.Context, question string) (LegRankings, error) {
	if _, err := b.newSearch(SearchRequest{Query: question}); err != nil {
		return LegRankings{}, err
	}
	v, err := b.view(ctx)
	if err != nil {
		return LegRankings{}, err
	}
	if v.semantic == nil {
		return LegRankings{}, errors.New("there is no semantic leg")
	}
	q := candor.Query{Text: question}
	out := LegRankings{Cite: func(slot int) candor.Citation { return v.snap.Chunks[slot].Citation() }}
	start := time.Now()
	if out.Lexical, err = v.lexical.Retrieve(ctx, q, fusion.Depth); err != nil {
		return LegRankings{}, err
	}
	out.LexicalTook = time.Since(start)
	start = time.Now()
	if out.Semantic, err = v.semantic.Retrieve(ctx, q, fusion.Depth); err != nil {
		return LegRankings{}, err
	}
	out.SemanticTook = time.Since(start)
	out.Pinned = b.opt.Tuning().Pin.Applies(out.Lexical)
	return out, nil
}
