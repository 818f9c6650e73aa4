package lexical

import (
	"slices"
	"unicode/utf8"

	"candor"
)

// nearDepth is how many of the best chunks are read again for neighbours. It does not
// depend on how many hits are asked for, so that a longer list begins like a shorter.
const nearDepth = 16

// window is how many words in a row are one place: a sentence, more or less.
const window = 16

// neighbours reads chunks for where the words of the query stand in them: which follow
// one another as they do in the query (stop words between them do not count), and how
// much of the query stands in one place.
type neighbours struct {
	*analyzer
	words  []weighed
	places map[string][]int // by term: which words of the query it finds
	heads  headSet          // of those terms
	known  map[string]parts // by token
	counts []int            // by word: how often it is followed by the next
	before int              // the word just read, -1 if none

	over  []bool // by word: stands over the text, in title, heading or table header
	spots []spot // in the text, in order
	pos   int    // words of the text so far
	body  bool   // the text is being read
	held  []int  // by word: spots in the window
	best  []int  // held of the best window
}

// parts is what a token says about the query.
type parts struct {
	row  []int // the word of the query that each of its content words is, -1 for none
	held []int // all words of the query that it holds
}

// spot is where a word of the query stands.
type spot struct{ pos, word int }

func newNeighbours(a *analyzer, words []weighed) *neighbours {
	n := &neighbours{
		analyzer: a, words: words, counts: make([]int, len(words)),
		places: map[string][]int{}, known: map[string]parts{},
		over: make([]bool, len(words)), held: make([]int, len(words)), best: make([]int, len(words)),
	}
	for i, w := range words {
		for _, alt := range w.alts {
			n.places[alt] = append(n.places[alt], i)
			n.heads.add(alt)
		}
	}
	return n
}

// headSet is a filter that knows how words begin, by as many letters as are sure to be
// the same in all forms of a stem: there is a table for each of these numbers.
type headSet [len(headSizes)][8]uint64

var headSizes = [...]int{1, 2, 3, 5}

// sure gives the table for a stem: endings reach back into the last letters of a short
// one.
func sure(stem string) int {
	switch n := len(stem); {
	case n < 2:
		return 0
	case n < 4:
		return 1
	case n < 7:
		return 2
	}
	return 3
}

// mix takes one more letter into a hash without regard to case.
func mix(h uint, c byte) uint { return (h*37 + uint(c|0x20)) & 0x1ff }

func (h *headSet) add(stem string) {
	if stem == "" {
		return
	}
	table, at := sure(stem), uint(0)
	for i := range headSizes[table] {
		at = mix(at, stem[i])
	}
	h[table][at/64] |= 1 << (at % 64)
}

// may reports whether a token can hold a word of the set.
func (h *headSet) may(token string) bool {
	if plain(token) {
		return h.begins(token)
	}
	for from := range len(token) {
		if token[from] >= utf8.RuneSelf || token[from] == '-' || h.begins(token[from:]) {
			return true
		}
	}
	return false
}

// begins reports whether a text may begin with a word of the set. A longer stem may
// belong to a shorter form, so a short text is looked up as it is too.
func (h *headSet) begins(s string) bool {
	at, done := uint(0), 0
	for table, size := range headSizes {
		for ; done < min(size, len(s)); done++ {
			at = mix(at, s[done])
		}
		if h[table][at/64]&(1<<(at%64)) != 0 {
			return true
		}
	}
	return false
}

// read takes in a chunk.
func (n *neighbours) read(c *candor.Chunk) {
	clear(n.counts)
	clear(n.over)
	n.spots, n.pos, n.body = n.spots[:0], 0, true
	eachField(c, func(field int, text string) {
		n.before = -1
		if field != FieldFile && field != FieldTags {
			n.text(text)
		}
		n.body = false // the text itself comes first
	})
}

func (n *neighbours) text(text string) {
	s := scanner{text: text}
	for s.next() {
		if !s.packed {
			n.token(s.token())
			n.pos++
			continue
		}
		n.before = -1 // pairs overlap: they always have neighbours
		pairs(s.token(), func(gram string, pair bool) {
			n.place(n.places[gram])
			if !pair {
				n.pos++
			}
		})
	}
}

