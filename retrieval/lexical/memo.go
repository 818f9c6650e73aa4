package lexical

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// memo remembers how tokens were taken apart: the passages that questions lead to are
// read again and again, and taking their tokens apart is most of that. A place holds the
// last token that hashed to it, so the memo is bounded and needs no lock.
type memo[T any] [4096]atomic.Pointer[remembered[T]]

type remembered[T any] struct {
	token string
	value T
}

var memoSeed = maphash.MakeSeed()

// recall is what make gives for a token, with memory. It is shared and must not be
// changed.
func (m *memo[T]) recall(token string, make func(string) T) T {
	place := &m[maphash.String(memoSeed, token)%uint64(len(m))]
	if r := place.Load(); r != nil && r.token == token {
		return r.value
	}
	token = strings.Clone(token) // or it would hold on to its note
	r := &remembered[T]{token, make(token)}
	if len(token) <= maxTerm {
		place.Store(r)
	}
	return r.value
}
