package lexical

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// memo remembers how tokens were taken apart: the passages that questions lead to are
// read again and again, and stemming is most of that. A place holds the last token that
// hashed to it, so the memo is bounded and needs no lock.
type memo [4096]atomic.Pointer[remembered]

type remembered struct {
	token string
	compound
}

var memoSeed = maphash.MakeSeed()

// recall is compound, with memory. What it gives is shared and must not be changed.
func (a *analyzer) recall(token string) compound {
	place := &a.memo[maphash.String(memoSeed, token)%uint64(len(a.memo))]
	if r := place.Load(); r != nil && r.token == token {
		return r.compound
	}
	token = strings.Clone(token) // or it would hold on to its note
	r := &remembered{token, a.compound(token)}
	if len(token) <= maxTerm {
		place.Store(r)
	}
	return r.compound
}
