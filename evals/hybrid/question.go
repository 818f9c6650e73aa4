package hybrid

import (
	"context"
	"errors"
	"fmt"

	"candor"
	"candor/evals"
	"candor/evidence"
	"candor/fusion"
)

// Drafted is the sub-slice of topics whose wording a rule took from the note.
const Drafted = evals.SubDrafted

// question is a topic with what both legs found for it.
type question struct {
	evals.Topic
	pair   Pair
	judged map[string]int
	docs   map[int]string // by slot, as the judgements name them
}

// counts reports whether a topic teaches fusion and decides.
func (q *question) counts() bool { return len(q.judged) > 0 && !evals.IsDrafted(q.Sub) }

// asker asks both legs.
type asker struct {
	legs  Legs
	suite evals.Suite
}

// ask asks one topic. A question that the server will not take finds nothing.
func (a asker) ask(ctx context.Context, t evals.Topic) (*question, error) {
	q := &question{Topic: t, judged: a.suite.Qrels[t.ID], docs: map[int]string{}}
	pair, err := a.legs.Legs(ctx, evals.Question{Text: t.Question, Profile: t.Profile, Limit: fusion.Depth, GatesOff: true})
	if _, refused := errors.AsType[*candor.InputError](err); refused {
		return q, nil
	}
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", t.ID, err)
	}
	q.pair = pair
	for _, r := range []candor.Ranking{pair.Lexical, pair.Semantic} {
		for _, h := range r.Hits {
			if _, ok := q.docs[h.Slot]; ok {
				continue
			}
			hit := evals.Hit{Citation: pair.Cite(h.Slot)}
			q.docs[h.Slot] = "" // a passage that is no document of the suite
			for _, named := range a.suite.Label(t, []evals.Hit{hit}) {
				q.docs[h.Slot] = named.Doc
			}
		}
	}
	return q, nil
}

// ranked is a slot with its score.
type ranked struct {
	slot  int
	score float64
}

// lexical is the ranking of the lexical mode.
func (q *question) lexical() []ranked {
	out := make([]ranked, len(q.pair.Lexical.Hits))
	for i, h := range q.pair.Lexical.Hits {
		out[i] = ranked{h.Slot, h.Score}
	}
	return out
}

// fused is the ranking of the hybrid mode, as the engine gives it: fusion, then the pin.
func (q *question) fused(p fusion.Params) []ranked {
	hits := p.Fuse(q.pair.Lexical, q.pair.Semantic)
	out := make([]ranked, len(hits))
	for i, h := range hits {
		out[i] = ranked{h.Slot, h.Score}
	}
	if q.pair.Pinned && len(q.pair.Lexical.Hits) > 0 {
		pin(out, q.pair.Lexical.Hits[0].Slot)
	}
	return out
}

// pin moves a slot to the front.
func pin(hits []ranked, slot int) {
	for i, h := range hits {
		if h.slot == slot {
			copy(hits[1:i+1], hits[:i])
			hits[0] = h
			return
		}
	}
}

// label names the first limit documents of a ranking, each once.
func (q *question) label(hits []ranked, limit int) []evals.Scored {
	var out []evals.Scored
	seen := map[string]bool{"": true}
	for _, h := range hits {
		if doc := q.docs[h.slot]; !seen[doc] {
			seen[doc] = true
			if out = append(out, evals.Scored{Doc: doc, Score: h.score}); len(out) == limit {
				break
			}
		}
	}
	return out
}

// gain is nDCG@10 of a ranking, the metric that decides.
func (q *question) gain(hits []ranked) float64 {
	var docs []string
	for _, d := range q.label(hits, 10) {
		docs = append(docs, d.Doc)
	}
	return evals.NDCG(docs, q.judged, 10)
}

// outcome is what the topic comes to when a ranking stands behind a gate.
func (q *question) outcome(hits []ranked, said evidence.Verdict) evals.Outcome {
	out := evals.Outcome{
		Topic: q.ID, Slice: q.Slice, Sub: q.Sub, Scores: map[string]float64{},
		Abstained: said.Abstained, Confidence: said.Margin,
	}
	deep := q.label(hits, fusion.Depth)
	switch {
	case len(q.judged) > 0:
		out.Scores = evals.Score(deep, q.judged)
		out.Scores[evals.ServedHit1] = evals.Score(q.label(standing(hits, said), 10), q.judged)[evals.Hit1]
		out.Scores[evals.Answered] = one(!said.Abstained)
	case q.Slice == evals.Unsupported || q.Slice == evals.Denied:
		out.Scores[evals.Refused] = one(said.Abstained)
	}
	if q.Slice != evals.Denied && q.Slice != evals.Secret {
		for _, d := range deep[:min(10, len(deep))] {
			out.Top = append(out.Top, d.Doc)
		}
	}
	return out
}

// standing are the hits that may be cited.
func standing(hits []ranked, said evidence.Verdict) (out []ranked) {
	for _, h := range hits {
		if !said.Abstained && said.Stands(h.slot) {
			out = append(out, h)
		}
	}
	return out
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
