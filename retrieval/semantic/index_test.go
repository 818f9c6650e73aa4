package semantic

import (
	"testing"

	"candor"
	"candor/internal/fakeollama"
)

func TestFindsTheNearest(t *testing.T) {
	l, _ := testLeg(t, fakeollama.New())
	chunks := testChunks("the ferry leaves at nine", "parental leave is ten weeks", "reset the gauge with the red button", "")
	x := testFilled(t, l, chunks)
	for query, want := range map[string]string{
		"when does the ferry leave": "the ferry leaves at nine",
		"weeks of parental leave":   "parental leave is ten weeks",
		"red button":                "reset the gauge with the red button",
	} {
		r, err := x.Retrieve(t.Context(), candor.Query{Text: query}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(chunks, r); len(got) != 2 || got[0] != want {
			t.Errorf("%q finds %q, not %q first", query, got, want)
		}
	}
}
