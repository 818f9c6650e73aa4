package evals

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const edited = `# of the owner
profile: staff
topics:
- id: one   # first
  question: q1
  drafted: rule
  expect: [a.md]

# about two
- {id: two, question: q2}
- id: three
  question: q3
  slice: answerable/table
  drafted: model
  expect: [{path: "b#c.md", heading: H, grade: 2}]
  stale: [old.md]
  never: [x]
  note: why
# the end
`

// TestChangeTopic: what is reviewed is written in its place, and nothing else moves.
func TestChangeTopic(t *testing.T) {
	file := filepath.Join(t.TempDir(), "topics.yaml")
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	topics, err := LoadTopics(file)
	if err != nil {
		t.Fatal(err)
	}
	if kept, left := Reviewed(topics); len(kept) != 1 || left != 2 || topics[0].Sub != "drafted" || topics[2].Sub != "table" && topics[2].Sub != "model/table" {
		t.Fatalf("%+v, %d left; %+v", kept, left, topics)
	}
	third := topics[2]
	third.Reviewed = true
	if err := ChangeTopic(file, third); err != nil {
		t.Fatal(err)
	}
	if err := ChangeTopic(file, topics[0].Unanswered().Reworded("in my words: a")); err != nil {
		t.Fatal(err)
	}
	if err := DropTopic(file, "two"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := `# of the owner
profile: staff
topics:
- id: one
  question: 'in my words: a'
  profile: staff
  slice: unsupported

# about two
- id: three
  question: q3
  profile: staff
  slice: answerable/table
  expect:
    - path: b#c.md
      heading: H
      grade: 2
  stale:
    - old.md
  never:
    - x
  drafted: model
  reviewed: true
  note: why
# the end
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"three", "one"} { // the last leaves a list that can be added to
		if err := DropTopic(file, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := DropTopic(file, "one"); err == nil {
		t.Error("dropped twice")
	}
}

// TestChangeTopicKeepsWhatItCannotChange: a list in one line is left as it is.
func TestChangeTopicKeepsWhatItCannotChange(t *testing.T) {
	for _, text := range []string{
		"topics: [{id: a, question: b}, {id: c, question: d}]\n", "{topics: [{id: a, question: b}]}\n",
		"topics:\n  -\n    id: a\n    question: b\n  - id: c\n    question: d\n",
	} {
		file := filepath.Join(t.TempDir(), "topics.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := ChangeTopic(file, Topic{ID: "a", Question: "new", Slice: Unsupported}); err == nil {
			t.Errorf("changed %q", text)
		}
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
