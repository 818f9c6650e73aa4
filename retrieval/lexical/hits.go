package lexical

import (
	"slices"
	"sort"

	"candor"
)

// phraseDepth is how many of the best chunks are searched for a quoted phrase.
const phraseDepth = 400

// scored is a candidate with the share of each word in its score.
type scored struct {
	candidate
	hit candor.Hit
}

// hits gives the ranking of the candidates.
func (f *finder) hits(limit int, explain bool) []candor.Hit {
	all := f.scored()
	f.sort(all)
	f.near(all)
	f.lift(all)
	f.sort(all)
	all = f.phrased(all, limit)
	hits := make([]candor.Hit, 0, min(limit, len(all)))
	for _, s := range all[:min(limit, len(all))] {
		if !explain {
			s.hit.Parts = nil
		}
		hits = append(hits, s.hit)
	}
	return hits
}

func (f *finder) sort(all []scored) {
	sort.Slice(all, func(i, j int) bool { return f.worse(all[j].candidate, all[i].candidate) })
}

// scored gives the candidates with the parts of their scores.
func (f *finder) scored() []scored {
	all := make([]scored, 0, len(f.heap)+len(f.named))
	for _, c := range f.heap {
		if !slices.ContainsFunc(f.named, func(n candidate) bool { return n.segment == c.segment && n.doc == c.doc }) {
			all = append(all, f.final(c))
		}
	}
	for _, c := range f.named {
		all = append(all, f.final(c))
	}
	return all
}

// lift raises chunks of a note that the query names above the best score without a name,
// in their own order; they stay below the ceiling.
func (f *finder) lift(all []scored) {
	top := f.top
	for _, s := range all {
		top = max(top, s.score)
	}
	for i := range all {
		if s := &all[i]; s.named {
			s.scale(top/s.score + (f.ceiling-top)/f.ceiling)
		}
	}
}

// final computes the parts of a score, which is their sum.
func (f *finder) final(c candidate) scored {
	h := candor.Hit{Slot: f.slot(c)}
	seg := f.segments[c.segment]
	for i, w := range f.words {
		p, ok := lookup(w.lists[c.segment], c.doc)
		if !ok {
			continue
		}
		scale, exact := f.scales(w)
		part := scale * f.saturated(seg, p)
		if w.exact != nil {
			if p, ok := lookup(w.exact[c.segment], c.doc); ok {
				part += exact * f.saturated(seg, p)
			}
		}
		h.Matched = append(h.Matched, i)
		h.Parts = append(h.Parts, part)
		h.Score += part
	}
	c.score = h.Score
	return scored{c, h}
}

// scale multiplies a score, which stays the sum of its parts.
func (s *scored) scale(by float64) {
	s.hit.Score = 0
	for i := range s.hit.Parts {
		s.hit.Parts[i] *= by
		s.hit.Score += s.hit.Parts[i]
	}
	s.score = s.hit.Score
}

// lookup finds a document in a list of postings.
func lookup(list []posting, doc uint32) (posting, bool) {
	i := sort.Search(len(list), func(i int) bool { return uint32(list[i].doc) >= doc })
	if i == len(list) || uint32(list[i].doc) != doc {
		return posting{}, false
	}
	return list[i], true
}

// phrased keeps the candidates that hold every quoted phrase, if any does.
func (f *finder) phrased(all []scored, limit int) []scored {
	phrases := f.asked.phrases
	if len(phrases) == 0 && f.asked.literal == "" {
		return all
	}
	var out []scored
	for _, s := range all[:min(phraseDepth, len(all))] {
		if f.analyzer.quotes(f.chunks[s.hit.Slot], f.asked) {
			if out = append(out, s); len(out) == limit {
				break
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	if f.asked.functional {
		for i := range all {
			all[i].scale(stray)
		}
	}
	return all
}

// stray is what is left of a score when stop words are all that was asked for and they
// do not stand in a row: next to nothing.
const stray = 0.1

// quotes reports whether a chunk holds every phrase and the literal of a question.
func (a *analyzer) quotes(c *candor.Chunk, q question) bool {
	held := make([]bool, len(q.phrases))
	var words []string
	literal := q.literal == ""
	eachField(c, func(_ int, text string) {
		words = a.appendWords(words[:0], text)
		for i, phrase := range q.phrases {
			held[i] = held[i] || inRow(words, phrase)
		}
		literal = literal || hasToken(text, q.literal)
	})
	return literal && !slices.Contains(held, false)
}

// inRow reports whether a phrase stands in a row of words.
func inRow(words, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// hasToken reports whether text holds a token in that very case.
func hasToken(text, token string) bool {
	s := scanner{text: text}
	for s.next() {
		if s.token() == token {
			return true
		}
	}
	return false
}
