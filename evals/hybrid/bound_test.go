package hybrid

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestStudent(t *testing.T) {
	for _, c := range []struct {
		p       float64
		degrees int
		want    float64 // of the printed tables
	}{
		{0.8, 4, 0.941}, {0.8, 19, 0.861}, {0.8, 120, 0.845}, {0.95, 4, 2.132}, {0.95, 9, 1.833}, {0.95, 19, 1.729}, {0.99, 19, 2.539}, {0.5, 7, 0},
	} {
		if got := student(c.p, c.degrees); math.Abs(got-c.want) > 0.003 {
			t.Errorf("t of %g with %d degrees: %.4f, want %.3f", c.p, c.degrees, got, c.want)
		}
	}
}

func TestLowerBoundLaws(t *testing.T) {
	delta := rapid.Map(rapid.IntRange(-8, 8), func(n int) float64 { return float64(n) / 8 })
	rapid.Check(t, func(t *rapid.T) {
		deltas := rapid.SliceOfN(delta, 2, 40).Draw(t, "deltas")
		mean, _ := moments(deltas)
		low, lower := LowerBound(deltas, 0.8, 1), LowerBound(deltas, 0.95, 1)
		if low > mean+1e-12 || lower > low {
			t.Fatalf("mean %v, at 80%% %v, at 95%% %v", mean, low, lower)
		}
		raised := make([]float64, len(deltas))
		for i, d := range deltas {
			raised[i] = d + 0.5
		}
		if got := LowerBound(raised, 0.8, 1); got < low-1e-12 {
			t.Fatalf("all differences rose by 0.5 and the bound fell from %v to %v", low, got)
		}
	})
	for _, few := range [][]float64{nil, {1}} {
		if got := LowerBound(few, 0.8, 1); got != -1 {
			t.Errorf("a bound of %v from %v, which tell nothing", got, few)
		}
	}
	// One topic that differs decides nothing, whatever the others are.
	for _, one := range []float64{-0.5, 0.01, 0.5} {
		for n := range 40 {
			if got := LowerBound(append(make([]float64, n), one), 0.8, 1); got >= 0 {
				t.Errorf("a bound of %v from %v alone among %d", got, one, n)
			}
		}
	}
}

// TestRareBigLosses is how fusion fails: nine topics of ten win a little, one loses all of
// it again. The mean is 0, so a bound above 0 is an error, wanted in at most a fifth.
func TestRareBigLosses(t *testing.T) {
	const owners, topics = 400, 20
	random := rand.New(rand.NewPCG(1, 1))
	wrong, student1 := 0, 0
	for range owners {
		deltas := make([]float64, topics)
		for i := range deltas {
			if deltas[i] = 0.05; random.Float64() < 0.1 {
				deltas[i] = -0.45
			}
		}
		if LowerBound(deltas, 0.8, random.Uint64()) > 0 {
			wrong++
		}
		if mean, sd := moments(deltas); mean > student(0.8, topics-1)*sd/math.Sqrt(topics) {
			student1++
		}
	}
	if wrong > owners/5 {
		t.Errorf("%d of %d bounds are above a mean of 0", wrong, owners)
	}
	if student1 <= owners/4 {
		t.Errorf("Student's t errs in %d of %d only: the case does not show why there are two", student1, owners)
	}
}

func TestSignFlip(t *testing.T) {
	many := func(n int, d float64) (out []float64) {
		for range n {
			out = append(out, d)
		}
		return out
	}
	for name, c := range map[string]struct {
		deltas []float64
		want   float64
	}{
		"none":                 {nil, 1},
		"ties":                 {many(9, 0), 1},
		"one win":              {[]float64{0.4, 0, 0}, 0.5},
		"three wins":           {many(3, 0.2), 0.125},
		"one loss":             {[]float64{-0.4}, 1},
		"win and loss":         {[]float64{0.4, -0.4}, 0.75},
		"many wins, sampled":   {many(40, 0.1), 1. / (draws + 1)},
		"many losses, sampled": {many(40, -0.1), 1},
	} {
		if got := signFlip(c.deltas, 1); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: p %v, want %v", name, got, c.want)
		}
	}
}

func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "topics")
		folds := rapid.IntRange(1, 10).Draw(t, "folds")
		topics := make([]*question, n)
		for i := range topics {
			topics[i] = &question{}
			topics[i].ID = string(rune('A' + i))
			topics[i].Sub = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "sub")
		}
		got := deal(topics, folds, 1)
		counts := map[string][]int{"": make([]int, folds)}
		for i, f := range got {
			sub := topics[i].Sub
			if counts[sub] == nil {
				counts[sub] = make([]int, folds)
			}
			counts[sub][f]++
			counts[""][f]++
		}
		for sub, c := range counts {
			low, high := n, 0
			for _, k := range c {
				low, high = min(low, k), max(high, k)
			}
			if high-low > 1 {
				t.Fatalf("slice %q is dealt unevenly: %v", sub, c)
			}
		}
		rand.Shuffle(n, func(i, j int) {
			topics[i], topics[j] = topics[j], topics[i]
			got[i], got[j] = got[j], got[i]
		})
		for i, f := range deal(topics, folds, 1) {
			if f != got[i] {
				t.Fatal("the order of the topics changes the deal")
			}
		}
	})
}
