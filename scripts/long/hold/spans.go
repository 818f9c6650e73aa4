package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"candor"
	"candor/evals"
	"candor/kb"
)

// tally counts what became of gold spans.
type tally struct {
	spans, whole, part int // in the first hits: the whole of it, some of it
	questions, answer  int // and questions with a span that one hit holds whole
	oneHit             int // spans that one hit holds whole
}

// spans asks each question of a set of marked answers with the gates off.
func spans(ctx context.Context, dir string) error {
	set, err := evals.OpenSpans(dir)
	if err != nil {
		return err
	}
	notes := filepath.Join(dir, "corpora")
	o, err := open(ctx, notes)
	if err != nil {
		return err
	}
	defer o.root.Close()
	texts := map[string]string{}
	for _, q := range set.Questions {
		if _, ok := texts[q.File]; !ok {
			text, err := os.ReadFile(filepath.Join(notes, filepath.FromSlash(q.File)))
			if err != nil {
				return err
			}
			texts[q.File] = string(text)
		}
	}
	var t tally
	var lengths []int
	for _, ch := range o.chunks() {
		lengths = append(lengths, ch.Words)
	}
	for _, q := range set.Questions {
		a, err := o.base.Search(ctx, kb.SearchRequest{Query: q.Text, Limit: *top})
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		for _, h := range a.Hits {
			lines := candor.Span{Start: h.Citation.StartLine, End: h.Citation.EndLine}
			if err := cited(notes, h.Citation.Path, lines, h.Text); err != nil {
				fail("question %s: %v", q.ID, err)
			}
		}
		t.count(q, texts[q.File], a.Hits)
	}
	slices.Sort(lengths)
	fmt.Printf("questions %d, gold spans %d, passages %d of median %d words\n", t.questions, t.spans, len(lengths), lengths[len(lengths)/2])
	fmt.Printf("in the top %d: %d spans whole (%.1f%%), %d in one passage, %d in part; %d questions with a span in one passage (%.1f%%)\n",
		*top, t.whole, 100*float64(t.whole)/float64(t.spans), t.oneHit, t.part-t.whole, t.answer, 100*float64(t.answer)/float64(t.questions))
	scores, err := set.Measure(ctx, system{base: o.base}, *top)
	if err != nil {
		return err
	}
	fmt.Printf("token recall %.3f, precision %.3f, IoU %.3f\n", scores.Recall, scores.Precision, scores.IoU)
	return nil
}

// count compares the hits of a question with its gold spans, by lines: a hit is shown
// as whole lines.
func (t *tally) count(q evals.SpanQuestion, text string, hits []kb.SearchHit) {
	t.questions++
	answered := false
	for _, ref := range q.References {
		t.spans++
		first := 1 + strings.Count(text[:ref.Start], "\n")
		last := first + strings.Count(strings.TrimRight(text[ref.Start:ref.End], "\n"), "\n")
		have := map[int]bool{}
		one := false
		for _, h := range hits {
			c := h.Citation
			if string(c.Path) != q.File {
				continue
			}
			for line := max(first, c.StartLine); line <= min(last, c.EndLine); line++ {
				have[line] = true
			}
			one = one || c.StartLine <= first && c.EndLine >= last
		}
		if len(have) > 0 {
			t.part++
		}
		if len(have) == last-first+1 {
			t.whole++
		}
		if one {
			t.oneHit++
			answered = true
		}
	}
	if answered {
		t.answer++
	}
}

// system lets the harness ask a base; it asks nothing but questions.
type system struct {
	evals.System
	base *kb.Base
}

// Search asks one question.
func (s system) Search(ctx context.Context, q evals.Question) (evals.Answer, error) {
	a, err := s.base.Search(ctx, kb.SearchRequest{Query: q.Text, Limit: q.Limit})
	if err != nil {
		return evals.Answer{}, err
	}
	out := evals.Answer{Abstained: a.Abstained, Reason: a.Reason}
	for _, h := range a.Hits {
		out.Hits = append(out.Hits, evals.Hit{Citation: h.Citation, Text: h.Text, Score: h.Score, Flags: h.Flags})
	}
	return out, nil
}
