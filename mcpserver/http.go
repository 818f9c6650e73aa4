package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/time/rate"
)

// Authorizer says what a bearer token opens. It is asked with each request; tokens.Store
// is the real one.
type Authorizer interface {
	// Authorize gives the profile of a token, and a channel that is closed when the token
	// no longer opens it.
	Authorize(token string) (profile string, ends <-chan struct{}, ok bool)
}

// HTTPOptions say who is let in over HTTP, and to what.
type HTTPOptions struct {
	Profiles   map[string]http.Handler // what answers each profile, as [HTTP.SetProfiles] takes it; required
	Authorizer Authorizer              // required
	Origins    []string                // this server as a browser writes it: scheme, name and port; required
	TLS        *tls.Config             // nil: plain HTTP
	Ready      func() bool             // whether the vault is read; nil: it is

	AtOnce  int        // requests of one profile that are answered at one time; 0 is one a core, at least 4
	Waiting int        // requests of one profile that may wait for that; 0 is 256
	Rate    rate.Limit // requests a second of one profile, over a while; 0 is 5000
	Conns   int        // connections; 0 is 4096

	Logger *slog.Logger // nil: no log
}

// HTTP is the door for clients that speak streamable HTTP: one path, POST alone, no
// sessions. A token in the Authorization header chooses the profile; there is no other
// way to name one, and without one there is no profile at all.
type HTTP struct {
	opt     HTTPOptions
	origins map[string]string                  // by Host
	served  atomic.Pointer[map[string]*served] // by profile
	guesses *rate.Limiter
	pace    pace
	log     *slog.Logger
}

// served is a profile that is let in.
type served struct {
	handler http.Handler
	limit   *limit
}

const (
	httpPath     = "/mcp"
	metadataPath = "/.well-known/oauth-protected-resource"
	maxBody      = 256 << 10 // bytes of a request
)

// Wrong tokens a second, over a while, before they are told to come later.
const (
	guessRate  = 20
	guessBurst = 40
)

// NewHTTP makes a door. It opens nothing; [HTTP.Serve] does.
func NewHTTP(opt HTTPOptions) (*HTTP, error) {
	if len(opt.Profiles) == 0 || opt.Authorizer == nil || len(opt.Origins) == 0 {
		return nil, errors.New("mcpserver: HTTPOptions without profiles, authorizer or origins")
	}
	opt.AtOnce = cmp.Or(opt.AtOnce, max(4, runtime.GOMAXPROCS(0)))
	opt.Waiting = cmp.Or(opt.Waiting, 256)
	opt.Rate = cmp.Or(opt.Rate, 5000)
	opt.Conns = cmp.Or(opt.Conns, 4096)
	h := &HTTP{
		opt: opt, origins: map[string]string{},
		guesses: rate.NewLimiter(guessRate, guessBurst), pace: usualPace, log: opt.Logger,
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	for _, origin := range opt.Origins {
		_, host, ok := strings.Cut(origin, "://")
		if !ok {
			return nil, errors.New("mcpserver: an origin without a scheme")
		}
		h.origins[host] = origin
	}
	h.SetProfiles(opt.Profiles)
	return h, nil
}

// SetProfiles says what answers each profile from now on, as [Server.HTTP] gives it. A
// token of any other opens nothing, and those that stay keep their limits. It may be
// called while serving, by one caller at a time.
func (h *HTTP) SetProfiles(handlers map[string]http.Handler) {
	next := map[string]*served{}
	for profile, handler := range handlers {
		next[profile] = &served{handler: handler}
		if was := h.profile(profile); was != nil {
			next[profile].limit = was.limit
		} else {
			next[profile].limit = newLimit(h.opt)
		}
	}
	for _, p := range next { // together they leave half of the connections to calls
		p.limit.streams.Store(int64(max(1, h.opt.Conns/(2*len(next)))))
	}
	h.served.Store(&next)
}

// profile is one that is let in; nil if there is none of that name.
func (h *HTTP) profile(name string) *served {
	if all := h.served.Load(); all != nil {
		return (*all)[name]
	}
	return nil
}

// ServeHTTP implements http.Handler. What can be told by the head of a request is told
// before its body is read.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &guarded{ResponseWriter: w, control: http.NewResponseController(w), piece: h.pace.write}
	defer h.recovered(out)
	if !h.meant(r) {
		refuse(out, http.StatusForbidden)
		return
	}
	switch r.URL.Path {
	case httpPath:
		h.endpoint(out, r)
	case metadataPath, metadataPath + httpPath:
		h.metadata(out, r)
	case "/healthz":
		refuse(out, http.StatusOK)
	case "/readyz":
		if h.opt.Ready != nil && !h.opt.Ready() {
			refuse(out, http.StatusServiceUnavailable)
			return
		}
		refuse(out, http.StatusOK)
	default:
		refuse(out, http.StatusNotFound)
	}
}

// meant reports whether a request was written for this server, by name and port. A page
// that a browser shows under another name, or under one that leads here by a trick of
// DNS, cannot write so.
func (h *HTTP) meant(r *http.Request) bool {
	if r.URL.Host != "" || h.origins[r.Host] == "" {
		return false
	}
	origin := r.Header.Values("Origin")
	return len(origin) == 0 || len(origin) == 1 && slices.Contains(h.opt.Origins, origin[0])
}

