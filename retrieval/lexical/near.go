package lexical

import (
	"slices"

	"candor"
)

// nearDepth is how many of the best chunks are read again for neighbours. It does not
// depend on how many hits are asked for, so that a longer list begins like a shorter.
const nearDepth = 20

// neighbours finds words of the query that follow one another in a chunk as they do in
// the query; stop words between them do not count.
type neighbours struct {
	*analyzer
	words  []weighed
	places map[string][]int // by term: which words of the query it finds
	heads  [16]uint64       // first letters of those terms: a filter
	known  map[string][]int // by token, -1 for a part that is not in the query
	counts []int            // by word: how often it is followed by the next
	before int              // the word just read, -1 if none
}

func newNeighbours(a *analyzer, words []weighed) *neighbours {
	n := &neighbours{
		analyzer: a, words: words, counts: make([]int, len(words)),
		places: map[string][]int{}, known: map[string][]int{},
	}
	for i, w := range words {
		for _, alt := range w.alts {
			n.places[alt] = append(n.places[alt], i)
			h := head2(alt)
			n.heads[h/64] |= 1 << (h % 64)
		}
	}
	return n
}

// head2 mixes the first two letters of a word without regard to case.
func head2(s string) uint {
	if len(s) < 2 {
		return uint(s[0]) & 31
	}
	return uint(s[0])&31 | uint(s[1])&31<<5
}

// count reads a chunk and leaves in counts how often neighbours were met.
func (n *neighbours) count(c *candor.Chunk) {
	clear(n.counts)
	eachField(c, func(field int, text string) {
		n.before = -1
		if field == FieldFile || field == FieldTags {
			return
		}
		s := scanner{text: text}
		for s.next() {
			if s.packed {
				n.before = -1 // pairs overlap: they always have neighbours
				continue
			}
			n.token(s.token())
		}
	})
}

// token takes in one token.
func (n *neighbours) token(token string) {
	if h := head2(token); n.heads[h/64]&(1<<(h%64)) == 0 && plain(token) {
		if n.before >= 0 && !n.stop[lower(token)] {
			n.before = -1
		}
		return
	}
	parts, ok := n.known[token]
	if !ok {
		for _, w := range n.compound(token).words {
			if !w.stop {
				parts = append(parts, n.place(w))
			}
		}
		n.known[token] = parts
	}
	for _, i := range parts {
		if n.before >= 0 && i == n.before+1 {
			n.counts[n.before]++
		}
		n.before = i
	}
}

// place gives which word of the query this one is, -1 if none.
func (n *neighbours) place(w word) int {
	for _, alt := range w.alts {
		if at := n.places[alt]; len(at) > 0 {
			return at[0]
		}
	}
	return -1
}

// near gives the best candidates, which are sorted, what neighbours add to them: for
// each two words a share of the lighter one's weight. No score passes the ceiling.
func (f *finder) near(all []scored) {
	if f.params.Near <= 0 || len(f.words) < 2 {
		return
	}
	n := newNeighbours(f.analyzer, f.words)
	for i := range all[:min(nearDepth, len(all))] {
		s := &all[i]
		if len(s.hit.Matched) < 2 {
			continue
		}
		n.count(f.chunks[s.hit.Slot])
		for w, times := range n.counts {
			if times > 0 {
				f.reward(s, w, float64(times)/float64(times+1))
			}
		}
	}
}

// reward adds to the parts of word w and the next one.
func (f *finder) reward(s *scored, w int, saturated float64) {
	a, b := slices.Index(s.hit.Matched, w), slices.Index(s.hit.Matched, w+1)
	if a < 0 || b < 0 {
		return
	}
	bonus := f.params.Near * saturated * min(f.words[w].idf*f.words[w].share, f.words[w+1].idf*f.words[w+1].share)
	bonus = min(bonus, f.ceiling-s.hit.Score)
	s.hit.Parts[a] += bonus / 2
	s.hit.Parts[b] += bonus / 2
	s.scale(1)
}
