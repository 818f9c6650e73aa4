package semantic

import (
	"context"
	"sync"
	"time"
)

// maxYield is how long filling gives way to queries without a gap: they go first, but
// filling goes on.
const maxYield = 2 * time.Second

// lanes keep at most one query and one batch in flight. Ollama embeds one text at a
// time whatever it is sent, and refuses floods.
type lanes struct {
	query, batch chan struct{} // of one place each

	mu      sync.Mutex
	waiting int           // queries, the one in flight included
	idle    chan struct{} // closed while there are none
}

func newLanes() *lanes {
	l := &lanes{query: make(chan struct{}, 1), batch: make(chan struct{}, 1), idle: make(chan struct{})}
	close(l.idle)
	return l
}

// enterQuery waits for the query lane; leave gives it back.
func (l *lanes) enterQuery(ctx context.Context) (leave func(), err error) {
	l.mu.Lock()
	if l.waiting++; l.waiting == 1 {
		l.idle = make(chan struct{})
	}
	l.mu.Unlock()
	select {
	case l.query <- struct{}{}:
		return func() { <-l.query; l.left() }, nil
	case <-ctx.Done():
		l.left()
		return nil, ctx.Err()
	}
}

// left takes a query out of the count.
func (l *lanes) left() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		close(l.idle)
	}
}

// enterBatch waits for the batch lane and then for queries to end.
func (l *lanes) enterBatch(ctx context.Context) (leave func(), err error) {
	select {
	case l.batch <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	wait := time.NewTimer(maxYield)
	defer wait.Stop()
	select {
	case <-idle:
	case <-wait.C:
	case <-ctx.Done():
		<-l.batch
		return nil, ctx.Err()
	}
	return func() { <-l.batch }, nil
}
