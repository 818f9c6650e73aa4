package lexical_test

import (
	"fmt"
	"testing"

	"candor"
	"candor/retrieval/lexical"
)

// TestMoreChunksThanASegmentHolds: a posting names its chunk within a segment by 16 bits,
// so an index of more chunks has several segments, and finds the first and the last.
func TestMoreChunksThanASegmentHolds(t *testing.T) {
	const n = 1<<16 + 1<<13
	chunks := make([]*candor.Chunk, n)
	for i := range chunks {
		chunks[i] = &candor.Chunk{
			Path: candor.Path(fmt.Sprintf("n%06d.md", i)), Title: "note", Heading: []string{}, Text: fmt.Sprintf("word%d", i),
		}
	}
	x := lexical.New(lexical.Options{}).Update(chunks)
	find := func(slot int) {
		t.Helper()
		r, err := x.Retrieve(t.Context(), candor.Query{Text: fmt.Sprintf("word%d", slot)}, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) == 0 || r.Hits[0].Slot != slot {
			t.Errorf("chunk %d is found as %v", slot, r.Hits)
		}
	}
	border := []int{0, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, n - 1}
	for _, slot := range border {
		find(slot)
	}
	// Merging keeps to the bound too.
	for _, slot := range border {
		c := *chunks[slot]
		chunks[slot] = &c
		x = x.Update(chunks)
		find(slot)
	}
}
