package semantic

import (
	"fmt"
	"math"
)

// Vector is an embedding of length one. It is never changed once made.
type Vector []float32

// The norms between which a vector is believed. Ollama gives unit vectors, old servers
// raw ones of norm 14 or so.
const minNorm, maxNorm = 1e-6, 1e6

// unit checks a vector and brings it to length one.
func unit(raw []float32) (Vector, error) {
	if len(raw) == 0 || len(raw) > maxWidth {
		return nil, fmt.Errorf("%w: width %d", errVector, len(raw))
	}
	sum := 0.0
	for _, x := range raw {
		sum += float64(x) * float64(x)
	}
	norm := math.Sqrt(sum)
	if !(norm >= minNorm && norm <= maxNorm) { // also when it is not a number
		return nil, fmt.Errorf("%w: its norm is out of bounds", errVector)
	}
	out := make(Vector, len(raw))
	for i, x := range raw {
		out[i] = float32(float64(x) / norm)
	}
	return out, nil
}

// dot is the cosine of two unit vectors of one width. Four sums at once keep the
// processor busy; their order is fixed, so equal vectors give equal numbers.
func dot(a, b Vector) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// far is how far apart two vectors are in their worst dimension.
func far(a, b []float32) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i])-float64(b[i])))
	}
	return worst
}

// mean is the unit vector between others, each with its weight. Where they cancel out it
// is the first.
func mean(vectors []Vector, weights []float64) Vector {
	raw := make([]float32, len(vectors[0]))
	for i, v := range vectors {
		for d, x := range v {
			raw[d] += float32(weights[i]) * x
		}
	}
	out, err := unit(raw)
	if err != nil {
		return vectors[0]
	}
	return out
}
