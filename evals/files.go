package evals

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// recordSuffix is where the record of a run file lies beside it.
const recordSuffix = ".json"

// Save writes a run file and its record beside it, as out and out.json.
func Save(out string, rec Record, run Run) error {
	write := func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return replaceFile(name, b.Bytes())
	}
	if err := write(out, func(w io.Writer) error { return WriteRun(w, run, runTag(rec.Tag)) }); err != nil {
		return err
	}
	return write(out+recordSuffix, func(w io.Writer) error { return WriteRecord(w, rec) })
}

// runTag makes one word of a tag.
func runTag(tag string) string { return strings.Join(strings.FieldsFunc(tag, isSpace), "-") }

// LoadRecord reads the record of a run by the name of either file.
func LoadRecord(name string) (Record, error) {
	if !strings.HasSuffix(name, recordSuffix) {
		name += recordSuffix
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("%w: a run of another tool has no record: name its topics with --beir or --topics", err)
	}
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	return ReadRecord(f, name)
}

// LoadRun reads a run file of any tool and scores it on a suite. Such a record knows
// nothing of gates and latency.
func LoadRun(name string, suite Suite) (Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	run, tag, err := ReadRun(f, name)
	if err != nil {
		return Record{}, err
	}
	return suite.Score(run, tag), nil
}

// Score makes the record of a run that was not measured here.
func (s Suite) Score(run Run, tag string) Record {
	rec := Record{Version: RecordVersion, Suite: s.Name, Digest: s.Digest, Tag: tag}
	for _, t := range s.Topics {
		out := Outcome{Topic: t.ID, Slice: t.Slice, Sub: t.Sub, Scores: map[string]float64{}}
		if judged := s.Qrels[t.ID]; len(judged) > 0 {
			out.Scores = Score(run[t.ID], judged)
		}
		if t.Slice != Denied && t.Slice != Secret {
			out.Top = topDocs(run[t.ID])
		}
		rec.Outcomes = append(rec.Outcomes, out)
	}
	return rec
}

func topDocs(ranking []Scored) (docs []string) {
	for _, hit := range ranking[:min(10, len(ranking))] {
		docs = append(docs, hit.Doc)
	}
	return docs
}

// OffTopic adds questions of another suite, which this one's documents do not answer:
// n of them, evenly spaced, as the slice unsupported/off-topic.
func (s Suite) OffTopic(other Suite, n int) Suite {
	return s.Unanswered(other.Sample(n), "off-topic")
}

// Unanswered adds all questions of another suite, which this one's documents do not
// answer, under a sub-slice.
func (s Suite) Unanswered(other Suite, sub string) Suite {
	out := Suite{Name: s.Name + " and " + sub + " " + other.Name, Qrels: s.Qrels, label: s.label}
	out.Topics = append(out.Topics, s.Topics...)
	for _, t := range other.Topics {
		out.Topics = append(out.Topics, Topic{
			ID: sub + "/" + other.Name + "/" + t.ID, Question: t.Question, Slice: Unsupported, Sub: sub,
		})
	}
	out.Digest = digest(out.Topics, out.Qrels)
	return out
}

// Sample keeps n topics, evenly spaced; 0 keeps all.
func (s Suite) Sample(n int) Suite {
	if n <= 0 || n >= len(s.Topics) {
		return s
	}
	keep := make(map[string]bool, n)
	for i := range n {
		keep[s.Topics[i*len(s.Topics)/n].ID] = true
	}
	return s.Only(func(t Topic) bool { return keep[t.ID] })
}
