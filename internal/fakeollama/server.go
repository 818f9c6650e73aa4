package fakeollama

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Model is one model of a server.
type Model struct {
	Digest     string
	Width      int
	Space      uint64  // models of one space give the same vectors
	Context    int     // tokens of the longest input; 0 is 512
	Scale      float32 // norm of the vectors; 0 is 1
	RemoteHost string  // the machine that the server would forward to
	Unlisted   bool    // RemoteHost is only shown, not listed
	Writes     bool    // it is a language model: it answers to /api/generate
}

// Request is one call that a server got.
type Request struct {
	Path      string
	Model     string
	Texts     []string
	Prompt    string // of /api/generate
	KeepAlive json.RawMessage
	Truncate  *bool
	Header    http.Header
	Query     string
}

// Server is a fake Ollama. Change its fields before it serves, or under Change.
type Server struct {
	Models    map[string]Model
	Delay     time.Duration           // of Late and Drip
	PerText   time.Duration           // how long a text takes
	Load      time.Duration           // how long the first request takes more
	Elsewhere string                  // where redirects go
	Most      int                     // requests to embed in flight before 503; 0: no bound
	Tokens    func(text string) int   // counts tokens; nil: two bytes each
	Poison    func(text string) bool  // texts that give status 500 for their batch
	Fault     func(r Request) Fault   // of an answer to an embedding; nil: none
	OtherWay  func(path string) Fault // of an answer to any other call: statuses, Hung, HTML; nil: none
	Write     func(r Request) string  // what language models answer; nil: nothing

	mu       sync.Mutex
	requests []Request
	flying   int
	peak     int
	loaded   bool
}

// New makes a server with one model, all-minilm.
func New() *Server {
	return &Server{Models: map[string]Model{"all-minilm:latest": {Digest: "aaaa", Width: 32, Space: 1}}}
}

// Change changes fields while the server serves.
func (s *Server) Change(f func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// Requests are the calls so far of one path, such as "/api/embed"; "" is all.
func (s *Server) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		if path == "" || r.Path == path {
			out = append(out, r)
		}
	}
	return out
}

// Texts are all texts that were sent to be embedded.
func (s *Server) Texts() []string {
	var out []string
	for _, r := range s.Requests("/api/embed") {
		out = append(out, r.Texts...)
	}
	return out
}

// Peak is the most requests to embed that were in flight at once.
func (s *Server) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// model finds a model by a name with or without its tag. The caller holds the lock.
func (s *Server) model(name string) (Model, bool) {
	if !strings.Contains(name, ":") {
		name += ":latest"
	}
	m, ok := s.Models[name]
	return m, ok
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model     string
		Input     []string
		KeepAlive json.RawMessage `json:"keep_alive"`
		Truncate  *bool
		Prompt    string
	}
	_ = json.NewDecoder(r.Body).Decode(&in) // a GET has no body
	call := Request{
		Path: r.URL.Path, Model: in.Model, Texts: in.Input, Prompt: in.Prompt, KeepAlive: in.KeepAlive, Truncate: in.Truncate,
		Header: r.Header.Clone(), Query: r.URL.RawQuery,
	}
	s.mu.Lock()
	s.requests = append(s.requests, call)
	var fault Fault
	if s.OtherWay != nil && call.Path != "/api/embed" {
		fault = s.OtherWay(call.Path)
	}
	s.mu.Unlock()
	if fault != None && s.refuse(w, r, fault) {
		return
	}
	switch call.Path {
	case "/api/tags":
		s.list(w)
	case "/api/show":
		s.show(w, call)
	case "/api/embed":
		s.embed(w, r, call)
	case "/api/generate":
		s.generate(w, call)
	default:
		http.NotFound(w, r)
	}
}

// list answers with all models.
func (s *Server) list(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	models := []map[string]any{}
	for name, m := range s.Models {
		entry := map[string]any{"name": name, "model": name, "digest": m.Digest}
		if m.RemoteHost != "" && !m.Unlisted {
			entry["remote_host"] = m.RemoteHost
		}
		models = append(models, entry)
	}
	slices.SortFunc(models, func(a, b map[string]any) int {
		return strings.Compare(a["name"].(string), b["name"].(string))
	})
	reply(w, http.StatusOK, map[string]any{"models": models})
}

// show answers with one model.
func (s *Server) show(w http.ResponseWriter, call Request) {
	s.mu.Lock()
	m, ok := s.model(call.Model)
	s.mu.Unlock()
	if !ok {
		fail(w, http.StatusNotFound, "model '"+call.Model+"' not found")
		return
	}
	able := "embedding"
	if m.Writes {
		able = "completion"
	}
	reply(w, http.StatusOK, map[string]any{
		"remote_host": m.RemoteHost, "capabilities": []string{able},
		"model_info": map[string]any{"general.architecture": "bert", "bert.context_length": m.limit()},
	})
}

// generate answers with what a language model writes.
func (s *Server) generate(w http.ResponseWriter, call Request) {
	s.mu.Lock()
	m, ok := s.model(call.Model)
	write := s.Write
	s.mu.Unlock()
	switch {
	case !ok:
		fail(w, http.StatusNotFound, "model '"+call.Model+"' not found")
	case !m.Writes:
		fail(w, http.StatusBadRequest, "\""+call.Model+"\" does not support generate")
	default:
		said := ""
		if write != nil {
			said = write(call)
		}
		reply(w, http.StatusOK, map[string]any{"model": call.Model, "remote_host": m.RemoteHost, "response": said, "done": true})
	}
}

// limit is the longest input in tokens.
func (m Model) limit() int {
	if m.Context == 0 {
		return 512
	}
	return m.Context
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func fail(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]string{"error": message})
}
