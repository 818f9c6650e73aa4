package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"candor"
	"candor/config"
	"candor/corpus"
	"candor/demo"
	"candor/evidence"
	"candor/internal/keys"
	"candor/kb"
	"candor/policy"
	"candor/provenance"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/retrieval/semantic"
	"candor/telemetry"
	"candor/vault"
)

// site is everything that a configuration builds. Its corpus reads the vaults once;
// each profile has a Base with an index of its own.
type site struct {
	cfg       *config.Config
	profile   string // the one that the command looks through
	everyone  bool   // all profiles are answered, not that one alone
	policy    *policy.Policy
	redact    *redact.Redactor
	corpus    *corpus.Corpus
	keys      *keys.Keys
	bases     map[string]*kb.Base
	roots     []*vault.Root
	leg       *semantic.Leg // nil without vectors
	vectors   string        // a folder for vectors other than the usual one
	forced    *kb.Tuning    // by an eval command; nil elsewhere
	verdict   *atomic.Pointer[ruling]
	fault     string              // why there are no vectors although the verdict wants them
	journal   *provenance.Journal // nil: calls are not kept
	issuer    *provenance.Issuer
	demo      bool // the vault is the embedded one
	closers   []func()
	lasting   []func()             // closers of what a site that replaces this one goes on with
	telemetry *telemetry.Telemetry // nil: nobody is told of calls
}

// open builds the site and reads the vaults, ready to answer.
func (a *app) open(ctx context.Context) (*site, error) {
	s, err := a.build()
	if err != nil {
		return nil, err
	}
	if err := s.load(ctx); err != nil {
		s.close()
		return nil, err
	}
	s.meet(ctx)
	return s, nil
}

// load reads the vaults and indexes the command's profile.
func (s *site) load(ctx context.Context) error {
	if err := s.corpus.Load(ctx); err != nil {
		return err
	}
	s.sync()
	return nil
}

// sync brings the indexes of the profiles that are answered up to date.
func (s *site) sync() {
	for profile, b := range s.bases {
		if s.everyone || profile == s.profile {
			b.Sync()
		}
	}
}

// base answers for the command's profile; nil where a reload has taken it away.
func (s *site) base() *kb.Base { return s.bases[s.profile] }

// close lets go of the vaults and removes what is temporary.
func (s *site) close() {
	for _, closers := range [][]func(){s.closers, s.lasting} {
		for _, end := range slices.Backward(closers) {
			end()
		}
	}
}

