package evals

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReadRunOrdersAsTrecEval(t *testing.T) {
	// Ranks are not looked at; ties of a 32-bit score go to the later document id.
	run, tag, err := ReadRun(strings.NewReader(
		"t Q0 a 1 2.0 made\nt Q0 c 2 1.00000000002 made\n\nt Q0 d 3 1 made\nt Q0 b 9 3 made\n"), "run")
	if err != nil || tag != "made" {
		t.Fatalf("tag %q, error %v", tag, err)
	}
	want := []Scored{{"b", 3}, {"a", 2}, {"d", 1}, {"c", 1.00000000002}}
	if diff := cmp.Diff(want, run["t"]); diff != "" {
		t.Error(diff)
	}
}

func TestTRECErrorsNameTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"t Q0 a 1 2 x\nt Q0 a 2 1 x\n": "r:2: document a stands twice for topic t",
		"t Q0 a 1 2\n":                 "r:1: want 6 fields",
		"t Q0 a 1 two x\n":             `r:1: score "two"`,
		"t Q0 a 1 NaN x\n":             `r:1: score "NaN"`,
		"t Q0 a 1 1e39 x\n":            `r:1: score "1e39"`,
	} {
		if _, _, err := ReadRun(strings.NewReader(in), "r"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ReadRun(%q): %v, want %s", in, err, want)
		}
	}
	for in, want := range map[string]string{
		"query-id\tcorpus-id\tscore\nt\ta\n": "q:2: want 3 columns",
		"t\ta\tone\n":                        `q:1: grade "one"`,
	} {
		if _, err := ReadQrels(strings.NewReader(in), "q"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ReadQrels(%q): %v, want %s", in, err, want)
		}
	}
}

func TestReadQrelsTakesBothForms(t *testing.T) {
	want := Qrels{"t": {"a": 1, "b": -1}, "u": {"a": 2}}
	for _, in := range []string{
		"query-id\tcorpus-id\tscore\nt\ta\t1\nt\tb\t-1\nu\ta\t2\n",
		"t 0 a 1\nt 0 b -1\nu 0 a 2\n",
	} {
		got, err := ReadQrels(strings.NewReader(in), "q")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", in, err, diff)
		}
	}
	var b strings.Builder
	if err := WriteQrels(&b, want); err != nil || b.String() != "t 0 a 1\nt 0 b -1\nu 0 a 2\n" {
		t.Errorf("written as %q, %v", b.String(), err)
	}
}

// TestRunRoundTrip says that whatever order a system gave, with ties and with scores
// that rise, a run file read back ranks the same.
func TestRunRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := Run{}
		for i := range rapid.IntRange(1, 4).Draw(t, "topics") {
			topic := fmt.Sprint("t", i)
			for j := range rapid.IntRange(1, 20).Draw(t, "hits") {
				score := rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 1 + 1e-12, 0.0163, 1e300, -1e300}), rapid.Float64Range(-1e6, 1e6))
				run[topic] = append(run[topic], Scored{fmt.Sprint("d", j), score.Draw(t, "score")})
			}
		}
		var b strings.Builder
		if err := WriteRun(&b, run, "made"); err != nil {
			t.Fatal(err)
		}
		back, _, err := ReadRun(strings.NewReader(b.String()), "run")
		if err != nil {
			t.Fatal(err)
		}
		for topic, hits := range run {
			for i, hit := range hits {
				if back[topic][i].Doc != hit.Doc {
					t.Fatalf("topic %s: %v became %v", topic, hits, back[topic])
				}
			}
		}
	})
}

func TestWriteRunRefusesWhatAFileCannotHold(t *testing.T) {
	for _, run := range []Run{{"t u": {{"a", 1}}}, {"t": {{"a b", 1}}}, {"t": {{"", 1}}}} {
		if err := WriteRun(&strings.Builder{}, run, "made"); err == nil {
			t.Errorf("%v was written", run)
		}
	}
	if err := WriteRun(&strings.Builder{}, Run{}, "two words"); err == nil {
		t.Error("a tag of two words was written")
	}
}

// FuzzReadRun: what is read is sorted, finite and without repeats, and is written
// and read back as it was.
func FuzzReadRun(f *testing.F) {
	f.Add("t Q0 a 1 2.5 x\nt Q0 b 2 2.5 x\n")
	f.Add("t Q0 a 1 3e38 x\nt Q0 b 2 -3e38 x\nt Q0 c 2 -3e38 x\n")
	f.Add("t Q0 a 1 0x1p-3 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		run, tag, err := ReadRun(strings.NewReader(text), "run")
		if err != nil || tag == "" {
			return
		}
		var b strings.Builder
		if err := WriteRun(&b, run, tag); err != nil {
			t.Fatal(err)
		}
		back, _, err := ReadRun(strings.NewReader(b.String()), "run")
		if err != nil {
			t.Fatalf("%v in %q", err, b.String())
		}
		for topic, hits := range run {
			for i, hit := range hits {
				if back[topic][i].Doc != hit.Doc {
					t.Fatalf("%q: %v became %v", topic, hits, back[topic])
				}
			}
		}
	})
}

// FuzzReadQrels: judgements that are read can be written and read back.
func FuzzReadQrels(f *testing.F) {
	f.Add("query-id\tcorpus-id\tscore\na\tb\t1\n")
	f.Add("a 0 b 1\na 0 b 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		qrels, err := ReadQrels(strings.NewReader(text), "q")
		if err != nil {
			return
		}
		var b strings.Builder
		if err := WriteQrels(&b, qrels); err != nil {
			t.Fatal(err)
		}
		back, err := ReadQrels(strings.NewReader(b.String()), "q")
		if diff := cmp.Diff(qrels, back); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}
