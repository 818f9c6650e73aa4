package main

import (
	"context"
	"fmt"

	"candor"
	"candor/corpus"
	"candor/provenance"
)

// checkCmd is the owner's health check.
type checkCmd struct{}

// health is what check tells. Only the owner sees it.
type health struct {
	Config   string           `json:"config"` // "" without a file
	Vaults   []vaultHealth    `json:"vaults"`
	Profiles []profileHealth  `json:"profiles"`
	Skipped  []corpus.Problem `json:"skipped"` // files that are not indexed
	Damaged  []corpus.Problem `json:"damaged"` // notes indexed in spite of a fault
	Hidden   []corpus.Problem `json:"hidden"`  // notes that nobody may read
	Masked   []corpus.Masked  `json:"masked"`
	Hybrid   []string         `json:"hybrid"` // what hybrid still needs
	Write    *writeHealth     `json:"write"`  // null without a write zone
	Warnings []string         `json:"warnings"`
}

// vaultHealth is one folder of notes.
type vaultHealth struct {
	Name string `json:"name"`
	Root string `json:"root"`
}

// profileHealth is what one profile has.
type profileHealth struct {
	Profile    string           `json:"profile"`
	Notes      int              `json:"notes"`
	Chunks     int              `json:"chunks"`
	Superseded int              `json:"superseded"`
	Left       []candor.Path    `json:"left"` // beyond limits.index_bytes, not indexed
	Dead       []corpus.Problem `json:"dead"` // pointers that lead nowhere or in a circle
	Mode       candor.Mode      `json:"mode"`
	ModeReason string           `json:"mode_reason"`
}

// Run reads everything and tells what is indexed and what is not. Skipped and damaged
// notes are told, not failed.
func (c *checkCmd) Run(ctx context.Context, a *app) error {
	s, err := a.build()
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.corpus.Load(ctx); err != nil {
		return err
	}
	if s.leg != nil {
		s.meet(ctx)
		for _, b := range s.bases {
			b.Sync()
		}
	}
	h := s.health()
	if h.Write, err = s.writeHealth(ctx); err != nil {
		h.Warnings = append(h.Warnings, "the write zone: "+err.Error())
	}
	return a.show(h, func() { a.out.health(h) })
}

// health gathers the report.
func (s *site) health() health {
	r := s.corpus.Report()
	h := health{
		Config: s.cfg.File, Vaults: []vaultHealth{}, Profiles: []profileHealth{}, Skipped: some(r.Skipped), Damaged: some(r.Damaged),
		Hidden: some(r.Hidden), Masked: some(r.Masked), Hybrid: s.hybridNeeds(), Warnings: some(s.warnings()),
	}
	for _, v := range s.cfg.Vaults {
		h.Vaults = append(h.Vaults, vaultHealth{Name: v.Name, Root: v.Root})
	}
	for _, profile := range s.policy.Profiles() {
		snap := s.corpus.Snapshot(profile)
		t := s.tuning(profile)
		p := profileHealth{
			Profile: profile, Left: some(snap.Left()), Dead: some(snap.Dead()), Mode: t.Mode, ModeReason: t.Reason,
		}
		p.Notes, p.Chunks = snap.Size()
		for _, path := range snap.Paths() {
			if _, old := snap.Superseded(path); old {
				p.Superseded++
			}
		}
		h.Profiles = append(h.Profiles, p)
	}
	return h
}

// some is a list that marshals as [] when it is empty.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// warnings are what is allowed but worth saying.
func (s *site) warnings() []string {
	out := s.cfg.Warnings
	if s.cfg.Profiles == nil {
		out = append(out, "there are no profiles: one profile, "+s.profile+", sees every note")
	}
	if runs, err := s.history().Runs(); err == nil && provenance.Alarm(runs) {
		out = append(out, alarmText+" (candor verify --grid)")
	}
	if err := s.history().Trouble(); err != nil {
		out = append(out, err.Error())
	}
	if why := s.keys.InMemory(); why != "" {
		out = append(out, "the key is kept in memory only: "+why)
	}
	return out
}

// hybridNeeds lists what stands between this configuration and hybrid answers.
func (s *site) hybridNeeds() []string {
	needs := []string{}
	if s.cfg.Ollama == nil {
		needs = append(needs, "an ollama section in candor.yaml")
	}
	if s.cfg.Evals.Topics == "" {
		needs = append(needs, "questions of your own: evals.topics in candor.yaml")
	}
	if !s.recorded().Yes() {
		needs = append(needs, "a verdict that hybrid beats BM25 on them: candor eval hybrid")
	}
	return needs
}

// health prints the report.
func (p printer) health(h health) {
	if h.Config != "" {
		fmt.Fprintf(p.w, "%s %s\n", p.bold("configuration"), h.Config)
	}
	for _, v := range h.Vaults {
		fmt.Fprintf(p.w, "%s %s %s\n", p.bold("vault"), v.Name, v.Root)
	}
	for _, pr := range h.Profiles {
		fmt.Fprintf(p.w, "%s %s: %d notes, %d chunks, %d superseded; %s (%s)\n",
			p.bold("profile"), pr.Profile, pr.Notes, pr.Chunks, pr.Superseded, pr.Mode, pr.ModeReason)
		for _, path := range pr.Left {
			fmt.Fprintf(p.w, "%s %s: beyond limits.index_bytes\n", p.bold("  left out"), plain(string(path)))
		}
		p.problems("  dead pointer", pr.Dead)
	}
	p.problems("skipped", h.Skipped)
	p.problems("damaged", h.Damaged)
	p.problems("hidden", h.Hidden)
	for _, m := range h.Masked {
		fmt.Fprintf(p.w, "%s %s: %s, %d\n", p.bold("masked"), plain(string(m.Path)), plain(m.Kind), m.Count)
	}
	if h.Write != nil {
		p.writes(h.Write)
	}
	for _, w := range h.Warnings {
		fmt.Fprintf(p.w, "%s %s\n", p.bold("note"), w)
	}
	for _, n := range h.Hybrid {
		fmt.Fprintf(p.w, "%s %s\n", p.bold("hybrid needs"), n)
	}
}

// problems prints a list of notes with what is wrong.
func (p printer) problems(title string, list []corpus.Problem) {
	for _, pr := range list {
		fmt.Fprintf(p.w, "%s %s: %s\n", p.bold(title), plain(string(pr.Path)), plain(pr.Why))
	}
}
