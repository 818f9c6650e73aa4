package semantic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

// The bounds of an answer.
const (
	maxHeaders = 64 << 10
	maxBody    = 16 << 20
)

// The faults of a peer that no honest Ollama has.
var (
	errRedirect  = errors.New("the embedder answered with a redirect")
	errEncoding  = errors.New("the embedder answered with an encoding that was not asked for")
	errTooLarge  = errors.New("the embedder's answer is too large")
	errNull      = errors.New("the embedder's answer holds null")
	errStatus    = errors.New("the embedder answered with a status that means nothing here")
	errOwner     = errors.New("the port of Ollama belongs to another user of this machine")
	errElsewhere = errors.New("a request for another address than the embedder's")
)

// Dial connects to the embedder; a net.Dialer's DialContext has this form.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// transport sends requests to one loopback address and to no other.
type transport struct {
	peer  netip.AddrPort
	inner *http.Transport
	dials atomic.Int64 // connections made so far: another may be to another process
}

// newTransport makes a transport. dial replaces the network in tests; nil is the
// network, behind the checks of address and owner.
func newTransport(peer netip.AddrPort, anyOwner bool, dial Dial) *transport {
	t := &transport{peer: peer}
	if dial == nil {
		dial = guarded(peer, anyOwner)
	}
	t.inner = &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dial(ctx, "tcp", peer.String())
			if err == nil {
				t.dials.Add(1)
			}
			return conn, err
		},
		DisableCompression:     true,
		ForceAttemptHTTP2:      false,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        10 * time.Minute,
		ResponseHeaderTimeout:  0, // the request's own deadline bounds it
		MaxResponseHeaderBytes: maxHeaders,
	}
	return t
}

// guarded dials the peer and nothing else: the address is checked when the socket is
// made, before it connects, and its owner before a byte is sent.
func guarded(peer netip.AddrPort, anyOwner bool) Dial {
	d := &net.Dialer{
		Timeout: 2 * time.Second,
		Control: func(_, addr string, _ syscall.RawConn) error {
			got, err := netip.ParseAddrPort(addr)
			if err != nil || got != peer || !got.Addr().IsLoopback() {
				return errElsewhere
			}
			return nil
		},
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if !anyOwner && !mayListen(peer) {
			conn.Close()
			return nil, errOwner
		}
		return conn, nil
	}
}

// client wraps the transport for Ollama's API.
func (t *transport) client() *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// RoundTrip implements http.RoundTripper. What Ollama's client signs when OLLAMA_AUTH
// is set does not leave: a peer on loopback has no use for it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "http" || req.URL.Host != t.peer.String() {
		return nil, errElsewhere
	}
	req = req.Clone(req.Context())
	req.Header.Del("Authorization")
	req.URL.RawQuery = ""
	resp, err := t.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := checkHead(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	resp.Body = &body{
		raw: resp.Body, left: maxBody,
		noNull: resp.StatusCode == http.StatusOK && req.URL.Path == "/api/embed",
	}
	return resp, nil
}

// checkHead refuses what cannot be an answer, before its body is read.
func checkHead(resp *http.Response) error {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return errRedirect
	case resp.StatusCode != http.StatusOK && resp.StatusCode < 400:
		return fmt.Errorf("%w: %d", errStatus, resp.StatusCode)
	case resp.Header.Get("Content-Encoding") != "":
		return errEncoding
	case resp.ContentLength > maxBody:
		return errTooLarge
	}
	return nil
}

// body is an answer that ends with an error when it is too large and, on demand, when
// it holds null: a JSON decoder would silently take that for a zero.
type body struct {
	raw    io.ReadCloser
	left   int64
	noNull bool
	quoted bool // inside a string
	escape bool // after a backslash inside a string
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.raw.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	if b.noNull && b.null(p[:n]) {
		return 0, errNull
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error { return b.raw.Close() }

// null reports whether a literal null begins in the next bytes. Of the three literals
// of JSON it is the only one with an n at its start, and neither of the others has one.
func (b *body) null(p []byte) bool {
	for _, c := range p {
		switch {
		case b.escape:
			b.escape = false
		case b.quoted && c == '\\':
			b.escape = true
		case c == '"':
			b.quoted = !b.quoted
		case c == 'n' && !b.quoted:
			return true
		}
	}
	return false
}
