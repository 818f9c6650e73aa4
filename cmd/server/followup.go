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
	found, err := standingNotes{f.site.base()}.Find(ctx, c.Text)
	if err != nil {
		return again{}, topic, err
	}
	arguments, err := json.Marshal(map[string]string{"query": c.Text})
	if err != nil {
		return again{}, topic, err
	}
	stamp, err := f.site.issuer.Stamp(provenance.Call{
		RequestID: cliRequest, Tool: "search", Profile: f.site.profile, Arguments: arguments, Passages: found,
	})
	if err != nil {
		return again{}, topic, err
	}
	c.Origin, c.Spans = []provenance.Origin{{CallID: stamp.CallID}}, nil
	results, _, err := v.Verify(ctx, f.site.profile, []provenance.Claim{c})
	if err != nil {
		return again{}, topic, err
	}
	r := results[0]
	one := again{Reason: r.Reason, Survives: r.Quadrant == provenance.BothRight, Claim: json.RawMessage("null")}
	if one.Survives {
		i := slices.IndexFunc(found, func(p provenance.Passage) bool { return p.Citation.ID == r.Citation })
		if i >= 0 {
			topic.Slice, topic.Expect = evals.Answerable, []evals.Expected{expectedAt(found[i].Citation)}
		}
		one.Claim, err = provenance.FormatClaim(c, stamp, r.Citation)
	}
	return one, topic, err
}

// expectedAt is the expectation that a passage meets.
func expectedAt(c candor.Citation) evals.Expected {
	e := evals.Expected{Path: c.Path, Grade: 1}
	if len(c.Heading) > 0 {
		e.Heading = c.Heading[len(c.Heading)-1]
	}
	return e
}

// report makes a topic of a claim that a reader doubts: expected is what supports it, if
// anything does.
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
	if path, lines, _, ok := candor.ParseCitationID(r.Citation); ok && (r.Quadrant == provenance.BothRight || r.Quadrant == provenance.WrongSource) {
		topic.Slice = evals.Answerable
		topic.Expect = []evals.Expected{f.expected(path, lines)}
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

// expected is the expectation for lines of a note.
func (f *followUp) expected(path candor.Path, lines candor.Span) evals.Expected {
	c := candor.Citation{Path: path}
	if n := f.site.corpus.Snapshot(f.site.profile).Note(path); n != nil {
		c.Heading = n.HeadingAt(lines.Start)
	}
	return expectedAt(c)
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
