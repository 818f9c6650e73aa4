package provenance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
)

// fakeNotes is one profile's notes: what stands by citation, and what a search finds.
type fakeNotes struct {
	standing map[string]Standing
	found    []Passage
	asked    int
}

func (f *fakeNotes) Standing(_ context.Context, id string) (Standing, error) {
	if s, ok := f.standing[id]; ok {
		return s, nil
	}
	return Standing{}, candor.ErrNotFound
}

func (f *fakeNotes) Find(context.Context, string) ([]Passage, error) {
	f.asked++
	return f.found, nil
}

// servedAt is a passage of a note that starts at a line.
func servedAt(path string, start int, tier candor.Tier, text string) Passage {
	lines := candor.Span{Start: start, End: start + strings.Count(text, "\n")}
	return Passage{Citation: candor.Citation{
		ID: candor.CitationID(candor.Path(path), lines, candor.Digest(text)), Path: candor.Path(path),
		Heading: []string{"Leave", "Length"}, StartLine: lines.Start, EndLine: lines.End,
	}, Title: "Leave", Text: text, Tier: tier}
}

// bench is an issuer with its journal, clock and notes.
type bench struct {
	t       *testing.T
	now     time.Time
	issuer  *Issuer
	journal *Journal
	notes   *fakeNotes
	calls   int
}

