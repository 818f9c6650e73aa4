package hybrid

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"candor/evals"
)

// guard is the part of the stated risk that a bound uses up. The rest covers what no bound
// for few and lumpy differences gets right: it was chosen so that among simulated owners
// whose true difference was 0 no population got a bound above it oftener than stated
// (scripts/long/owners).
const guard = 0.9

// guarded is the confidence that a bound is taken at for a stated one.
func guarded(confidence float64) float64 { return 1 - guard*(1-confidence) }

// draws is how often the bootstrap draws.
const draws = 2000

// LowerBound is the one-sided lower bound of the mean of paired differences at a
// confidence such as 0.8. It is the lower of two: Student's t, and the studentized
// bootstrap (Hall, "Theoretical comparison of bootstrap confidence intervals", Annals of
// Statistics 16, 1988). A percentile bound is too high for few topics: it forgets that
// their spread is an estimate. Student's is too high where few topics lose much and many
// win little, which is how fusion fails; there the studentized one is lower. Both are
// taken with some of the risk kept back, and as if two more topics had been drawn, as
// far from the mean as any was, one each way: most topics differ little, and a small sample
// has seldom met the few that lose (the thought of Agresti and Coull, "Approximate is
// better than exact", The American Statistician 52, 1998). The differences are of scores
// from 0 to 1, so where nothing can be told, as from fewer than two, the bound is the
// lowest mean: -1.
func LowerBound(deltas []float64, confidence float64, seed uint64) float64 {
	n := len(deltas)
	mean, sd := moments(deltas)
	switch {
	case n < 2:
		return lowest
	case sd == 0:
		return mean
	}
	confidence = guarded(confidence)
	deltas = widened(deltas, mean)
	_, sd = moments(deltas)
	t := math.Max(student(confidence, n-1), studentized(deltas, confidence, seed))
	return math.Max(lowest, mean-t*sd/math.Sqrt(float64(n)))
}

// lowest is the lowest mean that differences of scores from 0 to 1 can have.
const lowest = -1

// widened adds the largest deviation from the mean, both ways.
func widened(deltas []float64, mean float64) []float64 {
	most := 0.0
	for _, d := range deltas {
		most = math.Max(most, math.Abs(d-mean))
	}
	return append(slices.Clone(deltas), mean+most, mean-most)
}

// moments are the mean and the standard deviation of a sample.
func moments(values []float64) (mean, sd float64) {
	mean = evals.Mean(values)
	if len(values) < 2 {
		return mean, 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / float64(len(values)-1))
}

// studentized is the quantile of the bootstrap's t. A resample without any spread says
// only on which side of the mean it lies.
func studentized(deltas []float64, confidence float64, seed uint64) float64 {
	mean := evals.Mean(deltas)
	random, n := rand.NewPCG(seed, uint64(len(deltas))), uint64(len(deltas))
	ts := make([]float64, draws)
	sample := make([]float64, len(deltas))
	for i := range ts {
		for j := range sample {
			at, _ := bits.Mul64(random.Uint64(), n)
			sample[j] = deltas[at]
		}
		m, sd := moments(sample)
		switch {
		case sd > 0:
			ts[i] = (m - mean) / sd * math.Sqrt(float64(n))
		case m != mean:
			ts[i] = math.Copysign(math.Inf(1), m-mean)
		}
	}
	slices.Sort(ts)
	return ts[min(draws-1, int(math.Ceil(confidence*draws))-1)]
}

// normal is the quantile of the standard normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// student is the quantile of Student's t by the expansion of Cornish and Fisher
// (Abramowitz and Stegun 26.7.5), good to three digits from four degrees on.
func student(p float64, degrees int) float64 {
	z, v := normal(p), float64(degrees)
	z2 := z * z
	return z * (1 + (z2+1)/(4*v) + (5*z2*z2+16*z2+3)/(96*v*v) +
		(3*z2*z2*z2+19*z2*z2+17*z2-15)/(384*v*v*v) +
		(79*z2*z2*z2*z2+776*z2*z2*z2+1482*z2*z2-1920*z2-945)/(92160*v*v*v*v))
}

// exactUpTo is the number of differences up to which all sign patterns are tried.
const exactUpTo = 12

// signFlip is the one-sided p of Fisher's randomization test: how often the mean is at
// least this high when each difference takes either sign alike. Differences of 0 say
// nothing; without others it is 1.
func signFlip(deltas []float64, seed uint64) float64 {
	var moved []float64
	total := 0.0
	for _, d := range deltas {
		if d != 0 {
			moved = append(moved, d)
			total += d
		}
	}
	if len(moved) == 0 {
		return 1
	}
	bar := total - 1e-12*float64(len(moved))
	high := 0
	if len(moved) <= exactUpTo {
		for signs := range uint64(1) << len(moved) {
			if flipped(moved, signs) >= bar {
				high++
			}
		}
		return float64(high) / float64(uint64(1)<<len(moved))
	}
	random := rand.NewPCG(seed, uint64(len(moved)))
	for range draws {
		sum := 0.0
		for part := range slices.Chunk(moved, 64) {
			sum += flipped(part, random.Uint64())
		}
		if sum >= bar {
			high++
		}
	}
	return float64(high+1) / (draws + 1)
}

func flipped(values []float64, signs uint64) float64 {
	sum := 0.0
	for i, v := range values {
		if signs>>i&1 == 1 {
			v = -v
		}
		sum += v
	}
	return sum
}
