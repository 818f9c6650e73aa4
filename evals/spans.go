package evals

import (
	"strings"
	"unicode"

	"candor"
)

// Range is bytes of a text, from Start up to but not including End.
type Range struct {
	Start, End int
}

// Overlap counts tokens, that is words between white space, of gold spans and of
// cited passages. Counts of several texts add up.
type Overlap struct {
	Gold  int // tokens of the gold spans
	Cited int // tokens of the passages, once for each passage
	Both  int // gold tokens that some passage has
}

// TokenOverlap compares cited passages with the gold spans of one text. Gold spans
// may overlap and count once; a token that two passages repeat is paid for twice.
func TokenOverlap(text string, gold, cited []Range) Overlap {
	var o Overlap
	eachToken(text, func(token Range) {
		isGold, times := false, 0
		for _, r := range gold {
			isGold = isGold || r.overlaps(token)
		}
		for _, r := range cited {
			if r.overlaps(token) {
				times++
			}
		}
		o.Cited += times
		if isGold {
			o.Gold++
			o.Both += min(times, 1)
		}
	})
	return o
}

// Add gives the counts of both.
func (o Overlap) Add(p Overlap) Overlap {
	return Overlap{o.Gold + p.Gold, o.Cited + p.Cited, o.Both + p.Both}
}

// Recall is the share of the gold tokens that are cited (this and IoU by Smith and
// Troynikov, "Evaluating chunking strategies for retrieval", 2024).
func (o Overlap) Recall() float64 { return share(o.Both, o.Gold) }

// Precision is the share of the cited tokens that are gold.
func (o Overlap) Precision() float64 { return share(o.Both, o.Cited) }

// IoU is the intersection of gold and cited tokens over their union.
func (o Overlap) IoU() float64 { return share(o.Both, o.Gold+o.Cited-o.Both) }

// LineRange gives the bytes of lines of a text, without the last line's end; lines
// that the text does not have give an empty range.
func LineRange(text string, lines candor.Span) Range {
	r, at, n := Range{}, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if n == lines.Start {
			r.Start = at
		}
		if n >= lines.Start && n <= lines.End {
			r.End = at + len(line)
		}
		at += len(line) + 1
	}
	return r
}

func (r Range) overlaps(o Range) bool { return r.Start < o.End && o.Start < r.End }

func eachToken(text string, f func(Range)) {
	start := -1
	for i, r := range text {
		switch space := unicode.IsSpace(r); {
		case space && start >= 0:
			f(Range{start, i})
			start = -1
		case !space && start < 0:
			start = i
		}
	}
	if start >= 0 {
		f(Range{start, len(text)})
	}
}
