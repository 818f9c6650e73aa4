package fakeollama

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Start serves on loopback until the test ends and gives the address.
func (s *Server) Start(t testing.TB) string {
	t.Helper()
	h := httptest.NewUnstartedServer(s)
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.Start()
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h.URL
}

// Pipe serves without a network until the test ends. Stop and Resume what it gives to
// act as a server that is restarted.
func (s *Server) Pipe(t testing.TB) *Line {
	t.Helper()
	l := &Line{server: s, on: true}
	t.Cleanup(l.Stop)
	return l
}

// Line is an address without a network.
type Line struct {
	server *Server

	mu    sync.Mutex
	on    bool
	conns []net.Conn
}

// Stop refuses connections from now on and ends those that there are.
func (l *Line) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = false
	for _, c := range l.conns {
		c.Close()
	}
	l.conns = nil
}

// Resume takes connections again.
func (l *Line) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = true
}

// Dial connects, in the form of a net.Dialer's DialContext.
func (l *Line) Dial(context.Context, string, string) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.on {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: io.ErrClosedPipe}
	}
	here, there := net.Pipe()
	l.conns = append(l.conns, here, there)
	srv := &http.Server{Handler: l.server, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = srv.Serve(&once{conn: there}) }()
	return here, nil
}

// once is a listener with one connection.
type once struct {
	conn net.Conn
	gave bool
}

// Accept implements net.Listener.
func (o *once) Accept() (net.Conn, error) {
	if o.gave {
		return nil, net.ErrClosed // Serve returns; the connection is served on
	}
	o.gave = true
	return o.conn, nil
}

// Close implements net.Listener.
func (o *once) Close() error { return nil }

// Addr implements net.Listener.
func (o *once) Addr() net.Addr { return o.conn.LocalAddr() }
