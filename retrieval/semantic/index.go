package semantic

import (
	"sync"
	"sync/atomic"

	"candor"
	"candor/cache"
)

// Index is the semantic leg of one profile. It is a candor.Index: an update gives a new
// one and shares the pages that did not change. Vectors that come later, from the filler
// or another process, are taken up by themselves.
type Index struct {
	leg       *Leg
	questions *questions

	mu sync.Mutex // held while a state is made
	at atomic.Pointer[state]
}

var _ candor.Index = (*Index)(nil)

// state is what an index holds at one moment; never changed.
type state struct {
	chunks      []*candor.Chunk
	pages       []*page
	model       Model // that the vectors are from; zero before one answered
	version     int64 // of the leg's vectors
	have, total int
}

// Update implements candor.Index.
func (x *Index) Update(chunks []*candor.Chunk) candor.Index {
	next := &Index{leg: x.leg, questions: x.questions}
	next.at.Store(x.leg.build(x.at.Load(), chunks))
	return next
}

// Ready counts the chunks that have a vector, and all.
func (x *Index) Ready() (have, total int) {
	s := x.current()
	return s.have, s.total
}

// current is the state of now: when vectors came since or the model changed, it is made
// anew, at the cost of the pages that differ.
func (x *Index) current() *state {
	s := x.at.Load()
	if !x.leg.stale(s) {
		return s
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if s = x.at.Load(); x.leg.stale(s) {
		s = x.leg.build(s, s.chunks)
		x.at.Store(s)
	}
	return s
}

// stale reports whether a state may lack vectors that are there.
func (l *Leg) stale(s *state) bool {
	_, m, ok := l.space()
	switch {
	case !ok:
		return false
	case s.model.Fingerprint != m.Fingerprint:
		return true
	case s.have == s.total:
		return false
	}
	l.refresh()
	return s.version != l.version.Load()
}

// build makes the state of chunks, with what it can use of another.
func (l *Leg) build(old *state, chunks []*candor.Chunk) *state {
	s := &state{chunks: chunks, version: l.version.Load()}
	space, model, ok := l.space()
	if !ok {
		for _, c := range chunks {
			if c != nil {
				s.total++
			}
		}
		return s
	}
	if s.model = model; old.model.Fingerprint != model.Fingerprint {
		old = &state{}
	}
	var open []*page // those that may differ from before
	for at := 0; at < len(chunks); at += pageSize {
		part := chunks[at:min(at+pageSize, len(chunks))]
		p := old.page(at / pageSize)
		if !p.same(part) || p.have < p.total {
			p = newPage(part, p, l.names)
			open = append(open, p)
		}
		s.pages = append(s.pages, p)
	}
	l.load(space, model.Width, open)
	for i, p := range s.pages {
		if before := old.page(i); p != before && !p.seal(before) {
			s.pages[i] = before
		}
		s.have, s.total = s.have+s.pages[i].have, s.total+s.pages[i].total
	}
	return s
}

// page is a page of a state, an empty one beyond its end.
func (s *state) page(n int) *page {
	if n < len(s.pages) {
		return s.pages[n]
	}
	return &page{}
}

// load gives pages the vectors that the cache has. Each is checked again, since a wrong
// one would spoil every ranking: anything in doubt is a miss.
func (l *Leg) load(space cache.Space, width int, pages []*page) {
	var ids []cache.ID
	var into []*Vector
	for _, p := range pages {
		for i, c := range p.chunks {
			if c != nil && p.vecs[i] == nil {
				ids = append(ids, cache.ID{Space: space, Chunk: p.names[i]})
				into = append(into, &p.vecs[i])
			}
		}
	}
	for i, raw := range l.cache.All(ids) {
		if v, err := unit(raw); err == nil && len(v) == width {
			*into[i] = v
		}
	}
}
