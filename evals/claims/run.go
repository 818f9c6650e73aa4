package claims

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor"
	"candor/provenance"
)

// System serves calls and judges claims: what is measured.
type System interface {
	// Fetch serves a section to a profile in one call, under the id of a request.
	Fetch(ctx context.Context, profile string, at Place, request string) (Call, error)
	// Verify judges claims for a profile.
	Verify(ctx context.Context, profile string, claims []provenance.Claim) ([]provenance.Result, error)
	// Search gives the passages that answer a question, best first.
	Search(ctx context.Context, profile, question string) ([]provenance.Passage, error)
	// Edit replaces text in a note.
	Edit(ctx context.Context, path candor.Path, was, now string) error
	// Later puts the clock on.
	Later(time.Duration)
}

// Call is a call that was answered.
type Call struct {
	Stamp   provenance.Stamp
	Passage provenance.Passage
}

// Options are how a run is made.
type Options struct {
	Profile  string             // who asks
	Checker  provenance.Checker // the one of the System, for support by whole answers
	Progress func(done, total int)
}

// answerSize is how many claims make an answer, whose calls are its whole context.
const answerSize = 8

// Run judges every claim of a suite, asks every conflict and makes every probe.
func Run(ctx context.Context, sys System, s Suite, opt Options) (Card, error) {
	r := &runner{sys: sys, opt: opt}
	for i, c := range s.Claims {
		if err := r.claim(ctx, c); err != nil {
			return Card{}, fmt.Errorf("claim %d: %w", c.ID, err)
		}
		if opt.Progress != nil {
			opt.Progress(i+1, len(s.Claims))
		}
	}
	r.context()
	for _, c := range s.Conflicts {
		if err := r.conflict(ctx, c); err != nil {
			return Card{}, fmt.Errorf("conflict %q: %w", c.Question, err)
		}
	}
	err := r.probes(ctx)
	return r.card, err
}

// runner is one run.
type runner struct {
	sys    System
	opt    Options
	card   Card
	served []provenance.Passage // by claim
}

// claim binds one claim as its kind asks and has it judged.
func (r *runner) claim(ctx context.Context, c Claim) error {
	request := strconv.Itoa(c.ID)
	call, err := r.sys.Fetch(ctx, cmp.Or(c.Owner, r.opt.Profile), c.Cite, request)
	if err != nil {
		return err
	}
	bound := bind(call, "", c.Text)
	if c.Call.Path != "" {
		other, err := r.sys.Fetch(ctx, r.opt.Profile, c.Call, request)
		if err != nil {
			return err
		}
		bound.Origin[0] = origin(other.Stamp)
	}
	if err := r.forge(c, &bound); err != nil {
		return err
	}
	if c.Edit != nil {
		if err := r.sys.Edit(ctx, c.Cite.Path, c.Edit[0], c.Edit[1]); err != nil {
			return err
		}
	}
	results, err := r.sys.Verify(ctx, r.opt.Profile, []provenance.Claim{bound})
	if err == nil && len(results) != 1 {
		err = fmt.Errorf("%d results for one claim", len(results))
	}
	if err == nil && c.Edit != nil {
		err = r.sys.Edit(ctx, c.Cite.Path, c.Edit[1], c.Edit[0])
	}
	if err != nil {
		return err
	}
	r.served = append(r.served, call.Passage)
	v := Verdict{ID: c.ID, Kind: c.Kind, Unseen: c.Unseen(), Fact: c.right(), Quadrant: results[0].Quadrant, Cause: results[0].Cause}
	v.Call = r.opt.Checker.Check(c.Text, call.Passage).Verdict
	if c.Call.Path != "" {
		v.Call = provenance.Unclear // its call did not serve it
	}
	v.text = c.Text
	r.card.Verdicts = append(r.card.Verdicts, v)
	return nil
}

// bind makes a claim that cites a call's passage.
func bind(call Call, id, text string) provenance.Claim {
	return provenance.Claim{
		ID: id, Text: text, Origin: []provenance.Origin{origin(call.Stamp)},
		Spans: []provenance.Span{{Block: call.Passage.Citation.ID}},
	}
}

// origin names a call and repeats its stamp.
func origin(s provenance.Stamp) provenance.Origin {
	return provenance.Origin{CallID: s.CallID, Given: map[string]string{"mac": s.MAC, "tool": s.Tool, "profile": s.Profile}}
}

// forge does to a claim's stamp what its label says.
func (r *runner) forge(c Claim, b *provenance.Claim) error {
	o, id := &b.Origin[0], b.Spans[0].Block
	switch c.Forge {
	case "":
	case "nonce":
		*o = provenance.Origin{CallID: o.CallID[:strings.IndexByte(o.CallID, ':')+1] + strings.Repeat("c0de", 8)}
	case "mac":
		o.Given["mac"] = flip(o.Given["mac"])
	case "digest":
		b.Spans[0].Block = id[:len(id)-8] + flip(id[len(id)-8:])
	case "path":
		b.Spans[0].Block = strings.Replace(id, ".md#", "-2027.md#", 1)
	case "expired":
		r.sys.Later(1000 * time.Hour)
	default:
		return fmt.Errorf("nothing is forged by %q", c.Forge)
	}
	return nil
}

// flip changes the first hex digit.
func flip(hex string) string {
	if strings.HasPrefix(hex, "0") {
		return "1" + hex[1:]
	}
	return "0" + hex[1:]
}

// context asks of each claim whether anything that its answer's calls served supports it.
func (r *runner) context() {
	for i := range r.card.Verdicts {
		v := &r.card.Verdicts[i]
		from := i / answerSize * answerSize
		for _, p := range r.served[from:min(from+answerSize, len(r.served))] {
			if r.opt.Checker.Check(v.text, p).Verdict == provenance.Supported {
				v.Context = true
				break
			}
		}
	}
}

// conflict asks a question on which two notes differ.
func (r *runner) conflict(ctx context.Context, c Conflict) error {
	hits, err := r.sys.Search(ctx, r.opt.Profile, c.Question)
	if err != nil {
		return err
	}
	o := Order{Question: c.Question, Counts: rankOf(hits, c.Counts), Otherwise: rankOf(hits, c.Otherwise)}
	o.Shown = o.Counts > 0 && o.Otherwise > 0 && slices.Contains(hits[o.Counts-1].Flags, candor.FlagConflict) &&
		slices.Contains(hits[o.Otherwise-1].Flags, candor.FlagConflict)
	r.card.Conflicts = append(r.card.Conflicts, o)
	return nil
}

// rankOf is where a section stands among hits, 0 without it.
func rankOf(hits []provenance.Passage, at Place) int {
	for i, h := range hits {
		if h.Citation.Path == at.Path && len(h.Citation.Heading) > 0 && h.Citation.Heading[len(h.Citation.Heading)-1] == at.Heading {
			return i + 1
		}
	}
	return 0
}
