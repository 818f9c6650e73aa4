package redact

// automaton is an Aho-Corasick machine over ASCII-lower-cased bytes, as a dense table.
// States that end a pattern have the highest numbers, so that the hot loop has one
// comparison a byte.
type automaton struct {
	class  [256]uint8
	next   []uint16 // state<<shift + class
	shift  uint
	accept uint16     // first state that ends a pattern
	ends   [][]uint16 // by state-accept: patterns that end there, longest first
}

// newAutomaton builds the machine for lower-case patterns, none empty.
func newAutomaton(patterns []string) *automaton {
	a := &automaton{}
	classes := 1 // class 0 is every byte that stands in no pattern
	for _, p := range patterns {
		for i := range len(p) {
			if a.class[p[i]] == 0 {
				a.class[p[i]] = uint8(classes)
				classes++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	for 1<<a.shift < classes {
		a.shift++
	}
	t := newTrie(a, patterns)
	a.pack(t.link())
	return a
}

// trie is the machine under construction, states in order of insertion.
type trie struct {
	a    *automaton
	next [][]int32 // -1: no edge yet
	ends [][]uint16
}

func newTrie(a *automaton, patterns []string) *trie {
	t := &trie{a: a}
	t.add()
	for id, p := range patterns {
		s := int32(0)
		for i := range len(p) {
			c := a.class[p[i]]
			if t.next[s][c] < 0 {
				t.next[s][c] = t.add()
			}
			s = t.next[s][c]
		}
		t.ends[s] = append(t.ends[s], uint16(id))
	}
	return t
}

func (t *trie) add() int32 {
	row := make([]int32, 1<<t.a.shift)
	for i := range row {
		row[i] = -1
	}
	t.next, t.ends = append(t.next, row), append(t.ends, nil)
	return int32(len(t.next) - 1)
}

// link turns the trie into a machine without failure: breadth first, each missing
// edge becomes that of the longest proper suffix.
func (t *trie) link() *trie {
	fail := make([]int32, len(t.next))
	queue := []int32{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for c, to := range t.next[s] {
			via := int32(0)
			if s != 0 {
				via = t.next[fail[s]][c]
			}
			if to < 0 {
				t.next[s][c] = via
				continue
			}
			fail[to] = via
			t.ends[to] = append(t.ends[to], t.ends[via]...)
			queue = append(queue, to)
		}
	}
	return t
}

// pack numbers the states that end a pattern last and writes the table.
func (a *automaton) pack(t *trie) {
	number := make([]uint16, len(t.next))
	n := 0
	for _, ending := range []bool{false, true} {
		if ending {
			a.accept = uint16(n)
		}
		for s := range t.next {
			if (len(t.ends[s]) > 0) != ending {
				continue
			}
			number[s] = uint16(n)
			n++
			if ending {
				a.ends = append(a.ends, t.ends[s])
			}
		}
	}
	a.next = make([]uint16, n<<a.shift)
	for s, row := range t.next {
		base := int(number[s]) << a.shift
		for c, to := range row {
			a.next[base+c] = number[to]
		}
	}
}

// scan calls hit with the patterns that end before text[end], for each such end. hit
// gives the place to go on from, which is end or later.
func (a *automaton) scan(text string, hit func(ids []uint16, end int) int) {
	state := uint16(0)
	for i := 0; i < len(text); {
		state = a.next[int(state)<<a.shift+int(a.class[text[i]])]
		i++
		if state >= a.accept {
			if to := hit(a.ends[state-a.accept], i); to > i {
				i, state = to, 0
			}
		}
	}
}
