package fakeollama

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"unicode"
)

// Vector embeds a text: the sum of a random direction for each of its words and, with
// less weight, for each run of three characters in them. Texts that share words are near
// each other. Each space has directions of its own.
func Vector(text string, width int, space uint64) []float32 {
	sum := make([]float64, width)
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	add(sum, "", 0.05, space) // never zero
	for _, w := range words {
		add(sum, w, 1, space)
		chars := []rune("^" + w + "$")
		for i := range len(chars) - 2 {
			add(sum, string(chars[i:i+3]), 0.3, space)
		}
	}
	norm := 0.0
	for _, x := range sum {
		norm += x * x
	}
	out := make([]float32, width)
	for i, x := range sum {
		out[i] = float32(x / math.Sqrt(norm))
	}
	return out
}

// add goes a way in the direction that a feature has in a space.
func add(sum []float64, feature string, weight float64, space uint64) {
	h := fnv.New64a()
	h.Write([]byte(feature))
	r := rand.New(rand.NewPCG(h.Sum64(), space))
	for i := range sum {
		sum[i] += weight * r.NormFloat64()
	}
}
