package evidence_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"candor"
	"candor/evidence"
	"candor/retrieval/lexical"
)

// conflicts asks an index over the texts, each a note of its own, "title: text" or text.
func conflicts(t testing.TB, question string, texts ...string) [][2]int {
	t.Helper()
	var passages []*candor.Chunk
	for i, text := range texts {
		title := "Note"
		if head, rest, ok := strings.Cut(text, ":: "); ok {
			title, text = head, rest
		}
		c := note(fmt.Sprintf("n%d.md", i), title, text)
		passages = append(passages, c)
	}
	fill := append([]*candor.Chunk{note("x.md", "Other", "Nothing of this is about that.")}, passages...)
	x := lexical.New(lexical.Options{Languages: []string{"en", "de"}}).Update(fill)
	r, err := x.Retrieve(context.Background(), candor.Query{Text: question}, 10)
	if err != nil {
		t.Fatal(err)
	}
	return new(evidence.Comparer).Conflicts(question, r.Terms, passages)
}

func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		question, a, b string
		want           bool
	}{
		{"how long is the trial period", "The trial period is six months.", "The trial period is 3 months.", true},
		{"how long is the trial period", "The trial period is 12 months.", "A trial period of one year is usual.", false},
		{"how long is the trial period", "The trial period is 30 days.", "The trial period is about 4 weeks.", false},
		{"how long is the trial period", "The trial period is six months.", "The notice in the garden is 3 months.", false},
		{"how many days of leave", "You have 27 days of leave.", "You have 25 days of leave.", true},
		{"how many days of leave", "You have 25 working days of leave.", "You have 27 days of leave.", false},
		{"how much does a licence cost", "A licence costs 40 EUR.", "A licence costs €45.", true},
		{"how much does a licence cost", "A licence costs 40 EUR.", "A licence costs 35 GBP.", false},
		{"how much does a licence cost", "A licence costs 40 EUR a month.", "A licence costs 400 EUR a year.", false},
		{"how much does a licence cost", "A licence costs 1,200 EUR.", "A licence costs 1200 euros.", false},
		{"how much does a licence cost", "A licence costs 40 EUR.", "The stamp for a licence costs 4,000 EUR.", false},
		{"how high must the mast stand", "The mast must stand at least 2 metres high.", "Our mast stands 150 cm high.", true},
		{"how high must the mast stand", "The mast must stand at least 2 metres high.", "Our mast stands 3 m high.", false},
		{"how high must the mast stand", "The mast must stand at least 2 metres high.", "The mast must stand at least 4 metres high.", true},
		{"when is the harbour party", "The harbour party is on 12 May 2026.", "The harbour party is on 19 May.", true},
		{"when is the harbour party", "The harbour party is on 2026-05-12.", "The harbour party is on May 12.", false},
		{"when does the workshop open", "The workshop is open from 9:00 to 17:00.", "The workshop is open from 8:30 to 17:00.", true},
		{"when does the workshop open", "The workshop is open from 9:00 to 17:00.", "The workshop opens at 9 am.", false},
		{"may a dog come into the office", "A dog may not come into the office.", "It is allowed that a dog comes into the office.", true},
		{"may I bring a dog to the office", "A dog is allowed in the office.", "You may bring a dog to the office.", false},
		{"where can I bring a dog", "A dog may not come into the office.", "A dog is allowed in the office.", false},
		{"can I dive alone in the quarry", "In the quarry at least two people dive.", "Many dive alone in the quarry.", true},
		{"which port does the relay use", "The relay listens on port 8883.", "The relay uses port 1883.", true},
		{"is port 1883 in use on the relay", "On the relay port 1883 was removed.", "The relay uses port 1883.", true},
		{"how often is an upload retried", "An upload is retried: 8 attempts.", "An upload is retried three times.", true},
		{"price of the R40", "R40:: The price is 4,000 EUR.", "R60:: The price is 5,000 EUR.", false},
		{"how long is the cable", "Cable R40:: The cable is 4 m long.", "Cable R60:: The cable is 6 m long.", false},
		{"wie lange ist die Probezeit", "Die Probezeit dauert sechs Monate.", "Die Probezeit beträgt 3 Monate.", true},
		{"darf ich einen Hund mitbringen", "Einen Hund darf man nicht mitbringen.", "Einen Hund mitbringen ist erlaubt.", true},
		{"Probezeit / trial period: how long?", "The trial period is for all six months.", "Die Probezeit ist für alle 3 Monate.", true},
		{"how long is the trial period", "| What | Months |\n|---|---|\n| Trial period | 6 |", "The trial period is 3 months.", true},
		{"how long is the trial period", "```\ntrial period 6 months\n```", "The trial period is 3 months.", false},
		{"trial period", "The trial period is six months.", "The trial period is 3 months.", false},
	} {
		got := conflicts(t, c.question, c.a, c.b)
		if (len(got) == 1) != c.want {
			t.Errorf("%s\n  %s\n  %s\n  %v, want a conflict: %v", c.question, c.a, c.b, got, c.want)
		}
	}
}

// TestOneNoteIsNotAtOdds: a note that gives two numbers tells two things.
func TestOneNoteIsNotAtOdds(t *testing.T) {
	a, b := note("a.md", "Trial", "The trial period is six months."), note("a.md", "Trial", "The trial period is 3 months.")
	terms := []candor.Term{{Text: "trial", Weight: 3}, {Text: "period", Weight: 3}}
	if got := new(evidence.Comparer).Conflicts("how long is the trial period", terms, []*candor.Chunk{a, b}); got != nil {
		t.Error(got)
	}
}

// FuzzConflicts: no text stops it, and pairs are in order.
func FuzzConflicts(f *testing.F) {
	f.Add("how long is the trial period", "The trial period is six months.", "| a | Months |\n|---|---|\n| trial | 3 |")
	f.Add("darf ich 2026-12-08", "[[x|y]](z) 9:30 bis", "1.2.3,4 - 5:99 12 May")
	f.Fuzz(func(t *testing.T, question, a, b string) {
		var terms []candor.Term
		for w := range strings.FieldsSeq(strings.ToLower(question)) {
			terms = append(terms, candor.Term{Text: w, Weight: 1})
		}
		passages := []*candor.Chunk{note("a.md", a, a), note("b.md", b, b), note("c.md", question, a+b)}
		for _, p := range new(evidence.Comparer).Conflicts(question, terms, passages) {
			if p[0] >= p[1] || p[1] >= len(passages) {
				t.Fatal(p)
			}
		}
	})
}

// BenchmarkConflicts is what comparing the ten best passages adds to a search.
func BenchmarkConflicts(b *testing.B) {
	body := strings.Repeat("The office in the harbour keeps its records for three years and says so to nobody. ", 10)
	var passages []*candor.Chunk
	for i := range 10 {
		passages = append(passages, note(fmt.Sprintf("n%d.md", i), "Trial", fmt.Sprintf("%sThe trial period is %d months. %s", body, i+3, body)))
	}
	terms := []candor.Term{{Text: "trial", Weight: 5}, {Text: "period", Weight: 4}}
	for name, c := range map[string]func() *evidence.Comparer{
		"new":  func() *evidence.Comparer { return new(evidence.Comparer) },
		"seen": sync.OnceValue(func() *evidence.Comparer { return new(evidence.Comparer) }),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c().Conflicts("how long is the trial period", terms, passages)
			}
		})
	}
}
