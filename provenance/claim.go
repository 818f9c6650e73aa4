package provenance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"candor"
)

// Claim is a sentence of an answer, with where it is said to come from. [ParseClaims]
// reads it as models really write it.
type Claim struct {
	ID     string // names the claim in results
	Text   string
	Origin []Origin // the calls that served what it cites; none: unsourced
	Spans  []Span   // what it cites; none: anything that the calls served
	Render Render
}

// Origin names a call, by the id alone or by the stamp.
type Origin struct {
	CallID string
	// Given holds the stamp's other fields that the claim repeats, by JSON name. Each of
	// them must be as it was stamped.
	Given map[string]string
}

// Span is a cited place: a passage, or lines of one.
type Span struct {
	Block string // a citation id, or the path of a note
	Start int    // first line, 1-based; 0: from the beginning of the passage
	End   int    // last line; 0: to its end
}

// Render says how a claim wants to be shown.
type Render struct {
	Marker string // "" is the citation id
	Policy Policy
}

// Policy says which tiers may back a claim.
type Policy string

// The policies. One that is not known counts as the strictest.
const (
	OnlyT0     Policy = "require_tier_gte_0"
	PlainClaim Policy = "require_tier_gte_1" // T0 or T1; the default
	Attributed Policy = "attributed"         // T0 to T2, named as somebody's word
)

// Result is the verdict on a claim.
type Result struct {
	ClaimID  string   `json:"claim_id"`
	Quadrant Quadrant `json:"quadrant"`
	Cause    Cause    `json:"cause"`           // what is wrong with the source; "" where it is right
	Reason   string   `json:"reason"`          // a sentence about both axes
	Owner    string   `json:"owner"`           // who acts
	Action   string   `json:"action"`          // what they do next
	Marker   string   `json:"marker"`          // to show behind the claim; "" unless both are right
	Render   string   `json:"render"`          // strip, downgrade or flag; "" where both are right
	Citation string   `json:"citation"`        // what supports or contradicts the claim; "" where nothing is known to
	Shown    string   `json:"shown,omitempty"` // in mode enforce: the sentence as it may be shown
}

// Quadrant is where a claim stands on the two axes.
type Quadrant string

// The quadrants, and what the rules cannot tell.
const (
	BothRight   Quadrant = "both_right"
	WrongSource Quadrant = "fact_right_source_wrong"
	WrongFact   Quadrant = "fact_wrong_source_right"
	BothWrong   Quadrant = "both_wrong"
	Unknown     Quadrant = "unknown"
)

// Cause says what is wrong with a source.
type Cause string

// The causes, in the order in which they are looked for.
const (
	Unsourced    Cause = "unsourced"    // no call is named
	Invalid      Cause = "invalid"      // no such stamp of this profile, or not as it was issued
	NotServed    Cause = "not_served"   // the call did not serve the cited lines
	Expired      Cause = "expired"      // past its lifetime
	Stale        Cause = "stale"        // the note was edited or is gone
	Replaced     Cause = "superseded"   // another note replaces it
	LowTier      Cause = "low_tier"     // not trusted enough for the claim's policy
	Elsewhere    Cause = "elsewhere"    // another passage says so, the cited one does not
	Unverifiable Cause = "unverifiable" // the journal keeps no text and the note was edited
)

// Grid counts claims by quadrant.
type Grid struct {
	Claims      int `json:"claims"`
	BothRight   int `json:"both_right"`
	WrongSource int `json:"fact_right_source_wrong"`
	WrongFact   int `json:"fact_wrong_source_right"`
	BothWrong   int `json:"both_wrong"`
	Unknown     int `json:"unknown"`
}

// Verdict says whether a passage supports a claim.
type Verdict string

// The verdicts.
const (
	Supported    Verdict = "supported"
	Contradicted Verdict = "contradicted"
	Unclear      Verdict = "unknown"
)

// Support is what a passage says about a claim.
type Support struct {
	Verdict Verdict
	Why     string  // the rule that decided; no text of the passage
	Score   float64 // 0 to 1, how much of the claim the passage covers
}

// Checker decides whether a passage supports a claim, safe for concurrent use.
type Checker interface {
	Check(claim string, p Passage) Support
}

// Source is one profile's notes as they are now, safe for concurrent use.
type Source interface {
	// Standing tells how a cited passage stands. What is denied, missing or never was
	// gives [candor.ErrNotFound], all three the same.
	Standing(ctx context.Context, citation string) (Standing, error)
	// Find gives the passages nearest to a text, best first.
	Find(ctx context.Context, text string) ([]Passage, error)
}

// Standing is how a passage stands now.
type Standing struct {
	Gone       bool // the note no longer has the text
	Superseded bool
	Tier       candor.Tier
	ReviewDue  bool   // its trust or validity is past its date
	Text       string // the text that the citation names, "" where Gone
	Now        string // its citation where it now stands at other lines
}

// FormatClaim writes a claim in its usual form, bound to a stamp and a citation.
func FormatClaim(c Claim, s Stamp, citation string) ([]byte, error) {
	type span struct {
		Block string `json:"block"`
		Start int    `json:"start"`
		End   int    `json:"end"`
	}
	type render struct {
		Marker string `json:"marker"`
		Policy Policy `json:"policy"`
	}
	_, lines, _, _ := candor.ParseCitationID(citation)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		ID     string `json:"claim_id"`
		Text   string `json:"claim_text"`
		Origin Stamp  `json:"origin"`
		Span   span   `json:"span"`
		Render render `json:"render"`
	}{c.ID, c.Text, s, span{citation, lines.Start, lines.End}, render{c.Render.Marker, cmp.Or(c.Render.Policy, PlainClaim)}})
	return bytes.TrimSpace(b.Bytes()), err
}
