package evals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestSaveAndCompareFiles: what is saved compares with itself as equal, and the run
// file alone, read as another tool's, scores the same.
func TestSaveAndCompareFiles(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	rec, run := measured(t, before(), "my run")
	if err := Save(out, rec, run); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{out, out + ".json"} {
		back, err := LoadRecord(name)
		if diff := cmp.Diff(rec, back, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
	foreign, err := LoadRun(out, topicsForTest())
	if err != nil || foreign.Tag != "my-run" {
		t.Fatal(foreign.Tag, err)
	}
	c, err := Compare(rec, foreign, CompareOptions{})
	if err != nil || len(c.Topics) != 0 {
		t.Errorf("%v: %+v", err, c.Topics)
	}
	if d, ok := c.Find("all", MAP); !ok || d.N != 3 || d.Delta != 0 {
		t.Errorf("%+v", d)
	}
}

func TestLoadRecordSaysWhatToDo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run")
	if _, err := LoadRecord(name); err == nil || !strings.Contains(err.Error(), "--beir or --topics") {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte("t Q0 a 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRun(name, topicsForTest()); err == nil || !strings.Contains(err.Error(), "run:1: want 6 fields") {
		t.Error(err)
	}
}

func TestOffTopicAndSample(t *testing.T) {
	c := &Collection{Name: "other", Qrels: Qrels{"q1": {"a": 1}}, Queries: []BEIRQuery{{"q1", "x"}, {"q2", "y"}, {"q3", "z"}, {"q4", "w"}}}
	s := topicsForTest().OffTopic(c.Suite(nil), 2)
	added := s.Topics[len(s.Topics)-2:]
	want := []Topic{
		{ID: "off-topic/other/q1", Question: "x", Slice: Unsupported, Sub: "off-topic"},
		{ID: "off-topic/other/q3", Question: "z", Slice: Unsupported, Sub: "off-topic"},
	}
	if diff := cmp.Diff(want, added); diff != "" || s.Digest == topicsForTest().Digest {
		t.Error(diff)
	}
	if got := s.Sample(4); len(got.Topics) != 4 || got.Topics[3].ID != "off-topic/other/q1" {
		t.Errorf("%+v", got.Topics)
	}
	if got := s.Sample(0); got.Digest != s.Digest {
		t.Error("a sample of all is not all")
	}
}