func newBench(t *testing.T, opt JournalOptions) *bench {
	b := &bench{t: t, now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), notes: &fakeNotes{standing: map[string]Standing{}}}
	b.journal = openJournal(t, opt)
	clock := func() time.Time { return b.now }
	var err error
	b.issuer, err = New(Options{Key: testKey, TTL: time.Hour, Journal: b.journal, Now: clock, Nonce: func() string {
		b.calls++
		return fmt.Sprintf("%032x", b.calls)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// serve stamps passages for a profile; they stand as they are served.
func (b *bench) serve(request, profile string, passages ...Passage) Stamp {
	b.t.Helper()
	for _, p := range passages {
		if profile == "staff" {
			b.notes.standing[p.Citation.ID] = Standing{Tier: p.Tier, Text: p.Text}
		}
	}
	s, err := b.issuer.Stamp(Call{RequestID: request, Tool: "search", Profile: profile, Arguments: []byte(`{"query":"leave"}`), Passages: passages})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// judge gives the verdict on one claim, written as JSON.
func (b *bench) judge(claim string) Result {
	b.t.Helper()
	claims, err := ParseClaims([]byte(claim))
	if err != nil {
		b.t.Fatalf("%s: %v", claim, err)
	}
	v := NewVerifier(VerifierOptions{Key: testKey, Journal: b.journal, Source: b.notes, Now: func() time.Time { return b.now }})
	results, grid, err := v.Verify(b.t.Context(), "staff", claims)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(results) != 1 || grid.Claims != 1 {
		b.t.Fatalf("%d results, grid %+v", len(results), grid)
	}
	return results[0]
}

const leave = "Parental leave is 16 weeks.\nAsk your lead a month ahead.\nPay goes on."

// claimOn is a claim about the leave passage with any origin and span.
func claimOn(text string, origin, span any) string {
	data, err := json.Marshal(map[string]any{"claim_id": "c", "claim_text": text, "origin": origin, "span": span})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestStampForgery: case of security 167. Each field of a stamp flipped, dropped or of
// another profile's call is the same verdict in the same bytes, and never right.
func TestStampForgery(t *testing.T) {
	b := newBench(t, JournalOptions{})
	p := servedAt("hr/leave.md", 12, candor.T0, leave)
	s := b.serve("7", "staff", p)
	other := b.serve("7", "public", p)
	fields := func(s Stamp) map[string]any {
		var m map[string]any
		data, _ := json.Marshal(s)
		_ = json.Unmarshal(data, &m)
		return m
	}
	with := func(name string, v any) map[string]any {
		m := fields(s)
		if m[name] == nil {
			t.Fatalf("a stamp has no field %s", name)
		}
		if m[name] = v; v == nil {
			delete(m, name)
		}
		return m
	}
	span := p.Citation.ID
	text := "Parental leave is 16 weeks"
	if r := b.judge(claimOn(text, fields(s), span)); r.Quadrant != BothRight || r.Marker != "["+span+"]" {
		t.Fatalf("the whole stamp: %+v", r)
	}
	want := b.judge(claimOn(text, "9:"+strings.Repeat("e", 32), span)) // a call that never was
	if want.Quadrant != Unknown || want.Cause != Invalid || want.Marker != "" || want.Citation != "" {
		t.Fatalf("an unknown call: %+v", want)
	}
	forged := map[string]any{
		"call id":          with("call_id", "8:"+strings.TrimPrefix(s.CallID, "7:")),
		"nonce":            with("call_id", "7:"+strings.Repeat("f", 32)),
		"server":           with("server", "pricing"),
		"tool":             with("tool", "read"),
		"profile":          with("profile", "public"),
		"arguments":        with("arguments_hash", strings.Repeat("0", 32)),
		"time":             with("fetched_at", "2026-11-30T10:00:01Z"),
		"no time":          with("fetched_at", "yesterday"),
		"lifetime":         with("ttl_seconds", 86400),
		"mac":              with("mac", strings.Repeat("0", 32)),
		"empty mac":        with("mac", ""),
		"dropped mac":      with("mac", nil),
		"other's stamp":    fields(other),
		"other's call":     other.CallID,
		"other's as mine":  func() map[string]any { m := fields(other); m["profile"] = "staff"; return m }(),
		"my MAC, its call": func() map[string]any { m := fields(other); m["mac"] = s.MAC; m["profile"] = "staff"; return m }(),
		"two calls":        []any{s.CallID, other.CallID},
	}
	for name, origin := range forged {
		if diff := cmp.Diff(want, b.judge(claimOn(text, origin, span))); diff != "" {
			t.Errorf("%s (-unknown call +got):\n%s", name, diff)
		}
	}
}

// TestMACCoversWhatWasServed holds that no field of a stamp or of a passage can be
// changed in the journal itself.
func TestMACCoversWhatWasServed(t *testing.T) {
	b := newBench(t, JournalOptions{})
	s := b.serve("7", "staff", servedAt("hr/leave.md", 12, candor.T0, leave))
	whole, _ := b.journal.Find(s.CallID)
	if !whole.Holds(testKey) {
		t.Fatal("the record itself does not hold")
	}
	for name, change := range map[string]func(*Record){
		"call id":   func(r *Record) { r.Stamp.CallID = "8" + r.Stamp.CallID[1:] },
		"server":    func(r *Record) { r.Stamp.Server = "x" },
		"tool":      func(r *Record) { r.Stamp.Tool = "read" },
		"profile":   func(r *Record) { r.Stamp.Profile = "public" },
		"arguments": func(r *Record) { r.Stamp.ArgumentsHash = "" },
		"time":      func(r *Record) { r.Stamp.FetchedAt = r.Stamp.FetchedAt.Add(time.Second) },
		"lifetime":  func(r *Record) { r.Stamp.TTLSeconds++ },
		"citation":  func(r *Record) { r.Served[0].Citation.ID = "x" },
		"path":      func(r *Record) { r.Served[0].Citation.Path = "x" },
		"start":     func(r *Record) { r.Served[0].Citation.StartLine++ },
		"end":       func(r *Record) { r.Served[0].Citation.EndLine++ },
		"tier":      func(r *Record) { r.Served[0].Tier++ },
		"digest":    func(r *Record) { r.Served[0].Digest = digestOf("other") },
		"fewer":     func(r *Record) { r.Served = nil },
		"more":      func(r *Record) { r.Served = append(r.Served, r.Served[0]) },
		"borrowed":  func(r *Record) { r.Stamp.Server, r.Stamp.Tool = r.Stamp.Server+r.Stamp.Tool[:1], r.Stamp.Tool[1:] },
	} {
		r, _ := b.journal.Find(s.CallID)
		if change(&r); r.Holds(testKey) {
			t.Errorf("%s can be changed", name)
		}
	}
	if whole.Holds([]byte(strings.Repeat("x", 32))) {
		t.Error("the record holds under another key")
	}
}

// TestSourceAxis: cases of security 39, 167 and 168. A sentence that the passage has word
// for word is right only while everything about its source is.
func TestSourceAxis(t *testing.T) {
	p := servedAt("hr/leave.md", 12, candor.T1, leave)
	text, id := "Parental leave is 16 weeks", p.Citation.ID
	for _, tt := range []struct {
		name     string
		claim    func(s Stamp) string
		change   func(b *bench)
		quadrant Quadrant
		cause    Cause
		render   string
	}{
		{name: "as served", quadrant: BothRight},
		{name: "no call", claim: func(Stamp) string { return claimOn(text, nil, id) }, quadrant: Unknown, cause: Unsourced, render: Strip},
		{name: "no call, as somebody's word", claim: func(Stamp) string {
			return `{"claim_text": "` + text + `", "render": {"policy": "attributed"}}`
		}, quadrant: Unknown, cause: Unsourced, render: Flag},
		{name: "expired", change: func(b *bench) { b.now = b.now.Add(time.Hour + time.Second) }, quadrant: WrongSource, cause: Expired, render: Downgrade},
		{name: "last second", change: func(b *bench) { b.now = b.now.Add(time.Hour) }, quadrant: BothRight},
		{
			name: "note edited since", change: func(b *bench) { b.notes.standing[id] = Standing{Gone: true, Tier: candor.T1} },
			quadrant: WrongSource, cause: Stale, render: Downgrade,
		},
		{name: "note gone", change: func(b *bench) { delete(b.notes.standing, id) }, quadrant: WrongSource, cause: Stale, render: Downgrade},
		{
			name: "superseded", change: func(b *bench) { b.notes.standing[id] = Standing{Superseded: true, Text: leave} },
			quadrant: WrongSource, cause: Replaced, render: Downgrade,
		},
		{
			name: "demoted since", change: func(b *bench) { b.notes.standing[id] = Standing{Tier: candor.T2, Text: leave} },
			quadrant: WrongSource, cause: LowTier, render: Downgrade,
		},
		{
			name: "promoted since", claim: func(s Stamp) string {
				return `{"claim_text": "` + text + `", "origin": "` + s.CallID + `", "policy": "require_tier_gte_0"}`
			}, change: func(b *bench) { b.notes.standing[id] = Standing{Tier: candor.T0, Text: leave} },
			quadrant: WrongSource, cause: LowTier, render: Downgrade,
		},
		{name: "unknown policy", claim: func(s Stamp) string {
			return `{"claim_text": "` + text + `", "origin": "` + s.CallID + `", "policy": "anything goes"}`
		}, quadrant: WrongSource, cause: LowTier, render: Downgrade},
		{
			name: "review overdue, so of T2", change: func(b *bench) { b.notes.standing[id] = Standing{Tier: candor.T2, ReviewDue: true, Text: leave} },
			quadrant: WrongSource, cause: LowTier, render: Downgrade,
		},
		{
			name: "review overdue, still of T1", change: func(b *bench) { b.notes.standing[id] = Standing{Tier: candor.T1, ReviewDue: true, Text: leave} },
			quadrant: BothRight,
		},
		{name: "moved", change: func(b *bench) {
			b.notes.standing[id] = Standing{Tier: candor.T1, Text: leave, Now: "hr/leave.md#L20-L22@" + id[len(id)-8:]}
		}, quadrant: BothRight},
		{name: "lines of the passage", claim: func(s Stamp) string {
			return claimOn(text, s.CallID, map[string]any{"block": "hr/leave.md", "start": 12, "end": 12})
		}, change: func(b *bench) {
			first := candor.CitationID("hr/leave.md", candor.Span{Start: 12, End: 12}, candor.Digest("Parental leave is 16 weeks."))
			b.notes.standing[first] = Standing{Tier: candor.T1, Text: "Parental leave is 16 weeks."}
			b.notes.standing[id] = Standing{Gone: true} // edited elsewhere
		}, quadrant: BothRight},
		{name: "neighbouring lines", claim: func(s Stamp) string {
			return claimOn(text, s.CallID, map[string]any{"block": "hr/leave.md", "start": 13, "end": 14})
		}, change: func(b *bench) {
			rest := candor.CitationID("hr/leave.md", candor.Span{Start: 13, End: 14}, candor.Digest("Ask your lead a month ahead.\nPay goes on."))
			b.notes.standing[rest] = Standing{Tier: candor.T1}
		}, quadrant: WrongSource, cause: Elsewhere, render: Downgrade},
		{name: "span shifted by a line", claim: func(s Stamp) string {
			return claimOn(text, s.CallID, map[string]any{"block": id, "start": 13, "end": 15})
		}, quadrant: WrongSource, cause: NotServed, render: Downgrade},
		{name: "id shifted by a line", claim: func(s Stamp) string {
			return claimOn(text, s.CallID, strings.Replace(id, "L12-L14", "L13-L15", 1))
		}, quadrant: WrongSource, cause: NotServed, render: Downgrade},
		{name: "digest of old text", claim: func(s Stamp) string {
			return claimOn(text, s.CallID, candor.CitationID("hr/leave.md", candor.Span{Start: 12, End: 14}, candor.Digest("Parental leave is 12 weeks.")))
		}, quadrant: WrongSource, cause: NotServed, render: Downgrade},
		{
			name: "denied note", claim: func(s Stamp) string { return claimOn(text, s.CallID, "hr/salaries.md") },
			quadrant: WrongSource, cause: NotServed, render: Downgrade,
		},
		{
			name: "missing note", claim: func(s Stamp) string { return claimOn(text, s.CallID, "no/such.md#L1-L2@00000000") },
			quadrant: WrongSource, cause: NotServed, render: Downgrade,
		},
		{
			name: "one of two not served", claim: func(s Stamp) string { return claimOn(text, s.CallID, []string{id, "no/such.md"}) },
			quadrant: WrongSource, cause: NotServed, render: Downgrade,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, JournalOptions{})
			s := b.serve("7", "staff", p)
			claim := claimOn(text, s, id)
			if tt.claim != nil {
				claim = tt.claim(s)
			}
			if tt.change != nil {
				tt.change(b)
			}
			r := b.judge(claim)
			if r.Quadrant != tt.quadrant || r.Cause != tt.cause || r.Render != tt.render {
				t.Errorf("%+v, want %s, %s, %s", r, tt.quadrant, tt.cause, tt.render)
			}
			if right := r.Quadrant == BothRight; right != (r.Marker != "") || right && r.Render != "" {
				t.Errorf("a marker without a right claim, or the other way round: %+v", r)
			}
			if r.Reason == "" || r.Owner == "" || r.Action == "" {
				t.Errorf("a verdict without reason, owner or action: %+v", r)
			}
			if strings.Contains(r.Reason, "salaries") || strings.Contains(r.Reason, "such") {
				t.Errorf("the reason repeats what was asked: %s", r.Reason)
			}
		})
	}
}

// TestDeniedIsMissing holds that a claim on a note that may not be read and on one that
// does not exist are the same verdict, byte for byte.
func TestDeniedIsMissing(t *testing.T) {
	b := newBench(t, JournalOptions{})
	s := b.serve("7", "staff", servedAt("hr/leave.md", 12, candor.T1, leave))
	secret := servedAt("hr/salaries.md", 3, candor.T0, "The board earns 100.")
	theirs := b.serve("8", "board", secret)
	for _, origin := range []string{s.CallID, theirs.CallID} {
		a := b.judge(claimOn("The board earns 100", origin, secret.Citation.ID))
		c := b.judge(claimOn("The board earns 100", origin, "hr/no.md#L3-L3@00000000"))
		if diff := cmp.Diff(a, c); diff != "" {
			t.Errorf("denied and missing differ:\n%s", diff)
		}
	}
}

// TestParallelCalls: promises P6 and P9. Equal request ids in two sessions, results out of
// order and merged: each claim resolves to its own call, and to no other.
func TestParallelCalls(t *testing.T) {
	b := newBench(t, JournalOptions{})
	one := servedAt("a.md", 1, candor.T0, "The heron is grey.")
	two := servedAt("b.md", 1, candor.T0, "The swan is white.")
	sa, sb := b.serve("7", "staff", one), b.serve("7", "staff", two)
	for _, tt := range []struct {
		text     string
		origin   any
		quadrant Quadrant
		citation string
	}{
		{"The heron is grey", sa.CallID, BothRight, one.Citation.ID},
		{"The swan is white", sb.CallID, BothRight, two.Citation.ID},
		{"The swan is white", sa.CallID, Unknown, ""},
		{"The heron is grey", sb.CallID, Unknown, ""},
		{"The swan is white", []string{sa.CallID, sb.CallID}, BothRight, two.Citation.ID},
		{"The swan is white", "7", Unknown, ""},
		{"The swan is white", sa.CallID + " " + sb.CallID, Unknown, ""},
	} {
		r := b.judge(claimOn(tt.text, tt.origin, nil))
		if r.Quadrant != tt.quadrant || r.Citation != tt.citation {
			t.Errorf("%s by %v: %+v", tt.text, tt.origin, r)
		}
	}
	b.notes.found = []Passage{two}
	r := b.judge(claimOn("The swan is white", sa.CallID, nil))
	if r.Quadrant != WrongSource || r.Cause != Elsewhere || r.Citation != two.Citation.ID {
		t.Errorf("a claim bound to the wrong call: %+v", r)
	}
}

// verdicts is a Checker with a verdict for each text.
type verdicts map[string]Verdict

func (v verdicts) Check(_ string, p Passage) Support {
	if w, ok := v[p.Text]; ok {
		return Support{Verdict: w, Why: "so it was set", Score: 0.5}
	}
	return Support{Verdict: Unclear, Why: "nothing was set"}
}

// TestFactAxis holds what the two axes give together, also where passages disagree.
func TestFactAxis(t *testing.T) {
	cited, low, high := servedAt("a.md", 1, candor.T1, "cited"), servedAt("low.md", 1, candor.T2, "low"), servedAt("high.md", 1, candor.T0, "high")
	equal := servedAt("equal.md", 1, candor.T1, "equal")
	for _, tt := range []struct {
		name     string
		verdicts verdicts
		found    []Passage
		expired  bool
		quadrant Quadrant
		cause    Cause
		citation string
	}{
		{"supported", verdicts{"cited": Supported}, nil, false, BothRight, "", cited.Citation.ID},
		{"supported, expired", verdicts{"cited": Supported}, nil, true, WrongSource, Expired, cited.Citation.ID},
		{"contradicted", verdicts{"cited": Contradicted}, nil, false, WrongFact, "", cited.Citation.ID},
		{"contradicted, expired", verdicts{"cited": Contradicted}, nil, true, BothWrong, Expired, cited.Citation.ID},
		{"unclear", nil, []Passage{equal}, false, Unknown, "", ""},
		{"elsewhere", verdicts{"equal": Supported}, []Passage{low, equal}, false, WrongSource, Elsewhere, equal.Citation.ID},
		{"elsewhere denied", verdicts{"equal": Contradicted}, []Passage{equal}, false, Unknown, "", ""},
		{"a forum says so", verdicts{"cited": Contradicted, "low": Supported}, []Passage{low}, false, WrongFact, "", cited.Citation.ID},
		{"an equal says so", verdicts{"cited": Contradicted, "equal": Supported}, []Passage{equal}, false, WrongSource, Elsewhere, equal.Citation.ID},
		{"a better one says so", verdicts{"cited": Contradicted, "high": Supported}, []Passage{high}, false, WrongSource, Elsewhere, high.Citation.ID},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, JournalOptions{})
			s := b.serve("7", "staff", cited)
			b.notes.found = tt.found
			if tt.expired {
				b.now = b.now.Add(2 * time.Hour)
			}
			claims, err := ParseClaims([]byte(claimOn("x", s.CallID, cited.Citation.ID)))
			if err != nil {
				t.Fatal(err)
			}
			v := NewVerifier(VerifierOptions{
				Key: testKey, Journal: b.journal, Source: b.notes, Checker: tt.verdicts, Now: func() time.Time { return b.now },
			})
			results, _, err := v.Verify(t.Context(), "staff", claims)
			if err != nil {
				t.Fatal(err)
			}
			if r := results[0]; r.Quadrant != tt.quadrant || r.Cause != tt.cause || r.Citation != tt.citation {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestDigestsJournal holds that without kept text a claim is judged while the passage
// stands as it was served, and cannot be told after.
func TestDigestsJournal(t *testing.T) {
	b := newBench(t, JournalOptions{Mode: Digests})
	p := servedAt("hr/leave.md", 12, candor.T1, leave)
	s := b.serve("7", "staff", p)
	claim := claimOn("Parental leave is 16 weeks", s, p.Citation.ID)
	if r := b.judge(claim); r.Quadrant != BothRight {
		t.Errorf("as served: %+v", r)
	}
	b.notes.standing[p.Citation.ID] = Standing{Gone: true}
	if r := b.judge(claim); r.Quadrant != Unknown || r.Cause != Unverifiable {
		t.Errorf("edited: %+v", r)
	}
	b.journal = nil
	if r := b.judge(claim); r.Quadrant != Unknown || r.Cause != Invalid {
		t.Errorf("no journal: %+v", r)
	}
}
