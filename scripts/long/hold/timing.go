package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"candor"
	"candor/corpus"
	"candor/evidence"
	"candor/kb"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

// timing asks a profile for denied notes, of up to 2 MB, and for missing ones, in pairs
// of random order, and tests whether the time tells them apart: the signed ranks of
// Wilcoxon over the pairs, and the bootstrap of the median of their differences.
func timing(ctx context.Context, _ string) error {
	base, done, err := zones(ctx)
	if err != nil {
		return err
	}
	defer done()
	n := cmp.Or(*count, 20_000)
	r := rand.New(rand.NewPCG(*seed, 4))
	ask := func(path string) (float64, error) {
		start := time.Now()
		_, err := base.Read(ctx, kb.ReadRequest{Path: path})
		took := time.Since(start)
		if !errors.Is(err, candor.ErrNotFound) {
			return 0, fmt.Errorf("a path that cannot be read: %w", err)
		}
		return float64(took.Nanoseconds()), nil
	}
	diffs, missing := make([]float64, 0, n), make([]float64, 0, n)
	for i := range n + 1000 { // the first thousand warm up
		// One draw for both, so that the words differ in nothing but what they name.
		var paths [2]string
		first := r.IntN(2)
		for _, k := range []int{first, 1 - first} {
			paths[k] = fmt.Sprintf("restricted/%06d.md", 2*r.IntN(1000)+k)
		}
		var took [2]float64
		first = r.IntN(2)
		for _, k := range []int{first, 1 - first} {
			if took[k], err = ask(paths[k]); err != nil {
				return err
			}
		}
		if i >= 1000 {
			diffs, missing = append(diffs, took[0]-took[1]), append(missing, took[1])
		}
	}
	p := wilcoxon(diffs)
	low, high := bootstrap(r, diffs)
	typical := median(slices.Clone(missing))
	allowed := max(2000, typical/100)
	fmt.Printf("timing: %d pairs, a miss takes %.0f ns, denied less missing: median %.0f ns, 99%% interval %.0f to %.0f ns (allowed ±%.0f), Wilcoxon p = %.4f\n",
		n, typical, median(slices.Clone(diffs)), low, high, allowed, p)
	if p < 0.001 || low < -allowed || high > allowed {
		fail("the time tells a denied note from a missing one")
	}
	return nil
}

// zones opens a vault for a profile that may read 100 notes of it and not 1,000 others,
// those with even numbers.
func zones(ctx context.Context) (*kb.Base, func(), error) {
	dir, err := os.MkdirTemp("", "candor-timing-")
	if err != nil {
		return nil, nil, err
	}
	done := func() { os.RemoveAll(dir) }
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("restricted/%06d.md", 2*i)] = strings.Repeat("a line of a note\n", 1+i%7)
	}
	files["restricted/000000.md"] = strings.Repeat("a line of a long note\n", 100_000)
	for i := range 100 {
		files[fmt.Sprintf("public/%06d.md", i)] = "# Note\n\ntext\n"
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return nil, done, err
		}
	}
	p, err1 := policy.New(policy.Options{Profiles: map[string]policy.Rules{"guest": {Allow: []string{"public/**"}}, "admin": {Allow: []string{"**"}}}})
	r, err2 := redact.New(redact.Options{})
	root, err3 := vault.Open("notes", dir, vault.Options{})
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, done, err
	}
	c := corpus.New(corpus.Options{Roots: []*vault.Root{root}, Policy: p, Redactor: r})
	if err := c.Load(ctx); err != nil {
		return nil, done, err
	}
	base := kb.New(kb.Options{
		Profile: "guest", Corpus: c, Redactor: r, Lexical: lexical.New(lexical.Options{}), Gates: evidence.Default(), CursorKey: make([]byte, 32),
	})
	base.Sync()
	return base, func() { root.Close(); os.RemoveAll(dir) }, nil
}

// wilcoxon is the two-sided p of the signed-rank test, by its normal approximation with
// ties in mind.
func wilcoxon(diffs []float64) float64 {
	d := slices.DeleteFunc(slices.Clone(diffs), func(x float64) bool { return x == 0 })
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	n, plus, ties := float64(len(d)), 0.0, 0.0
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		for ; i < j; i++ {
			if d[i] > 0 {
				plus += float64(j) - (t-1)/2
			}
		}
	}
	if n == 0 {
		return 1
	}
	z := (plus - n*(n+1)/4) / math.Sqrt(n*(n+1)*(2*n+1)/24-ties/48)
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}

// bootstrap is the 99% interval of the median.
func bootstrap(r *rand.Rand, diffs []float64) (low, high float64) {
	medians := make([]float64, 1000)
	sample := make([]float64, len(diffs))
	for i := range medians {
		for j := range sample {
			sample[j] = diffs[r.IntN(len(diffs))]
		}
		medians[i] = median(sample)
	}
	slices.Sort(medians)
	return medians[5], medians[994]
}

// median sorts its argument.
func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
