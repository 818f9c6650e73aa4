package cache

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// TestMembership is the thief of a folder who has the embedding model, and guesses texts
// right: where in the file the vector of each guess would stand is known, byte for byte.
// What stands there must tell the texts that were stored from others no better than a
// coin does.
func TestMembership(t *testing.T) {
	const perFile, files = 2500, 4
	frame := func(data []byte, plain int) []byte { return data[len(data)-overhead-plain:] }
	var kept, others, open []float64
	for f := range files {
		dir := t.TempDir()
		c := testOpen(t, dir, 1)
		var stored []Entry
		var rows [][]float32
		for n := range perFile {
			stored = append(stored, entry(c.Key(), "all-minilm", f*perFile+n))
		}
		testPut(t, c, stored...)
		data := slices.MaxFunc(filesOf(t, dir), func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
		slices.SortFunc(stored, func(a, b Entry) int { return slices.Compare(a.ID.Chunk[:], b.ID.Chunk[:]) })
		for _, e := range stored {
			rows = append(rows, e.Vector)
		}
		plain := pack(rows, width)
		sealed := frame(data, len(plain))
		for n, e := range stored {
			other := entry(c.Key(), "all-minilm", files*perFile+f*perFile+n)
			kept = append(kept, alike(sealed, e.Vector, n, perFile))
			others = append(others, alike(sealed, other.Vector, n, perFile))
			open = append(open, alike(plain, e.Vector, n, perFile))
		}
	}
	if got := auc(open, others); got < 0.999 {
		t.Fatalf("the thief reads frames that are not sealed with an AUC of %.3f: the attack is none", got)
	}
	// Of 10,000 against 10,000, 0.02 is five standard deviations of an AUC of chance.
	if got := auc(kept, others); math.Abs(got-0.5) > 0.02 {
		t.Errorf("AUC %.3f", got)
	}
	if slices.Max(kept) > 3*width/4 {
		t.Error("a guess is confirmed")
	}
}

// alike counts the bytes of a frame that are those of the vector, were it row n of it: of
// the planes that the format keeps as they are.
func alike(frame []byte, v []float32, n, rows int) float64 {
	same := 0
	for p := range planes - 1 {
		for d, x := range v {
			if frame[p*rows*width+n*width+d] == byte(math.Float32bits(x)>>(8*p)) {
				same++
			}
		}
	}
	return float64(same)
}

// auc is the chance that one of a is above one of b, ties being half.
func auc(a, b []float64) float64 {
	slices.Sort(b)
	sum := 0.0
	for _, x := range a {
		below, _ := slices.BinarySearch(b, x)
		upTo, _ := slices.BinarySearch(b, math.Nextafter(x, math.Inf(1)))
		sum += float64(below+upTo) / 2
	}
	return sum / float64(len(a)) / float64(len(b))
}
