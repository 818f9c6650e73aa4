package mcpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// pace bounds a connection. A client that is slower is gone.
type pace struct {
	head  time.Duration // of a request, and TLS
	body  time.Duration // the whole of a request
	write time.Duration // for the client to take one piece of an answer
	idle  time.Duration // between two requests
}

var usualPace = pace{head: 5 * time.Second, body: 10 * time.Second, write: 10 * time.Second, idle: time.Minute}

// maxHeaders is the longest head of a request, in bytes; net/http allows 4 KiB more.
const maxHeaders = 16 << 10

// Serve answers on a listener until ctx ends. Then what was begun is answered, within
// 1.5 seconds. HTTP/2 is not spoken.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	srv := &http.Server{
		Handler: h, Protocols: protocols, BaseContext: func(net.Listener) context.Context { return life },
		ReadHeaderTimeout: h.pace.head, ReadTimeout: h.pace.body, WriteTimeout: callTime + h.pace.write, IdleTimeout: h.pace.idle,
		MaxHeaderBytes: maxHeaders, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	l = &capped{Listener: l, most: int64(h.opt.Conns)}
	if h.opt.TLS != nil {
		l = tls.NewListener(l, h.opt.TLS)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	defer time.AfterFunc(workGrace, end).Stop()
	last, cancel := context.WithTimeout(context.Background(), workGrace+writeGrace)
	defer cancel()
	if err := srv.Shutdown(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end HTTP: %w", err)
	}
	_ = srv.Close() // what has not ended by now
	return nil
}

// capped is a listener that closes connections beyond a number at once. One that let
// them wait would be stopped by clients that hold theirs and say nothing.
type capped struct {
	net.Listener

	open atomic.Int64
	most int64
}

// Accept implements net.Listener.
func (l *capped) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &counted{Conn: c, left: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
		l.open.Add(-1)
		_ = c.Close()
	}
}

// counted is a connection of a capped listener.
type counted struct {
	net.Conn

	left func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.left()
	return c.Conn.Close()
}

// guarded is the way out for an answer: never kept by a cache, never guessed to be
// another type than it says, and taken by the client in time.
type guarded struct {
	http.ResponseWriter

	control *http.ResponseController
	piece   time.Duration // for the client to take what is written at one time
	begun   bool
}

// WriteHeader implements http.ResponseWriter.
func (g *guarded) WriteHeader(status int) {
	g.begun = true
	g.Header().Set("Cache-Control", "no-store")
	g.Header().Set("X-Content-Type-Options", "nosniff")
	g.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (g *guarded) Write(p []byte) (int, error) {
	if !g.begun {
		g.WriteHeader(http.StatusOK)
	}
	_ = g.control.SetWriteDeadline(time.Now().Add(g.piece)) // a connection has one
	return g.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (g *guarded) Flush() { _ = g.control.Flush() }
