package evals

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"

	"candor"
)

// SpanSet is questions whose answers are marked in the text, byte for byte: it tells
// how much of what is cited was asked for.
type SpanSet struct {
	Questions []SpanQuestion
	texts     map[string]string // by file
}

// SpanQuestion is one question and its gold spans in one file.
type SpanQuestion struct {
	ID         string `json:"_id"`
	Text       string `json:"text"`
	File       string `json:"file"`
	References []struct {
		Start int `json:"start_byte"`
		End   int `json:"end_byte"`
	} `json:"references"`
}

// SpanScores are means over questions.
type SpanScores struct {
	N         int     `json:"n"`
	Recall    float64 `json:"token_recall"`
	Precision float64 `json:"token_precision"`
	IoU       float64 `json:"iou"`
}

// OpenSpans reads questions.jsonl and the texts under corpora, which is the vault
// that the questions are asked of.
func OpenSpans(dir string) (*SpanSet, error) {
	fsys := os.DirFS(dir)
	questions, err := readJSONLines[SpanQuestion](fsys, "questions.jsonl")
	if err != nil {
		return nil, fmt.Errorf("spans %s: %w", dir, err)
	}
	s := &SpanSet{Questions: questions, texts: map[string]string{}}
	for _, q := range questions {
		if _, ok := s.texts[q.File]; !ok {
			text, err := fs.ReadFile(fsys, path.Join("corpora", q.File))
			if err != nil {
				return nil, fmt.Errorf("spans %s: question %s: %w", dir, q.ID, err)
			}
			s.texts[q.File] = string(text)
		}
		for _, r := range q.References {
			if r.Start < 0 || r.End <= r.Start || r.End > len(s.texts[q.File]) {
				return nil, fmt.Errorf("spans %s: question %s: %s has no bytes %d to %d", dir, q.ID, q.File, r.Start, r.End)
			}
		}
	}
	return s, nil
}

// Measure asks each question with the gates off and compares the lines of the first
// n passages with the gold spans. A passage of another file is all waste.
func (s *SpanSet) Measure(ctx context.Context, sys System, n int) (SpanScores, error) {
	var recall, precision, iou []float64
	for _, q := range s.Questions {
		a, err := Ask(ctx, sys, Question{Text: q.Text, Limit: n, GatesOff: true})
		if err != nil {
			return SpanScores{}, fmt.Errorf("spans: question %s: %w", q.ID, err)
		}
		o := s.overlap(q, a.Hits)
		recall, precision, iou = append(recall, o.Recall()), append(precision, o.Precision()), append(iou, o.IoU())
	}
	return SpanScores{len(s.Questions), Mean(recall), Mean(precision), Mean(iou)}, nil
}

func (s *SpanSet) overlap(q SpanQuestion, hits []Hit) Overlap {
	cited := map[string][]Range{q.File: nil}
	for _, hit := range hits {
		file := string(hit.Citation.Path)
		lines := candor.Span{Start: hit.Citation.StartLine, End: hit.Citation.EndLine}
		cited[file] = append(cited[file], LineRange(s.texts[file], lines))
	}
	var total Overlap
	for file, ranges := range cited {
		var gold []Range
		if file == q.File {
			for _, r := range q.References {
				gold = append(gold, Range{r.Start, r.End})
			}
		}
		total = total.Add(TokenOverlap(s.texts[file], gold, ranges))
	}
	return total
}
