package main

import (
	"context"
	"fmt"

	"candor"
	"candor/config"
	"candor/kb"
	"candor/mcpserver"
	"candor/notes"
)

// openZone opens the write zone of the configuration; nil without one. What may be
// written is judged by the site of the moment.
func (s *site) openZone(now func() *site) (*notes.Zone, error) {
	w := s.cfg.Write
	if w == (config.Write{}) {
		return nil, nil
	}
	opt := notes.Options{
		Drafts: w.Drafts, Ledger: w.Ledger, Bytes: s.cfg.Limits.WriteBytes,
		Secret: func(text string) bool { return now().redact.Finds(text) },
		Where:  func(name string) (candor.Path, bool) { return now().draft(name) },
	}
	return notes.Open(opt)
}

// draft gives the path that a draft has in answers, and whether some profile could read it.
func (s *site) draft(name string) (path candor.Path, indexed bool) {
	path = candor.Path(name)
	for i, folder := range s.cfg.VaultPaths(s.cfg.Write.Drafts) {
		inside := candor.Path(folder + "/" + name)
		if i == 0 {
			path = inside
		}
		indexed = indexed || s.policy.Decide(inside).Allowed()
	}
	return path, indexed
}

// openZone opens the write zone for the doors; it is closed with what answers.
func (l *live) openZone() error {
	zone, err := l.at.Load().openZone(l.at.Load)
	l.zone = zone
	return err
}

// recover clears away what a crash has left in the write zone.
func (l *live) recover(ctx context.Context) {
	if l.zone == nil {
		return
	}
	if err := l.zone.Recover(ctx); err != nil && ctx.Err() == nil {
		l.log.Warn("the write zone could not be looked through", "error", err)
	}
}

// writes gives a profile's server the tools that write, where the owner allows them.
func (l *live) writes(opt *mcpserver.Options, profile string) {
	if l.zone == nil {
		return
	}
	d := l.door(profile)
	p := pen{d, l.zone.Writer(profile, d.resolve)}
	w := l.at.Load().cfg.Write
	if w.Drafts != "" {
		opt.Notes = p
	}
	if w.Ledger != "" {
		opt.Ledger = p
	}
	opt.WriteBytes = l.at.Load().cfg.Limits.WriteBytes
}

// resolve gives the id that a citation has now, as the profile may read it.
func (d door) resolve(ctx context.Context, id string) (string, error) {
	a, err := d.Read(ctx, kb.ReadRequest{Citation: id})
	switch {
	case err != nil:
		return "", err
	case a.State == kb.Stale:
		return "", notes.ErrStale
	}
	return a.Citation.ID, nil
}

// pen writes for one profile, as long as there is that profile.
type pen struct {
	door
	writer *notes.Writer
}

func (p pen) allowed() error {
	if p.live.at.Load().bases[p.profile] == nil {
		return candor.ErrNotFound
	}
	return nil
}

// CreateNote implements mcpserver.NoteMaker.
func (p pen) CreateNote(ctx context.Context, q notes.NoteRequest) (notes.NoteAnswer, error) {
	if err := p.allowed(); err != nil {
		return notes.NoteAnswer{}, err
	}
	return p.writer.CreateNote(ctx, q)
}

// AppendLedger implements mcpserver.LedgerKeeper.
func (p pen) AppendLedger(ctx context.Context, q notes.EntryRequest) (notes.EntryAnswer, error) {
	if err := p.allowed(); err != nil {
		return notes.EntryAnswer{}, err
	}
	return p.writer.AppendLedger(ctx, q)
}

// writeHealth is the state of the write zone.
type writeHealth struct {
	Drafts []string      `json:"drafts"` // names of those that wait for review
	Ledger *notes.Report `json:"ledger"` // null without a ledger
}

// writeHealth looks the write zone through and changes nothing in it; nil without one.
func (s *site) writeHealth(ctx context.Context) (*writeHealth, error) {
	zone, err := s.openZone(func() *site { return s })
	if zone == nil || err != nil {
		return nil, err
	}
	defer zone.Close()
	drafts, err := zone.Waiting()
	if err != nil {
		return nil, err
	}
	h := &writeHealth{Drafts: some(drafts)}
	if s.cfg.Write.Ledger != "" {
		r, err := zone.Verify(ctx)
		if err != nil {
			return nil, fmt.Errorf("write.ledger: %w", err)
		}
		h.Ledger = &r
	}
	return h, nil
}

// ledgerCmd looks after the ledger.
type ledgerCmd struct {
	Verify ledgerVerifyCmd `cmd:"" help:"Read the whole ledger and name the first line that was changed, removed or moved; exit 1 if there is one."`
}

// ledgerVerifyCmd verifies the ledger.
type ledgerVerifyCmd struct{}

// Run verifies the ledger and changes nothing.
func (ledgerVerifyCmd) Run(ctx context.Context, a *app) error {
	s, err := a.build()
	if err != nil {
		return err
	}
	defer s.close()
	zone, err := s.openZone(func() *site { return s })
	if err != nil {
		return err
	}
	if zone == nil {
		return withHint(notes.ErrNoLedger, "write.ledger in candor.yaml names one")
	}
	defer zone.Close()
	r, err := zone.Verify(ctx)
	if err != nil {
		return err
	}
	if err := a.show(r, func() { a.out.ledger(r) }); err != nil {
		return err
	}
	if r.BadLine > 0 {
		return errNo
	}
	return nil
}

// ledger prints what the verification of a ledger found.
func (p printer) ledger(r notes.Report) {
	if r.BadLine > 0 {
		fmt.Fprintf(p.w, "%s line %d %s; good entries before it: %d\n", p.bold("ledger"), r.BadLine, r.Why, r.Entries)
	} else {
		fmt.Fprintf(p.w, "%s whole; entries: %d; head: %s\n", p.bold("ledger"), r.Entries, r.Head)
	}
	for _, name := range r.Aside {
		fmt.Fprintf(p.w, "%s %s: a write that a crash tore; nobody was told that it was kept\n", p.bold("  set aside"), plain(name))
	}
}

// writes prints the state of the write zone.
func (p printer) writes(h *writeHealth) {
	for _, name := range h.Drafts {
		fmt.Fprintf(p.w, "%s %s: waits for review\n", p.bold("draft"), plain(name))
	}
	if h.Ledger != nil {
		p.ledger(*h.Ledger)
	}
}
