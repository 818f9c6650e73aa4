package semantic

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/philippgille/chromem-go"

	"candor"
	"candor/cache"
)

// pageSize is how many slots a page has: what an update of one chunk costs to rebuild.
const pageSize = 512

// page is the vectors of pageSize slots of an index. It is never changed once made. Its
// vectors are in a chromem-go collection; vecs are the same arrays, by slot.
type page struct {
	chunks []*candor.Chunk // by slot; nil is empty
	names  []cache.Chunk   // what was embedded of each
	vecs   []Vector        // nil where there is none
	coll   *chromem.Collection
	sketch []uint64 // words for each slot
	words  int      // of one sketch
	have   int      // slots with a vector
	total  int      // slots that should have one
}

// errEmbed is what a collection answers when it is asked to embed. chromem-go's default
// would send the text to a company.
var errEmbed = errors.New("collections are given their vectors")

// newPage starts a page that holds the chunks, with the names that the page before knows
// already. Vectors come with fill.
func newPage(chunks []*candor.Chunk, before *page, n names) *page {
	p := &page{chunks: slices.Clone(chunks), names: make([]cache.Chunk, len(chunks)), vecs: make([]Vector, len(chunks))}
	for i, c := range chunks {
		if c == nil {
			continue
		}
		p.total++
		if i < len(before.chunks) && before.chunks[i] == c {
			p.names[i], p.vecs[i] = before.names[i], before.vecs[i]
			continue
		}
		p.names[i] = n.chunk(Compose(c).String())
	}
	return p
}

// same reports whether the page is of these chunks.
func (p *page) same(chunks []*candor.Chunk) bool { return slices.Equal(p.chunks, chunks) }

// seal makes collection and sketch of the vectors; the page is then done. It is false
// when there is nothing that the page before doesn't have: that one serves on.
func (p *page) seal(before *page) bool {
	if before.same(p.chunks) && p.filled() == before.have {
		return false
	}
	p.coll = collection()
	for i, v := range p.vecs {
		if v == nil {
			continue
		}
		doc := chromem.Document{ID: strconv.Itoa(i), Embedding: v}
		if err := p.coll.AddDocument(context.Background(), doc); err != nil {
			p.vecs[i] = nil // can't be: it has a name and a vector
			continue
		}
		p.have++
		if p.sketch == nil {
			p.words = (len(v) + 63) / 64
			p.sketch = make([]uint64, p.words*len(p.vecs))
		}
		sketch(p.sketch[i*p.words:(i+1)*p.words], v)
	}
	return true
}

// filled counts the slots with a vector.
func (p *page) filled() int {
	n := 0
	for _, v := range p.vecs {
		if v != nil {
			n++
		}
	}
	return n
}

// collection is an empty collection in memory, which can't embed.
func collection() *chromem.Collection {
	c, err := chromem.NewDB().CreateCollection("page", nil, func(context.Context, string) ([]float32, error) {
		return nil, errEmbed
	})
	if err != nil {
		return &chromem.Collection{} // can't be: it has a name
	}
	return c
}

// sketch writes the sign of each dimension as a bit.
func sketch(into []uint64, v Vector) {
	clear(into)
	for d, x := range v {
		if x > 0 {
			into[d/64] |= 1 << (d % 64)
		}
	}
}

// out is the distance of a slot that can't be a hit.
const out = math.MaxUint16

// measure writes for each slot in how many dimensions its vector has another sign. first
// is the index's number of the page's first slot.
func (p *page) measure(into []uint16, of []uint64, keep func(int) bool, first int) {
	rest := p.sketch
	for i, v := range p.vecs {
		if p.have > 0 {
			mine := rest[:len(of)]
			rest = rest[len(of):]
			n := 0
			for w := range mine {
				n += bits.OnesCount64(of[w] ^ mine[w])
			}
			into[i] = uint16(n)
		}
		if v == nil || keep != nil && !keep(first+i) {
			into[i] = out
		}
	}
}
