package hybrid

import (
	"errors"
	"fmt"
	"slices"
)

// minVectors is the share of a profile's passages that must have vectors.
const minVectors = 0.99

// Switch turns hybrid on while a recorded verdict holds. Its zero value has no verdict.
// It is safe for concurrent use: it never changes.
type Switch struct {
	verdict *Verdict
	fault   string
}

// Open reads the verdict in a folder. A folder of "" has none.
func Open(folder string, key []byte) Switch {
	if folder == "" {
		return Switch{}
	}
	v, err := Load(folder, key)
	switch {
	case errors.Is(err, ErrEdited):
		return Switch{fault: ErrEdited.Error()}
	case err != nil:
		return Switch{fault: "the verdict cannot be read: run candor eval hybrid again"}
	}
	return Switch{verdict: v}
}

// With is a switch for a verdict at hand.
func With(v Verdict) Switch { return Switch{verdict: &v} }

// Verdict is what was recorded, nil if nothing was.
func (s Switch) Verdict() *Verdict { return s.verdict }

// Yes reports whether there is a verdict and it is for hybrid, whatever else it needs.
func (s Switch) Yes() bool { return s.verdict != nil && s.verdict.Yes }

// Conditions are how things stand.
type Conditions struct {
	Setup   Setup
	Vectors float64  // share of the profile's passages that have vectors, 0 to 1
	Topics  []string // TopicDigests; nil where they are not known, and then not looked at
}

// Holds reports whether hybrid may answer, and if not which condition fails, in words
// for any client. Of a verdict that holds the reason says what marks it, if anything.
func (s Switch) Holds(now Conditions) (ok bool, reason string) {
	v := s.verdict
	switch {
	case s.fault != "":
		return false, s.fault
	case v == nil:
		return false, "no verdict: run candor eval hybrid"
	case !v.Yes:
		return false, "the verdict is no: " + v.Reason
	}
	if part := v.Setup.differs(now.Setup); part != "" {
		return false, fmt.Sprintf("the verdict is for another %s: run candor eval hybrid again", part)
	}
	if !(now.Vectors >= minVectors) {
		return false, fmt.Sprintf("only %.1f%% of the passages have vectors, %g%% are needed: run candor embed", 100*max(now.Vectors, 0), 100*minVectors)
	}
	if now.Topics == nil {
		return true, ""
	}
	return v.stillOf(now.Topics)
}

// stillOf compares the topics with those that were measured. A few more or fewer do not
// undo what was measured; a fifth do.
func (v *Verdict) stillOf(topics []string) (ok bool, reason string) {
	added, removed := missing(topics, v.Topics), missing(v.Topics, topics)
	switch {
	case 5*added >= len(topics) && added > 0:
		return false, fmt.Sprintf("%d of %d topics are not measured: run candor eval hybrid again", added, len(topics))
	case 5*removed >= len(v.Topics) && removed > 0:
		return false, fmt.Sprintf("%d of the %d measured topics are gone: run candor eval hybrid again", removed, len(v.Topics))
	case added > 0:
		return true, fmt.Sprintf("%d of %d topics are not measured yet", added, len(topics))
	}
	return true, ""
}

// missing counts what is not among others.
func missing(topics, others []string) int {
	n := 0
	for _, t := range topics {
		if !slices.Contains(others, t) {
			n++
		}
	}
	return n
}
