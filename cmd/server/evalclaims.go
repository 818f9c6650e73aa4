package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"candor"
	"candor/demo"
	"candor/evals/claims"
	"candor/internal/keys"
	"candor/kb"
	"candor/mcpserver"
	"candor/provenance"
)

// evalClaimsCmd measures how claims are judged.
type evalClaimsCmd struct {
	Markdown bool `help:"Print the report as Markdown."`
}

// Run judges the demo's labelled claims and prints the scorecard.
func (c *evalClaimsCmd) Run(ctx context.Context, a *app) error {
	if !a.Demo {
		return withHint(errors.New("labelled claims exist for the demo alone"), "candor eval claims --demo")
	}
	suite, err := claims.Read(demo.Claims())
	if err != nil {
		return err
	}
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	sys, err := s.claimed()
	if err != nil {
		return err
	}
	card, err := claims.Run(ctx, sys, suite, claims.Options{Profile: s.profile, Checker: &provenance.Rules{}, Progress: a.progress("judged")})
	if err != nil {
		return err
	}
	word := card.Gate(claims.Default())
	if a.JSON {
		err = a.out.json(judgedClaims{card, card.Unseen().Rates(), word})
	} else {
		err = card.Report(a.Stdout, word, format(c.Markdown))
	}
	if err == nil && !word.Pass {
		return errNo
	}
	return err
}

// judgedClaims is a scorecard of claims with the gate's word.
type judgedClaims struct {
	claims.Card
	Unseen claims.Rates `json:"unseen_rates"`
	Gate   claims.Word  `json:"gate"`
}

// claimed is a site whose calls are stamped by a clock that can be put on, into a
// journal in memory.
type claimed struct {
	*site
	issuer  *provenance.Issuer
	journal *provenance.Journal
	late    *atomic.Int64
}

var _ claims.System = claimed{}

// claimed makes the system that claims are measured on.
func (s *site) claimed() (claimed, error) {
	c := claimed{site: s, late: &atomic.Int64{}}
	var err error
	if c.journal, err = provenance.OpenJournal(provenance.JournalOptions{Key: s.keys.Subkey(keys.Journal)}); err != nil {
		return c, err
	}
	c.issuer, err = provenance.New(provenance.Options{Key: s.keys.Subkey(keys.Stamp), TTL: s.cfg.Provenance.TTL, Journal: c.journal, Now: c.now})
	for _, b := range s.bases {
		b.Sync()
	}
	return c, err
}

func (c claimed) now() time.Time { return time.Now().Add(time.Duration(c.late.Load())) }

// Later implements claims.System.
func (c claimed) Later(d time.Duration) { c.late.Add(int64(d)) }

// Fetch implements claims.System by a call of read.
func (c claimed) Fetch(ctx context.Context, profile string, at claims.Place, request string) (claims.Call, error) {
	base := c.bases[profile]
	if base == nil {
		return claims.Call{}, fmt.Errorf("no profile %s", profile)
	}
	req, err := sectionOf(ctx, base, at)
	if err != nil {
		return claims.Call{}, fmt.Errorf("%s#%s: %w", at.Path, at.Heading, err)
	}
	ans, err := base.Read(ctx, req)
	if err != nil {
		return claims.Call{}, err
	}
	passages := mcpserver.Served(ans)
	stamp, err := c.issuer.Stamp(provenance.Call{
		RequestID: request, Tool: "read", Profile: profile, Arguments: []byte(mustJSON(req)), Passages: passages,
	})
	return claims.Call{Stamp: stamp, Passage: passages[0]}, err
}

// sectionOf is the request for all lines of a section.
func sectionOf(ctx context.Context, base *kb.Base, at claims.Place) (kb.ReadRequest, error) {
	outline, err := base.Outline(ctx, kb.OutlineRequest{Paths: string(at.Path), Depth: 6, Superseded: true})
	if err != nil {
		return kb.ReadRequest{}, err
	}
	req := kb.ReadRequest{Path: string(at.Path)}
	for _, n := range outline.Notes {
		for _, s := range n.Sections {
			_, lines, _, ok := candor.ParseCitationID(s.Citation)
			switch {
			case !ok:
			case req.StartLine > 0:
				req.EndLine = lines.Start - 1
				return req, nil
			case s.Heading == at.Heading:
				req.StartLine = lines.Start
			}
		}
	}
	if req.StartLine == 0 {
		return req, candor.ErrNotFound
	}
	return req, nil
}

// Verify implements claims.System.
func (c claimed) Verify(ctx context.Context, profile string, list []provenance.Claim) ([]provenance.Result, error) {
	v := provenance.NewVerifier(provenance.VerifierOptions{
		Key: c.keys.Subkey(keys.Stamp), Journal: c.journal, Source: standingNotes{c.bases[profile]}, Now: c.now,
	})
	results, _, err := v.Verify(ctx, profile, list)
	return results, err
}

// Search implements claims.System.
func (c claimed) Search(ctx context.Context, profile, question string) ([]provenance.Passage, error) {
	a, err := c.bases[profile].Search(ctx, kb.SearchRequest{Query: question, Limit: 10})
	return mcpserver.Served(a), err
}

// Edit implements claims.System in the temporary folder of the demo.
func (c claimed) Edit(_ context.Context, path candor.Path, was, now string) error {
	file := filepath.Join(c.cfg.Vaults[0].Root, filepath.FromSlash(string(path)))
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), was) {
		return fmt.Errorf("%s does not have what is to be edited", path)
	}
	return os.WriteFile(file, []byte(strings.Replace(string(data), was, now, 1)), 0o600)
}
