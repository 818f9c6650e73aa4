package main

import (
	"fmt"
	"strings"
	"testing"

	"candor"
	"candor/internal/fakeollama"
	"candor/kb"
)

// Cases of public reports about hybrid retrieval, by their numbers.

// hybridAsk is a site with many notes, hybrid, and a way to ask it.
func hybridAsk(t *testing.T, fake *fakeollama.Server) func(kb.SearchRequest) kb.SearchAnswer {
	t.Helper()
	notes := map[string]string{
		"public/bird.md":  "# Birds\n\nThe default is gyrfalcon in this file.\n",
		"public/prey.md":  "# Birds of prey\n\nA falcon, falcons and falconry: gyrfalc falcon falcon, falconer.\n",
		"public/bills.md": "# Collections\n\nInvoices older than ninety days go to collections.\n",
	}
	for i := range 44 {
		notes[fmt.Sprintf("public/c%02d.md", i)] = fmt.Sprintf("# Config %d\n\nThe option number%d of the config is set to value%d by default.\n", i, i, i)
	}
	l, _ := startHybridOn(t, fake, manyTopics(5), notes)
	return func(req kb.SearchRequest) kb.SearchAnswer {
		t.Helper()
		a, err := l.door("staff").Search(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// TestCase59: an unmistakable rare word stands first, whatever meaning says.
func TestCase59(t *testing.T) {
	a := hybridAsk(t, fakeollama.New())(kb.SearchRequest{Query: "gyrfalcon", Explain: true})
	if a.Mode != candor.ModeHybrid || a.Abstained || a.Hits[0].Citation.Path != "public/bird.md" {
		t.Errorf("%s, %+v", a.Mode, a.Hits)
	}
}

// TestCase56: in hybrid mode too a question that nothing answers gets no citation, and a
// question has no memory of the one before.
func TestCase56(t *testing.T) {
	ask := hybridAsk(t, fakeollama.New())
	if a := ask(kb.SearchRequest{Query: "which invoices go to collections"}); a.Mode != candor.ModeHybrid || a.Abstained {
		t.Fatalf("%s, %s", a.Mode, a.Reason)
	}
	for _, q := range []string{"how tall is Kilimanjaro?", "and the other one?"} {
		if a := ask(kb.SearchRequest{Query: q}); !a.Abstained || len(a.Hits) != 0 || a.Reason == "" {
			t.Errorf("%s: %d hits, %q", q, len(a.Hits), a.Reason)
		}
	}
}

// TestCase58: no fused score is shown as a confidence; rank, score and share of each leg are
// there when asked for, and the shares sum up.
func TestCase58(t *testing.T) {
	ask := hybridAsk(t, fakeollama.New())
	req := kb.SearchRequest{Query: "which invoices go to collections"}
	if text := mustJSON(ask(req)); strings.Contains(text, `"score"`) || strings.Contains(text, "confidence") {
		t.Errorf("a number without a meaning: %s", text)
	}
	req.Explain = true
	h := ask(req).Hits[0]
	if h.Legs.Lexical != 1 || h.Legs.Semantic == 0 || h.Explain == nil || h.Explain.Lexical == nil || h.Explain.Semantic == nil {
		t.Fatalf("%+v", h)
	}
	l, s := h.Explain.Lexical, h.Explain.Semantic
	if l.Rank != h.Legs.Lexical || s.Rank != h.Legs.Semantic || l.Contribution <= 0 || s.Contribution <= 0 || s.Score < -1 || s.Score > 1 {
		t.Errorf("%+v, %+v", l, s)
	}
}

// TestCase48: with the embedder gone a natural question that shares only some words with
// its passage finds it, or abstains with words; it is never an empty success.
func TestCase48(t *testing.T) {
	fake := fakeollama.New()
	ask := hybridAsk(t, fake)
	fake.Change(func(s *fakeollama.Server) { s.Models = nil })
	a := ask(kb.SearchRequest{Query: "what happens to a bill when nobody pays it for about ninety days?"})
	if a.Mode != candor.ModeLexical || a.ModeReason == "" {
		t.Errorf("%s, %q", a.Mode, a.ModeReason)
	}
	if a.Abstained == (a.Reason == "") || !a.Abstained && (len(a.Hits) == 0 || a.Hits[0].Citation.Path != "public/bills.md") {
		t.Errorf("abstained %v, %q, %+v", a.Abstained, a.Reason, a.Hits)
	}
	if a = ask(kb.SearchRequest{Query: "do unpaid invoices go anywhere after ninety days"}); a.Abstained || a.Hits[0].Citation.Path != "public/bills.md" {
		t.Errorf("by some of its words: abstained %v, %q", a.Abstained, a.Reason)
	}
}
