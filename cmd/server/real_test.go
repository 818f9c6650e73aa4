package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// demoReport is what of the committed report has to come out again.
type demoReport struct {
	Line    string
	Verdict struct {
		Yes             bool
		Lexical, Hybrid map[string]float64
		Counts          struct{ Counting int }
	}
}

// readReport reads a report.
func readReport(t *testing.T, name string) (r demoReport) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// near is how far a metric may be from the committed one: other processors round cosines
// in another way.
const near = 0.002

// allowed is near, or one topic where a score counts what is found and what is not.
func (r demoReport) allowed(score string) float64 {
	switch score {
	case "nDCG@10", "MRR@10", "MAP":
		return near
	}
	return max(near, 1/float64(r.Verdict.Counts.Counting))
}

// TestRealDemoReport measures the demo again with a real Ollama: the committed report's
// decision, and its metrics. -update writes the report.
func TestRealDemoReport(t *testing.T) {
	url := os.Getenv("CANDOR_TEST_OLLAMA")
	if url == "" {
		if os.Getenv("CANDOR_REQUIRE_OLLAMA") != "" {
			t.Fatal("CANDOR_TEST_OLLAMA names no Ollama")
		}
		t.Skip("needs CANDOR_TEST_OLLAMA, see scripts/ollama")
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, home)
	}
	dir := t.TempDir()
	var out, errs bytes.Buffer
	m := Main{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(name string) string {
		if name == "OLLAMA_HOST" {
			return url
		}
		return ""
	}}
	if status := m.Run(t.Context(), []string{"eval", "hybrid", "--demo", "--report", dir}); status > exitNo {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	committed := filepath.Join("..", "..", "demo", "report")
	if *update {
		for _, form := range []string{"json", "md"} {
			data, err := os.ReadFile(filepath.Join(dir, "report."+form))
			if err == nil {
				err = os.WriteFile(committed+"."+form, data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	want, got := readReport(t, committed+".json"), readReport(t, filepath.Join(dir, "report.json"))
	if got.Verdict.Yes != want.Verdict.Yes || len(want.Verdict.Hybrid) == 0 {
		t.Errorf("the decision is %q, committed is %q", got.Line, want.Line)
	}
	for score := range want.Verdict.Hybrid {
		for mode, pair := range map[string][2]float64{
			"lexical": {want.Verdict.Lexical[score], got.Verdict.Lexical[score]}, "hybrid": {want.Verdict.Hybrid[score], got.Verdict.Hybrid[score]},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= want.allowed(score)) {
				t.Errorf("%s, %s: %.4f, committed %.4f", score, mode, pair[1], pair[0])
			}
		}
	}
}
