package claims

import (
	"context"
	"time"

	"candor/provenance"
)

// The sections that probes are made with, and what stands in them.
var (
	probeOne   = Place{"internal/policies/leave.md", "Bereavement leave"}
	probeTwo   = Place{"internal/policies/travel.md", "Meals"}
	probeThird = Place{"internal/community/lunch-spots.md", "Lunch spots near the offices"}
)

const (
	sayOne   = "No proof is asked for."
	sayTwo   = "Receipts for meals are not needed."
	sayThird = "Do not feed the gulls."
)

// prober makes probes; the first error ends them.
type prober struct {
	*runner
	ctx context.Context
	err error
}

// probes tries the five ways to lose provenance. The clock is put on last.
func (r *runner) probes(ctx context.Context) error {
	p := &prober{runner: r, ctx: ctx}
	p.merged()
	p.parallel()
	p.untrusted()
	p.drift()
	p.stale()
	return p.err
}

func (p *prober) fetch(at Place, request string) Call {
	if p.err != nil {
		return Call{}
	}
	var c Call
	c, p.err = p.sys.Fetch(p.ctx, p.opt.Profile, at, request)
	return c
}

// judge verifies one claim; quick claims are all that probes need.
func (p *prober) judge(claims ...provenance.Claim) []provenance.Result {
	out := make([]provenance.Result, len(claims))
	if p.err != nil {
		return out
	}
	var results []provenance.Result
	results, p.err = p.sys.Verify(p.ctx, p.opt.Profile, claims)
	copy(out, results)
	return out
}

func (p *prober) probe(way, what string, holds bool) {
	p.card.Probes = append(p.card.Probes, Probe{way, what, holds && p.err == nil})
}

func right(r provenance.Result) bool { return r.Quadrant == provenance.BothRight }

// merged: two results in one text. A claim goes with the call that it names.
func (p *prober) merged() {
	const way = "merged context"
	one, two := p.fetch(probeOne, "1"), p.fetch(probeTwo, "2")
	swapped := bind(one, "swapped", sayOne)
	swapped.Origin[0] = origin(two.Stamp)
	both := provenance.Claim{ID: "both", Text: sayTwo, Origin: []provenance.Origin{origin(one.Stamp), origin(two.Stamp)}}
	r := p.judge(bind(one, "own", sayOne), swapped, both)
	p.probe(way, "a claim under its own call is right", right(r[0]))
	p.probe(way, "the same under the other call is not", !right(r[1]) && r[1].Cause == provenance.NotServed)
	p.probe(way, "under both calls, without a span, the passage that says so is cited",
		right(r[2]) && r[2].Citation == two.Passage.Citation.ID)
}

// parallel: two sessions use one id at once, and results come out of order.
func (p *prober) parallel() {
	const way = "parallel calls"
	one, two := p.fetch(probeOne, "7"), p.fetch(probeTwo, "7")
	r := p.judge(bind(two, "two", sayTwo), bind(one, "one", sayOne))
	p.probe(way, "each claim resolves to its call, in any order", right(r[0]) && right(r[1]))
	p.probe(way, "the calls are told apart", one.Stamp.CallID != two.Stamp.CallID)
	bare := bind(one, "bare", sayOne)
	bare.Origin = []provenance.Origin{{CallID: "7"}}
	p.probe(way, "the request's id alone names no call", !right(p.judge(bare)[0]))
}

// untrusted: a source that nobody vouches for.
func (p *prober) untrusted() {
	const way = "untrusted servers"
	call := p.fetch(probeThird, "1")
	plain, attributed := bind(call, "plain", sayThird), bind(call, "attributed", sayThird)
	attributed.Render.Policy = provenance.Attributed
	r := p.judge(plain, attributed)
	p.probe(way, "what nobody vouches for backs no plain claim", !right(r[0]) && r[0].Cause == provenance.LowTier)
	p.probe(way, "it backs an attributed one", right(r[1]))
}

// drift: the note is edited between two turns.
func (p *prober) drift() {
	const way, was, now = "drift over turns", "No proof is asked for.", "A proof is asked for."
	before := p.fetch(probeOne, "1")
	p.edit(was, now)
	after := p.fetch(probeOne, "2")
	moved := bind(before, "moved", sayOne)
	moved.Origin[0] = origin(after.Stamp)
	r := p.judge(bind(before, "before", sayOne), moved, bind(after, "after", "A proof is asked for."))
	p.edit(now, was)
	p.probe(way, "what was edited since is told by its source", r[0].Quadrant == provenance.WrongSource && r[0].Cause == provenance.Stale)
	p.probe(way, "the old words are not had from the new call", !right(r[1]))
	p.probe(way, "the new words are", right(r[2]))
}

func (p *prober) edit(was, now string) {
	if p.err == nil {
		p.err = p.sys.Edit(p.ctx, probeOne.Path, was, now)
	}
}

// stale: an answer is shown again when its lifetime is over.
func (p *prober) stale() {
	const way = "stale caches"
	call := p.fetch(probeOne, "1")
	within := p.judge(bind(call, "within", sayOne))[0]
	p.sys.Later(1000 * time.Hour)
	past := p.judge(bind(call, "past", sayOne))[0]
	p.probe(way, "within its lifetime a stamp holds", right(within))
	p.probe(way, "past it, it backs nothing", !right(past) && past.Cause == provenance.Expired)
	p.probe(way, "fetched again, it holds", right(p.judge(bind(p.fetch(probeOne, "1"), "again", sayOne))[0]))
}
