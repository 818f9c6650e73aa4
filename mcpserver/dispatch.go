package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// call is what a handler can say about its request beside its result: mcp-go gives
// handlers of resources no choice of the error's code.
type call struct {
	id      json.RawMessage // as the client wrote it
	failure *rpcError
}

type callKey struct{}

// fail makes the request of ctx end in an error, whatever its handler returns.
func fail(ctx context.Context, err *rpcError) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.failure = err
	}
}

// handle answers one request: the lines to send, the answer last.
func (s *Server) handle(ctx context.Context, m message) [][]byte {
	if err := s.check(m); err != nil {
		return [][]byte{errorLine(m.id, err)}
	}
	c := &call{id: m.id}
	ses := &session{notes: make(chan mcp.JSONRPCNotification, 4)}
	ctx = context.WithValue(s.mcp.WithContext(ctx, ses), callKey{}, c)
	start := time.Now()
	answer := s.dispatch(ctx, m)
	s.log.Debug("answered", slog.String("method", m.method), slog.Duration("took", time.Since(start)))
	var lines [][]byte
	for len(ses.notes) > 0 {
		if line, err := encode(<-ses.notes); err == nil {
			lines = append(lines, line)
		}
	}
	return append(lines, s.reply(m, c, answer))
}

// dispatch lets mcp-go handle the message and survives its panics and the handlers'.
func (s *Server) dispatch(ctx context.Context, m message) (answer mcp.JSONRPCMessage) {
	defer func() {
		if r := recover(); r != nil {
			s.panicked(m.method)
			answer = nil
		}
	}()
	return s.mcp.HandleMessage(ctx, m.raw)
}

// panicked logs where a panic came from; its value might hold text of a note.
func (s *Server) panicked(where string) {
	s.log.Error("panic in a handler", slog.String("in", where), slog.String("stack", string(debug.Stack())))
}

// reply puts an answer under the id that the client sent.
func (s *Server) reply(m message, c *call, answer mcp.JSONRPCMessage) []byte {
	if c.failure != nil {
		return errorLine(m.id, c.failure)
	}
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		line, err := encode(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  any             `json:"result"`
		}{mcp.JSONRPC_VERSION, m.id, a.Result})
		if err == nil {
			return line
		}
		s.log.Error("a result cannot be encoded", slog.String("method", m.method))
	case mcp.JSONRPCError:
		return errorLine(m.id, rewrite(m.method, a.Error))
	}
	return errorLine(m.id, errInternal)
}

// errorLine is an error answer; without an id that can be told it has the id null.
func errorLine(id json.RawMessage, e *rpcError) []byte {
	line, err := encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *rpcError       `json:"error"`
	}{mcp.JSONRPC_VERSION, id, e})
	if err != nil { // only Data could fail, and it is mcp-go's own
		return errorLine(id, errInternal)
	}
	return line
}

// encode writes a value as one line, ended by LF. It leaves <, > and & as they are:
// nothing here goes into HTML, and notes have many.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// session is what one request shows mcp-go of its client. It lives as long as the
// request, so that clients and requests share nothing there.
type session struct {
	notes chan mcp.JSONRPCNotification
}

var _ server.ClientSession = (*session)(nil)

// Initialize implements server.ClientSession; every session is ready at once.
func (*session) Initialize() {}

// Initialized implements server.ClientSession.
func (*session) Initialized() bool { return true }

// NotificationChannel implements server.ClientSession.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notes }

// SessionID implements server.ClientSession.
func (*session) SessionID() string { return "" }
