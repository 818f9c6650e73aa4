package claims_test

import (
	"strings"
	"testing"

	"candor/evals"
	"candor/evals/claims"
	"candor/provenance"
)

func TestReadTellsWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"claims: [{id: 0, kind: sourced, claim: a, cite: a.md#A}]", "positive"},
		{"claims: [{id: 1, kind: sourced, claim: a, cite: a.md#A}, {id: 1, kind: date, claim: a, cite: a.md#A}]", "each its own"},
		{"claims: [{id: 1, kind: guess, claim: a, cite: a.md#A}]", "no such kind"},
		{"claims: [{id: 1, kind: sourced, cite: a.md#A}]", "are wanted"},
		{"claims: [{id: 1, kind: sourced, claim: a, cite: a.md}]", "path#heading"},
		{"claims: [{id: 1, kind: stale, claim: a, cite: a.md#A, edit: [x]}]", "edit is"},
		{"claims: [{id: 1, kindness: sourced}]", "not found"},
	} {
		if _, err := claims.Read([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
}

// verdict is an unseen claim that was judged.
func verdict(k claims.Kind, fact bool, q provenance.Quadrant) claims.Verdict {
	return claims.Verdict{ID: 2, Kind: k, Unseen: true, Fact: fact, Quadrant: q}
}

// good is a card that passes.
func good() claims.Card {
	return claims.Card{
		Verdicts: []claims.Verdict{
			verdict(claims.Sourced, true, provenance.BothRight),
			verdict(claims.Stale, true, provenance.WrongSource),
			verdict(claims.Number, false, provenance.WrongFact),
		},
		Conflicts: []claims.Order{{Question: "how long", Counts: 1, Otherwise: 2}},
		Probes:    []claims.Probe{{Way: "stale caches", What: "past it, it backs nothing", Holds: true}},
	}
}

func TestGateWantsEachThreshold(t *testing.T) {
	if w := good().Gate(claims.Default()); !w.Pass {
		t.Fatalf("a good card: %v", w.Reasons)
	}
	for _, c := range []struct {
		spoil func(*claims.Card)
		want  string
	}{
		{func(c *claims.Card) { c.Verdicts[0].Quadrant = provenance.Unknown }, "rightly sourced"},
		{func(c *claims.Card) { c.Verdicts[1].Quadrant = provenance.BothRight }, "wrongly sourced"},
		{func(c *claims.Card) { c.Verdicts[2].Quadrant = provenance.BothRight }, "false claims"},
		{func(c *claims.Card) { c.Verdicts[0].Unseen = false }, "rightly sourced"},
		{func(c *claims.Card) { c.Conflicts[0].Counts = 3 }, "conflicts"},
		{func(c *claims.Card) { c.Conflicts[0].Counts = 0 }, "conflicts"},
		{func(c *claims.Card) { c.Probes[0].Holds = false }, "stale caches"},
		{func(c *claims.Card) { c.Probes = nil }, "nothing was probed"},
	} {
		card := good()
		c.spoil(&card)
		if w := card.Gate(claims.Default()); w.Pass || !strings.Contains(strings.Join(w.Reasons, "\n"), c.want) {
			t.Errorf("want a reason with %q: %+v", c.want, w)
		}
	}
}

func TestRatesAndReport(t *testing.T) {
	card := good()
	card.Verdicts = append(card.Verdicts, verdict(claims.Merged, true, provenance.BothRight))
	r := card.Rates()
	if r.Precision != (claims.Rate{N: 2, Of: 4, Rate: 0.5}) || r.Labelled.N != 1 || r.Correct.Rate != 0.5 {
		t.Errorf("citation precision %+v, labelled %+v, correct %+v", r.Precision, r.Labelled, r.Correct)
	}
	if r.Hidden != (claims.Rate{N: 1, Of: 3, Rate: 1.0 / 3}) {
		t.Errorf("wrong-source rate %+v", r.Hidden)
	}
	var b strings.Builder
	if err := card.Report(&b, card.Gate(claims.Default()), evals.Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Unseen claims", "merged", "gate: FAIL", "wrongly sourced claims that pass: 1 of 2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
}
