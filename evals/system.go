package evals

import (
	"context"
	"errors"

	"candor"
)

// ErrNotOffered is what a System answers when it cannot be asked in that way, such
// as with the gates off over a real transport.
var ErrNotOffered = errors.New("not offered by this system")

// System is what is measured. The command line fills it, in process or over a real
// transport, so that evals import nothing of what they judge.
type System interface {
	// Fingerprint names everything that the answers depend on.
	Fingerprint(ctx context.Context) (Fingerprint, error)
	// Search asks one question. A query that the server refuses is a
	// *candor.InputError.
	Search(ctx context.Context, q Question) (Answer, error)
	// Read gives lines of a note. What the profile may not have, or what does not
	// exist, is candor.ErrNotFound.
	Read(ctx context.Context, at Place) (Passage, error)
	// Tools names the tools that the profile is offered.
	Tools(ctx context.Context, profile string) ([]string, error)
	// Call runs a tool and gives everything that the client would see.
	Call(ctx context.Context, c Call) (Output, error)
}

// Isolator is a System that can be built anew from only those notes that a profile
// may see. What the two answer must be equal: nothing a profile sees depends on
// what it may not see.
type Isolator interface {
	Alone(ctx context.Context, profile string) (System, error)
}

// Opener is a System that can show a note as it lies on disk, the way a person who
// checks a citation opens it. Only the harness sees the text.
type Opener interface {
	Open(ctx context.Context, path candor.Path) (string, error)
}

// Fingerprint names what answers depend on. Two runs with equal fingerprints over
// equal topics must agree.
type Fingerprint struct {
	Mode     candor.Mode `json:"mode"`
	Vault    string      `json:"vault,omitempty"`    // digest of the notes
	Policy   string      `json:"policy,omitempty"`   // digest of profiles and trust
	Chunker  string      `json:"chunker,omitempty"`  // version and bounds
	Redact   string      `json:"redact,omitempty"`   // digest of the rule set
	Analyzer string      `json:"analyzer,omitempty"` // version and languages
	Gates    string      `json:"gates,omitempty"`    // their values
	Fusion   string      `json:"fusion,omitempty"`   // method and constants
	Model    string      `json:"model,omitempty"`    // embedding model, prefixes
}

// Question is one search. The zero Profile is the default one.
type Question struct {
	Text     string
	Profile  string
	Limit    int  // hits wanted, over all pages
	GatesOff bool // rank without abstaining
}

// Answer is what a search gave.
type Answer struct {
	Abstained bool
	Reason    string // of an abstention
	Hits      []Hit  // best first; empty when abstained
	// Confidence grows with the evidence, on one scale for all questions; 0 when
	// nothing matched. The abstention curve is drawn over it.
	Confidence float64
	// Raw is all that the client would see, to be searched for leaks.
	Raw string
}

// Hit is one passage of an answer.
type Hit struct {
	Citation candor.Citation
	Text     string
	Score    float64
	Flags    []candor.Flag
}

// Place names lines of a note; zero lines are the whole note.
type Place struct {
	Profile string
	Path    candor.Path
	Lines   candor.Span
}

// Passage is what Read gave.
type Passage struct {
	Citation     candor.Citation
	Text         string
	Flags        []candor.Flag
	SupersededBy candor.Path
	Raw          string // all that the client would see
}

// Call is one use of a tool.
type Call struct {
	Profile string
	Tool    string
	Args    map[string]any
}

// Output is what a tool gave.
type Output struct {
	Raw   string        // all that the client would see
	Paths []candor.Path // every note that a field of it names
	Next  string        // cursor of the next page, "" at the end
}