// recovered answers a request whose handler has panicked. The value may hold text of a
// note and is not logged.
func (h *HTTP) recovered(out *guarded) {
	if recover() == nil {
		return
	}
	h.log.Error("panic at the HTTP door", slog.String("stack", string(debug.Stack())))
	if !out.begun {
		refuse(out, http.StatusInternalServerError)
	}
}

// metadata names the resource that tokens are for, as RFC 9728 asks.
func (h *HTTP) metadata(out *guarded, r *http.Request) {
	if r.Method != http.MethodGet {
		out.Header().Set("Allow", http.MethodGet)
		refuse(out, http.StatusMethodNotAllowed)
		return
	}
	text, err := encode(struct {
		Resource string   `json:"resource"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{h.origins[r.Host] + httpPath, []string{"header"}, "candor"})
	if err != nil {
		refuse(out, http.StatusInternalServerError)
		return
	}
	answerJSON(out, http.StatusOK, text)
}

// endpoint answers a message of a client that has a token.
func (h *HTTP) endpoint(out *guarded, r *http.Request) {
	if status := badHead(r); status != 0 {
		if status == http.StatusMethodNotAllowed {
			out.Header().Set("Allow", http.MethodPost)
		}
		refuse(out, status)
		return
	}
	profile, ends := h.authorize(out, r)
	if profile == nil {
		return
	}
	text, status := readBody(out, r)
	if status != 0 {
		refuse(out, status)
		return
	}
	m, bad := parseMessage(bytes.TrimPrefix(text, []byte(byteOrderMark)))
	if bad != nil {
		answerJSON(out, http.StatusBadRequest, errorLine(m.id, bad))
		return
	}
	modern, bad := era(r.Header, m)
	if bad != nil {
		answerJSON(out, http.StatusBadRequest, errorLine(m.id, bad))
		return
	}
	h.pass(out, r, visit{profile: profile, ends: ends, arrival: arrival{m, modern}})
}

// badHead gives the status for a request that is none of MCP's by its head, or 0.
func badHead(r *http.Request) int {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	types := r.Header.Values("Content-Type")
	if len(types) != 1 || len(r.Header.Values("Content-Encoding")) > 0 {
		return http.StatusUnsupportedMediaType
	}
	kind, params, err := mime.ParseMediaType(types[0])
	if charset, has := params["charset"]; err != nil || kind != "application/json" || has && !strings.EqualFold(charset, "utf-8") {
		return http.StatusUnsupportedMediaType
	}
	if r.ContentLength > maxBody {
		return http.StatusRequestEntityTooLarge
	}
	return 0
}

// readBody reads a whole request, which must come within the time of a request.
func readBody(out *guarded, r *http.Request) (text []byte, status int) {
	text, err := io.ReadAll(http.MaxBytesReader(out.ResponseWriter, r.Body, maxBody))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	}
	return text, 0
}

// visit is one message that is let in.
type visit struct {
	arrival

	profile *served
	ends    <-chan struct{} // closed when the token no longer opens the profile
}

// arrival is what the door has found out about a message.
type arrival struct {
	message

	modern bool // of a protocol without sessions, 2026-07-28 or later
}

type arrivalKey struct{}

var errRevoked = errors.New("the token is revoked")

// pass has the profile's server answer within its limits, for as long as the token holds.
func (h *HTTP) pass(out *guarded, r *http.Request, v visit) {
	start := time.Now()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	go endWith(ctx, v.ends, cancel)
	if v.kind == request {
		limit, open := v.profile.limit, streams(v.method)
		enter := limit.enter
		if open {
			enter = limit.stream
		}
		done := enter(ctx)
		if done == nil {
			out.Header().Set("Retry-After", "1")
			answerJSON(out, http.StatusTooManyRequests, errorLine(v.id, errBusy))
			return
		}
		defer done()
		if !open {
			var end context.CancelFunc
			ctx, end = context.WithTimeout(ctx, callTime)
			defer end()
		}
	}
	r = r.Clone(context.WithValue(ctx, arrivalKey{}, v.arrival))
	r.Body = io.NopCloser(strings.NewReader(string(v.raw)))
	r.Header.Del("Authorization") // the token goes no further
	v.profile.handler.ServeHTTP(out, r)
	h.log.Debug("answered over HTTP", slog.String("method", method(v.method)), slog.Duration("took", time.Since(start)))
	if out.begun {
		return
	}
	switch context.Cause(ctx) {
	case errRevoked:
		h.unauthorized(out, r)
	case context.DeadlineExceeded:
		answerJSON(out, http.StatusServiceUnavailable, errorLine(v.id, errBusy))
	default:
		answerJSON(out, http.StatusServiceUnavailable, errorLine(v.id, errClosing))
	}
}

// endWith cancels once the token no longer holds.
func endWith(ctx context.Context, ends <-chan struct{}, cancel context.CancelCauseFunc) {
	select {
	case <-ends:
		cancel(errRevoked)
	case <-ctx.Done():
	}
}

// method is what may be logged of a method's name.
func method(name string) string {
	if _, known := methods[mcp.MCPMethod(name)]; known {
		return name
	}
	return "other"
}

// refuse answers with a status and its name alone.
func refuse(out *guarded, status int) {
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.WriteHeader(status)
	_, _ = io.WriteString(out, http.StatusText(status)+"\n")
}

// answerJSON answers with one JSON text.
func answerJSON(out http.ResponseWriter, status int, text json.RawMessage) {
	out.Header().Set("Content-Type", "application/json")
	out.Header().Set("Content-Length", strconv.Itoa(len(text)))
	out.WriteHeader(status)
	_, _ = out.Write(text)
}
