package lexical

import (
	"slices"
	"sync"

	"candor"
)

// Index is an immutable BM25F index of chunks. Use New.
type Index struct {
	analyzer *analyzer
	params   Params
	chunks   []*candor.Chunk
	segments []*segment
	norms    [NumFields]damping
	chunkN   int // living chunks
	analyzed int // chunks that the Update that made it had to analyse
	pool     *sync.Pool
	front    chan struct{} // held by the one search that waits for a core
}

var _ candor.Index = (*Index)(nil)

// New gives an empty index.
func New(o Options) *Index {
	x := &Index{analyzer: newAnalyzer(o.Languages), params: Defaults()}
	if o.Params != nil {
		x.params = *o.Params
	}
	x.pool = &sync.Pool{New: func() any { return new(scratch) }}
	x.front = make(chan struct{}, 1)
	x.measure()
	return x
}

// Update gives an index of chunks. What has not changed, by slot and pointer, is not
// analysed again. The receiver goes on working unchanged.
func (x *Index) Update(chunks []*candor.Chunk) candor.Index {
	gone, fresh := differ(x.chunks, chunks)
	next := *x
	next.chunks = slices.Clone(chunks)
	next.analyzed = len(fresh)
	next.segments = nil
	for _, s := range x.segments {
		if s = s.bury(gone); s.live > 0 {
			next.segments = append(next.segments, s)
		}
	}
	next.segments = append(next.segments, build(x.analyzer, chunks, fresh)...)
	next.compact()
	next.measure()
	return &next
}

// differ gives the slots whose old chunk is gone, and those with a new one.
func differ(old, chunks []*candor.Chunk) (gone, fresh []int) {
	for slot := range max(len(old), len(chunks)) {
		var was, is *candor.Chunk
		if slot < len(old) {
			was = old[slot]
		}
		if slot < len(chunks) {
			is = chunks[slot]
		}
		if was == is {
			continue
		}
		if was != nil {
			gone = append(gone, slot)
		}
		if is != nil {
			fresh = append(fresh, slot)
		}
	}
	return gone, fresh
}

// Segments up to smallSegment are merged at once; those above a bigShare of the index
// are not merged, so that a fresh one stays as its processors built it.
const smallSegment, bigShare = 128, 1. / 16

// compact keeps segments few and mostly alive. Sizes at least halve from one to the
// next, so that each chunk is moved a logarithmic number of times.
func (x *Index) compact() {
	all := 0
	for i, s := range x.segments {
		all += s.live
		if s.deadCount() > s.live {
			x.segments[i] = merge([]*segment{s})
		}
	}
	big := max(smallSegment, int(bigShare*float64(all)))
	for n := len(x.segments); n >= 2; n = len(x.segments) {
		slices.SortStableFunc(x.segments, func(a, b *segment) int { return b.live - a.live })
		a, b := x.segments[n-2], x.segments[n-1]
		if b.live > big || a.live > max(2*b.live, smallSegment) || a.live+b.live > maxDocs {
			return
		}
		x.segments = append(x.segments[:n-2], merge([]*segment{a, b}))
	}
}

// measure takes the statistics of all segments together.
func (x *Index) measure() {
	x.chunkN = 0
	var total [NumFields]int64
	for _, s := range x.segments {
		x.chunkN += s.live
		for f := range total {
			total[f] += s.total[f]
		}
	}
	for f := range x.norms {
		x.norms[f] = newDamping(x.params.Fields[f], total[f], x.chunkN)
	}
}

// damping gives the weight of one occurrence in a field by the field's length.
type damping struct {
	table  [1024]float64
	params FieldParams
	mean   float64
}

func newDamping(p FieldParams, total int64, chunks int) damping {
	n := damping{params: p, mean: 1}
	if total > 0 && chunks > 0 {
		n.mean = float64(total) / float64(chunks)
	}
	for length := range n.table {
		n.table[length] = n.compute(length)
	}
	return n
}

func (n *damping) compute(length int) float64 {
	return n.params.Weight / (1 - n.params.B + n.params.B*float64(length)/n.mean)
}

func (n *damping) of(length uint16) float64 {
	if int(length) < len(n.table) {
		return n.table[length]
	}
	return n.compute(int(length))
}
