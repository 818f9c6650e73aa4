package lexical

import (
	"math/bits"
	"slices"
	"sort"
)

// posting is one chunk that holds a term.
type posting struct {
	doc uint16 // in the segment
	tf  uint16 // frequency in each field, packed
}

// maxDocs is how many chunks a segment can hold.
const maxDocs = 1 << 16

// How frequencies are packed: bits and shift of each field. Full fields stay full:
// by then one occurrence more would hardly count.
var (
	tfBits  = [NumFields]uint{6, 2, 3, 2, 3}
	tfShift = [NumFields]uint{0, 6, 8, 11, 13}
)

// textOnly is the part of a packed frequency that is the text's.
const textOnly = 1<<6 - 1

// count adds one occurrence in a field.
func count(tf uint16, field int) uint16 {
	one, mask := uint16(1)<<tfShift[field], (uint16(1)<<tfBits[field]-1)<<tfShift[field]
	if tf&mask == mask {
		return tf
	}
	return tf + one
}

// frequency unpacks one field.
func frequency(tf uint16, field int) uint16 {
	return tf >> tfShift[field] & (1<<tfBits[field] - 1)
}

// union is the larger frequency, field by field.
func union(a, b uint16) uint16 {
	var u uint16
	for f := range NumFields {
		u |= max(frequency(a, f), frequency(b, f)) << tfShift[f]
	}
	return u
}

// lengths are the content words in each field of a chunk.
type lengths [NumFields]uint16

// segment is an inverted file over some of the chunks. It never changes; what dies in
// it is marked in a copy that shares the rest.
type segment struct {
	dict  dict
	ends  []uint32 // of the postings of each term
	posts []posting
	slots []int32 // of each document, ascending
	lens  []lengths
	total [NumFields]int64 // of the living
	dead  []uint64         // bits; nil while all live
	live  int
}

// postings gives the chunks that hold a term, dead ones too.
func (s *segment) postings(term string) []posting {
	id, ok := s.dict.find(term)
	if !ok {
		return nil
	}
	return s.list(id)
}

func (s *segment) list(id uint32) []posting {
	start := uint32(0)
	if id > 0 {
		start = s.ends[id-1]
	}
	return s.posts[start:s.ends[id]]
}

func (s *segment) isDead(doc uint32) bool {
	return s.dead != nil && s.dead[doc/64]&(1<<(doc%64)) != 0
}

// holders counts the living among postings.
func (s *segment) holders(list []posting) int {
	if s.dead == nil {
		return len(list)
	}
	n := 0
	for _, p := range list {
		if !s.isDead(uint32(p.doc)) {
			n++
		}
	}
	return n
}

// bury gives the segment without the chunks in slots, ascending, that live in it.
func (s *segment) bury(slots []int) *segment {
	out := s
	for _, slot := range slots {
		doc, ok := slices.BinarySearch(s.slots, int32(slot))
		if !ok || out.isDead(uint32(doc)) {
			continue
		}
		if out == s {
			c := *s
			out = &c
			out.dead = make([]uint64, (len(s.slots)+63)/64)
			copy(out.dead, s.dead)
		}
		out.dead[doc/64] |= 1 << (doc % 64)
		out.live--
		for f, n := range s.lens[doc] {
			out.total[f] -= int64(n)
		}
	}
	return out
}

// deadCount counts the marks; it is what live left out.
func (s *segment) deadCount() int {
	n := 0
	for _, w := range s.dead {
		n += bits.OnesCount64(w)
	}
	return n
}

// merge makes one segment of what lives in several, without analysing anything again.
func merge(segments []*segment) *segment {
	out := &segment{}
	place := renumber(out, segments)
	terms, sizes := vocabulary(out, segments, place)
	out.ends = make([]uint32, len(sizes))
	next := make([]uint32, len(sizes))
	sum := uint32(0)
	for id, n := range sizes {
		next[id] = sum
		sum += n
		out.ends[id] = sum
	}
	out.posts = make([]posting, sum)
	for i, s := range segments {
		for id := range uint32(s.dict.len()) {
			to := terms[i][id]
			for _, p := range s.list(id) {
				if doc := place[i][p.doc]; doc >= 0 {
					out.posts[next[to]] = posting{uint16(doc), p.tf}
					next[to]++
				}
			}
		}
	}
	byDoc := func(a, b posting) int { return int(a.doc) - int(b.doc) }
	for id := range uint32(len(out.ends)) {
		if list := out.list(id); !slices.IsSortedFunc(list, byDoc) {
			slices.SortFunc(list, byDoc)
		}
	}
	return out
}

// renumber lays out the documents of a merged segment by slot and gives the new number
// of each old one, -1 for the dead.
func renumber(out *segment, segments []*segment) [][]int32 {
	type source struct{ segment, doc int }
	var live []source
	place := make([][]int32, len(segments))
	for i, s := range segments {
		place[i] = make([]int32, len(s.slots))
		for doc := range s.slots {
			place[i][doc] = -1
			if !s.isDead(uint32(doc)) {
				live = append(live, source{i, doc})
			}
		}
	}
	slot := func(s source) int32 { return segments[s.segment].slots[s.doc] }
	sort.Slice(live, func(a, b int) bool { return slot(live[a]) < slot(live[b]) })
	out.live = len(live)
	out.slots = make([]int32, len(live))
	out.lens = make([]lengths, len(live))
	for n, s := range live {
		place[s.segment][s.doc] = int32(n)
		out.slots[n] = slot(s)
		out.lens[n] = segments[s.segment].lens[s.doc]
		for f, l := range out.lens[n] {
			out.total[f] += int64(l)
		}
	}
	return place
}

// vocabulary enters the terms that still have a living holder, and counts those.
func vocabulary(out *segment, segments []*segment, place [][]int32) (terms [][]uint32, sizes []uint32) {
	terms = make([][]uint32, len(segments))
	for i, s := range segments {
		terms[i] = make([]uint32, s.dict.len())
		for id := range uint32(s.dict.len()) {
			n := uint32(0)
			for _, p := range s.list(id) {
				if place[i][p.doc] >= 0 {
					n++
				}
			}
			if n == 0 {
				continue
			}
			to, fresh := out.dict.add(string(s.dict.at(id)))
			if fresh {
				sizes = append(sizes, 0)
			}
			terms[i][id] = to
			sizes[to] += n
		}
	}
	out.dict.clip()
	return terms, sizes
}
