package hybrid

import (
	"context"
	"time"

	"candor"
	"candor/evals"
)

// Legs is a System that can show what each leg found before fusion and gates, so that
// constants are learned without asking again. The command line implements it beside
// evals.System.
type Legs interface {
	// Legs asks both legs over one profile's chunks, fusion.Depth deep. A question that
	// the server refuses is a *candor.InputError.
	Legs(ctx context.Context, q evals.Question) (Pair, error)
}

// Pair is what both legs found for one question.
type Pair struct {
	// Lexical has terms and ceiling too: the gates need them.
	Lexical, Semantic candor.Ranking
	// Cite gives the citation of a slot that either leg has.
	Cite func(slot int) candor.Citation
	// Pinned says that the engine puts the first lexical hit above fusion.
	Pinned bool
	// Took is how long each leg needed.
	Took Took
}

// Took is the time of the legs.
type Took struct{ Lexical, Semantic time.Duration }

// hybrid is the time of an answer from both legs, which are asked at once.
func (t Took) hybrid() time.Duration { return max(t.Lexical, t.Semantic) }
