package evals

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"candor"
)

// canned is a System with its answers written down.
type canned struct {
	System
	answers map[string]Answer // by question
	served  bool              // it cannot switch the gates off
	fp      Fingerprint
}

func (c canned) Fingerprint(context.Context) (Fingerprint, error) { return c.fp, nil }

func (c canned) Search(_ context.Context, q Question) (Answer, error) {
	a, ok := c.answers[q.Text]
	switch {
	case q.GatesOff && c.served:
		return Answer{}, ErrNotOffered
	case !ok:
		return Answer{}, &candor.InputError{Field: "query", Why: "holds a secret"}
	case a.Abstained && !q.GatesOff:
		a.Hits = nil
	case q.GatesOff:
		a.Abstained = false
	}
	a.Hits = a.Hits[:min(q.Limit, len(a.Hits))]
	return a, nil
}

// ranked is an answer with one passage of each note.
func ranked(confidence float64, notes ...string) Answer {
	a := Answer{Confidence: confidence}
	for i, note := range notes {
		c := candor.Citation{ID: note + "#L1-L1@00000000", Path: candor.Path(note), StartLine: 1, EndLine: 1}
		a.Hits = append(a.Hits, Hit{Citation: c, Score: float64(len(notes) - i)})
	}
	return a
}

func abstained(a Answer) Answer {
	a.Abstained = true
	return a
}

func topicsForTest() Suite {
	expect := func(path string) []Expected { return []Expected{{Path: candor.Path(path), Grade: 1}} }
	return NewSuite("five", []Topic{
		{ID: "t1", Question: "one", Slice: Answerable, Sub: "easy", Expect: expect("a.md")},
		{ID: "t2", Question: "two", Slice: Answerable, Sub: "paraphrase", Expect: expect("b.md")},
		{ID: "t3", Question: "three", Slice: Answerable, Sub: "paraphrase", Expect: expect("c.md")},
		{ID: "n1", Question: "none", Slice: Unsupported},
		{ID: "d1", Question: "denied", Slice: Denied, Expect: expect("d.md")},
		{ID: "s1", Question: "AKIA", Slice: Secret, Never: []string{"AKIA"}},
	})
}

func before() canned {
	return canned{fp: Fingerprint{Mode: candor.ModeLexical, Analyzer: "1"}, answers: map[string]Answer{
		"one": ranked(0.9, "a.md", "x.md"), "two": ranked(0.6, "x.md", "b.md"), "three": abstained(ranked(0.2, "x.md", "y.md", "c.md")),
		"none": ranked(0.5, "x.md"), "denied": abstained(ranked(0.1, "x.md")),
	}}
}

func after() canned {
	c := before()
	c.fp = Fingerprint{Mode: candor.ModeHybrid, Analyzer: "1", Model: "m"}
	c.answers["two"] = ranked(0.8, "b.md", "x.md")
	c.answers["three"] = ranked(0.6, "x.md", "c.md")
	c.answers["none"] = abstained(ranked(0.3, "x.md"))
	return c
}

func measured(t *testing.T, sys System, tag string) (Record, Run) {
	t.Helper()
	rec, run, err := Measure(t.Context(), sys, topicsForTest(), Options{Tag: tag})
	if err != nil {
		t.Fatal(err)
	}
	rec.Latency = Latency{P50: 1, P95: 2, Max: 3}
	return rec, run
}

