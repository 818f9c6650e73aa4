package semantic

import (
	"sync"
	"time"
)

// The breaker's constants.
const (
	maxFailures = 3 // in a row, until it opens
	minPause    = time.Second
	maxPause    = 15 * time.Second
)

// breaker keeps queries from an embedder that failed. It opens after three failures or
// one that cannot get better by asking again; while it is open, one probe at a time is
// due after each pause, and a success closes it.
type breaker struct {
	mu       sync.Mutex
	failures int
	reason   error // why it is open; nil: closed
	pause    time.Duration
	due      time.Time // of the next probe
	probing  bool
}

// pass gives the reason to refuse, nil when closed, and whether a probe is due, which
// whoever is told has to make.
func (b *breaker) pass() (refusal error, probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reason == nil {
		return nil, false
	}
	if b.probing || time.Now().Before(b.due) {
		return b.reason, false
	}
	b.probing = true
	return b.reason, true
}

// refusal is the reason to refuse, nil when closed.
func (b *breaker) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reason
}

// success closes the breaker.
func (b *breaker) success() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.reason, b.pause, b.probing = 0, nil, 0, false
}

// failure counts one; a final one opens the breaker alone.
func (b *breaker) failure(err error, final bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	if final || b.failures >= maxFailures || b.reason != nil {
		b.open(err)
	}
}

// probed ends a probe that failed.
func (b *breaker) probed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	b.open(err)
}

// open starts a pause, each longer than the one before.
func (b *breaker) open(err error) {
	b.reason = err
	b.pause = min(max(2*b.pause, minPause), maxPause)
	b.due = time.Now().Add(b.pause)
}
