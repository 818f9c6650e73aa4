package provenance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"candor"
)

// judgeBy gives the verdict on a claim by a checker.
func (b *bench) judgeBy(ctx context.Context, checker Checker, claim string) (Result, error) {
	b.t.Helper()
	claims, err := ParseClaims([]byte(claim))
	if err != nil {
		b.t.Fatal(err)
	}
	v := NewVerifier(VerifierOptions{Key: testKey, Journal: b.journal, Source: b.notes, Checker: checker, Now: func() time.Time { return b.now }})
	results, _, err := v.Verify(ctx, "staff", claims)
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// TestCitedPassagesDisagree: case of security 168. A claim whose citations differ is not
// right without a word about it.
func TestCitedPassagesDisagree(t *testing.T) {
	says, equal := servedAt("says.md", 1, candor.T1, "says"), servedAt("equal.md", 1, candor.T1, "equal")
	better, forum := servedAt("better.md", 1, candor.T0, "better"), servedAt("forum.md", 1, candor.T2, "forum")
	flagged := servedAt("flagged.md", 1, candor.T1, "flagged")
	flagged.Flags = []candor.Flag{candor.FlagConflict}
	also := servedAt("also.md", 1, candor.T0, "also")
	for _, tt := range []struct {
		name     string
		cited    []Passage
		replaced bool
		quadrant Quadrant
		citation string
		word     string // of the reason
	}{
		{"an equal denies it", []Passage{says, equal}, false, Unknown, says.Citation.ID, "equal.md#L1-L1@"},
		{"in the other order", []Passage{equal, says}, false, Unknown, says.Citation.ID, "says otherwise"},
		{"a better one denies it", []Passage{says, better}, false, Unknown, says.Citation.ID, "says otherwise"},
		{"a forum denies it", []Passage{says, forum}, false, BothRight, says.Citation.ID, "forum.md#L1-L1@"},
		{"a better one says so as well", []Passage{says, equal, also}, false, BothRight, also.Citation.ID, "says otherwise"},
		{"what denies it is replaced", []Passage{says, equal}, true, BothRight, says.Citation.ID, "says so"},
		{"it was flagged", []Passage{flagged}, false, BothRight, flagged.Citation.ID, "another passage of the same answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, JournalOptions{})
			s := b.serve("7", "staff", tt.cited...)
			if tt.replaced {
				b.notes.standing[equal.Citation.ID] = Standing{Tier: candor.T1, Superseded: true, Text: "equal"}
			}
			var ids []string
			for _, p := range tt.cited {
				ids = append(ids, p.Citation.ID)
			}
			checker := verdicts{"says": Supported, "also": Supported, "flagged": Supported, "equal": Contradicted, "better": Contradicted, "forum": Contradicted}
			r, err := b.judgeBy(t.Context(), checker, claimOn("x", s.CallID, ids))
			if err != nil || r.Quadrant != tt.quadrant || r.Citation != tt.citation || !strings.Contains(r.Reason, tt.word) {
				t.Errorf("%+v, %v", r, err)
			}
			if (r.Quadrant == BothRight) != (r.Marker != "") {
				t.Errorf("marker %q of %s", r.Marker, r.Quadrant)
			}
		})
	}
}

// counting counts what a checker is asked.
type counting struct{ asked *int }

func (c counting) Check(string, Passage) Support {
	*c.asked++
	return Support{Verdict: Unclear, Why: "nothing was set"}
}

// TestRepeatedEvidenceIsWeighedOnce holds that naming a call or a place again costs
// nothing, that what is weighed is bounded, and that who waits no more is not worked for.
func TestRepeatedEvidenceIsWeighedOnce(t *testing.T) {
	b := newBench(t, JournalOptions{})
	p := servedAt("a.md", 1, candor.T1, "a")
	s, again := b.serve("7", "staff", p), b.serve("8", "staff", p)
	var many []Passage
	for i := range maxWeighed + 6 {
		many = append(many, servedAt("many.md", i+1, candor.T1, fmt.Sprint(i)))
	}
	crowd := b.serve("9", "staff", many...)
	repeat := func(values ...string) (out []string) {
		for len(out)+len(values) <= maxParts {
			out = append(out, values...)
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		origin []string
		span   any
		asked  int
	}{
		{"one call, one place", repeat(s.CallID), repeat("a.md"), 1},
		{"spelled otherwise", repeat(s.CallID, strings.ToUpper(s.CallID)), repeat("a.md", p.Citation.ID, "a.md:1", "./a.md"), 1},
		{"the same of two calls", repeat(s.CallID, again.CallID), nil, 1},
		{"more than is weighed beside it", []string{s.CallID, crowd.CallID}, "a.md", maxWeighed},
		{"more than is weighed", []string{crowd.CallID}, nil, 0},
	} {
		asked := 0
		r, err := b.judgeBy(t.Context(), counting{&asked}, claimOn("x", tt.origin, tt.span))
		if err != nil || asked != tt.asked || r.Quadrant != Unknown {
			t.Errorf("%s: asked %d times, want %d: %+v, %v", tt.name, asked, tt.asked, r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	asked := 0
	if _, err := b.judgeBy(ctx, counting{&asked}, claimOn("x", s.CallID, nil)); !errors.Is(err, context.Canceled) || asked != 0 {
		t.Errorf("after the end: asked %d times, %v", asked, err)
	}
}

// TestMarkersArePlain holds that a claim cannot choose a marker that passes for another
// citation, a note or a call.
func TestMarkersArePlain(t *testing.T) {
	b := newBench(t, JournalOptions{})
	p := servedAt("hr/leave.md", 12, candor.T1, leave)
	s := b.serve("7", "staff", p)
	own := "[" + p.Citation.ID + "]"
	for given, want := range map[string]string{
		"": own, "[1]": "[1]", "[^2]": "[^2]", "(Leave 2)": "(Leave 2)", "¹": "¹", "3": "3",
		"[hr/pay.md#L1-L2@1a2b3c4d]": own, "[pay.md]": own, "hr/pay": own, "#L1": own, "[candor call 7]": own,
		strings.Repeat("e", 32): own, "[1](https://evil.test)": own, "a\nb": own, "Right, says the board": own,
		strings.Repeat("x", 40): own, "\u202e1": own, "1\n": own,
	} {
		claims, err := ParseClaims([]byte(claimOn("Parental leave is 16 weeks", s.CallID, nil)))
		if err != nil {
			t.Fatal(err)
		}
		claims[0].Render.Marker = given
		v := NewVerifier(VerifierOptions{Key: testKey, Journal: b.journal, Source: b.notes, Now: func() time.Time { return b.now }})
		results, _, err := v.Verify(t.Context(), "staff", claims)
		if err != nil || results[0].Marker != want {
			t.Errorf("%q: %q, want %q, %v", given, results[0].Marker, want, err)
		}
	}
}