func TestMeasure(t *testing.T) {
	rec, run := measured(t, before(), "")
	if rec.Tag != "lexical" || rec.AsServed || rec.Digest != topicsForTest().Digest {
		t.Errorf("%+v", rec)
	}
	// t3 is found when asked with the gates off, though it is not answered.
	want := map[string]float64{
		Hit1: 1.0 / 3, MRR10: (1 + 1.0/2 + 1.0/3) / 3, ServedHit1: 1.0 / 3, Answered: 2.0 / 3, Refused: 1.0 / 2,
	}
	for name, v := range want {
		if diff := cmp.Diff(v, rec.Mean(name), approx); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff([]Scored{{"x.md#L1-L1@00000000", 2}, {"b.md", 1}}, run["t2"]); diff != "" {
		t.Error(diff)
	}
	for _, o := range rec.Outcomes {
		hidden := o.Slice == Denied || o.Slice == Secret
		if hidden != (o.Top == nil) {
			t.Errorf("%s: top %v", o.Topic, o.Top)
		}
		if o.Topic == "s1" && (!o.Abstained || len(o.Scores) != 0) {
			t.Errorf("a refused query came to %+v", o)
		}
	}
	if got := AUC(rec.Confidences()); got != 5.0/6 {
		t.Errorf("AUC %v", got)
	}
}

// TestMeasureAsServed: over a transport that cannot switch the gates off, the record
// says so and ranks what was served.
func TestMeasureAsServed(t *testing.T) {
	sys := before()
	sys.served = true
	rec, run := measured(t, sys, "stdio")
	if !rec.AsServed || rec.Mean(MRR10) != 0.5 || len(run["t3"]) != 0 {
		t.Errorf("%v %v %v", rec.AsServed, rec.Mean(MRR10), run["t3"])
	}
}

func TestMeasureNamesTheTopicOfAnError(t *testing.T) {
	sys := failing{canned: before()}
	_, _, err := Measure(t.Context(), sys, topicsForTest(), Options{})
	if !errors.Is(err, errDown) || !strings.Contains(err.Error(), "topic t1") {
		t.Error(err)
	}
}

var errDown = errors.New("down")

type failing struct{ canned }

func (failing) Search(context.Context, Question) (Answer, error) { return Answer{}, errDown }

func TestRecordRoundTrip(t *testing.T) {
	rec, _ := measured(t, before(), "a")
	var b bytes.Buffer
	if err := WriteRecord(&b, rec); err != nil {
		t.Fatal(err)
	}
	back, err := ReadRecord(&b, "r")
	if diff := cmp.Diff(rec, back, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := ReadRecord(strings.NewReader(`{"version": 0}`), "r"); err == nil || !strings.Contains(err.Error(), "measure again") {
		t.Error(err)
	}
}

func TestCompare(t *testing.T) {
	a, _ := measured(t, before(), "lexical")
	b, _ := measured(t, after(), "hybrid")
	c, err := Compare(a, b, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := c.Find("all", MRR10)
	if d.N != 3 || d.Wins != 2 || d.Losses != 0 || d.Ties != 1 || d.Low < 0 || d.High < d.Delta {
		t.Errorf("%+v", d)
	}
	if d, ok := c.Find("answerable/paraphrase", Answered); !ok || d.Delta != 0.5 {
		t.Errorf("%+v", d)
	}
	if d, ok := c.Find("unsupported", Refused); !ok || d.Delta != 1 {
		t.Errorf("%+v", d)
	}
	if diff := cmp.Diff([]string{"mode", "model"}, c.Differs); diff != "" {
		t.Error(diff)
	}
	if len(c.Topics) != 2 || c.Topics[0].Topic != "t2" {
		t.Errorf("%+v", c.Topics)
	}
}

func TestCompareRefusesOtherTopics(t *testing.T) {
	a, _ := measured(t, before(), "a")
	b := a
	b.Digest = "other"
	if _, err := Compare(a, b, CompareOptions{}); err == nil || !strings.Contains(err.Error(), "measure both again") {
		t.Error(err)
	}
}

// TestReports holds the written form, and that no question stands in it.
func TestReports(t *testing.T) {
	a, _ := measured(t, before(), "lexical")
	b, _ := measured(t, after(), "hybrid")
	a.Cost = Cost{Notes: 3, Chunks: 9, ReadyMS: 12, Bytes: 3 << 20}
	c, err := Compare(a, b, CompareOptions{Confidence: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]func(*bytes.Buffer) error{
		"record.txt":    func(w *bytes.Buffer) error { return a.Report(w, Text) },
		"comparison.md": func(w *bytes.Buffer) error { return c.Report(w, Markdown) },
	} {
		var got bytes.Buffer
		if err := report(&got); err != nil {
			t.Fatal(err)
		}
		golden(t, name, got.Bytes())
	}
}

// golden compares with a file of testdata, which UPDATE=1 writes.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (UPDATE=1 writes it anew):\n%s", name, diff)
	}
}

func TestTableEscapesMarkdown(t *testing.T) {
	table := Table{Header: []string{"id"}}
	table.Add("a|b <img> ![x](y) `c` @team @10")
	var b strings.Builder
	if err := table.Write(&b, Markdown); err != nil {
		t.Fatal(err)
	}
	want := "| id |\n| --- |\n| a\\|b &lt;img> !\\[x](y) 'c' &#64;team @10 |\n\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
