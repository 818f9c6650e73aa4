package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"candor"
	"candor/kb"
	"candor/provenance"
)

// fakeBase answers from fixed values. A query that begins with "!" asks for a fault.
type fakeBase struct {
	hits    []kb.SearchHit
	lines   []string // of every note that is there
	notes   []kb.OutlineNote
	entered chan struct{} // told when a "!wait" begins
	stopped chan struct{} // told when it ends
	asked   atomic.Int64
}

func newFakeBase() *fakeBase {
	cite := func(path string, start, end int, text string, heading ...string) candor.Citation {
		span := candor.Span{Start: start, End: end}
		return candor.Citation{
			ID: candor.CitationID(candor.Path(path), span, candor.Digest(text)), Path: candor.Path(path),
			Heading: heading, StartLine: start, EndLine: end,
		}
	}
	leave := "Parental leave is 16 weeks.\nAsk <hr> & plan ahead."
	old := "Parental leave is 12 weeks."
	b := &fakeBase{
		hits: []kb.SearchHit{
			{
				Citation: cite("hr/leave.md", 12, 13, leave, "Leave", "Parental leave"), Title: "Leave", Text: leave, Tier: "T0",
				Rank: 1, Legs: kb.Legs{Lexical: 1}, Matched: []string{"parental", "leave"}, Flags: []candor.Flag{},
			},
			{
				Citation: cite("hr/old leave.md", 3, 3, old, "Leave"), Title: "Leave (2019)", Text: old, Tier: "T2", Rank: 2,
				Legs: kb.Legs{Lexical: 2}, Matched: []string{"parental", "leave"}, Duplicates: []candor.Path{"hr/copy.md"},
				Flags: []candor.Flag{candor.FlagSuperseded, candor.FlagAttributed},
			},
		},
		entered: make(chan struct{}, 100), stopped: make(chan struct{}, 100),
	}
	for i := range 20 {
		b.lines = append(b.lines, fmt.Sprintf("line %d", i+1))
	}
	for _, path := range []candor.Path{"hr/leave.md", "hr/old leave.md", "README.md", "team/README.md", "ü/#1?.md"} {
		b.notes = append(b.notes, kb.OutlineNote{
			Path: path, Title: "Title of " + string(path), Tags: []string{"hr"}, Flags: []candor.Flag{},
			Sections: []kb.OutlineSection{{Heading: "Leave", Level: 1, Citation: cite(string(path), 1, 2, leave).ID}},
		})
	}
	return b
}

func (b *fakeBase) Search(ctx context.Context, q kb.SearchRequest) (kb.SearchAnswer, error) {
	b.asked.Add(1)
	a := kb.SearchAnswer{
		Hits: []kb.SearchHit{}, Mode: candor.ModeLexical, ModeReason: "no verdict: run candor eval hybrid", Warning: kb.Warning,
	}
	switch {
	case strings.HasPrefix(q.Query, "!"):
		return a, b.fault(ctx, q.Query)
	case !strings.Contains(q.Query, "leave"):
		a.Abstained, a.Reason = true, "no passage reached min_score 0.30 (best 0.12)"
		return a, nil
	}
	limit := q.Limit
	if limit == 0 {
		limit = 5
	}
	rest := b.hits[min(len(q.Cursor), len(b.hits)):]
	a.Hits = append(a.Hits, rest[:min(limit, len(rest))]...)
	if q.Explain {
		a.Hits[0].Explain = &kb.Explain{
			Pinned:  true,
			Lexical: &kb.LegExplain{Rank: 1, Score: 4.5, Contribution: 0.0164, Words: []kb.WordExplain{{Word: "leave", Weight: 2.25}}},
		}
		a.Ended = "the next passage is below min_score"
	}
	if a.More = len(rest) - len(a.Hits); a.More > 0 {
		a.NextCursor = strings.Repeat("c", len(q.Cursor)+len(a.Hits))
	}
	return a, nil
}

func (b *fakeBase) fault(ctx context.Context, query string) error {
	switch query {
	case "!panic":
		panic("the secret is in /srv/vault/secret.md")
	case "!error":
		return fmt.Errorf("open /srv/vault/secret.md: permission denied")
	case "!loading":
		return fmt.Errorf("search: %w", candor.ErrLoading)
	case "!wait":
		b.entered <- struct{}{}
		<-ctx.Done()
		b.stopped <- struct{}{}
	case "!stuck":
		b.entered <- struct{}{}
		<-b.stopped
	}
	return ctx.Err()
}

