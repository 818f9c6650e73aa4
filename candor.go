// Package candor is the vocabulary of an offline knowledge base that cites or
// abstains. It holds the types that the other packages share and imports none of
// them.
//
// # Words
//
// A vault is a folder of notes; a note is one markdown file. A section is a heading
// and the text up to the next heading. A chunk, in answers called a passage, is a
// section or a piece of a long one: the unit that is indexed, embedded and cited. A
// profile is a named set of allow and deny globs with indexes of its own. A leg is
// one retriever, lexical or semantic. An abstention is the answer when the evidence
// does not reach the bar.
//
// # The way of the data
//
// policy decides which file may be opened, vault reads it, frontmatter splits it,
// redact masks it, markdown cuts it, corpus keeps the pieces as one snapshot for
// each profile, the legs rank them, fusion merges the ranks, evidence cites or
// abstains, and kb gives the typed answer.
package candor

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// ErrNotFound is the one error for a note or citation that a profile cannot have:
// denied, missing and misspelt are the same value and the same words, so that an
// error tells nothing about what exists.
var ErrNotFound = errors.New("not found")

// ErrLoading says that the vault is still being read; it is not an abstention.
var ErrLoading = errors.New("still reading the vault")

// InputError is a request that breaks its contract. Its text names the field and the
// range and never repeats the value, so it may be shown to any client.
type InputError struct {
	Field string // JSON name of the argument, "" when the whole is at fault
	Why   string // what is wanted: "must be 1 to 50"
}

// Error implements error.
func (e *InputError) Error() string {
	if e.Field == "" {
		return e.Why
	}
	return e.Field + ": " + e.Why
}

// Path names a note inside a profile's catalogue: relative to its vault, parts
// joined by '/', Unicode form NFC. With several vaults the first part is the name of
// the vault.
type Path string

// Span is a range of lines, 1-based, both ends included, as sed counts them.
type Span struct {
	Start int
	End   int
}

// Citation names a passage so that a person can check it.
type Citation struct {
	ID        string   `json:"id"`         // see CitationID
	Path      Path     `json:"path"`       // the note
	Heading   []string `json:"heading"`    // heading path, outermost first; never nil
	StartLine int      `json:"start_line"` // 1-based, included
	EndLine   int      `json:"end_line"`   // 1-based, included
}

// CitationID forms the id of a passage: its path, its lines and a digest of its
// masked text, as in "hr/leave.md#L12-L19@1a2b3c4d". See Digest.
func CitationID(path Path, lines Span, digest string) string {
	return fmt.Sprintf("%s#L%d-L%d@%s", path, lines.Start, lines.End, digest)
}

var citationID = regexp.MustCompile(`^(.+)#L([1-9]\d{0,8})-L([1-9]\d{0,8})@([0-9a-f]{8})$`)

// ParseCitationID takes an id apart. A string of another form gives ok false.
func ParseCitationID(id string) (path Path, lines Span, digest string, ok bool) {
	m := citationID.FindStringSubmatch(id)
	if m == nil {
		return "", Span{}, "", false
	}
	start, _ := strconv.Atoi(m[2]) // nine digits fit an int
	end, _ := strconv.Atoi(m[3])
	if end < start {
		return "", Span{}, "", false
	}
	return Path(m[1]), Span{start, end}, m[4], true
}

// Tier says how far a source is trusted. Only T0 to T2 are ever served.
type Tier uint8

// The tiers: T0 is first-party, T1 vetted, T2 community (attributed, never
// authoritative), T3 unknown and denied.
const (
	T0 Tier = iota
	T1
	T2
	T3
)

// String gives the tier as configuration and answers write it: "T0".
func (t Tier) String() string { return "T" + strconv.Itoa(int(t)) }

// ParseTier reads a tier as String writes it. Anything else is T3: what cannot be told
// is not trusted.
func ParseTier(s string) Tier {
	for t := range T3 {
		if s == t.String() {
			return t
		}
	}
	return T3
}

// Flag marks a passage in an answer.
type Flag string

// The flags of a passage.
const (
	FlagMasked     Flag = "masked"       // a secret was masked in it
	FlagSuperseded Flag = "superseded"   // its note is replaced; never given as current
	FlagReviewDue  Flag = "review_due"   // its trust or validity is past its date
	FlagAttributed Flag = "attributed"   // T2: name the source, claim nothing by it
	FlagDuplicate  Flag = "duplicate_of" // the same passage stands in another note too
	FlagConflict   Flag = "conflict"     // another passage of the answer says otherwise
	FlagCut        Flag = "cut"          // one line is longer than a result; its beginning is given
)

// Mode names the retrieval that answered.
type Mode string

// The modes. Auto is only ever asked for; Semantic only ever measured.
const (
	ModeAuto     Mode = "auto"
	ModeLexical  Mode = "lexical"
	ModeSemantic Mode = "semantic"
	ModeHybrid   Mode = "hybrid"
)

// Chunk is one passage, immutable once made. All of its text is masked.
type Chunk struct {
	Path     Path
	Title    string    // the note's title, never empty (the file name if need be)
	Aliases  []string  // other titles of the note
	Tags     []string  // front matter and inline tags, without '#', lower case
	Meta     string    // other words of the note's front matter; only on its first chunk
	Heading  []string  // heading path, outermost first; never nil
	Lines    Span      // the lines of Text in the note
	Text     string    // those lines, joined by LF, CR before LF dropped
	Index    string    // what is indexed instead of Text, "" where that is Text itself
	Context  string    // what is indexed beside it: the header row of a cut table
	Digest   string    // Digest(Text)
	Masked   bool      // Text holds a mask
	Words    int       // white-space separated words of Text
	Modified time.Time // front matter's updated, else the file's time, UTC
}

// Indexed is the text that the legs see: Text, without such things as embedded images.
func (c *Chunk) Indexed() string {
	if c.Index != "" {
		return c.Index
	}
	return c.Text
}

// Citation gives the citation of the chunk.
func (c *Chunk) Citation() Citation {
	return Citation{
		ID: CitationID(c.Path, c.Lines, c.Digest), Path: c.Path, Heading: c.Heading,
		StartLine: c.Lines.Start, EndLine: c.Lines.End,
	}
}
