package evals

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMetricsAgreeWithIRMeasures compares every metric of every topic with the
// numbers that ir-measures gave, over ties of score, graded and negative judgements,
// topics without a ranking, without a relevant document and without judgement.
func TestMetricsAgreeWithIRMeasures(t *testing.T) {
	want, err := os.ReadFile("testdata/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	got := scoreFixture(t)
	if diff := cmp.Diff(parseScores(t, string(want)), got, approx); diff != "" {
		t.Errorf("metrics differ from ir-measures (-want +got):\n%s", diff)
	}
}

// TestExpectedFileIsFresh runs ir-measures itself where a Python has it.
func TestExpectedFileIsFresh(t *testing.T) {
	python := os.Getenv("CANDOR_PYTHON")
	if python == "" {
		t.Log("CANDOR_PYTHON names no python with ir-measures: the committed numbers stand alone")
		return
	}
	out, err := exec.Command(python, "testdata/irmeasures.py", "testdata/qrels.trec", "testdata/run.trec").Output()
	if err != nil {
		t.Fatalf("%s testdata/irmeasures.py: %v", python, err)
	}
	want, err := os.ReadFile("testdata/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(out)); diff != "" {
		t.Errorf("testdata/expected.tsv is not what ir-measures gives now (-committed +now):\n%s", diff)
	}
}

var approx = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 2e-6 })

func scoreFixture(t *testing.T) map[string]float64 {
	t.Helper()
	run, qrels := openRun(t, "testdata/run.trec"), openQrels(t, "testdata/qrels.trec")
	out, sums := map[string]float64{}, map[string][]float64{}
	for _, topic := range slices.Sorted(maps.Keys(qrels)) {
		for name, v := range Score(run[topic], qrels[topic]) {
			out[topic+"\t"+name] = v
			sums[name] = append(sums[name], v)
		}
	}
	for name, values := range sums {
		out["all\t"+name] = Mean(values)
	}
	return out
}

func parseScores(t *testing.T, text string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, '\t')
		v, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		if err != nil {
			t.Fatal(err)
		}
		out[line[:at]] = v
	}
	return out
}

func openRun(t *testing.T, name string) Run {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, _, err := ReadRun(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func openQrels(t *testing.T, name string) Qrels {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	qrels, err := ReadQrels(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return qrels
}

// TestMetricLaws holds every metric to its bounds, on any ranking: from 0 to 1, 1
// for the ideal order of few documents, 0 with nothing relevant, and never worse
// when a relevant document moves up past one that is not.
func TestMetricLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		ranking, judged := make([]string, n), map[string]int{}
		for i := range ranking {
			ranking[i] = fmt.Sprint("d", i)
			judged[ranking[i]] = rapid.IntRange(-1, 3).Draw(t, "grade")
		}
		at := rapid.IntRange(1, n-1).Draw(t, "at")
		swapped := slices.Clone(ranking)
		swapped[at-1], swapped[at] = swapped[at], swapped[at-1]
		for _, m := range Metrics {
			v := m.Of(ranking, judged)
			if v < 0 || v > 1+1e-12 {
				t.Fatalf("%s = %v", m.Name, v)
			}
			if w := m.Of(swapped, judged); judged[ranking[at]] > max(judged[ranking[at-1]], 0) && w < v-1e-12 {
				t.Fatalf("%s fell from %v to %v when a better document moved up", m.Name, v, w)
			}
			if z := m.Of(ranking, nil); z != 0 {
				t.Fatalf("%s = %v without a judgement", m.Name, z)
			}
		}
		ideal := slices.Clone(ranking)
		slices.SortStableFunc(ideal, func(a, b string) int { return judged[b] - judged[a] })
		if v := NDCG(ideal, judged, 10); relevant(judged) > 0 && math.Abs(v-1) > 1e-12 {
			t.Fatalf("nDCG of the ideal order is %v", v)
		}
	})
}

func TestQuantile(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5}
	for q, want := range map[float64]float64{0: 1, 0.5: 3, 0.95: 4.8, 1: 5} {
		if got := Quantile(values, q); math.Abs(got-want) > 1e-12 {
			t.Errorf("Quantile(%v) = %v, want %v", q, got, want)
		}
	}
	if Quantile(nil, 0.5) != 0 {
		t.Error("the quantile of nothing is not 0")
	}
}
