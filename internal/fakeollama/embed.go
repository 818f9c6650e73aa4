package fakeollama

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// embed answers with vectors, or with a fault.
func (s *Server) embed(w http.ResponseWriter, r *http.Request, call Request) {
	m, fault, full, done := s.enter(call)
	defer done()
	switch {
	case full:
		fail(w, http.StatusServiceUnavailable, "server busy, please try again")
		return
	case m == nil:
		fail(w, http.StatusNotFound, "model '"+call.Model+"' not found, try pulling it first")
		return
	case fault != None && fault != Late && s.refuse(w, r, fault):
		return
	}
	if !s.work(r, len(call.Texts), fault == Late) {
		return
	}
	vectors := make([][]float32, len(call.Texts))
	for i, text := range call.Texts {
		switch {
		case s.tokens(text) > m.limit():
			fail(w, http.StatusBadRequest, "the input length exceeds the context length")
			return
		case s.poisonous(text):
			fail(w, http.StatusInternalServerError, "failed to encode response: json: unsupported value: NaN")
			return
		}
		vectors[i] = Vector(text, m.Width, m.Space)
		for d := range vectors[i] {
			vectors[i][d] *= cmp.Or(m.Scale, 1)
		}
	}
	s.vectors(w, call, vectors, fault)
}

// enter counts a request in and looks up what it needs. m is nil without the model.
func (s *Server) enter(call Request) (m *Model, fault Fault, full bool, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying++
	s.peak = max(s.peak, s.flying)
	if found, ok := s.model(call.Model); ok {
		m = &found
	}
	if s.Fault != nil {
		fault = s.Fault(call)
	}
	return m, fault, s.Most > 0 && s.flying > s.Most, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flying--
	}
}

// work takes the time that texts take; false when the client went.
func (s *Server) work(r *http.Request, texts int, late bool) bool {
	s.mu.Lock()
	wait := time.Duration(texts) * s.PerText
	if late {
		wait += s.Delay
	}
	if !s.loaded {
		wait += s.Load
	}
	s.loaded = true
	s.mu.Unlock()
	return sleep(r, wait)
}

// sleep waits; false when the client went.
func sleep(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// tokens counts the tokens of a text.
func (s *Server) tokens(text string) int {
	s.mu.Lock()
	count := s.Tokens
	s.mu.Unlock()
	if count != nil {
		return count(text)
	}
	return (len(text) + 1) / 2
}

// poisonous reports whether a text fails its batch.
func (s *Server) poisonous(text string) bool {
	s.mu.Lock()
	poison := s.Poison
	s.mu.Unlock()
	return poison != nil && poison(text)
}

// refuse answers with a fault that has no vectors; false if the fault has some.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	if status, err := strconv.Atoi(string(fault)); err == nil {
		s.mu.Lock()
		elsewhere := s.Elsewhere
		s.mu.Unlock()
		if status < 400 && elsewhere != "" {
			w.Header().Set("Location", elsewhere)
		}
		fail(w, status, "fault "+string(fault))
		return true
	}
	switch fault {
	case Hung:
		<-r.Context().Done()
	case HalfOpen:
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"embeddings":[[`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case Drip, Endless:
		s.pour(w, r, fault)
	case Closing:
		hangUp(w, "")
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title><p>Please sign in.")
	case NoContent:
		w.WriteHeader(http.StatusNoContent)
	case Unnamed:
		reply(w, http.StatusOK, map[string]any{"model": "x"})
	case GzipBomb:
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb())
	case BigHeader:
		w.Header().Set("X-Large", strings.Repeat("x", 1<<20))
		reply(w, http.StatusOK, map[string]any{})
	default:
		return false
	}
	return true
}

// hangUp ends the connection after some last words.
func hangUp(w http.ResponseWriter, last string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // gone already
	}
	_, _ = io.WriteString(conn, last)
	conn.Close()
}

// pour writes a body that does not end by itself.
func (s *Server) pour(w http.ResponseWriter, r *http.Request, fault Fault) {
	s.mu.Lock()
	delay := s.Delay
	s.mu.Unlock()
	chunk, wait := []byte(`{"embeddings":[[`), time.Duration(0)
	for {
		if _, err := w.Write(chunk); err != nil || !sleep(r, wait) {
			return
		}
		_ = http.NewResponseController(w).Flush()
		if chunk = []byte("0"); fault == Endless {
			chunk = bytes.Repeat([]byte("0.1,"), 16<<10)
			continue
		}
		wait = delay
	}
}

// bomb is little that becomes 64 megabytes.
var bomb = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		_, _ = z.Write(block)
	}
	_ = z.Close()
	return out.Bytes()
})

// vectors answers with vectors, spoilt by a fault.
func (s *Server) vectors(w http.ResponseWriter, call Request, v [][]float32, fault Fault) {
	status := http.StatusOK
	switch fault {
	case Empty:
		v = v[:0]
	case Fewer:
		v = v[1:]
	case More:
		v = append(v, v[0])
	case Turned:
		slices.Reverse(v)
	case Narrow:
		for i := range v {
			v[i] = v[i][1:]
		}
	case Ragged:
		v[len(v)-1] = v[len(v)-1][1:]
	case Hollow:
		for i := range v {
			v[i] = []float32{}
		}
	case Wide:
		v[0] = make([]float32, 100_000)
		v[0][0] = 1
	case Zeros, Tiny, Vast:
		scale := map[Fault]float32{Tiny: 1e-30, Vast: 1e30}[fault]
		for d := range v[0] {
			v[0][d] *= scale
		}
	case Echo:
		fail(w, http.StatusInternalServerError, strings.Join(call.Texts, "\n"))
		return
	case Created:
		status = http.StatusCreated
	}
	body := write(v, fault)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if fault == Gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body)
		_ = z.Close()
		body = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	if fault == Torn {
		hangUp(w, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)/2]))
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// write forms the JSON by hand, since no encoder makes what some faults need.
func write(v [][]float32, fault Fault) []byte {
	first := map[Fault]string{
		NaN: "NaN", Null: "null", Strings: `"0.5"`, Nested: "[0.5]", Overflow: "1e39", Infinite: "1e400",
	}[fault]
	var out bytes.Buffer
	out.WriteString(`{"model":"none \"null","embeddings":[`)
	for i, row := range v {
		if i > 0 {
			out.WriteByte(',')
		}
		if fault == NullRow && i == 0 {
			out.WriteString("null")
			continue
		}
		out.WriteByte('[')
		for d, x := range row {
			if d > 0 {
				out.WriteByte(',')
			}
			if d == 0 && i == 0 && first != "" {
				out.WriteString(first)
				continue
			}
			fmt.Fprintf(&out, "%v", x)
		}
		out.WriteByte(']')
	}
	out.WriteString(`],"prompt_eval_count":1}`)
	return out.Bytes()
}
