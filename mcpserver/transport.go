package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

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
	if streams(a.method) && a.modern {
		s.stream(w, r, a)
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
	if out.body.Len() > 0 {
		out.finish(s, a, c)
	}
}

// stream answers with a stream of all that is said. mcp-go's transport would now and then
// lose what is said just before the end, here the acknowledgement.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a arrival) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, line := range s.handle(r.Context(), a.message) {
		_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n", line) // a line ends itself
	}
}

// reply keeps what mcp-go says to one request, to be put in this package's form. Such an
// answer is one JSON text: nothing is notified before it.
type reply struct {
	w      http.ResponseWriter
	header http.Header
	sent   bool
	body   bytes.Buffer
}

var _ server.HTTPResponseWriter = (*reply)(nil)

// Header implements server.HTTPResponseWriter.
func (p *reply) Header() http.Header { return p.header }

// WriteHeader implements server.HTTPResponseWriter; the status follows from the answer.
func (*reply) WriteHeader(int) {}

// Write implements server.HTTPResponseWriter.
func (p *reply) Write(text []byte) (int, error) { return p.body.Write(text) }

// Flush implements server.HTTPResponseWriter.
func (*reply) Flush() {}

// CanStream implements server.HTTPResponseWriter.
func (*reply) CanStream() bool { return false }

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
	// Both parts are JSON already; encoding them would read a long answer twice more.
	p.send(a, slices.Concat([]byte(`{"jsonrpc":"`+mcp.JSONRPC_VERSION+`","id":`), a.id, []byte(`,"result":`), said.Result, []byte("}\n")), nil)
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
