package kb

import (
	"fmt"
	"slices"

	"candor"
	"candor/corpus"
	"candor/retrieval"
)

// rankings is what the legs gave, with the snapshot that they ranked.
type rankings struct {
	snap  *corpus.Snapshot
	found retrieval.Result
}

// hit is one passage as the answer gives it, without its rank.
func (s *search) hit(c candidate, r rankings) SearchHit {
	b := s.base
	tier, flags := r.snap.Note(c.chunk.Path).Flags(b.opt.Now())
	if c.chunk.Masked {
		flags = append(flags, candor.FlagMasked)
	}
	if len(c.copies) > 0 {
		flags = append(flags, candor.FlagDuplicate)
	}
	if len(c.against) > 0 {
		flags = append(flags, candor.FlagConflict)
	}
	slices.Sort(flags)
	h := SearchHit{
		Citation: c.chunk.Citation(), Title: c.chunk.Title, Text: c.chunk.Text, Context: c.chunk.Context, Tier: tier.String(),
		Legs: Legs{Lexical: c.LexicalRank, Semantic: c.SemanticRank}, Matched: []string{},
		Flags: flags, Duplicates: c.copies, Score: c.Score,
	}
	h.Links, h.LinksLeft = outside(r.snap.Note(c.chunk.Path), c.chunk.Lines, c.chunk.Text)
	for _, m := range r.lexicalHit(c).Matched {
		h.Matched = append(h.Matched, r.found.Lexical.Terms[m].Text)
	}
	for _, ch := range c.against {
		d := Disagreement{Citation: ch.Citation(), Trusted: trusted(s.tier(r.snap, ch), tier)}
		h.ConflictsWith, h.Disagrees = append(h.ConflictsWith, d.Citation.ID), append(h.Disagrees, d)
	}
	if s.req.Explain {
		h.Explain = r.explain(c)
	}
	return h
}

// lexicalHit is the lexical leg's own hit, the zero Hit where it had none.
func (r rankings) lexicalHit(c candidate) candor.Hit {
	if c.LexicalRank == 0 {
		return candor.Hit{}
	}
	return r.found.Lexical.Hits[c.LexicalRank-1]
}

// explain gives the numbers that ranked a hit.
func (r rankings) explain(c candidate) *Explain {
	e := &Explain{Pinned: c.Pinned}
	if c.LexicalRank > 0 {
		hit := r.lexicalHit(c)
		e.Lexical = &LegExplain{Rank: c.LexicalRank, Score: hit.Score, Contribution: c.LexicalShare, Words: []WordExplain{}}
		for i, part := range hit.Parts {
			word := r.found.Lexical.Terms[hit.Matched[i]].Text
			e.Lexical.Words = append(e.Lexical.Words, WordExplain{Word: word, Weight: part})
		}
	}
	if c.SemanticRank > 0 {
		e.Semantic = &LegExplain{
			Rank: c.SemanticRank, Score: r.found.Semantic.Hits[c.SemanticRank-1].Score,
			Contribution: c.SemanticShare, Words: []WordExplain{},
		}
	}
	return e
}

// inputError makes an error about an argument.
func inputError(field, format string, args ...any) error {
	return &candor.InputError{Field: field, Why: fmt.Sprintf(format, args...)}
}
