package semantic

import (
	"context"
	"slices"
	"strings"
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
	fingerprint string // of the model that the vectors are from; "" before one answered
	version     int64  // of the leg's vectors
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
	_, fingerprint, ok := l.space()
	if !ok {
		return false
	}
	if s.fingerprint == fingerprint && s.have < s.total && l.refresh() {
		return true
	}
	return s.fingerprint != fingerprint || s.version != l.version.Load() && s.have < s.total
}

// build makes the state of chunks, with what it can use of another.
func (l *Leg) build(old *state, chunks []*candor.Chunk) *state {
	s := &state{chunks: chunks, version: l.version.Load()}
	space, fingerprint, ok := l.space()
	if s.fingerprint = fingerprint; !ok {
		s.total = len(chunks) - count(chunks, nil)
		return s
	}
	if old.fingerprint != fingerprint {
		old = &state{}
	}
	var open []*page // those that differ from before
	for at := 0; at < len(chunks); at += pageSize {
		part := chunks[at:min(at+pageSize, len(chunks))]
		var before *page
		if n := at / pageSize; n < len(old.pages) {
			before = old.pages[n]
		}
		if before != nil && before.have == before.total && before.same(part) {
			s.pages = append(s.pages, before)
			continue
		}
		p := newPage(part, before, l.names)
		s.pages = append(s.pages, p)
		open = append(open, p)
	}
	l.load(space, open)
	for _, p := range open {
		// A vector that doesn't fit a collection can't be: each was checked.
		if err := p.seal(); err != nil {
			*p = page{chunks: p.chunks, total: p.total}
		}
	}
	for _, p := range s.pages {
		s.have, s.total = s.have+p.have, s.total+p.total
	}
	return s
}
