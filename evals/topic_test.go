package evals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
)

func TestLoadTopics(t *testing.T) {
	got, err := LoadTopics(filepath.Join(unpack(t, "topics.txtar"), "good"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Topic{
		{
			ID: "leave-01", Question: "how long may new parents stay away", Profile: "staff",
			Slice: Answerable, Sub: "paraphrase", Note: "no word in common",
			Expect: []Expected{
				{"hr/leave.md", "Parental leave", 1}, {"hr/faq.md", "Leave", 2}, {"notes/a#b.md", "Tail", 1},
			},
		},
		{ID: "oil", Question: "who sells oil", Profile: "staff", Slice: Unsupported},
		{
			ID: "pay", Question: "what is the pay band of a director", Profile: "public", Slice: Denied,
			Expect: []Expected{{"hr/pay.md", "", 1}}, Never: []string{"band 9"},
		},
		{ID: "old", Question: "what was the old limit", Slice: Superseded, Stale: []candor.Path{"rules/2019.md"}},
		{ID: "key", Question: "what is the deploy key", Slice: Secret, Never: []string{"AKIAnothing"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTopicFaults: every fault of a file is named with its line, at once.
func TestTopicFaults(t *testing.T) {
	dir := unpack(t, "topics.txtar")
	want, err := os.ReadFile(filepath.Join(dir, "bad.want"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = LoadTopics(filepath.Join(dir, "bad.yaml"))
	if err == nil {
		t.Fatal("a bad file was taken")
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), err.Error()); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"syntax.yaml": "syntax.yaml:", "none.yaml": "candor eval add", "absent.yaml": "absent.yaml",
	} {
		if _, err := LoadTopics(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestExpectedMet(t *testing.T) {
	passage := candor.Citation{Path: "hr/leave.md", Heading: []string{"Leave", "Parental  Leave", "Fathers"}}
	for _, tc := range []struct {
		expect Expected
		want   bool
	}{
		{Expected{Path: "hr/leave.md"}, true},
		{Expected{Path: "hr/leave.md", Heading: "parental leave"}, true},
		{Expected{Path: "hr/leave.md", Heading: "Fathers"}, true},
		{Expected{Path: "hr/leave.md", Heading: "Parental"}, false},
		{Expected{Path: "hr/pay.md", Heading: "Fathers"}, false},
	} {
		if got := tc.expect.Met(passage); got != tc.want {
			t.Errorf("%+v: %v", tc.expect, got)
		}
	}
}

// TestSuiteRanksPassages: the narrowest expectation names a passage, a second
// passage of it takes no rank, and any other passage takes one of its own.
func TestSuiteRanksPassages(t *testing.T) {
	topic := Topic{ID: "t", Slice: Answerable, Expect: []Expected{
		{"a b.md", "", 1}, {"a b.md", "One", 2},
	}}
	hit := func(id, path string, heading ...string) Hit {
		return Hit{Citation: candor.Citation{ID: id, Path: candor.Path(path), Heading: heading}, Score: 1}
	}
	s := NewSuite("s", []Topic{topic})
	got := s.label(topic, []Hit{
		hit("x.md#L1-L2@00000000", "x.md", "One"), hit("1", "a b.md", "One", "Sub"), hit("2", "a b.md", "One"),
		hit("x.md#L3-L4@00000000", "x.md", "One"), hit("3", "a b.md", "Two"),
	})
	want := []Scored{{"x.md#L1-L2@00000000", 1}, {"a%20b.md#one", 1}, {"x.md#L3-L4@00000000", 1}, {"a%20b.md", 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Qrels{"t": {"a%20b.md": 1, "a%20b.md#one": 2}}, s.Qrels); diff != "" {
		t.Error(diff)
	}
}

// TestSuiteDigest: what is asked or expected changes the digest, a note does not.
func TestSuiteDigest(t *testing.T) {
	base := Topic{ID: "t", Question: "q", Slice: Answerable, Expect: []Expected{{"a.md", "", 1}}}
	note, question, grade := base, base, base
	note.Note, question.Question, grade.Expect = "why", "other", []Expected{{"a.md", "", 2}}
	same := NewSuite("s", []Topic{base}).Digest
	if NewSuite("other name", []Topic{note}).Digest != same {
		t.Error("a note changes the digest")
	}
	for _, topic := range []Topic{question, grade} {
		if NewSuite("s", []Topic{topic}).Digest == same {
			t.Errorf("%+v has the digest of %+v", topic, base)
		}
	}
	s := NewSuite("s", []Topic{base, {ID: "u", Slice: Unsupported}})
	if only := s.Only(func(t Topic) bool { return t.Slice == Answerable }); len(only.Topics) != 1 || only.Digest == s.Digest {
		t.Errorf("%+v", only)
	}
}

func TestAddTopic(t *testing.T) {
	file := filepath.Join(t.TempDir(), "topics.yaml")
	question := "What is: the \"limit\"? # no comment"
	for _, topic := range []Topic{
		{Question: question, Expect: []Expected{{"a.md", "The limit", 1}}, Profile: "staff"},
		{Question: question, Sub: "near", Note: "about nothing"},
		{Question: "多长时间"},
	} {
		added, err := AddTopic(file, topic)
		if err != nil {
			t.Fatal(err)
		}
		if added.Question != topic.Question || added.ID == "" {
			t.Errorf("added %+v", added)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Questions and where their answers stand. One with no answer has no expect.
topics:
  - id: what-is-the-limit-no
    question: 'What is: the "limit"? # no comment'
    profile: staff
    slice: answerable
    expect:
      - a.md#The limit
  - id: what-is-the-limit-no-2
    question: 'What is: the "limit"? # no comment'
    slice: unsupported/near
    note: about nothing
  - id: 多长时间
    question: 多长时间
    slice: unsupported
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestAddTopicKeepsWhatItCannotExtend: a file that an appended item would break, or
// that is broken already, is left as it is.
func TestAddTopicKeepsWhatItCannotExtend(t *testing.T) {
	for _, text := range []string{
		"topics: []\n", "topics:\n  - {id: a, question: b}\nprofile: staff\n", "topics:\n- {id: a, question: b}\n", "nonsense: 1\n",
		"topics:\n  - {id: a, question: b}\n---\ntopics:\n  - {id: c, question: d}\n", "topics:\n  - {id: a, question: b}\n...\n",
	} {
		file := filepath.Join(t.TempDir(), "topics.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := AddTopic(file, Topic{Question: "new"}); err == nil {
			t.Errorf("added to %q", text)
		}
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestAddTopicRefusesAnIDThatIsTaken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "topics.yaml")
	topic := Topic{ID: "leave", Question: "how long is leave"}
	if _, err := AddTopic(file, topic); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(file)
	if _, err := AddTopic(file, topic); err == nil || !strings.Contains(err.Error(), `"leave" already`) {
		t.Errorf("a second topic of the same id: %v", err)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Error("the file was changed")
	}
}

// FuzzTopics: no topic file, however strange, brings the reader down, and what is
// read without a fault can be measured.
func FuzzTopics(f *testing.F) {
	f.Add("topics:\n  - {id: a, question: b, expect: [x.md#y]}\n")
	f.Add("a: &a [*a]\ntopics: *a\n")
	f.Add("topics: [~, {}, [], {id: ~}]\n")
	f.Add("? {a: b}\n: c\n")
	f.Fuzz(func(t *testing.T, text string) {
		topics, err := parseTopics("f", []byte(text))
		for _, topic := range topics {
			if err == nil && (topic.ID == "" || topic.Question == "" || topic.Slice == "") {
				t.Fatalf("taken: %+v", topic)
			}
		}
	})
}
