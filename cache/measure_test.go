package cache

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"slices"
	"testing"
)

// vectorFile names real vectors: little-endian float32, 384 to a vector. doc/cache.md
// says how they were made and what was measured.
var vectorFile = flag.String("vectors", "", "a file of real vectors to measure with")

func realVectors(t *testing.T) [][]float32 {
	const width = 384
	raw, err := os.ReadFile(*vectorFile)
	if err != nil {
		t.Skip("needs -vectors, a file of vectors from a real Ollama")
	}
	rows := make([][]float32, len(raw)/(width*4))
	for i := range rows {
		rows[i] = make([]float32, width)
		for d := range rows[i] {
			rows[i][d] = math.Float32frombits(binary.LittleEndian.Uint32(raw[(i*width+d)*4:]))
		}
	}
	return rows
}

// TestMeasurePlanes prints what compression saves on real vectors.
func TestMeasurePlanes(t *testing.T) {
	rows := realVectors(t)
	_, per := rowsFor(384)
	plain, packed, raw := 0, 0, 0
	for part := range slices.Chunk(rows, per) {
		var flat []byte
		for _, r := range part {
			for _, x := range r {
				flat = binary.LittleEndian.AppendUint32(flat, math.Float32bits(x))
			}
		}
		raw += len(flat)
		plain += len(encoder.EncodeAll(flat, nil))
		packed += len(pack(part, 384))
	}
	t.Logf("%d vectors: zstd alone %.3f, byte planes then zstd %.3f of the size",
		len(rows), float64(plain)/float64(raw), float64(packed)/float64(raw))
}

// TestMeasureHalf prints what float16 would change: how many rankings of the best
// hundred, with each vector as a question, come out in another order.
func TestMeasureHalf(t *testing.T) {
	rows := realVectors(t)
	halves := make([][]float32, len(rows))
	for i, r := range rows {
		for _, x := range r {
			halves[i] = append(halves[i], half(x))
		}
	}
	changed, worst := 0, 0.0
	for q := range rows {
		exact, rounded := scores(rows, rows[q]), scores(halves, rows[q])
		for i := range exact {
			worst = max(worst, math.Abs(exact[i]-rounded[i]))
		}
		if !slices.Equal(best(exact), best(rounded)) {
			changed++
		}
	}
	t.Logf("float16: largest change of a cosine %.1e; order of the best 100 differs for %d of %d questions",
		worst, changed, len(rows))
}

func scores(rows [][]float32, q []float32) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		for d, x := range r {
			out[i] += float64(x) * float64(q[d])
		}
	}
	return out
}

func best(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order[:min(100, len(order))]
}

// half rounds to the nearest float16 of the range that unit vectors need.
func half(x float32) float32 {
	_, exp := math.Frexp(float64(x))
	ulp := math.Ldexp(1, max(exp, -13)-11)
	return float32(math.RoundToEven(float64(x)/ulp) * ulp)
}
