package lexical

import (
	"strings"
	"testing"

	"candor"
)

// TestCloseWordsFirst: of two passages with the same words as often, the one that has
// them in one place comes first, and says how much of the question stands there.
func TestCloseWordsFirst(t *testing.T) {
	filler := strings.Repeat("walked along the river and thought of lunch ", 5)
	apart := note("a.md", "", "The printer hums. "+filler+"The toner leaks. "+filler)
	together := note("b.md", "", "The printer lacks any toner. "+filler+filler+"It hums, leaks.")
	for _, c := range []struct {
		name, query string
		chunks      []*candor.Chunk
	}{
		{"in a row of words", "printer toner", []*candor.Chunk{apart, together}},
		{"over the text", "printer toner", []*candor.Chunk{
			note("a.md", "", "The toner and "+filler+filler+"of the printer"),
			{Path: "b.md", Title: "b", Heading: []string{"b", "Printer"}, Text: "The toner and " + filler + filler + "of the thing"},
		}},
	} {
		r := ask1(t, index(Options{}, c.chunks...), c.query)
		if len(r.Hits) != 2 || r.Hits[0].Slot != 1 {
			t.Errorf("%s: %+v", c.name, r.Hits)
			continue
		}
		all := r.Terms[0].Weight + r.Terms[1].Weight
		if first, second := r.Hits[0].Close, r.Hits[1].Close; first != all || second >= all || second == 0 {
			t.Errorf("%s: %.2f and %.2f of %.2f stand together", c.name, first, second, all)
		}
	}
}

// TestCloseInPackedScripts: pairs of characters stand close together too.
func TestCloseInPackedScripts(t *testing.T) {
	r := ask1(t, index(Options{}, note("a.md", "", "有給休暇は年に二十日である。"+strings.Repeat("会社は港にある。", 9)+"申請は上司に行う。")), "有給休暇の申請")
	if h := r.Hits[0]; h.Close <= 0 || h.Close >= h.Score || len(h.Matched) < 4 {
		t.Errorf("%+v", h)
	}
	if r.Unseen <= r.Terms[0].Weight {
		t.Errorf("an unseen word weighs %.2f, a seen one %.2f", r.Unseen, r.Terms[0].Weight)
	}
}

// TestNames: a capital inside a question makes a name, one at its head or in a text of
// capitals does not.
func TestNames(t *testing.T) {
	x := index(Options{}, note("a.md", "", "heron brakesiel office price"))
	for query, want := range map[string]string{
		"Price of the Heron in our office":   "heron",
		"Heron price office":                 "",
		"Price Of The Heron Brakesiel":       "",
		"PRICE OFFICE HERON":                 "",
		"what does brakesiel cost at office": "",
	} {
		var names []string
		for _, w := range ask1(t, x, query).Terms {
			if w.Name {
				names = append(names, w.Text)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: names %q, want %q", query, got, want)
		}
	}
}

// TestFilterHidesNothing: the filter by first letters lets through every token that is
// a word of the query in any of its forms.
func TestFilterHidesNothing(t *testing.T) {
	for _, forms := range []string{
		"configure configured configuration Configures configuring configurable",
		"connect connection connected Connections", "relate relation relational related",
		"study studies studied studying", "happy happier happily happiness",
		"agree agreed agreement", "sky skies", "running runs run", "C c++ API APIs apis PDFs pdf",
		"max_retries retries retry MaxRetries max-retries", "Häuser haus Haeuser", "l'été été ete",
	} {
		a := newAnalyzer([]string{"en", "de", "fr"})
		words := strings.Fields(forms)
		for _, asked := range words {
			var ws []weighed
			for _, w := range a.compound(asked).words {
				ws = append(ws, weighed{ask: ask{form: w.form, alts: w.alts}})
			}
			n := newNeighbours(a, ws)
			for _, token := range words {
				if p := n.analyze(token); len(p.held) > 0 && !n.heads.may(token) {
					t.Errorf("a question for %q is not seen in %q", asked, token)
				}
			}
		}
	}
}
