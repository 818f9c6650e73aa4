package evals

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Resamples is how often the tests draw, and Seed what they draw from, so that equal
// runs give equal intervals.
const (
	Resamples = 10_000
	Seed      = 20_020_711
)

// Distribution is the means of bootstrap samples, ascending.
type Distribution []float64

// Bootstrap resamples paired differences, one for each topic, with replacement and
// gives the distribution of their mean (Efron and Tibshirani, "An introduction to
// the bootstrap", 1993; for IR Sakai, "Evaluating evaluation metrics based on the
// bootstrap", SIGIR 2006).
func Bootstrap(deltas []float64, seed uint64) Distribution {
	if len(deltas) == 0 {
		return nil
	}
	random, n := rand.NewPCG(seed, uint64(len(deltas))), uint64(len(deltas))
	out := make(Distribution, Resamples)
	for i := range out {
		sum := 0.0
		for range deltas {
			pick, _ := bits.Mul64(random.Uint64(), n) // uniform up to n/2^64
			sum += deltas[pick]
		}
		out[i] = sum / float64(n)
	}
	slices.Sort(out)
	return out
}

// Interval is the percentile interval of a confidence such as 0.95.
func (d Distribution) Interval(confidence float64) (low, high float64) {
	return Quantile(d, (1-confidence)/2), Quantile(d, (1+confidence)/2)
}

// Lower is the one-sided lower bound of a confidence such as 0.8.
func (d Distribution) Lower(confidence float64) float64 { return Quantile(d, 1-confidence) }

// exactUpTo is the number of differences up to which all sign patterns are tried.
const exactUpTo = 13

// RandomizationTest gives the two-sided p of Fisher's randomization test on paired
// differences: how often a mean at least as far from 0 comes about when each
// difference takes either sign alike (Smucker, Allan and Carterette, "A comparison
// of statistical significance tests for information retrieval evaluation", CIKM
// 2007). With few differences it is exact, else sampled.
func RandomizationTest(deltas []float64, seed uint64) float64 {
	moved := slices.DeleteFunc(slices.Clone(deltas), func(d float64) bool { return d == 0 })
	if len(moved) == 0 {
		return 1
	}
	observed := math.Abs(sum(moved)) * (1 - 1e-12) // a sum in another order is the same sum
	if len(moved) <= exactUpTo {
		far, all := 0, 1<<len(moved)
		for signs := range all {
			if flipped(moved, uint64(signs)) >= observed {
				far++
			}
		}
		return float64(far) / float64(all)
	}
	random, far := rand.New(rand.NewPCG(seed, uint64(len(moved)))), 1
	for range Resamples {
		total := 0.0
		for part := range slices.Chunk(moved, 64) {
			total += signed(part, random.Uint64())
		}
		if math.Abs(total) >= observed {
			far++
		}
	}
	return float64(far) / float64(Resamples+1)
}

func flipped(values []float64, signs uint64) float64 { return math.Abs(signed(values, signs)) }

func signed(values []float64, signs uint64) float64 {
	total := 0.0
	for i, v := range values {
		if signs>>i&1 == 1 {
			v = -v
		}
		total += v
	}
	return total
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
