package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// bare is what a client of Ollama does at the least: texts out, vectors in.
type bare struct {
	url, model string
	client     http.Client
}

// embed gives the vectors of texts.
func (b *bare) embed(ctx context.Context, texts ...string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": b.model, "input": texts})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+"/api/embed", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := b.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var out struct {
		Embeddings [][]float32
		Error      string
	}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		return nil, err
	}
	if len(out.Embeddings) != len(texts) {
		return nil, fmt.Errorf("ollama gives %d vectors for %d texts: %s", len(out.Embeddings), len(texts), out.Error)
	}
	return out.Embeddings, nil
}

// synthetic marks texts whose vectors are drawn instead of embedded.
const synthetic = "synthetic passage"

// half stands before an Ollama: the vectors of texts that are marked as synthetic it
// draws itself, everything else it passes on.
type half struct {
	pass  *httputil.ReverseProxy
	width int
	rng   *rand.Rand
}

// startHalf serves a half Ollama on loopback until ctx ends, and gives its address.
func startHalf(ctx context.Context, address string, width int) (string, error) {
	target, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	h := &half{pass: httputil.NewSingleHostReverseProxy(target), width: width, rng: rand.New(rand.NewPCG(3, 4))}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: h}
	go server.Serve(l)
	context.AfterFunc(ctx, func() { server.Close() })
	return "http://" + l.Addr().String(), nil
}

// ServeHTTP implements http.Handler. The filler sends one batch at a time.
func (h *half) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var q struct{ Input []string }
	_ = json.Unmarshal(body, &q) // other calls have no list of texts
	if len(q.Input) == 0 || !strings.Contains(q.Input[0], synthetic) {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		h.pass.ServeHTTP(w, r)
		return
	}
	out := struct {
		Embeddings [][]float32 `json:"embeddings"`
	}{make([][]float32, len(q.Input))}
	for i := range out.Embeddings {
		out.Embeddings[i] = unit(h.rng, h.width)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// unit draws a vector of norm 1, any direction as likely as any other.
func unit(rng *rand.Rand, width int) []float32 {
	v, sum := make([]float32, width), 0.0
	for i := range v {
		x := rng.NormFloat64()
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
