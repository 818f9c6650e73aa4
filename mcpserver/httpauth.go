package mcpserver

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// authorize finds the profile of a request by its one Authorization header, or answers
// it. Every refusal is the same bytes, whatever was wrong with the token.
func (h *HTTP) authorize(out *guarded, r *http.Request) (*served, <-chan struct{}) {
	header := r.Header.Values("Authorization")
	if len(header) == 1 {
		token, bearer := strings.CutPrefix(header[0], "Bearer ")
		if bearer {
			name, ends, ok := h.opt.Authorizer.Authorize(token)
			if profile := h.profile(name); ok && profile != nil {
				return profile, ends
			}
		}
	}
	if len(header) > 0 && !h.guesses.Allow() {
		out.Header().Set("Retry-After", "1")
		refuse(out, http.StatusTooManyRequests)
		return nil, nil
	}
	h.unauthorized(out, r)
	return nil, nil
}

// unauthorized tells a client to bring a token, and where it is said what for.
func (h *HTTP) unauthorized(out *guarded, r *http.Request) {
	out.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+h.origins[r.Host]+metadataPath+httpPath+`"`)
	refuse(out, http.StatusUnauthorized)
}

// limit keeps one profile from taking what the others need.
type limit struct {
	rate    *rate.Limiter
	slots   chan struct{}
	waiting atomic.Int64
	most    int64
	open    atomic.Int64 // streams, which last as long as the client likes
	streams atomic.Int64 // most of them
}

func newLimit(opt HTTPOptions) *limit {
	return &limit{
		rate:  rate.NewLimiter(opt.Rate, int(opt.Rate)+1),
		slots: make(chan struct{}, opt.AtOnce), most: int64(opt.Waiting),
	}
}

// stream takes one of the streams that the profile may have open; nil if there is none.
func (l *limit) stream(context.Context) (leave func()) {
	if !l.rate.Allow() {
		return nil
	}
	leave = func() { l.open.Add(-1) }
	if l.open.Add(1) > l.streams.Load() {
		leave()
		return nil
	}
	return leave
}

// enter waits for a slot, a while and with few others, and gives the function that
// leaves it; nil if there is none.
func (l *limit) enter(ctx context.Context) (leave func()) {
	if !l.rate.Allow() {
		return nil
	}
	leave = func() { <-l.slots }
	select {
	case l.slots <- struct{}{}:
		return leave
	default:
	}
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > l.most {
		return nil
	}
	soon := time.NewTimer(patience)
	defer soon.Stop()
	select {
	case l.slots <- struct{}{}:
		return leave
	case <-soon.C:
	case <-ctx.Done():
	}
	return nil
}
