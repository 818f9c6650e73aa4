package semantic

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"candor/internal/fakeollama"
)

// recorder is a server that counts its connections and what they bring.
func recorder(t *testing.T) (url string, connections, bytes *atomic.Int64) {
	t.Helper()
	connections, bytes = new(atomic.Int64), new(atomic.Int64)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go func() {
				defer conn.Close()
				n, _ := io.Copy(io.Discard, conn)
				bytes.Add(n)
			}()
		}
	}()
	return "http://" + l.Addr().String(), connections, bytes
}

// networked is an embedder of a fake over a real socket.
func networked(t *testing.T, fake *fakeollama.Server) *Embedder {
	t.Helper()
	e, err := NewEmbedder(Options{URL: fake.Start(t), Model: "all-minilm"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// A proxy of the environment sees nothing.
func TestNoProxy(t *testing.T) {
	proxy, connections, _ := recorder(t)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	if _, _, err := networked(t, fakeollama.New()).Query(t.Context(), "the ferry"); err != nil {
		t.Error(err)
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections to the proxy", n)
	}
	// Go leaves out proxies for literal loopback addresses by itself; ours must not hang
	// on that.
	if newTransport(netip.MustParseAddrPort("127.0.0.1:1"), false, nil).inner.Proxy != nil {
		t.Error("the transport has a proxy")
	}
}

// A redirect of any call carries nothing anywhere.
func TestNoRedirect(t *testing.T) {
	for _, fault := range []fakeollama.Fault{fakeollama.Moved301, fakeollama.Found302, fakeollama.SeeOther303, fakeollama.Moved307, fakeollama.Moved308} {
		for _, path := range []string{"/api/embed", "/api/show", "/api/tags"} {
			fake := fakeollama.New()
			var connections *atomic.Int64
			fake.Elsewhere, connections, _ = recorder(t)
			if path == "/api/embed" {
				faulty(fake, fault)
			} else {
				fake.OtherWay = func(p string) fakeollama.Fault {
					if p == path {
						return fault
					}
					return fakeollama.None
				}
			}
			if _, _, err := networked(t, fake).Query(t.Context(), "the ferry"); !errors.Is(err, errRedirect) {
				t.Errorf("%s of %s: %v", fault, path, err)
			}
			if n := connections.Load(); n != 0 {
				t.Errorf("%s of %s: %d connections elsewhere", fault, path, n)
			}
		}
	}
}

// Nor does one that doesn't say where to, which Go's client would take for an answer.
func TestNoRedirectToNowhere(t *testing.T) {
	fake := fakeollama.New()
	faulty(fake, fakeollama.Found302)
	if _, _, err := networked(t, fake).Query(t.Context(), "the ferry"); !errors.Is(err, errRedirect) {
		t.Error(err)
	}
}

// The dialer connects to the one address, whatever it is told.
func TestDialsOnlyThePeer(t *testing.T) {
	other, connections, _ := recorder(t)
	a, err := parseAddress(fakeollama.New().Start(t))
	if err != nil {
		t.Fatal(err)
	}
	dial := guarded(a.peer, false)
	if conn, err := dial(t.Context(), "tcp", strings.TrimPrefix(other, "http://")); err == nil {
		conn.Close()
		t.Error("another port is dialled")
	}
	for _, addr := range []string{"192.0.2.7:11434", "[2001:db8::1]:11434", "0.0.0.0:11434"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		conn, err := dial(ctx, "tcp", addr)
		cancel()
		if err == nil {
			conn.Close()
		}
		if !errors.Is(err, errElsewhere) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections elsewhere", n)
	}
}

// Only requests for the peer leave, without credentials.
func TestRequestsLeaveBare(t *testing.T) {
	var got *http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	defer srv.Close()
	a, err := parseAddress(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	wire := newTransport(a.peer, false, nil)
	defer wire.inner.CloseIdleConnections()
	ask := func(url string) error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "signed by the user's key")
		resp, err := wire.client().Do(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	if err := ask(srv.URL + "/api/tags?ts=1"); err != nil || got.Header.Get("Authorization") != "" || got.URL.RawQuery != "" || got.Header.Get("Accept-Encoding") != "" {
		t.Errorf("sent %v with %v (%v)", got.URL, got.Header, err)
	}
	for _, url := range []string{"http://192.0.2.7/api/tags", "https://" + a.peer.String() + "/", "http://localhost:" + a.base.Port() + "/"} {
		if err := ask(url); !errors.Is(err, errElsewhere) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Faults that need a real socket to be believed: the ends of a connection, and bodies
// that would fill memory.
func TestFaultySocket(t *testing.T) {
	for _, c := range []struct {
		fault fakeollama.Fault
		want  error
	}{
		{fakeollama.Closing, io.EOF},
		{fakeollama.Torn, io.ErrUnexpectedEOF},
		{fakeollama.Endless, errTooLarge},
		{fakeollama.GzipBomb, errEncoding},
		{fakeollama.Gzip, errEncoding},
		{fakeollama.Null, errNull},
		{fakeollama.NullRow, errNull},
		{fakeollama.Wide, errVector},
		{fakeollama.Drip, context.DeadlineExceeded},
		{fakeollama.HalfOpen, context.DeadlineExceeded},
		{fakeollama.Hung, context.DeadlineExceeded},
	} {
		fake := fakeollama.New()
		faulty(fake, c.fault)
		e := networked(t, fake)
		if _, err := e.Identify(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if errors.Is(c.want, context.DeadlineExceeded) {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
		}
		if _, _, err := e.Query(ctx, "the ferry"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", c.fault, err, c.want)
		}
		cancel()
	}
}

// Only a bare null counts; one in a string is a name.
func TestNullIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":[1,2]}`: false, `{"a":null}`: true, `[null]`: true, `{"null":"null"}`: false, `{"a":"\"null"}`: false,
		`{"a":"\\",null`: true, `[true,false]`: false, `{"a":"\\\"null"}`: false,
	} {
		for size := 1; size <= len(text); size++ { // in reads of every size
			b := &body{raw: io.NopCloser(strings.NewReader(text)), left: maxBody, noNull: true}
			_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{b}, make([]byte, size))
			if errors.Is(err, errNull) != want {
				t.Errorf("%s in pieces of %d: %v", text, size, err)
			}
		}
	}
}
