package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"
)

// Bounds of a stdio session.
const (
	atOnce      = 8                       // calls that work on notes at one time
	waitingSize = 8 << 20                 // bytes of requests that are not answered yet
	leastSize   = 64 << 10                // what the smallest request counts as in that
	queued      = 64                      // answers that wait for the client to read
	patience    = 5 * time.Second         // for room before a request is refused
	callTime    = time.Minute             // for one call
	workGrace   = 1000 * time.Millisecond // after the end, for calls to finish
	writeGrace  = 300 * time.Millisecond  // after that, for the client to read
)

// ServeStdio answers newline-delimited JSON-RPC from in on out. It returns nil within
// 1.5 seconds of the end of input or of ctx, after answering what was read, and nil as
// well when the client stops reading for good. A read or write that blocks for ever
// does not hold it.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	d := &stdio{
		server: s, life: life, end: end,
		out: make(chan []byte, queued), flush: make(chan struct{}), written: make(chan struct{}),
		room: semaphore.NewWeighted(waitingSize), slots: make(chan struct{}, atOnce),
		open: map[string]*pending{},
	}
	lines := make(chan line)
	go d.read(in, lines)
	go d.write(out)
	err := d.listen(ctx, lines)
	return errors.Join(err, d.close())
}

// stdio is one session on two streams.
type stdio struct {
	server *Server
	life   context.Context // of the session: calls and streams end with it
	end    context.CancelCauseFunc

	out     chan []byte
	flush   chan struct{} // closed: write what is queued and stop
	written chan struct{} // closed: the writer has stopped

	room  *semaphore.Weighted // for requests
	slots chan struct{}       // for calls that work on notes
	calls sync.WaitGroup

	mu   sync.Mutex
	open map[string]*pending // by id
}

// pending is a request that is being answered.
type pending struct {
	id     json.RawMessage
	cancel context.CancelFunc
	done   bool // answered, or cancelled and not to be answered
}

// line is one step of the input.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// read cuts the input into lines until it ends or the session does.
func (d *stdio) read(in io.Reader, lines chan<- line) {
	r := newLineReader(in)
	for {
		text, tooLong, err := r.next()
		select {
		case lines <- line{text, tooLong, err}:
		case <-d.life.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// write sends queued answers until it is told to flush or the client is gone.
func (d *stdio) write(out io.Writer) {
	defer close(d.written)
	for {
		var text []byte
		select {
		case text = <-d.out:
		case <-d.flush:
			select {
			case text = <-d.out:
			default:
				return
			}
		}
		if _, err := out.Write(text); err != nil {
			d.end(err)
			return
		}
	}
}

// listen takes lines until the input ends, ctx does, or the client is gone.
func (d *stdio) listen(ctx context.Context, lines <-chan line) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(d.life, stop)()
	for {
		select {
		case <-ctx.Done():
			return nil
		case l := <-lines:
			switch {
			case l.err == io.EOF || errors.Is(l.err, os.ErrClosed):
				return nil
			case l.err != nil:
				return fmt.Errorf("read requests: %w", l.err)
			case l.tooLong:
				d.send(ctx, errorLine(nil, errTooLong))
			default:
				d.take(ctx, l.text)
			}
		}
	}
}

// take deals with one message.
func (d *stdio) take(ctx context.Context, text []byte) {
	m, err := parseMessage(text)
	switch {
	case err != nil && d.inFlight(m):
		d.send(ctx, errorLine(nil, err))
	case err != nil:
		d.send(ctx, errorLine(m.id, err))
	case m.kind == notification:
		d.note(m)
	case m.kind == request:
		d.start(ctx, m)
	}
}

// inFlight reports whether an answer to m's id would be taken for another request's.
func (d *stdio) inFlight(m message) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return m.id != nil && d.open[m.key] != nil
}

// start answers a request beside the others, once there is room for it.
func (d *stdio) start(ctx context.Context, m message) {
	if d.inFlight(m) {
		d.send(ctx, errorLine(nil, errInFlight))
		return
	}
	size := int64(max(len(m.raw), leastSize))
	wait, done := context.WithTimeout(ctx, patience)
	defer done()
	if d.room.Acquire(wait, size) != nil {
		d.send(ctx, errorLine(m.id, errBusy))
		return
	}
	work, cancel := context.WithTimeout(d.life, callTime)
	p := &pending{id: m.id, cancel: cancel}
	d.mu.Lock()
	d.open[m.key] = p
	d.mu.Unlock()
	d.calls.Go(func() {
		defer d.room.Release(size)
		defer cancel()
		d.finish(m, p, d.answer(work, m))
	})
}

// answer waits for a slot if the request works on notes, and handles it.
func (d *stdio) answer(ctx context.Context, m message) [][]byte {
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesList, mcp.MethodResourcesRead:
		select {
		case d.slots <- struct{}{}:
			defer func() { <-d.slots }()
		case <-ctx.Done():
			return [][]byte{errorLine(m.id, errBusy)}
		}
	}
	return d.server.handle(ctx, m)
}

// finish sends the answer, unless the request was cancelled meanwhile.
func (d *stdio) finish(m message, p *pending, answer [][]byte) {
	d.mu.Lock()
	delete(d.open, m.key)
	wanted := !p.done
	p.done = true
	d.mu.Unlock()
	if wanted {
		for _, text := range answer {
			d.send(d.life, text)
		}
	}
}

// note obeys a cancellation; other notifications need nothing done.
func (d *stdio) note(m message) {
	var params map[string]json.RawMessage
	if m.method != string(mcp.MethodNotificationCancelled) || json.Unmarshal(m.params, &params) != nil {
		return
	}
	key, ok := idKey(params["requestId"])
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.open[key]; p != nil {
		p.done = true
		p.cancel()
	}
}

// send queues a line. It waits while the client does not read and gives up with ctx,
// which is d.life or ends with it.
func (d *stdio) send(ctx context.Context, text []byte) {
	select {
	case d.out <- text:
	case <-ctx.Done():
	}
}

// close lets the calls finish, answers those that do not, and flushes.
func (d *stdio) close() error {
	idle := make(chan struct{})
	go func() {
		d.calls.Wait()
		close(idle)
	}()
	limit := time.NewTimer(workGrace)
	defer limit.Stop()
	select {
	case <-idle:
	case <-d.life.Done():
	case <-limit.C:
	}
	last := time.AfterFunc(writeGrace, func() { d.end(nil) }) // frees what is stuck in send
	defer last.Stop()
	d.abandon()
	close(d.flush)
	select {
	case <-d.written:
	case <-d.life.Done():
	}
	return d.lost()
}

// abandon ends the calls that are still open with an error.
func (d *stdio) abandon() {
	d.mu.Lock()
	var ids []json.RawMessage
	for _, p := range d.open {
		if !p.done {
			ids = append(ids, p.id)
		}
		p.done = true
		p.cancel()
	}
	d.mu.Unlock()
	for _, id := range ids {
		d.send(d.life, errorLine(id, errClosing))
	}
}

// lost gives the reason why answers could not be written, if it is not merely that the
// client has gone or does not read.
func (d *stdio) lost() error {
	switch err := context.Cause(d.life); {
	case err == nil, errors.Is(err, context.Canceled),
		errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), errors.Is(err, os.ErrClosed):
		return nil
	default:
		return fmt.Errorf("write answers: %w", err)
	}
}
