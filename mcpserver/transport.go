package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// streams reports whether the answer to a method may go on for ever.
func streams(method string) bool { return method == string(mcp.MethodSubscriptionsListen) }

// HTTP gives what answers for this profile behind an [HTTP] door: mcp-go's stateless
// transport, held to the framing that the door has checked and to this package's words.
// It answers nothing that has not come through a door.
func (s *Server) HTTP() http.Handler {
	t := server.NewStreamableHTTPServer(s.mcp, server.WithStateLess(true), server.WithStreamableHTTPLogger(s.log),
		server.WithDisableLocalhostProtection(true)) // the door has it, for every name
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, through := r.Context().Value(arrivalKey{}).(arrival)
		switch {
		case !through:
			http.NotFound(w, r)
		case a.kind != request:
			// Nothing that a client notes or answers concerns a server without sessions;
			// a cancellation could reach another client's call. Who cancels hangs up.
			w.WriteHeader(http.StatusAccepted)
		default:
			s.transport(t, w, r, a)
		}
	})
}

// transport has mcp-go answer one request.
func (s *Server) transport(t *server.StreamableHTTPServer, w http.ResponseWriter, r *http.Request, a arrival) {
	out := &reply{w: w, header: http.Header{}}
	if err := s.check(a.message); err != nil {
		out.send(a, errorLine(a.id, err), err)
		return
	}
	c := &call{id: a.id}
	defer func() {
		if recover() != nil {
			s.panicked(a.method)
			out.send(a, errorLine(a.id, errInternal), errInternal)
		}
	}()
	// There are no sessions and no streams to resume, whatever a client believes.
	r.Header.Del(server.HeaderKeySessionID)
	r.Header.Del(mcp.HeaderLastEventID)
	t.Handle(out, &server.HTTPRequest{
		Method: http.MethodPost, URL: r.URL, Header: r.Header, Body: a.raw, Context: context.WithValue(r.Context(), callKey{}, c),
	})
	if !out.stream && out.body.Len() > 0 {
		out.finish(s, a, c)
	}
}

// reply takes what mcp-go says to one request. A stream goes on to the client as it
// comes; one JSON text is kept, to be put in this package's form.
type reply struct {
	w      http.ResponseWriter
	header http.Header
	stream bool
	sent   bool
	body   bytes.Buffer
}

var _ server.HTTPResponseWriter = (*reply)(nil)

// Header implements server.HTTPResponseWriter.
func (p *reply) Header() http.Header { return p.header }

// WriteHeader implements server.HTTPResponseWriter.
func (p *reply) WriteHeader(status int) {
	if p.stream = strings.HasPrefix(p.header.Get("Content-Type"), "text/event-stream"); p.stream {
		p.sent = true
		p.w.Header().Set("Content-Type", "text/event-stream")
		p.w.WriteHeader(status)
	}
}

// Write implements server.HTTPResponseWriter.
func (p *reply) Write(text []byte) (int, error) {
	if p.stream {
		return p.w.Write(text)
	}
	return p.body.Write(text)
}

// Flush implements server.HTTPResponseWriter.
func (p *reply) Flush() {
	if f, ok := p.w.(http.Flusher); ok && p.stream {
		f.Flush()
	}
}

// CanStream implements server.HTTPResponseWriter.
func (p *reply) CanStream() bool { return true }

// finish sends the kept text as it would be sent over stdio: under the id that the
// client wrote, and in this package's words.
func (p *reply) finish(s *Server, a arrival, c *call) {
	var said struct {
		Result json.RawMessage          `json:"result"`
		Error  *mcp.JSONRPCErrorDetails `json:"error"`
	}
	fault := c.failure
	switch err := json.Unmarshal(p.body.Bytes(), &said); {
	case fault != nil:
	case err != nil || said.Error == nil && said.Result == nil:
		s.log.Error("what the MCP library says is no answer")
		fault = errInternal
	case said.Error != nil:
		fault = rewrite(a.method, *said.Error)
	}
	if fault != nil {
		p.send(a, errorLine(a.id, fault), fault)
		return
	}
	line, err := encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
	}{mcp.JSONRPC_VERSION, a.id, said.Result})
	if err != nil {
		p.send(a, errorLine(a.id, errInternal), errInternal)
		return
	}
	p.send(a, line, nil)
}

// send answers with one JSON text, unless something was sent.
func (p *reply) send(a arrival, line []byte, fault *rpcError) {
	if p.sent {
		return
	}
	p.sent = true
	answerJSON(p.w, httpStatus(fault, a.modern), line)
}

// httpStatus is the status of an answer. Protocols with sessions have 200 for every
// answer of a sound request.
func httpStatus(fault *rpcError, modern bool) int {
	if fault == nil || !modern {
		return http.StatusOK
	}
	switch fault.Code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.INTERNAL_ERROR:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}
