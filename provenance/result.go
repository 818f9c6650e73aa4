package provenance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"candor"
)

// Add counts one claim.
func (g *Grid) Add(q Quadrant) {
	g.Claims++
	switch q {
	case BothRight:
		g.BothRight++
	case WrongSource:
		g.WrongSource++
	case WrongFact:
		g.WrongFact++
	case BothWrong:
		g.BothWrong++
	default:
		g.Unknown++
	}
}

// Sum adds the counts of another grid.
func (g *Grid) Sum(o Grid) {
	g.Claims += o.Claims
	g.BothRight += o.BothRight
	g.WrongSource += o.WrongSource
	g.WrongFact += o.WrongFact
	g.BothWrong += o.BothWrong
	g.Unknown += o.Unknown
}

// Failures counts the claims at fault; those that cannot be told are not among them.
func (g Grid) Failures() int { return g.WrongSource + g.WrongFact + g.BothWrong }

// Hidden is the share of right facts with a wrong source among the failures: those that
// nothing else catches. Without failures it is 0.
func (g Grid) Hidden() float64 {
	if g.Failures() == 0 {
		return 0
	}
	return float64(g.WrongSource) / float64(g.Failures())
}

// duties says who acts on a quadrant, and how.
var duties = map[Quadrant]struct{ owner, action string }{
	BothRight:   {"approver", "Ship it, and keep its question as a regression baseline."},
	WrongSource: {"platform team", "Bind the claim again to a passage that says so, or write it anew; add a test of the wrong source."},
	WrongFact:   {"model or product owner", "Mend how the passage was read or extracted; the source stays."},
	BothWrong:   {"whoever granted access to the source", "Quarantine the source and lower its tier."},
	Unknown:     {"approver", "Read the passage and decide; do not show the claim as settled until then."},
}

// What to do with a claim that must not be shown as it is.
const (
	Strip     = "strip"     // leave it out
	Downgrade = "downgrade" // say it without this source
	Flag      = "flag"      // say that it was not checked
)

// faults words each cause; %s is the detail.
var faults = map[Cause]string{
	Unsourced:    "No call is named, so nothing shows where the claim comes from%s",
	Invalid:      "The stamp is none that was issued to this profile in this form%s",
	NotServed:    "The named call did not serve the cited lines%s",
	Expired:      "The stamp expired at %s",
	Stale:        "%s was edited, or is gone, since it was fetched",
	Replaced:     "%s is superseded by another note",
	LowTier:      "%s below what the claim asks for",
	Elsewhere:    "The cited passage does not say so%s",
	Unverifiable: "No text of calls is kept, and %s was edited since",
}

// supported is the result of a claim whose own evidence says so.
func (e *examination) supported(p *evidence) Result {
	r := e.begin(WrongSource)
	switch {
	case e.cause != "":
	case e.denies != nil && e.denies.Tier <= p.Tier:
		r = e.begin(Unknown) // they are trusted alike and cannot both be right
	default:
		r = e.begin(BothRight)
		r.Marker = "[" + p.Citation.ID + "]"
		if given := e.claim.Render.Marker; isLabel(given) {
			r.Marker = given
		}
	}
	r.Citation = p.Citation.ID
	why := fmt.Sprintf("%s says so: %s", p.Citation.ID, p.support.Why)
	if e.denies != nil {
		why += fmt.Sprintf("; %s (%s), cited as well, says otherwise: %s", e.denies.Citation.ID, e.denies.Tier, e.denies.support.Why)
	}
	if slices.Contains(p.Flags, candor.FlagConflict) {
		why += "; when it was served, another passage of the same answer said otherwise"
	}
	r.Reason = e.sentence(why)
	return r
}

// plainLabel is a marker as footnotes have it, such as [1] or (Leave 2): too plain to pass
// for a citation, the path of a note or a call.
var plainLabel = regexp.MustCompile(`^[\[(]?\^?[\pL\pN*†‡§][\pL\pN _-]{0,22}[\])]?$`)

// isLabel reports whether a marker that a claim brings along may stand behind it.
func isLabel(marker string) bool { return plainLabel.MatchString(marker) && Defang(marker) == marker }

// admits reports whether a policy lets a tier back a claim.
func (p Policy) admits(t candor.Tier) bool {
	switch Policy(strings.ToLower(string(p))) {
	case "", PlainClaim:
		return t <= candor.T1
	case Attributed:
		return t <= candor.T2
	}
	return t == candor.T0
}

// unsupported is the result of a claim whose own evidence, if there is any, does not say
// so; other is what was found elsewhere.
func (e *examination) unsupported(own, other *evidence) Result {
	denies := own != nil && own.support.Verdict == Contradicted
	if other != nil && other.support.Verdict == Supported {
		return e.found(own, other, denies)
	}
	switch {
	case denies:
		return e.denied(own)
	case own == nil && other != nil && other.support.Verdict == Contradicted:
		return e.denied(other)
	}
	r := e.begin(Unknown)
	if e.crowded {
		r.Reason = e.sentence(fmt.Sprintf("it cites more than %d passages: cite those that say so", maxWeighed))
		return r
	}
	why := "nothing that this profile may read says so or denies it"
	if own != nil {
		why = fmt.Sprintf("whether %s says so cannot be told: %s", own.Citation.ID, own.support.Why)
	}
	r.Reason = e.sentence(why)
	return r
}

// found is the result of a claim that another passage supports. Where the cited passage
// denies it and is trusted more, it is the fact that is wrong.
func (e *examination) found(own, other *evidence, denies bool) Result {
	if denies && other.Tier > own.Tier {
		r := e.denied(own)
		r.Reason += fmt.Sprintf(" %s (%s) says so but is trusted less.", other.Citation.ID, other.Tier)
		return r
	}
	e.fault(Elsewhere, "")
	r := e.begin(WrongSource)
	r.Citation = other.Citation.ID
	why := fmt.Sprintf("%s (%s) says so: %s", other.Citation.ID, other.Tier, other.support.Why)
	if denies {
		why += fmt.Sprintf("; %s (%s) says otherwise: %s", own.Citation.ID, own.Tier, own.support.Why)
	}
	r.Reason = e.sentence(why)
	return r
}

// denied is the result of a claim that evidence contradicts.
func (e *examination) denied(p *evidence) Result {
	q := BothWrong
	if e.cause == "" {
		q = WrongFact
	}
	r := e.begin(q)
	r.Citation = p.Citation.ID
	r.Reason = e.sentence(fmt.Sprintf("%s says otherwise: %s", p.Citation.ID, p.support.Why))
	return r
}

// begin starts a result with what its quadrant asks of whom.
func (e *examination) begin(q Quadrant) Result {
	r := Result{ClaimID: e.claim.ID, Quadrant: q, Cause: e.cause, Owner: duties[q].owner, Action: duties[q].action}
	switch {
	case q == WrongSource:
		r.Render = Downgrade
	case q == WrongFact || q == BothWrong:
		r.Render = Strip
	case q == Unknown && e.cause == Unsourced && e.claim.Render.Policy != Attributed:
		r.Render = Strip
	case q == Unknown:
		r.Render = Flag
	}
	return r
}

// sentence joins what is wrong with the source and what is known of the fact.
func (e *examination) sentence(fact string) string {
	if e.cause == "" {
		return fact + "."
	}
	return fmt.Sprintf(faults[e.cause], e.detail) + "; " + fact + "."
}
