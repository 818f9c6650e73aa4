package corpus

import (
	"context"
	"time"
)

// The first and the longest time until what the system failed to read is read again.
const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
)

// tryAgain notes that the system failed. Nothing else would tell when it no longer does.
func (c *Corpus) tryAgain() {
	select {
	case c.failed <- struct{}{}:
	default:
	}
}

// retry reads again what the system failed to read, ever more seldom while it fails.
func (c *Corpus) retry(ctx context.Context, changed func()) {
	wait := firstRetry
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.failed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if c.Load(ctx) == nil {
			changed()
		}
		if wait = min(2*wait, lastRetry); len(c.failed) == 0 {
			wait = firstRetry
		}
	}
}
