package provenance

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"candor"
)

// VerifierOptions are what a Verifier is made of.
type VerifierOptions struct {
	Key     []byte   // the issuer's
	Journal *Journal // nil: no call is known
	Source  Source   // the profile's notes
	Checker Checker  // nil: Rules as they are
	Server  string   // whose passages Source can tell of; "" is candor
	Now     func() time.Time
}

// Verifier judges claims for one profile.
type Verifier struct{ opt VerifierOptions }

// NewVerifier makes a Verifier.
func NewVerifier(opt VerifierOptions) *Verifier {
	opt.Server = cmp.Or(opt.Server, Own)
	if opt.Checker == nil {
		opt.Checker = &Rules{}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Verifier{opt: opt}
}

// Verify judges claims against what was stamped for the profile.
//
// The source is right if each named call is one of this profile's and its stamp holds;
// the call served the cited lines; it is within its lifetime; the passage neither changed
// nor was replaced; and its tier, which an overdue review has lowered, satisfies the
// claim's policy. The first of these that fails is the cause. The fact is right if the
// cited lines support the sentence, wrong if they contradict it; where some do the one and
// some, trusted no less, the other, it cannot be told. Where they do neither,
// the other passages of the call and then the profile's notes are asked; what supports
// the sentence is named, and the source was the wrong one.
//
// An error is that of the Source, never of a claim.
func (v *Verifier) Verify(ctx context.Context, profile string, claims []Claim) ([]Result, Grid, error) {
	results, grid := make([]Result, len(claims)), Grid{}
	standings := &sync.Map{}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(min(atOnce, runtime.GOMAXPROCS(0)))
	for i, c := range claims {
		work.Go(func() (err error) {
			e := examination{Verifier: v, profile: profile, claim: c, standings: standings}
			results[i], err = e.result(ctx)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, Grid{}, err
	}
	for _, r := range results {
		grid.Add(r.Quadrant)
	}
	return results, grid, nil
}

// atOnce bounds the claims of a call that are judged beside each other.
const atOnce = 4

// standing is what Source.Standing said.
type standing struct {
	Standing
	missing bool
}

// examination is the judging of one claim.
type examination struct {
	*Verifier
	profile   string
	claim     Claim
	standings *sync.Map // standing by citation, for all claims of a call

	records []Record
	cited   []evidence // the cited lines, as they were served
	others  []evidence // what else the calls served
	crowded bool       // more is cited than is weighed
	denies  *evidence  // of the cited lines, the most trusted that contradict the claim
	cause   Cause
	detail  string
}

// evidence is a piece of text that a claim may rest on.
type evidence struct {
	Passage
	own     bool        // of a server that Source can tell of
	lines   candor.Span // those that are cited; zero: all
	digest  string      // of the text that was served, where the journal keeps no text
	support Support
}

// fault notes the first thing that is wrong with the source.
func (e *examination) fault(c Cause, detail string) {
	if e.cause == "" {
		e.cause, e.detail = c, detail
	}
}

func (e *examination) result(ctx context.Context) (Result, error) {
	if e.resolve(); e.crowded {
		return e.unsupported(nil, nil), nil
	}
	best, err := e.weighCited(ctx)
	if err != nil {
		return Result{}, err
	}
	if best != nil {
		if err := e.stand(ctx, best); err != nil {
			return Result{}, err
		}
	}
	if best != nil && best.support.Verdict == Supported {
		return e.supported(best), nil
	}
	other, err := e.elsewhere(ctx)
	if err != nil {
		return Result{}, err
	}
	return e.unsupported(best, other), nil
}

// resolve finds the calls and the lines that the claim names.
func (e *examination) resolve() {
	if len(e.claim.Origin) == 0 {
		e.fault(Unsourced, "")
		return
	}
	for _, o := range e.claim.Origin {
		r, ok := e.record(o)
		if !ok {
			// Another profile's call, a forged one and none at all are the same.
			e.records = nil
			e.fault(Invalid, "")
			return
		}
		if !slices.ContainsFunc(e.records, func(o Record) bool { return o.Stamp.CallID == r.Stamp.CallID }) {
			e.records = append(e.records, r)
		}
	}
	if e.cite(); len(e.cited) == 0 {
		e.fault(NotServed, "")
	}
	for _, r := range e.records {
		end := r.Stamp.FetchedAt.Add(time.Duration(r.Stamp.TTLSeconds) * time.Second)
		if e.opt.Now().After(end) {
			e.fault(Expired, end.Format(time.RFC3339))
		}
	}
}

// record gives the call of an origin, if it is this profile's and as it was stamped.
func (e *examination) record(o Origin) (Record, bool) {
	if e.opt.Journal == nil {
		return Record{}, false
	}
	r, ok := e.opt.Journal.Find(o.CallID)
	if !ok || r.Stamp.Profile != e.profile || !r.Holds(e.opt.Key) || !o.matches(r.Stamp) {
		return Record{}, false
	}
	return r, true
}

// matches reports whether what a claim repeats of a stamp is what was issued. A claim
// that gives the profile gives a whole stamp, and that has a MAC.
func (o Origin) matches(s Stamp) bool {
	if _, whole := o.Given["profile"]; whole {
		if _, there := o.Given["mac"]; !there {
			return false
		}
	}
	for name, given := range o.Given {
		if name == "fetched_at" {
			at, err := time.Parse(time.RFC3339Nano, given)
			if err != nil || !at.Equal(s.FetchedAt) {
				return false
			}
			continue
		}
		if given != s.field(name) {
			return false
		}
	}
	return true
}

// cite sorts what the calls served into cited and others. A span that no call served
// leaves nothing cited: the claim does not rest on what it says it rests on.
func (e *examination) cite() {
	defer e.bound()
	all := e.served()
	if len(e.claim.Spans) == 0 {
		e.cited = all
		return
	}
	taken, seen := make([]bool, len(all)), map[piece]bool{}
	for _, span := range e.claim.Spans {
		found := false
		for i, p := range all {
			lines, ok := span.within(p.Passage)
			if !ok {
				continue
			}
			found, taken[i] = true, taken[i] || lines == candor.Span{Start: p.Citation.StartLine, End: p.Citation.EndLine}
			p.lines = lines
			if !seen[p.piece()] {
				seen[p.piece()] = true
				e.cited = append(e.cited, p)
			}
		}
		if !found {
			e.cited, e.others = nil, all
			return
		}
	}
	for i, p := range all {
		if !taken[i] {
			e.others = append(e.others, p)
		}
	}
}

// served gives what the calls served, each piece once.
func (e *examination) served() (all []evidence) {
	seen := map[piece]bool{}
	for _, r := range e.records {
		for _, s := range r.Served {
			p := evidence{Passage: s.Passage, own: r.Stamp.Server == e.opt.Server, digest: s.Digest}
			if !seen[p.piece()] {
				seen[p.piece()] = true
				all = append(all, p)
			}
		}
	}
	return all
}

// piece is what makes two pieces of evidence the same.
type piece struct {
	citation, digest string
	lines            candor.Span
	tier             candor.Tier
	own, conflict    bool
}

func (p *evidence) piece() piece {
	return piece{p.Citation.ID, p.digest, p.lines, p.Tier, p.own, slices.Contains(p.Flags, candor.FlagConflict)}
}

// maxWeighed bounds the pieces of evidence that a claim is judged by. To judge it by some
// of what it cites would be to choose for it.
const maxWeighed = 64

// bound keeps what is weighed within maxWeighed.
func (e *examination) bound() {
	if e.crowded = len(e.cited) > maxWeighed; e.crowded {
		e.cited, e.others = nil, nil
		return
	}
	e.others = e.others[:min(len(e.others), maxWeighed-len(e.cited))]
}

// weighCited weighs all that is cited, since one passage may deny what another says, and
// gives the one that decides: the most trusted that supports the claim, else the one that
// covers most of it.
func (e *examination) weighCited(ctx context.Context) (best *evidence, err error) {
	for i := range e.cited {
		p := &e.cited[i]
		if err := e.check(ctx, p); err != nil {
			return nil, err
		}
		if best == nil || p.better(best) {
			best = p
		}
		if p.support.Verdict != Contradicted || e.denies != nil && e.denies.Tier <= p.Tier {
			continue
		}
		if stands, err := e.stands(ctx, p); err != nil {
			return nil, err
		} else if stands {
			e.denies = p
		}
	}
	return best, nil
}

// better reports whether evidence decides rather than another.
func (p *evidence) better(than *evidence) bool {
	switch a, b := p.support.Verdict == Supported, than.support.Verdict == Supported; {
	case a && b:
		return p.Tier < than.Tier
	case a || b:
		return a
	}
	return p.support.Score > than.support.Score
}

// stands reports whether evidence is still there and not replaced.
func (e *examination) stands(ctx context.Context, p *evidence) (bool, error) {
	if slices.Contains(p.Flags, candor.FlagSuperseded) || !p.own {
		return !p.own, nil
	}
	s, err := e.standing(ctx, p.Citation.ID)
	return err == nil && !s.missing && !s.Gone && !s.Superseded, err
}

// weigh asks the checker about pieces of evidence and gives the one that decides: the
// first that supports the claim, else the one that covers most of it.
func (e *examination) weigh(ctx context.Context, list []evidence) (best *evidence, err error) {
	for i := range list {
		p := &list[i]
		if err := e.check(ctx, p); err != nil {
			return nil, err
		}
		if p.support.Verdict == Supported {
			return p, nil
		}
		if best == nil || p.support.Score > best.support.Score {
			best = p
		}
	}
	return best, nil
}

// check asks the checker about one piece of evidence.
func (e *examination) check(ctx context.Context, p *evidence) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ok, err := e.recall(ctx, p)
	switch {
	case err != nil:
		return err
	case ok:
		p.narrow()
		p.support = e.opt.Checker.Check(e.claim.Text, p.Passage)
	default:
		p.support = Support{Verdict: Unclear, Why: "its text was not kept"}
	}
	return nil
}

// recall makes sure that evidence has its text. Where the journal keeps none, that of
// the note will do if it is the same to the last byte.
func (e *examination) recall(ctx context.Context, p *evidence) (bool, error) {
	if p.Text != "" || p.digest == "" || p.digest == digestOf("") {
		return true, nil
	}
	if !p.own {
		return false, nil
	}
	s, err := e.standing(ctx, p.Citation.ID)
	if err != nil || s.missing || s.Gone || digestOf(s.Text) != p.digest {
		e.fault(Unverifiable, p.Citation.ID)
		return false, err
	}
	p.Text = s.Text
	return true, nil
}

// standing asks how a passage stands now, once for all claims.
func (e *examination) standing(ctx context.Context, citation string) (standing, error) {
	if s, ok := e.standings.Load(citation); ok {
		return s.(standing), nil
	}
	now, err := e.opt.Source.Standing(ctx, citation)
	s := standing{Standing: now, missing: errors.Is(err, candor.ErrNotFound)}
	if err != nil && !s.missing {
		return standing{}, err
	}
	e.standings.Store(citation, s)
	return s, nil
}

// stand looks whether the evidence that decides is still current and trusted enough.
func (e *examination) stand(ctx context.Context, p *evidence) error {
	tier, due := p.Tier, slices.Contains(p.Flags, candor.FlagReviewDue)
	if p.own {
		s, err := e.standing(ctx, p.Citation.ID)
		switch {
		case err != nil:
			return err
		case s.missing || s.Gone:
			e.fault(Stale, p.Citation.ID)
		case s.Superseded:
			e.fault(Replaced, p.Citation.ID)
		default:
			tier, due = max(tier, s.Tier), due || s.ReviewDue
			p.Citation.ID = cmp.Or(s.Now, p.Citation.ID)
		}
	}
	if !e.claim.Render.Policy.admits(tier) {
		why := p.Citation.ID + " is " + tier.String()
		if due {
			why += ", its review being overdue,"
		}
		e.fault(LowTier, why)
	}
	return nil
}

// elsewhere looks for a passage that supports the claim where the cited ones do not:
// first in what the calls served beside them, then in the profile's notes.
func (e *examination) elsewhere(ctx context.Context) (*evidence, error) {
	if e.cause != Expired {
		if best, err := e.weigh(ctx, e.others); err != nil || best != nil && best.support.Verdict == Supported {
			return best, err
		}
	}
	found, err := e.opt.Source.Find(ctx, e.claim.Text)
	if err != nil {
		return nil, err
	}
	list := make([]evidence, 0, len(found))
	for _, p := range found {
		if !slices.Contains(p.Flags, candor.FlagSuperseded) && p.Tier <= candor.T2 {
			list = append(list, evidence{Passage: p, own: true})
		}
	}
	return e.weigh(ctx, list)
}
