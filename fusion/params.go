package fusion

import (
	"cmp"
	"fmt"

	"candor"
)

// Version names what Params mean: constants that were learned under another version
// are for another fusion.
const Version = "2"

// Method is a way to fuse.
type Method string

// The methods.
const (
	RRF    Method = "rrf"   // Reciprocal
	Linear Method = "blend" // Blend of the scaled lexical score and the cosine
)

// Params are the constants of a fusion. The zero value is reciprocal rank fusion with
// DefaultK and equal weights.
type Params struct {
	Method Method  `json:"method"`
	K      float64 `json:"k,omitempty"` // of RRF
	// Ceiling lets a blend scale lexical scores by the highest that the question could
	// reach, not by the best that was reached: where no passage holds its words well,
	// meaning then counts for more.
	Ceiling bool `json:"ceiling,omitempty"`
	// Lexical and Semantic weigh the legs; both 0 is 1 and 1.
	Lexical  float64 `json:"lexical"`
	Semantic float64 `json:"semantic"`
}

// Full gives the constants with the defaults filled in, so that equal fusions have equal
// constants.
func (p Params) Full() Params {
	p.Method = cmp.Or(p.Method, RRF)
	if p.Method == Linear {
		p.K = 0
	} else if p.Ceiling = false; !(p.K > 0) {
		p.K = DefaultK
	}
	if p.Lexical == 0 && p.Semantic == 0 {
		p.Lexical, p.Semantic = 1, 1
	}
	return p
}

// String writes the constants for a reader.
func (p Params) String() string {
	p = p.Full()
	switch {
	case p.Ceiling:
		return fmt.Sprintf("blend over the ceiling, lexical %g, semantic %g", p.Lexical, p.Semantic)
	case p.Method == Linear:
		return fmt.Sprintf("blend, lexical %g, semantic %g", p.Lexical, p.Semantic)
	}
	return fmt.Sprintf("%s, k %g, lexical %g, semantic %g", p.Method, p.K, p.Lexical, p.Semantic)
}

// Valid reports whether the constants name a fusion of both legs.
func (p Params) Valid() bool {
	p = p.Full()
	return (p.Method == RRF || p.Method == Linear) && p.Lexical > 0 && p.Semantic > 0
}

// Fuse merges the rankings of the two legs. The ranks and shares of a hit are those of
// the lexical leg, then of the semantic one.
func (p Params) Fuse(lexical, semantic candor.Ranking) []Hit {
	p = p.Full()
	if p.Method == Linear {
		return Blend(p.normal(lexical), cosine(p.Semantic, semantic))
	}
	return Reciprocal(p.K, Leg{p.Lexical, slots(lexical.Hits)}, Leg{p.Semantic, slots(semantic.Hits)})
}

// normal scales lexical scores. What the leg does not have shares no word with the query
// and scores 0.
func (p Params) normal(r candor.Ranking) Scores {
	s := Scores{Weight: p.Lexical, Slots: slots(r.Hits), Scores: make([]float64, len(r.Hits))}
	if len(r.Hits) == 0 {
		return s
	}
	full := r.Hits[0].Score
	if p.Ceiling && r.Ceiling > 0 {
		full = r.Ceiling
	}
	for i, h := range r.Hits {
		if full > 0 {
			s.Scores[i] = h.Score / full
		}
	}
	return s
}

// cosine takes cosines as they are. Each chunk has one: what the leg does not have is at
// most as near as its last hit.
func cosine(weight float64, r candor.Ranking) Scores {
	s := Scores{Weight: weight, Slots: slots(r.Hits), Scores: make([]float64, len(r.Hits))}
	for i, h := range r.Hits {
		s.Scores[i] = h.Score
		s.Floor = h.Score
	}
	return s
}

func slots(hits []candor.Hit) []int {
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.Slot
	}
	return out
}
