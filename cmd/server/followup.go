package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"candor"
	"candor/evals"
	"candor/provenance"
)

// followUp is what is done about claims after their verdict.
type followUp struct {
	*app
	site    *site
	topics  string
	claims  []provenance.Claim
	results []provenance.Result
}

// again is what became of a claim that was fetched anew.
type again struct {
	ClaimID  string          `json:"claim_id"`
	Survives bool            `json:"survives"`
	Reason   string          `json:"reason"` // of the old verdict, then of the new
	Claim    json.RawMessage `json:"claim"`  // the corrected record; null where it does not survive
	Topic    string          `json:"topic"`  // id of the conflict topic
}

// again fetches anew what each claim at fault says. A claim that survives is stamped
// anew and its record corrected; of any other it is said what stands there now. Either
// way it becomes a topic, so that the conflict is asked about from now on.
func (f *followUp) again(ctx context.Context) error {
	file, err := f.topicFile()
	if err != nil {
		return err
	}
	v, out, lost := f.site.verifier(f.site.base()), []again{}, false
	for i, r := range f.results {
		if r.Quadrant == provenance.BothRight {
			continue
		}
		one, topic, err := f.refetch(ctx, v, f.claims[i])
		if err != nil {
			return err
		}
		if r.Cause == provenance.Replaced {
			replaced(&topic, r)
		}
		one.ClaimID, one.Reason = r.ClaimID, r.Reason+" Now: "+one.Reason
		topic.Note = fmt.Sprintf("conflict found by candor verify --again: %s", cause(r))
		if topic, err = evals.AddTopic(file, topic); err != nil {
			return err
		}
		one.Topic = topic.ID
		lost = lost || !one.Survives
		out = append(out, one)
	}
	if err := f.show(out, func() { f.out.again(out, file) }); err != nil {
		return err
	}
	if lost {
		return errNo
	}
	return nil
}

// cause is what was wrong with a claim, in one word.
func cause(r provenance.Result) string {
	if r.Cause != "" {
		return string(r.Cause)
	}
	return string(r.Quadrant)
}

// refetch asks for a claim as if for the first time, stamps what it finds, and judges
// the claim by that stamp.
func (f *followUp) refetch(ctx context.Context, v *provenance.Verifier, c provenance.Claim) (again, evals.Topic, error) {
	topic := evals.Topic{Question: c.Text, Profile: f.site.profile, Slice: evals.Unsupported, Sub: "conflict"}
	one := again{Claim: json.RawMessage("null"), Reason: "Nothing that this profile may read says so."}
	found, err := standingNotes{f.site.base()}.Find(ctx, c.Text)
	if err != nil || len(found) == 0 {
		return one, topic, err
	}
	arguments, err := json.Marshal(map[string]string{"query": c.Text})
	if err != nil {
		return one, topic, err
	}
	stamp, err := f.site.issuer.Stamp(provenance.Call{
		RequestID: cliRequest, Tool: "search", Profile: f.site.profile, Arguments: arguments, Passages: found,
	})
	if err != nil {
		return one, topic, err
	}
	c.Origin, c.Spans = []provenance.Origin{{CallID: stamp.CallID}}, nil
	results, _, err := v.Verify(ctx, f.site.profile, []provenance.Claim{c})
	if err != nil {
		return one, topic, err
	}
	r := results[0]
	one.Reason, one.Survives = r.Reason, r.Quadrant == provenance.BothRight
	f.expect(&topic, r)
	if one.Survives {
		one.Claim, err = provenance.FormatClaim(c, stamp, r.Citation)
	}
	return one, topic, err
}

// expect makes a topic answerable by the passage that a verdict rests on, whether that
// supports the claim or contradicts it: asked, it is what should be cited.
func (f *followUp) expect(t *evals.Topic, r provenance.Result) {
	path, lines, _, ok := candor.ParseCitationID(r.Citation)
	if !ok {
		return
	}
	e := evals.Expected{Path: path, Grade: 1}
	if n := f.site.corpus.Snapshot(f.site.profile).Note(path); n != nil {
		if heading := n.HeadingAt(lines.Start); len(heading) > 0 {
			e.Heading = heading[len(heading)-1]
		}
	}
	t.Slice, t.Expect = evals.Answerable, []evals.Expected{e}
}

// report makes a topic of a claim that a reader doubts: expected is the passage that the
// verdict rests on, if there is one.
func (f *followUp) report(id string) error {
	file, err := f.topicFile()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(f.results, func(r provenance.Result) bool { return r.ClaimID == id })
	if i < 0 {
		return withHint(errors.New("no claim of the file has this id"), "the ids are those of candor verify, 1, 2, 3 where claims have none")
	}
	r := f.results[i]
	topic := evals.Topic{
		Question: f.claims[i].Text, Profile: f.site.profile, Slice: evals.Unsupported, Sub: "reported", Note: "reported by a reader: " + cause(r),
	}
	f.expect(&topic, r)
	if r.Cause == provenance.Replaced {
		replaced(&topic, r)
	}
	if topic, err = evals.AddTopic(file, topic); err != nil {
		return err
	}
	return f.show(reportAnswer{Topic: topic.ID, File: file, Result: r}, func() {
		fmt.Fprintf(f.out.w, "topic %s was added to %s\n", plain(topic.ID), file)
	})
}

// reportAnswer is a report that became a topic.
type reportAnswer struct {
	Topic  string            `json:"topic"`
	File   string            `json:"file"`
	Result provenance.Result `json:"result"`
}

// replaced makes a topic ask that a superseded note is never given as current again.
func replaced(t *evals.Topic, r provenance.Result) {
	if path, _, _, ok := candor.ParseCitationID(r.Citation); ok {
		t.Slice, t.Stale = evals.Superseded, []candor.Path{path}
		t.Expect = slices.DeleteFunc(t.Expect, func(e evals.Expected) bool { return e.Path == path })
	}
}

// topicFile is where new topics go.
func (f *followUp) topicFile() (string, error) {
	if f.topics != "" {
		return f.topics, nil
	}
	if f.site.cfg.Evals.Topics != "" {
		return f.site.cfg.Evals.Topics, nil
	}
	return "", withHint(errors.New("there is no topic file to add to"), "--topics FILE names one, or evals.topics in candor.yaml")
}

// again prints what became of claims.
func (p printer) again(list []again, file string) {
	for _, c := range list {
		word := "does not survive"
		if c.Survives {
			word = "survives, stamped anew"
		}
		fmt.Fprintf(p.w, "%s %s\n  %s\n", p.bold(plain(c.ClaimID)), word, plain(c.Reason))
		if c.Survives {
			fmt.Fprintf(p.w, "  %s\n", plain(string(c.Claim)))
		}
		fmt.Fprintf(p.w, "  topic %s in %s\n", plain(c.Topic), file)
	}
	if len(list) == 0 {
		fmt.Fprintln(p.w, "no claim is at fault")
	}
}
