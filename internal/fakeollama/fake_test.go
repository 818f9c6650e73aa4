package fakeollama

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Vectors say something about their texts, and a space of its own says something else.
func TestVector(t *testing.T) {
	at := func(text string) []float32 { return Vector(text, 64, 1) }
	if !slices.Equal(at("the ferry leaves at nine"), at("the ferry leaves at nine")) {
		t.Error("the same text has two vectors")
	}
	near := cosine(at("when does the ferry leave"), at("the ferry leaves at nine"))
	far := cosine(at("when does the ferry leave"), at("reset a gauge"))
	if near < far+0.2 {
		t.Errorf("cosines %v of a near text and %v of a far one", near, far)
	}
	if c := cosine(at("ferry"), Vector("ferry", 64, 2)); c > 0.7 {
		t.Errorf("two spaces agree: %v", c)
	}
	if n := cosine(at(""), at("")); n < 0.999 || n > 1.001 {
		t.Errorf("the vector of nothing has norm %v", n)
	}
}

// embed asks for vectors of texts and gives the answer's status and vectors.
func embed(t *testing.T, url string, texts ...string) (int, [][]float32) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "all-minilm", "input": texts})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+"/api/embed", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct{ Embeddings [][]float32 }
	_ = json.NewDecoder(resp.Body).Decode(&out) // errors have another form
	return resp.StatusCode, out.Embeddings
}

// Without a fault it answers as Ollama does.
func TestServer(t *testing.T) {
	s := New()
	s.Poison = func(text string) bool { return text == "poison" }
	url := s.Start(t)
	status, vectors := embed(t, url, "one", "two words")
	if status != http.StatusOK || len(vectors) != 2 || cosine(vectors[1], Vector("two words", 32, 1)) < 0.9999 {
		t.Errorf("status %d, %d vectors", status, len(vectors))
	}
	for text, want := range map[string]int{
		"poison":                         http.StatusInternalServerError,
		strings.Repeat("too long ", 200): http.StatusBadRequest,
	} {
		if status, _ := embed(t, url, "fine", text); status != want {
			t.Errorf("a batch with %.10q: status %d, not %d", text, status, want)
		}
	}
	s.Change(func(s *Server) { s.Models = nil })
	if status, _ := embed(t, url, "one"); status != http.StatusNotFound {
		t.Errorf("without the model: status %d", status)
	}
	if n := len(s.Texts()); n != 7 {
		t.Errorf("%d texts recorded", n)
	}
}
