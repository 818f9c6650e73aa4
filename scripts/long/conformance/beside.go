package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// message is what a request may be told by.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params struct {
		Name      string    `json:"name"`
		Meta      *mcp.Meta `json:"_meta"`
		Arguments struct {
			Prompt string `json:"prompt"`
		} `json:"arguments"`
	} `json:"params"`
}

// asked are the requests to clients that wait for an answer, by id.
type asked struct {
	last    atomic.Int64
	waiting sync.Map // of chan json.RawMessage
}

// beside answers the two calls that the library lets no handler answer: it chooses the
// codes of errors, and it asks a client for a sample on a stream of GET alone.
func beside(next http.Handler) http.Handler {
	a := &asked{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var m message
		_ = json.Unmarshal(body, &m)
		modern := m.Params.Meta.ClientCapabilities()
		switch {
		case m.Method == "" && a.take(m):
			w.WriteHeader(http.StatusAccepted)
		case m.Params.Name == "test_sampling" && modern == nil:
			a.sample(w, r, m)
		case m.Params.Name == "test_missing_capability" && modern != nil && modern.Sampling == nil:
			refuse(w, m)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refuse says that the client lacks sampling.
func refuse(w http.ResponseWriter, m message) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"sampling is needed","data":{"requiredCapabilities":{"sampling":{}}}}}`,
		m.ID, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY)
}

// sample asks the client's model on the stream of the call.
func (a *asked) sample(w http.ResponseWriter, r *http.Request, m message) {
	id := "sample-" + strconv.FormatInt(a.last.Add(1), 10)
	answer := make(chan json.RawMessage, 1)
	a.waiting.Store(id, answer)
	defer a.waiting.Delete(id)
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, map[string]any{
		"jsonrpc": "2.0", "id": id, "method": mcp.MethodSamplingCreateMessage, "params": sample(m.Params.Arguments.Prompt),
	})
	select {
	case result := <-answer:
		event(w, map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": resultOf(text("LLM response: %s", result))})
	case <-r.Context().Done():
	}
}

// take gives an answer to who waits for it.
func (a *asked) take(m message) bool {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return false
	}
	answer, waits := a.waiting.LoadAndDelete(id)
	if waits {
		answer.(chan json.RawMessage) <- m.Result
	}
	return waits
}

// event sends one message on a stream.
func event(w http.ResponseWriter, m any) {
	data, err := json.Marshal(m)
	if err != nil {
		return
	}
	fmt.Fprintf(w, "event: message\ndata: %s\n\n", data)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// resultOf is a result of one piece of content.
func resultOf(c mcp.Content) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{c}}
}