func (b *fakeBase) Read(_ context.Context, q kb.ReadRequest) (kb.ReadAnswer, error) {
	path := candor.Path(q.Path)
	if q.Citation != "" {
		path, _, _, _ = candor.ParseCitationID(q.Citation)
	}
	a := kb.ReadAnswer{Title: "Leave", Tier: "T0", State: kb.Current, Flags: []candor.Flag{}, Warning: kb.Warning}
	switch path {
	case "hr/leave.md", "hr/old leave.md", "ü/#1?.md":
	case "hr/gone.md":
		a.State = kb.Stale
	default:
		return a, candor.ErrNotFound
	}
	if path == "hr/old leave.md" {
		a.Flags, a.SupersededBy = []candor.Flag{candor.FlagSuperseded}, "hr/leave.md"
	}
	start, end := max(1, q.StartLine), len(b.lines)
	if q.EndLine > 0 {
		end = min(q.EndLine, end)
	}
	if a.State != kb.Stale {
		a.Text = strings.Join(b.lines[start-1:end], "\n")
	}
	if end < len(b.lines) {
		a.NextLine = end + 1
	}
	span := candor.Span{Start: start, End: end}
	a.Citation = candor.Citation{
		ID: candor.CitationID(path, span, candor.Digest(a.Text)), Path: path,
		Heading: []string{"Leave"}, StartLine: start, EndLine: end,
	}
	return a, nil
}

func (b *fakeBase) Outline(_ context.Context, q kb.OutlineRequest) (kb.OutlineAnswer, error) {
	if strings.Trim(q.Cursor, "c") != "" {
		return kb.OutlineAnswer{}, &candor.InputError{Field: "cursor", Why: "was not given for these arguments"}
	}
	const size = 3
	rest := b.notes[min(len(q.Cursor), len(b.notes)):]
	a := kb.OutlineAnswer{Notes: rest[:min(size, len(rest))], Warning: kb.Warning}
	if a.More = len(rest) - len(a.Notes); a.More > 0 {
		a.NextCursor = strings.Repeat("c", len(q.Cursor)+size)
	}
	return a, nil
}

func (b *fakeBase) Links(_ context.Context, q kb.LinksRequest) (kb.LinksAnswer, error) {
	if q.Path != "hr/leave.md" {
		return kb.LinksAnswer{}, candor.ErrNotFound
	}
	return kb.LinksAnswer{
		Links: []kb.Link{{Text: "the old\nrule", Citation: b.hits[1].Citation}}, Backlinks: []kb.Link{}, Warning: kb.Warning,
	}, nil
}

func (b *fakeBase) Status(context.Context) (kb.StatusAnswer, error) {
	return kb.StatusAnswer{
		State: "ready", Profile: "staff", Notes: 5, Chunks: 9, Mode: candor.ModeLexical, ModeReason: "no verdict",
		Limits:                kb.Limits{QueryBytes: 4096, Results: 50, ResultTokens: 8000},
		ExecutionCapabilities: []string{}, Warning: kb.Warning,
	}, nil
}

// fakeVerify finds a claim right if it names a call, else unsourced.
func fakeVerify(_ context.Context, claims []provenance.Claim) (provenance.Answer, error) {
	var grid provenance.Grid
	results := []provenance.Result{}
	for _, c := range claims {
		r := provenance.Result{
			ClaimID: c.ID, Quadrant: provenance.Unknown, Cause: provenance.Unsourced, Reason: "No call is named.",
			Owner: "approver", Action: "Decide.", Render: provenance.Strip,
		}
		if len(c.Origin) > 0 {
			r.Quadrant, r.Cause, r.Reason, r.Render = provenance.BothRight, "", "hr/leave.md says so.", ""
			r.Marker, r.Citation = "[hr/leave.md]", "hr/leave.md#L12-L13@13ad1a83"
		}
		grid.Add(r.Quadrant)
		results = append(results, r)
	}
	return provenance.StepStamp.Show(claims, results, grid), nil
}

// newTestServer serves base with boundaries and calls that count up, all in one second.
func newTestServer(t *testing.T, base Base) *Server {
	t.Helper()
	var n, calls atomic.Int64
	stamper, err := provenance.New(provenance.Options{
		Key: make([]byte, 32), Now: func() time.Time { return time.Date(2026, 11, 30, 10, 0, 0, 5, time.UTC) },
		Nonce: func() string { return fmt.Sprintf("c0%030x", calls.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{
		Base: base, Version: "1.2.3", Nonce: func() string { return fmt.Sprintf("%032x", n.Add(1)) },
		Stamper: stamper, Profile: "staff", Verify: fakeVerify,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
