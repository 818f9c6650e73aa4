package claims

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"candor"
)

// Kind says what is right or wrong about a claim.
type Kind string

// The kinds. What is said of fact and source is in the file of the demo.
const (
	Sourced      Kind = "sourced"
	Stale        Kind = "stale"
	Superseded   Kind = "superseded"
	LowTier      Kind = "low-tier"
	Neighbour    Kind = "neighbour"
	OtherCall    Kind = "other-call"
	OtherProfile Kind = "other-profile"
	Forged       Kind = "forged"
	Number       Kind = "number"
	Date         Kind = "date"
	Negation     Kind = "negation"
	Unit         Kind = "unit"
	Entity       Kind = "entity"
	Half         Kind = "half"
	Merged       Kind = "merged"
)

// Kinds are all kinds in the order of reports.
var Kinds = []Kind{
	Sourced, Stale, Superseded, LowTier, Neighbour, OtherCall, OtherProfile, Forged, Merged,
	Number, Date, Negation, Unit, Entity, Half,
}

// source reports whether claims of a kind are bound to the right source.
func (k Kind) source() bool {
	switch k {
	case Sourced, Number, Date, Negation, Unit, Entity, Half:
		return true
	}
	return false
}

// fact reports whether claims of a kind are true unless they say otherwise.
func (k Kind) fact() bool { return k == Sourced || !k.source() }

// Place is a section of a note, written path#heading.
type Place struct {
	Path    candor.Path
	Heading string
}

// UnmarshalText reads path#heading.
func (p *Place) UnmarshalText(text []byte) error {
	path, heading, ok := strings.Cut(string(text), "#")
	if !ok || path == "" || heading == "" {
		return errors.New("a passage is written path#heading")
	}
	p.Path, p.Heading = candor.Path(path), heading
	return nil
}

// Claim is a labelled claim.
type Claim struct {
	ID    int    `yaml:"id"`
	Kind  Kind   `yaml:"kind"`
	Text  string `yaml:"claim"`
	Cite  Place  `yaml:"cite"`  // the passage that it says it has it from
	Truth Place  `yaml:"truth"` // where it can be had rightly
	Call  Place  `yaml:"call"`  // what the call that it names did return
	Owner string `yaml:"owner"` // the profile that it was served to
	Forge string `yaml:"forge"` // nonce, mac, digest, path or expired
	// Edit is what stood in the note when it was served and what stands there now.
	Edit []string `yaml:"edit"`
	Fact string   `yaml:"fact"` // wrong, where the kind says right
}

// Unseen reports whether rules may not be tuned on a claim.
func (c Claim) Unseen() bool { return c.ID%2 == 0 }

// right is what the label says of the fact.
func (c Claim) right() bool { return c.Kind.fact() && c.Fact != "wrong" }

// Conflict is a question on which two notes differ.
type Conflict struct {
	Question  string `yaml:"question"`
	Counts    Place  `yaml:"counts"`
	Otherwise Place  `yaml:"otherwise"`
}

// Suite is a file of claims.
type Suite struct {
	Claims    []Claim    `yaml:"claims"`
	Conflicts []Conflict `yaml:"conflicts"`
}

// Read reads a file of claims; all faults are told at once.
func Read(data []byte) (Suite, error) {
	var s Suite
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil {
		return Suite{}, fmt.Errorf("claims: %w", err)
	}
	known := map[Kind]bool{}
	for _, k := range Kinds {
		known[k] = true
	}
	var faults []error
	seen := map[int]bool{}
	for _, c := range s.Claims {
		switch {
		case c.ID <= 0 || seen[c.ID]:
			faults = append(faults, fmt.Errorf("claims: id %d: ids are positive and each its own", c.ID))
		case !known[c.Kind]:
			faults = append(faults, fmt.Errorf("claims: id %d: no such kind", c.ID))
		case c.Text == "" || c.Cite.Path == "":
			faults = append(faults, fmt.Errorf("claims: id %d: claim and cite are wanted", c.ID))
		case c.Edit != nil && len(c.Edit) != 2:
			faults = append(faults, fmt.Errorf("claims: id %d: edit is [what stood there, what stands there now]", c.ID))
		}
		seen[c.ID] = true
	}
	return s, errors.Join(faults...)
}
