package evals

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
)

func TestSpans(t *testing.T) {
	dir := unpack(t, "spans.txtar")
	s, err := OpenSpans(filepath.Join(dir, "good"))
	if err != nil {
		t.Fatal(err)
	}
	cite := func(file string, start, end int) Hit {
		return Hit{Citation: candor.Citation{Path: candor.Path(file), StartLine: start, EndLine: end}}
	}
	sys := canned{answers: map[string]Answer{
		"which letters": {Hits: []Hit{cite("a.md", 2, 3), cite("b.md", 1, 1)}}, // 2 gold of 4, and 2 of another file
		"which numbers": {Hits: []Hit{cite("b.md", 1, 1)}},                     // exactly
	}}
	got, err := s.Measure(t.Context(), sys, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := SpanScores{2, 1, (2.0/6 + 1) / 2, (2.0/6 + 1) / 2}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"outside": "has no bytes 0 to 99", "lost": "question q"} {
		if _, err := OpenSpans(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
