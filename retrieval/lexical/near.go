package lexical

import (
	"slices"
	"unicode/utf8"

	"candor"
)

// nearDepth is how many of the best chunks are read again for neighbours. It does not
// depend on how many hits are asked for, so that a longer list begins like a shorter.
const nearDepth = 16

// neighbours finds words of the query that follow one another in a chunk as they do in
// the query; stop words between them do not count.
type neighbours struct {
	*analyzer
	words  []weighed
	places map[string][]int // by term: which words of the query it finds
	heads  headSet          // of those terms
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
			n.heads.add(alt)
		}
	}
	return n
}

// headSet is a filter that knows how words begin: by two letters, and by three where
// the stem is long enough for the third to be sure.
type headSet [32]uint64

// head mixes the first letters of a word without regard to case.
func head(s string, n int) uint {
	h := uint(n)
	for i := range min(n, len(s)) {
		h = h*37 + uint(s[i]|0x20)
	}
	return h % (32 * 64)
}

func (h *headSet) add(stem string) {
	n := 3
	if len(stem) < 4 {
		n = 2
	}
	i := head(stem, min(n, len(stem)))
	h[i/64] |= 1 << (i % 64)
}

// may reports whether a token can hold a word of the set.
func (h *headSet) may(token string) bool {
	last := 0
	if !plain(token) {
		last = len(token) - 1
	}
	for from := 0; from <= last; from++ {
		for n := 1; n <= 3; n++ {
			if i := head(token[from:], n); h[i/64]&(1<<(i%64)) != 0 {
				return true
			}
			if token[from] >= utf8.RuneSelf {
				return true
			}
		}
	}
	return false
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
	if !n.heads.may(token) {
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
		if !followed(s.hit.Matched) {
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

// followed reports whether two words in a row were matched.
func followed(matched []int) bool {
	for i := 1; i < len(matched); i++ {
		if matched[i] == matched[i-1]+1 {
			return true
		}
	}
	return false
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