// build puts the site together without reading a note.
func (a *app) build() (*site, error) {
	s := &site{}
	if err := s.configure(a); err != nil {
		s.close()
		return nil, err
	}
	if err := s.assemble(a); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// configure finds the configuration that the flags name.
func (s *site) configure(a *app) error {
	named := 0
	for _, set := range []bool{a.Demo, a.Vault != "", a.Config != ""} {
		if set {
			named++
		}
	}
	var err error
	switch {
	case named > 1:
		return withHint(errors.New("--config, --vault and --demo exclude each other"), "give one of them")
	case a.Demo:
		s.cfg, err = s.demoConfig()
	case a.Vault != "":
		s.cfg, err = config.Default(a.Vault)
	default:
		var file string
		if file, err = config.Find(a.Config); err == nil {
			s.cfg, err = config.Load(file)
		}
	}
	if err != nil {
		return err
	}
	s.profile = s.cfg.DefaultProfile
	if a.Profile != "" {
		s.profile = a.Profile
	}
	for _, name := range s.cfg.ProfileNames() {
		if name == s.profile {
			return nil
		}
	}
	return withHint(errors.New("unknown profile"), "the profiles are: "+strings.Join(s.cfg.ProfileNames(), ", "))
}

// demoConfig writes the embedded vault to a temporary folder, gone at close.
func (s *site) demoConfig() (*config.Config, error) {
	dir, err := os.MkdirTemp("", "candor-demo-")
	if err != nil {
		return nil, err
	}
	s.lasting = append(s.lasting, func() { os.RemoveAll(dir) })
	if err := demo.WriteTo(dir); err != nil {
		return nil, err
	}
	return config.Load(filepath.Join(dir, demo.ConfigName))
}

// assemble makes policy, masker, corpus and a Base for each profile.
func (s *site) assemble(a *app) error {
	var err error
	if s.policy, err = policy.New(policyOptions(s.cfg)); err != nil {
		return err
	}
	if s.redact, err = redact.New(redactOptions(s.cfg)); err != nil {
		return err
	}
	for _, v := range s.cfg.Vaults {
		root, err := vault.Open(v.Name, v.Root, vault.Options{FileBytes: s.cfg.Limits.FileBytes, Prefix: len(s.cfg.Vaults) > 1})
		if err != nil {
			return fmt.Errorf("open the vault %s: %w", v.Root, err)
		}
		s.roots = append(s.roots, root)
		s.closers = append(s.closers, func() { root.Close() })
	}
	if s.keys == nil {
		if s.keys, err = keys.Open(s.cfg.Places.Config); err != nil {
			return err
		}
	}
	s.corpus = corpus.New(corpus.Options{
		Roots: s.roots, Policy: s.policy, Redactor: s.redact, ChunkWords: s.cfg.Limits.ChunkWords,
		IndexBytes: s.cfg.Limits.IndexBytes,
	})
	if err := s.openVerdict(a); err != nil {
		return err
	}
	if err := s.openProvenance(a); err != nil {
		return err
	}
	s.bases = map[string]*kb.Base{}
	for _, profile := range s.policy.Profiles() {
		s.bases[profile] = kb.New(s.baseOptions(profile))
	}
	return nil
}

// baseOptions are those of one profile's Base.
func (s *site) baseOptions(profile string) kb.Options {
	opt := kb.Options{
		Profile: profile, Corpus: s.corpus, Redactor: s.redact,
		Lexical:   lexical.New(lexical.Options{Languages: s.cfg.Language}),
		Gates:     gates(s.cfg.Evidence),
		PerNote:   perNote(s.cfg.Evidence),
		Limits:    kb.Limits{Results: s.cfg.Limits.Results, ResultTokens: s.cfg.Limits.ResultTokens},
		CursorKey: s.keys.Subkey(keys.Cursor),
		Tuning:    func() kb.Tuning { return s.tuning(profile) },
	}
	if s.leg != nil {
		opt.Semantic = s.leg.Index(profile)
	}
	return opt
}

// gates are the built-in bars, with what the owner changed.
func gates(e config.Evidence) evidence.Gates {
	g := evidence.Default()
	if e.MinScore != nil {
		g.MinScore = *e.MinScore
	}
	if e.MinCoverage != nil {
		g.MinCoverage = *e.MinCoverage
	}
	return g
}

// perNote is how many passages of one note stand before those of others.
func perNote(e config.Evidence) int {
	if e.PerNote != nil {
		return *e.PerNote
	}
	return kb.DefaultPerNote
}

// policyOptions turns the configuration's rules into the policy's.
func policyOptions(cfg *config.Config) policy.Options {
	opt := policy.Options{TrustDefault: candor.Tier(cfg.TrustDefault), Write: cfg.Unindexed()}
	if cfg.Profiles != nil {
		opt.Profiles = map[string]policy.Rules{}
		for name, r := range cfg.Profiles {
			opt.Profiles[name] = policy.Rules{Allow: r.Allow, Deny: r.Deny}
		}
	}
	for _, t := range cfg.Trust {
		opt.Trust = append(opt.Trust, policy.TrustRule{Paths: t.Paths, Tier: candor.Tier(t.Tier), ReviewBy: t.ReviewBy})
	}
	return opt
}

// redactOptions turns the configuration's masking rules into the masker's.
func redactOptions(cfg *config.Config) redact.Options {
	opt := redact.Options{Allow: cfg.Redact.Allow, Flags: cfg.Redact.Flags}
	for _, r := range cfg.Redact.Rules {
		opt.Rules = append(opt.Rules, redact.Rule{Name: r.Name, Pattern: r.Pattern})
	}
	return opt
}

// locate finds a note's file, for a link in a terminal.
func (s *site) locate(p candor.Path) string {
	if snap := s.corpus.Snapshot(s.profile); snap != nil {
		if n := snap.Note(p); n != nil {
			return n.File()
		}
	}
	return ""
}
