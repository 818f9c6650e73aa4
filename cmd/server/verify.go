package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"candor"
	"candor/internal/keys"
	"candor/kb"
	"candor/mcpserver"
	"candor/provenance"
)

// verifyCmd judges claims.
type verifyCmd struct {
	File   string `arg:"" optional:"" help:"Claims as a JSON list, one in each line, or an object with claims; - is stdin."`
	Name   string `name:"run" placeholder:"NAME" help:"Count the verdicts under this name; else under the time of the run."`
	Again  bool   `help:"Fetch anew what each claim at fault says, and stamp it anew or say what changed; each becomes a topic."`
	Report string `placeholder:"CLAIM" help:"A reader doubts this claim: make it a topic for the evals."`
	Topics string `placeholder:"FILE" help:"The topic file that --again and --report add to; else evals.topics."`
	Grid   bool   `help:"Print the counts of earlier runs; status 1 when the share of wrong sources among the failures rose."`
}

// Run judges the claims of a file against the journal.
func (c *verifyCmd) Run(ctx context.Context, a *app) error {
	if (c.File == "") != c.Grid {
		return withHint(errors.New("give a file of claims, or --grid"), "candor verify claims.json, or candor verify --grid")
	}
	s, err := a.build()
	if err != nil {
		return err
	}
	defer s.close()
	if c.Grid {
		return a.grid(s)
	}
	claims, err := a.claims(c.File)
	if err != nil {
		return err
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	s.meet(ctx)
	results, grid, err := s.verifier(s.base()).Verify(ctx, s.profile, claims)
	if err != nil {
		return err
	}
	if c.Again || c.Report != "" {
		f := followUp{app: a, site: s, topics: c.Topics, claims: claims, results: results}
		if c.Report != "" {
			return f.report(c.Report)
		}
		return f.again(ctx)
	}
	if err := s.history().Add(orNow(c.Name), time.Now(), grid); err != nil {
		fmt.Fprintln(a.Stderr, "candor: the verdicts were not counted:", plain(err.Error()))
	}
	return a.verdicts(s.rollout().Show(claims, results, grid), grid)
}

// orNow is the name of a run.
func orNow(name string) string {
	if name != "" {
		return name
	}
	return time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
}

// verdicts prints an answer about claims; the status is 1 where they do not pass.
func (a *app) verdicts(ans provenance.Answer, grid provenance.Grid) error {
	if err := a.show(ans, func() { a.out.verdicts(ans) }); err != nil {
		return err
	}
	if !ans.Mode.Passes(grid) {
		return errNo
	}
	return nil
}

// claims reads a file of claims.
func (a *app) claims(file string) ([]provenance.Claim, error) {
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	const most = 8 << 20
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, withHint(errors.New("the file of claims is longer than 8 MiB"), "cut it into several")
	}
	claims, err := provenance.ParseClaims(data)
	if err == nil && len(claims) == 0 {
		err = withHint(errors.New("the file has no claims"), `one in each line, as in {"claim_text": "…", "origin": "call id", "span": "citation id"}`)
	}
	return claims, err
}

// grid prints the counts of earlier runs and sounds the alarm.
func (a *app) grid(s *site) error {
	runs, err := s.history().Runs()
	if err != nil {
		return err
	}
	ans := gridAnswer{Runs: runs, Alarm: provenance.Alarm(runs)}
	if err := a.show(ans, func() { a.out.grid(ans) }); err != nil {
		return err
	}
	if ans.Alarm {
		return errNo
	}
	return nil
}

// gridAnswer is the counts of runs over claims.
type gridAnswer struct {
	Runs  []provenance.Run `json:"runs"`
	Alarm bool             `json:"alarm"` // the share of wrong sources among failures rose
}

// rollout is how far the checking of claims goes.
func (s *site) rollout() provenance.Rollout { return provenance.Rollout(s.cfg.Provenance.Mode) }

// history is the counts of runs over claims.
func (s *site) history() *provenance.History {
	dir := s.stateDir("journal")
	if dir == "" {
		return provenance.OpenHistory("")
	}
	return provenance.OpenHistory(filepath.Join(dir, "grid.jsonl"))
}

// verifier judges claims by the notes that base may read.
func (s *site) verifier(base mcpserver.Base) *provenance.Verifier {
	return provenance.NewVerifier(provenance.VerifierOptions{
		Key: s.keys.Subkey(keys.Stamp), Journal: s.journal, Source: standingNotes{base},
	})
}

