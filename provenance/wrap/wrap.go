package wrap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"candor"
	"candor/provenance"
	"candor/redact"
)

// Options say what is wrapped and how far it is trusted.
type Options struct {
	Name    string      // of the server, in stamps and markers: lower case letters, digits, - and _
	Tier    candor.Tier // T0 to T2
	Tools   []string    // those that may be called; "*" is all
	Profile string      // whose stamps these are

	Issuer   *provenance.Issuer // required
	Redactor *redact.Redactor   // required
	Logger   *slog.Logger       // nil: no log
}

// Pipe is both directions of one peer.
type Pipe struct {
	In  io.Reader // what the peer says
	Out io.Writer // what it is told
}

// The bounds of messages, in bytes; how long a call waits for the server to say what its
// tools promise; how long a server may go on when its client has ended.
const (
	maxRequest = 1 << 20
	maxAnswer  = 16 << 20
	learning   = 10 * time.Second
	ending     = 5 * time.Second
)

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Proxy passes messages between a client and a server.
type Proxy struct {
	opt  Options
	log  *slog.Logger
	tell struct{ client, server *lines }

	mu        sync.Mutex
	pending   map[string]request // what the server has not answered yet, by id
	contracts map[string]contract
	asked     int // questions of our own

	once  sync.Once     // asks for the contracts
	known chan struct{} // closed once they are known
}

// request is what a client asked, as far as its answer must be told apart.
type request struct {
	id        any // as decoded
	method    string
	tool      string
	arguments json.RawMessage
	own       bool // asked by the proxy itself
	meta      any  // of an own one
}

// New makes a proxy.
func New(opt Options) (*Proxy, error) {
	switch {
	case !name.MatchString(opt.Name) || opt.Name == provenance.Own:
		return nil, errors.New("a wrapped server's name must be 1 to 32 of a-z, 0-9, - and _, and not candor")
	case opt.Tier > candor.T2:
		return nil, errors.New("tier T3 is never served; hint: T0, T1 or T2")
	case len(opt.Tools) == 0:
		return nil, errors.New(`no tool is allowed; hint: name those that may be called, or "*" for all`)
	case opt.Issuer == nil || opt.Redactor == nil:
		return nil, errors.New("wrap: Options.Issuer and Options.Redactor are required")
	}
	p := &Proxy{opt: opt, log: opt.Logger, pending: map[string]request{}, known: make(chan struct{})}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	return p, nil
}

// Run passes messages until the server ends or ctx does. When the client ends the
// server is told so, and what it still says is passed on for a while.
func (p *Proxy) Run(ctx context.Context, client, server Pipe) error {
	p.tell.client, p.tell.server = &lines{w: client.Out}, &lines{w: server.Out}
	asked, answered := make(chan error, 1), make(chan error, 1)
	go func() {
		err := each(client.In, maxRequest, func(line []byte) error { return p.fromClient(ctx, line) })
		if c, ok := server.Out.(io.Closer); ok {
			_ = c.Close() // the server's end of input
		}
		asked <- err
	}()
	go func() { answered <- each(server.In, maxAnswer, p.fromServer) }()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case err := <-asked:
		if err != nil {
			return err
		}
	}
	select {
	case err := <-answered:
		return err
	case <-time.After(ending):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lines writes whole lines from several goroutines.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes a value as one line.
func (l *lines) send(v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.w.Write(append(text, '\n'))
	return err
}

// errTooLong ends a session: where a line without end stops, nobody knows.
var errTooLong = errors.New("a message is too long")

// each reads lines until the end of input.
func each(in io.Reader, longest int, do func([]byte) error) error {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 0, 64<<10), longest)
	for s.Scan() {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := do(bytes.Clone(s.Bytes())); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%w: more than %d bytes", errTooLong, longest)
	}
	return s.Err()
}

// encode writes a value as JSON without escaping what only HTML minds.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// value decodes one JSON value without changing its numbers; what is no JSON is nil.
func value(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}
