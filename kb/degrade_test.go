package kb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/evidence"
	"candor/internal/vaulttest"
	"candor/kb"
)

// away is a semantic leg whose embedder does not answer.
type away struct{}

func (a away) Update([]*candor.Chunk) candor.Index { return a }

func (away) Retrieve(context.Context, candor.Query, int) (candor.Ranking, error) {
	return candor.Ranking{}, errors.New("gone")
}

// TestWithoutItsEmbedderHybridIsLexical: the same answers and the same abstentions, under
// the bars of lexical mode, save the words for the mode.
func TestWithoutItsEmbedderHybridIsLexical(t *testing.T) {
	dir := vaulttest.WriteMap(t, vaulttest.Random(4, 40))
	learned := evidence.Gates{MinScore: 0.4, MinCoverage: 0.6, MinCosine: 0.4, Tail: 0.6}
	lexical := open(t, dir, kb.Options{})
	hybrid := open(t, dir, kb.Options{Semantic: away{}, Tuning: func() kb.Tuning {
		return kb.Tuning{Mode: candor.ModeHybrid, Gates: &learned}
	}})
	outline, err := lexical.Outline(t.Context(), kb.OutlineRequest{})
	if err != nil {
		t.Fatal(err)
	}
	answered, abstained := 0, 0
	for i, n := range outline.Notes {
		for _, q := range []string{n.Title, n.Title + " and what of zanzibar", "zanzibar " + outline.Notes[(i+1)%len(outline.Notes)].Title} {
			want, got := search(t, lexical, kb.SearchRequest{Query: q}), search(t, hybrid, kb.SearchRequest{Query: q})
			if got.ModeReason == "" {
				t.Errorf("%q: the answer does not say why it is lexical", q)
			}
			got.ModeReason = want.ModeReason
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: %s", q, diff)
			}
			if want.Abstained {
				abstained++
			} else {
				answered++
			}
		}
	}
	if answered == 0 || abstained == 0 {
		t.Errorf("%d answered, %d abstained: the test proves nothing", answered, abstained)
	}
}
