package evidence_test

import (
	"context"
	"testing"

	"candor"
	"candor/evidence"
	"candor/retrieval/lexical"
)

func note(path, title, text string) *candor.Chunk {
	return &candor.Chunk{
		Path: candor.Path(path), Title: title, Heading: []string{title}, Text: text, Lines: candor.Span{Start: 1, End: 1},
	}
}

// TestVaults asks real indexes: a tiny vault answers what it says, and a larger one
// refuses what it does not, though it shares words with the question.
func TestVaults(t *testing.T) {
	one := []*candor.Chunk{note("travel.md", "Travel", "The hotel cap is 180 euros a night; book trains first.")}
	handbook := append([]*candor.Chunk{
		note("hr/leave.md", "Leave", "Parental leave is sixteen weeks at full pay. Ask People at least two months before."),
		note("it/wifi.md", "Wifi", "The guest wifi is called visitors; its password changes every Monday and hangs at reception."),
		note("office/berlin.md", "Berlin office", "The Berlin office is open from eight to eight. The kitchen is on the second floor."),
		note("office/plants.md", "Plants", "Who waters the plants in the office is on the schedule beside the door."),
		note("ops/maintenance.md", "Maintenance", "Planned maintenance follows the schedule in the calendar and is announced a week ahead."),
		note("hr/interview.md", "Interviews", "An interview takes an hour. The head of the team decides after the second interview."),
		note("sales/price.md", "Prices", "Subscription prices are per seat and month and are reviewed in January."),
		note("bills.md", "Collections", "Invoices older than ninety days go to collections."),
		note("policies/travel.md", "Travel policy", "Book hotels in the tool; the policy allows second class trains."),
	}, one...)
	for _, c := range []struct {
		vault    []*candor.Chunk
		query    string
		answered bool
	}{
		{one, "hotel cap", true},
		{one, "what is the hotel cap?", true},
		{one, "how much is the cap for a hotel", true},
		{one, "office dog policy", false},
		{one, "hotel parking", false},
		{one, "and the other one?", false},
		{handbook, "how long is parental leave", true},
		{handbook, "hotel cap", true},
		{handbook, "wifi password", true},
		{handbook, "who waters the plants?", true},
		{handbook, "which invoices go to collections", true},
		{handbook, "wifi password for the london office", false},
		{handbook, "who is the head of astrology", false},
		{handbook, "what is the office dog policy", false},
		{handbook, "zeppelin maintenance schedule", false},
		{handbook, "office dog", false},
		{handbook, "hotel parking", false},
		{handbook, "maternity policy", false},
		{handbook, "leeds weather", false},
		{handbook, "interview salary", false},
		{handbook, "widget subscription price", false},
		{handbook, "how tall is Kilimanjaro?", false},
		{handbook, "and the other one?", false},
	} {
		x := lexical.New(lexical.Options{}).Update(c.vault)
		r, err := x.Retrieve(context.Background(), candor.Query{Text: c.query}, 100)
		if err != nil {
			t.Fatal(err)
		}
		v := evidence.Default().Assess(r, candor.Ranking{})
		if v.Abstained == c.answered {
			t.Errorf("%q of %d notes: answered %v, reached %+v, %s", c.query, len(c.vault), !v.Abstained, v.Best, v.Reason)
		}
	}
}
