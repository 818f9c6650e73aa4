package evals

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"candor"
)

// TestBootstrapCovers: over many samples of a known mean, a 90% interval holds the
// mean about nine times in ten, and the draw depends on nothing but the seed.
func TestBootstrapCovers(t *testing.T) {
	random, held := rand.New(rand.NewPCG(1, 2)), 0
	const rounds = 50
	for range rounds {
		deltas := make([]float64, 25)
		for i := range deltas {
			deltas[i] = 0.1 + 0.3*random.NormFloat64()
		}
		low, high := Bootstrap(deltas, Seed).Interval(0.9)
		if low <= 0.1 && 0.1 <= high {
			held++
		}
	}
	if share := float64(held) / rounds; share < 0.78 || share > 0.98 {
		t.Errorf("90%% intervals held the mean in %.2f of samples", share)
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	deltas := []float64{0.1, -0.2, 0.3, 0}
	if diff := cmp.Diff(Bootstrap(deltas, 1), Bootstrap(deltas, 1)); diff != "" {
		t.Error("equal seeds differ")
	}
	if cmp.Equal(Bootstrap(deltas, 1), Bootstrap(deltas, 2)) {
		t.Error("other seeds do not")
	}
	d := Bootstrap([]float64{0.25, 0.25, 0.25}, 1)
	if low, high := d.Interval(0.95); low != 0.25 || high != 0.25 || d.Lower(0.8) != 0.25 {
		t.Errorf("equal differences spread to %v..%v", low, high)
	}
	if low, high := Bootstrap(nil, 1).Interval(0.95); low != 0 || high != 0 {
		t.Errorf("no differences give %v..%v", low, high)
	}
}

func TestRandomizationTest(t *testing.T) {
	many := make([]float64, 40)
	for i := range many {
		many[i] = 0.1
	}
	for name, tc := range map[string]struct {
		deltas   []float64
		low, hig float64
	}{
		"nothing":           {nil, 1, 1},
		"no difference":     {[]float64{0, 0}, 1, 1},
		"one":               {[]float64{0.3}, 1, 1},
		"three alike":       {[]float64{1, 1, 1}, 0.25, 0.25},        // 2 of 8 patterns
		"zeros do not vote": {[]float64{1, 0, 1, 0, 1}, 0.25, 0.25},  // the same
		"balanced":          {[]float64{1, -1, 1, -1}, 1, 1},         // every pattern is as far
		"unlike":            {[]float64{3, 2, -1}, 4.0 / 8, 4.0 / 8}, // by hand: |4|, 6, 2, 0 twice each, so 4 of 8
		"forty alike":       {many, 0, 0.001},
	} {
		if p := RandomizationTest(tc.deltas, Seed); p < tc.low || p > tc.hig {
			t.Errorf("%s: p = %v, want %v to %v", name, p, tc.low, tc.hig)
		}
	}
}

// TestRandomizationSampledAgreesWithExact holds the sampled test to the exact one.
func TestRandomizationSampledAgreesWithExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	deltas := make([]float64, exactUpTo)
	for i := range deltas {
		deltas[i] = random.NormFloat64() + 0.4
	}
	exact := RandomizationTest(deltas, Seed)
	sampled := RandomizationTest(append(deltas, 1e-13), Seed)
	if math.Abs(exact-sampled) > 0.02 {
		t.Errorf("exact %v, sampled %v", exact, sampled)
	}
}

func TestAbstentionCurve(t *testing.T) {
	sample := []Confidence{{0.9, true}, {0.5, true}, {0.5, false}, {0.2, true}, {0.1, false}}
	want := []CurvePoint{{0.1, 1, 0}, {0.2, 1, 0.5}, {0.5, 2.0 / 3, 0.5}, {0.9, 1.0 / 3, 1}}
	curve := AbstentionCurve(sample)
	if diff := cmp.Diff(want, curve, approx); diff != "" {
		t.Error(diff)
	}
	if got := RefusedAt(curve, 0.95); got != 0.5 {
		t.Errorf("refused at 95%% answered: %v", got)
	}
	// Of 6 pairs the answerable one wins 4 and ties 1.
	if got := AUC(sample); math.Abs(got-4.5/6) > 1e-12 {
		t.Errorf("AUC %v", got)
	}
	if AUC(nil) != 0 || RefusedAt(nil, 0.9) != 0 {
		t.Error("an empty sample has a curve")
	}
}

// TestAUCIsTheShareOfPairsWon compares with the definition, pair by pair.
func TestAUCIsTheShareOfPairsWon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Confidence {
			return Confidence{float64(rapid.IntRange(0, 5).Draw(t, "value")), rapid.Bool().Draw(t, "answerable")}
		}), 1, 30).Draw(t, "sample")
		won, pairs := 0.0, 0.0
		for _, a := range sample {
			for _, b := range sample {
				if a.Answerable && !b.Answerable {
					pairs++
					won += indicator(a.Value > b.Value) + indicator(a.Value == b.Value)/2
				}
			}
		}
		if pairs > 0 && math.Abs(AUC(sample)-won/pairs) > 1e-12 {
			t.Fatalf("AUC %v, by pairs %v", AUC(sample), won/pairs)
		}
	})
}

func TestTokenOverlap(t *testing.T) {
	text := "one two\nthree four\n\nfive six"
	lines := func(start, end int) Range { return LineRange(text, candor.Span{Start: start, End: end}) }
	if got := text[lines(2, 4).Start:lines(2, 4).End]; got != "three four\n\nfive six" {
		t.Errorf("lines 2 to 4 are %q", got)
	}
	if lines(9, 9) != (Range{}) {
		t.Error("a line past the end has bytes")
	}
	for _, tc := range []struct {
		name                   string
		gold, cited            []Range
		recall, precision, iou float64
	}{
		{"the same", []Range{lines(2, 2)}, []Range{lines(2, 2)}, 1, 1, 1},
		{"too much", []Range{lines(2, 2)}, []Range{lines(1, 4)}, 1, 1.0 / 3, 1.0 / 3},
		{"half", []Range{lines(1, 2)}, []Range{lines(2, 4)}, 0.5, 0.5, 1.0 / 3},
		{"twice", []Range{lines(2, 2)}, []Range{lines(2, 2), lines(2, 2)}, 1, 0.5, 0.5},
		{"gold twice", []Range{lines(2, 2), lines(2, 2)}, []Range{lines(2, 2)}, 1, 1, 1},
		{"nothing", []Range{lines(2, 2)}, nil, 0, 0, 0},
		{"part of a word", []Range{{1, 2}}, []Range{{0, 3}}, 1, 1, 1},
	} {
		o := TokenOverlap(text, tc.gold, tc.cited)
		got := []float64{o.Recall(), o.Precision(), o.IoU()}
		if diff := cmp.Diff([]float64{tc.recall, tc.precision, tc.iou}, got, approx); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
	if (Overlap{1, 2, 3}).Add(Overlap{4, 5, 6}) != (Overlap{5, 7, 9}) {
		t.Error("counts do not add up")
	}
}