// verify is what the tool of that name does in a server: verdicts are counted by the
// server's run and shown as far as the configuration goes. That they could not be counted
// costs no answer; log and candor check say so.
func (s *site) verify(profile string, base mcpserver.Base, log *slog.Logger) func(context.Context, []provenance.Claim) (provenance.Answer, error) {
	run, v, history, step := orNow(""), s.verifier(base), s.history(), s.rollout()
	return func(ctx context.Context, claims []provenance.Claim) (provenance.Answer, error) {
		results, grid, err := v.Verify(ctx, profile, claims)
		if err != nil {
			return provenance.Answer{}, err
		}
		if err := history.Add(run, time.Now(), grid); err != nil {
			log.Error("verdicts were not counted", slog.String("err", err.Error()))
		}
		s.tellClaims(ctx, grid)
		return step.Show(claims, results, grid), nil
	}
}

// standingNotes tells a verifier how passages of a profile stand.
type standingNotes struct{ base mcpserver.Base }

// Standing implements provenance.Source.
func (n standingNotes) Standing(ctx context.Context, citation string) (provenance.Standing, error) {
	a, err := n.base.Read(ctx, kb.ReadRequest{Citation: citation})
	if err != nil {
		return provenance.Standing{}, err
	}
	s := provenance.Standing{Gone: a.State == kb.Stale, Tier: candor.ParseTier(a.Tier), Text: a.Text}
	if a.State == kb.Moved {
		s.Now = a.Citation.ID
	}
	for _, f := range a.Flags {
		s.Superseded = s.Superseded || f == candor.FlagSuperseded
		s.ReviewDue = s.ReviewDue || f == candor.FlagReviewDue
	}
	return s, nil
}

// nearest is how many passages are looked at for one that supports a claim.
const nearest = 3

// asWords takes from a sentence what a search would read as its syntax.
var asWords = strings.NewReplacer(`"`, " ", " -", " ")

// Find implements provenance.Source.
func (n standingNotes) Find(ctx context.Context, text string) ([]provenance.Passage, error) {
	query := asWords.Replace(" " + text)
	if len(query) > kb.DefaultQueryBytes {
		query = strings.ToValidUTF8(query[:kb.DefaultQueryBytes], "")
	}
	a, err := n.base.Search(ctx, kb.SearchRequest{Query: query, Limit: nearest})
	var refused *candor.InputError
	if errors.As(err, &refused) { // no words, or what looks like a secret: nothing to find
		return nil, nil
	}
	return mcpserver.Served(a), err
}

// verdicts prints what became of claims.
func (p printer) verdicts(a provenance.Answer) {
	for _, r := range a.Results {
		fmt.Fprintf(p.w, "%s %s", p.bold(plain(r.ClaimID)), strings.ReplaceAll(string(r.Quadrant), "_", " "))
		if r.Cause != "" {
			fmt.Fprintf(p.w, " (%s)", r.Cause)
		}
		fmt.Fprintf(p.w, "\n  %s\n", plain(r.Reason))
		show := r.Render
		if r.Marker != "" {
			show = "show " + plain(r.Marker)
		}
		fmt.Fprintf(p.w, "  %s; %s: %s\n", show, r.Owner, r.Action)
		if r.Shown != "" {
			fmt.Fprintf(p.w, "  | %s\n", plain(r.Shown))
		}
	}
	p.counts(a.Grid)
	fmt.Fprintln(p.w, p.dim(a.Warning))
}

// counts prints one grid.
func (p printer) counts(g provenance.Grid) {
	fmt.Fprintf(p.w, "%d claims: %d both right, %d fact right and source wrong, %d fact wrong and source right, %d both wrong, %d unknown\n",
		g.Claims, g.BothRight, g.WrongSource, g.WrongFact, g.BothWrong, g.Unknown)
}

// grid prints the counts of runs.
func (p printer) grid(a gridAnswer) {
	for _, r := range a.Runs {
		fmt.Fprintf(p.w, "%s %s, wrong sources among failures %.0f%%\n  ", r.Day, p.bold(plain(r.Run)), 100*r.Grid.Hidden())
		p.counts(r.Grid)
	}
	if len(a.Runs) == 0 {
		fmt.Fprintln(p.w, "no run has been counted")
	}
	if a.Alarm {
		fmt.Fprintln(p.w, p.bold(alarmText))
	}
}

// alarmText is the one alarm about claims.
const alarmText = "alarm: among the failures, right facts with a wrong source have become more: those that nothing else catches"