// token takes in one token.
func (n *neighbours) token(token string) {
	if !n.heads.may(token) {
		if n.before >= 0 && !n.stop[lower(token)] {
			n.before = -1
		}
		return
	}
	p, ok := n.known[token]
	if !ok {
		p = n.analyze(token)
		n.known[token] = p
	}
	for _, i := range p.row {
		if n.before >= 0 && i == n.before+1 {
			n.counts[n.before]++
		}
		n.before = i
	}
	n.place(p.held)
}

// place notes that words of the query stand here.
func (n *neighbours) place(words []int) {
	for _, w := range words {
		if n.body {
			n.spots = append(n.spots, spot{n.pos, w})
		} else {
			n.over[w] = true
		}
	}
}

// analyze finds the words of the query in a token.
func (n *neighbours) analyze(token string) (p parts) {
	c := n.compounds.recall(token, n.compound)
	for _, w := range c.words {
		at := -1
		for _, alt := range w.alts {
			if found := n.places[alt]; len(found) > 0 {
				p.held = append(p.held, found...)
				if at < 0 {
					at = found[0]
				}
			}
		}
		if !w.stop {
			p.row = append(p.row, at)
		}
	}
	if c.whole != "" {
		p.held = append(p.held, n.places[c.whole]...)
		for _, alt := range c.one {
			p.held = append(p.held, n.places[alt]...)
		}
	}
	return p
}

// gather gives the words that weigh most in one window, with those over the text, and
// what they weigh.
func (n *neighbours) gather() (weight float64) {
	clear(n.held)
	for w, over := range n.over {
		if over {
			n.held[w]++
		}
	}
	weight, first := n.keep(-1), 0
	for _, s := range n.spots {
		for ; s.pos-n.spots[first].pos >= window; first++ {
			n.held[n.spots[first].word]--
		}
		if n.held[s.word]++; n.held[s.word] == 1 {
			weight = n.keep(weight)
		}
	}
	return weight
}

// keep takes the words held as the best if they weigh more than those before.
func (n *neighbours) keep(before float64) float64 {
	sum := 0.0
	for w, times := range n.held {
		if times > 0 {
			sum += n.words[w].weight()
		}
	}
	if sum > before {
		copy(n.best, n.held)
		return sum
	}
	return before
}

// near reads the best candidates, which are sorted, and gives them what neighbours add:
// for each two words a share of the lighter one's weight. No score passes the ceiling.
func (f *finder) near(all []scored) {
	n := newNeighbours(f.analyzer, f.words)
	for i := range all[:min(nearDepth, len(all))] {
		s := &all[i]
		n.read(f.chunks[s.hit.Slot])
		s.hit.Close = n.gather()
		f.gathered(s, n)
		for w, times := range n.counts {
			if times > 0 && f.params.Near > 0 {
				f.reward(s, w, float64(times)/float64(times+1))
			}
		}
	}
}

// rounding is what sums of parts may be off.
const rounding = 1e-12

// gathered adds to the parts of the words that stand close together.
func (f *finder) gathered(s *scored, n *neighbours) {
	for i, w := range s.hit.Matched {
		if n.best[w] > 0 {
			s.hit.Parts[i] += f.params.Close * f.words[w].weight()
		}
	}
	s.scale(1)
}

// reward adds to the parts of word w and the next one.
func (f *finder) reward(s *scored, w int, saturated float64) {
	a, b := slices.Index(s.hit.Matched, w), slices.Index(s.hit.Matched, w+1)
	if a < 0 || b < 0 {
		return
	}
	bonus := f.params.Near * saturated * min(f.words[w].weight(), f.words[w+1].weight())
	bonus = min(bonus, f.ceiling*(1-rounding)-s.hit.Score)
	if bonus <= 0 {
		return
	}
	s.hit.Parts[a] += bonus / 2
	s.hit.Parts[b] += bonus / 2
	s.scale(1)
}
