package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"candor"
	"candor/provenance"
)

// maxClaims is how many claims one call may bring: their verdicts must fit a result.
const maxClaims = 32

// claimsRequest are the arguments of verify, as they came: models write claims in many
// ways.
type claimsRequest struct {
	Claims json.RawMessage `json:"claims"`
}

var verifyTool = tool{
	name: "verify", title: "Check claims against what was served",
	about: "Judge sentences of an answer against the results that they are said to come from, never against a new search. " +
		"Give each claim its text, the call id of the result (in its first and last line) and the citation id. Each gets a quadrant " +
		"(is the fact right, is the source right), the reason, who acts, and a marker to show behind it, or the word strip, downgrade or flag.",
	params: []param{{
		name: "claims", form: claims, required: true, count: maxClaims,
		about: "the sentences of an answer, each with its call and its citation",
	}},
}

// verify answers the tool of that name.
func (s *Server) verify(ctx context.Context, q claimsRequest) (provenance.Answer, error) {
	list, err := provenance.ParseClaims(q.Claims)
	if err != nil {
		return provenance.Answer{}, err
	}
	if len(list) == 0 || len(list) > maxClaims {
		return provenance.Answer{}, &candor.InputError{Field: "claims", Why: fmt.Sprintf("must be 1 to %d claims", maxClaims)}
	}
	return s.opt.Verify(ctx, list)
}

// claimsSchema declares the usual form of claims; other forms are taken as meant.
func (p param) claimsSchema() schema {
	text := func(about string) schema { return schema{"type": "string", "description": about} }
	object := func(about string, properties schema, required ...string) schema {
		s := objectSchema(properties, required)
		s["description"] = about
		return s
	}
	line := schema{"type": "integer", "minimum": 0, "description": "a line of the note, counted from 1; leave it out for the whole passage"}
	policies := []string{string(provenance.OnlyT0), string(provenance.PlainClaim), string(provenance.Attributed)}
	claim := object("one claim", schema{
		"claim_id":   text("your name for it; else its number"),
		"claim_text": text("one sentence of the answer"),
		"origin": object("the stamp of the result, or its call_id alone", schema{
			"call_id": text("as in the first and last line of the result"), "server": text("of the stamp"), "tool": text("of the stamp"),
			"profile": text("of the stamp"), "arguments_hash": text("of the stamp"), "fetched_at": text("of the stamp"),
			"ttl_seconds": schema{"type": "integer", "description": "of the stamp"}, "mac": text("of the stamp"),
		}, "call_id"),
		"span": object("what is cited", schema{
			"block": text("a citation id, or the path of a note"), "start": line, "end": line,
		}, "block"),
		"citations": schema{
			"type": "array", "description": "citation ids, where there are several", "maxItems": p.count,
			"items": schema{"type": "string", "maxLength": maxCite},
		},
		"render": object("how it is to be shown", schema{
			"marker": text("shown behind the claim where it is right; else its citation"),
			"policy": schema{"type": "string", "enum": policies, "description": "the tiers that may back it; else T0 and T1"},
		}),
	}, "claim_text")
	return schema{"type": "array", "description": p.about, "minItems": 1, "maxItems": p.count, "items": claim}
}

func showVerify(p *page, a provenance.Answer) {
	g := a.Grid
	state := fmt.Sprintf("claims: %d | both right: %d | fact right, source wrong: %d | fact wrong, source right: %d | both wrong: %d | unknown: %d",
		g.Claims, g.BothRight, g.WrongSource, g.WrongFact, g.BothWrong, g.Unknown)
	if a.Mode == provenance.StepShadow {
		state = fmt.Sprintf("claims: %d | mode: shadow", g.Claims)
	}
	p.line("%s", state)
	p.line("%s", a.Warning)
	for _, r := range a.Results {
		p.line("")
		show := r.Render
		if r.Marker != "" {
			show = "marker " + p.value(r.Marker)
		}
		p.line("claim %s: %s | source: %s | show: %s", p.value(r.ClaimID), r.Quadrant, cmp.Or(string(r.Cause), "right"), show)
		p.line("reason: %s", p.bare(r.Reason, 4*longestValue))
		p.line("next: %s: %s", r.Owner, r.Action)
		if r.Citation != "" {
			p.line("citation: %s", p.id(r.Citation))
		}
		if a.Mode == provenance.StepEnforce {
			p.line("may be shown: %s", p.value(r.Shown))
		}
	}
	p.WriteString("end | " + state)
}
