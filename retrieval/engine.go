// Package retrieval runs the legs of one profile and makes one ranking of them.
//
// Both legs are asked at once. The lexical one answers alone when there is no semantic
// leg, and when that fails or is late: then the answer is the lexical answer, with the
// reason. An engine does what it is built for; whether a vault may be served by both
// legs is decided by whoever gives it a semantic one.
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"candor"
	"candor/fusion"
)

// Engine answers from one profile's legs. The zero values of its options serve.
type Engine struct {
	Lexical  candor.Retriever // nil only to measure the semantic leg alone
	Semantic candor.Retriever // nil: lexical mode
	// Why says why there is no semantic leg; it becomes the mode's reason.
	Why string
	// Deadline bounds the wait for the semantic leg; 0 is DefaultDeadline.
	Deadline time.Duration
	Fusion   fusion.Params
	Pin      Pin
}

// DefaultDeadline is how long an answer waits for the semantic leg.
const DefaultDeadline = 2 * time.Second

// Hit is one hit of the engine.
type Hit struct {
	Slot  int
	Score float64 // fused; in a single mode the leg's own
	// Ranks in the legs, from 1; 0 where a leg does not have the hit.
	LexicalRank, SemanticRank int
	// Shares of the legs in Score.
	LexicalShare, SemanticShare float64
	Pinned                      bool // put first as an unmistakable exact match
}

// Result is the engine's answer.
type Result struct {
	Hits       []Hit // best first, a total order
	Mode       candor.Mode
	ModeReason string         // why not hybrid; "" in hybrid
	Lexical    candor.Ranking // as the legs gave them
	Semantic   candor.Ranking
}

// Search gives at most depth hits. It fails only when no leg answers.
func (e *Engine) Search(ctx context.Context, q candor.Query, depth int) (Result, error) {
	legDepth := max(depth, fusion.Depth)
	pending := e.start(ctx, q, legDepth)
	var lexical, semantic answer
	if e.Lexical != nil {
		lexical.ranking, lexical.err = e.Lexical.Retrieve(ctx, q, legDepth)
	}
	if pending != nil {
		semantic = <-pending
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r, err := e.outcome(lexical, semantic)
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	e.rank(&r)
	r.Hits = r.Hits[:max(0, min(depth, len(r.Hits)))]
	return r, nil
}

// outcome says which mode the answers of the legs allow.
func (e *Engine) outcome(lexical, semantic answer) (Result, error) {
	r := Result{Mode: candor.ModeLexical, ModeReason: e.Why, Lexical: lexical.ranking, Semantic: semantic.ranking}
	switch {
	case e.Semantic == nil && e.Lexical == nil:
		return r, errors.New("no retriever")
	case e.Semantic == nil:
		return r, lexical.err
	case e.Lexical == nil:
		r.Mode, r.ModeReason = candor.ModeSemantic, "asked for the semantic leg alone"
		return r, semantic.err
	case lexical.err != nil && semantic.err != nil:
		return r, errors.Join(lexical.err, semantic.err)
	case lexical.err != nil:
		r.Mode, r.ModeReason, r.Lexical = candor.ModeSemantic, "the lexical leg failed", candor.Ranking{}
	case semantic.err != nil:
		r.ModeReason, r.Semantic = fault(semantic.err), candor.Ranking{}
	default:
		r.Mode, r.ModeReason = candor.ModeHybrid, ""
	}
	return r, nil
}
