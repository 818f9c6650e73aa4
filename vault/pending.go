package vault

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"candor"
)

// Changes are told together: when none came for a while, or when the first has waited
// long enough.
const (
	quiet   = 75 * time.Millisecond
	longest = 500 * time.Millisecond
)

// maxPending bounds the changes that are told one by one. Listing the vault anew is
// cheaper than looking so many up.
const maxPending = 4096

// pending gathers changes while the last ones are dealt with.
type pending struct {
	wake chan struct{} // holds one token while there are changes that deliver has not seen

	mu    sync.Mutex
	paths map[candor.Path]bool
	all   bool // anything may have changed
}

func newPending() *pending {
	return &pending{wake: make(chan struct{}, 1), paths: map[candor.Path]bool{}}
}

// add notes that a path may have changed.
func (p *pending) add(path candor.Path) {
	p.mu.Lock()
	full := p.all || len(p.paths) == maxPending
	if !full {
		p.paths[path] = true
	}
	p.mu.Unlock()
	if full {
		p.addAll()
		return
	}
	p.signal()
}

// addAll notes that anything may have changed.
func (p *pending) addAll() {
	p.mu.Lock()
	p.all = true
	clear(p.paths)
	p.mu.Unlock()
	p.signal()
}

func (p *pending) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// take gives the changes so far, sorted, and forgets them; nil paths mean anything.
func (p *pending) take() (paths []candor.Path, some bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	some = p.all || len(p.paths) > 0
	paths = slices.Sorted(maps.Keys(p.paths)) // nil for none
	p.all = false
	clear(p.paths)
	return paths, some
}

// deliver tells changes until ctx ends.
func (p *pending) deliver(ctx context.Context, changed func([]candor.Path)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		if !p.settle(ctx) {
			return
		}
		// A change may have been taken with those before it, its token left.
		if paths, some := p.take(); some {
			changed(paths)
		}
	}
}

// settle waits until changes pause, and reports false when ctx ends first.
func (p *pending) settle(ctx context.Context) bool {
	pause, limit := time.NewTimer(quiet), time.NewTimer(longest)
	defer pause.Stop()
	defer limit.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-p.wake:
			pause.Reset(quiet)
		case <-pause.C:
			return true
		case <-limit.C:
			return true
		}
	}
}
