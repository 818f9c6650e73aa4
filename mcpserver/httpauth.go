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
func (h *HTTP) authorize(out *guarded, r *http.Request) (profile string, ends <-chan struct{}, ok bool) {
	header := r.Header.Values("Authorization")
	if len(header) == 1 {
		token, bearer := strings.CutPrefix(header[0], "Bearer ")
		if bearer {
			profile, ends, ok = h.opt.Authorizer.Authorize(token)
		}
	}
	if _, served := h.opt.Profiles[profile]; ok && served {
		return profile, ends, true
	}
	if len(header) > 0 && !h.guesses.Allow() {
		out.Header().Set("Retry-After", "1")
		refuse(out, http.StatusTooManyRequests)
		return "", nil, false
	}
	h.unauthorized(out, r)
	return "", nil, false
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
	open    chan struct{} // streams, which last as long as the client likes
}

func newLimit(opt HTTPOptions) *limit {
	return &limit{
		rate:  rate.NewLimiter(opt.Rate, int(opt.Rate)+1),
		slots: make(chan struct{}, opt.AtOnce), most: int64(opt.Waiting),
		open: make(chan struct{}, max(1, opt.Conns/(2*len(opt.Profiles)))),
	}
}

// stream takes one of the streams that the profile may have open: all profiles together
// leave half of the connections to calls. nil if there is none.
func (l *limit) stream(context.Context) (leave func()) {
	if !l.rate.Allow() {
		return nil
	}
	select {
	case l.open <- struct{}{}:
		return func() { <-l.open }
	default:
		return nil
	}
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
