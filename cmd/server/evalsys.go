package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"candor"
	"candor/config"
	"candor/corpus"
	"candor/evals"
	"candor/evidence"
	"candor/kb"
)

// measured is a site as the eval harness sees it, in process.
type measured struct {
	app   *app
	site  *site
	bare  map[string]*kb.Base // with the gates off, deep, and nothing held back
	doors doors
}

var (
	_ evals.System   = (*measured)(nil)
	_ evals.Isolator = (*measured)(nil)
	_ evals.Opener   = (*measured)(nil)
)

// unbounded are limits that hold nothing back.
var unbounded = kb.Limits{Results: 1000, ResultTokens: 1 << 24}

// measure makes the system of an open site.
func (a *app) measure(s *site) *measured {
	m := &measured{app: a, site: s, bare: map[string]*kb.Base{}}
	m.doors.open = m.pipe
	for _, profile := range s.policy.Profiles() {
		opt := s.baseOptions(profile)
		opt.Gates, opt.PerNote, opt.Limits = evidence.Gates{}, 0, unbounded
		m.bare[profile] = kb.New(opt)
		m.bare[profile].Sync()
		s.bases[profile].Sync()
	}
	return m
}

// base is the Base that answers at a seat.
func (m *measured) base(at seat) *kb.Base {
	if at.gatesOff {
		return m.bare[at.profile]
	}
	return m.site.bases[at.profile]
}

// Search asks for as many hits as are wanted, page by page.
func (m *measured) Search(ctx context.Context, q evals.Question) (evals.Answer, error) {
	at, err := m.seat(q.Profile, q.GatesOff)
	if err != nil {
		return evals.Answer{}, err
	}
	base := m.base(at)
	var out evals.Answer
	req := kb.SearchRequest{Query: q.Text, Limit: min(q.Limit, base.Limits().Results)}
	for tries := 0; ; {
		a, err := base.Search(ctx, req)
		if err != nil {
			return evals.Answer{}, err
		}
		if forced := m.site.forced; forced != nil && a.Mode != forced.Mode {
			if m.awaits(ctx, &tries) {
				continue
			}
			return evals.Answer{}, fmt.Errorf("%s was to be measured and %s answered: %s", forced.Mode, a.Mode, a.ModeReason)
		}
		out.Abstained, out.Reason = a.Abstained, a.Reason
		out.Confidence = min(a.Margin, math.MaxFloat64) // bars of 0 have no bound, and JSON no infinity
		out.Raw += mustJSON(a)
		for _, h := range a.Hits {
			out.Hits = append(out.Hits, evals.Hit{Citation: h.Citation, Text: h.Text, Score: h.Score, Flags: h.Flags})
		}
		if a.NextCursor == "" || len(out.Hits) >= q.Limit {
			return out, nil
		}
		req.Cursor = a.NextCursor
	}
}

// awaits waits for an embedder that was too slow for a question, a few times: a
// measurement has the time that an answer has not.
func (m *measured) awaits(ctx context.Context, tries *int) bool {
	if *tries++; m.site.leg == nil || *tries > 3 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	_, err := m.site.leg.Identify(ctx)
	return err == nil
}

// Read gives lines of a note.
func (m *measured) Read(ctx context.Context, at evals.Place) (evals.Passage, error) {
	seat, err := m.seat(at.Profile, false)
	if err != nil {
		return evals.Passage{}, err
	}
	a, err := m.base(seat).Read(ctx, kb.ReadRequest{Path: string(at.Path), StartLine: at.Lines.Start, EndLine: at.Lines.End})
	if err != nil {
		return evals.Passage{}, err
	}
	return evals.Passage{
		Citation: a.Citation, Text: a.Text, Flags: a.Flags, SupersededBy: a.SupersededBy, Raw: mustJSON(a),
	}, nil
}

// Open shows a note as it lies on disk, also one that no profile may see.
func (m *measured) Open(_ context.Context, path candor.Path) (string, error) {
	file := writtenAs(m.site.cfg, path)
	for _, profile := range m.site.policy.Profiles() {
		if n := m.site.corpus.Snapshot(profile).Note(path); n != nil {
			file = onDisk(m.site.cfg, n)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", candor.ErrNotFound
	}
	return string(data), nil
}

// writtenAs is where a note that no profile may see lies, if its name on disk is its path.
func writtenAs(cfg *config.Config, p candor.Path) string {
	if len(cfg.Vaults) == 1 {
		return filepath.Join(cfg.Vaults[0].Root, filepath.FromSlash(string(p)))
	}
	for _, v := range cfg.Vaults {
		if rel, ok := strings.CutPrefix(string(p), v.Name+"/"); ok {
			return filepath.Join(v.Root, filepath.FromSlash(rel))
		}
	}
	return ""
}

// Alone builds the system anew from copies of what a profile may see, and nothing else.
func (m *measured) Alone(ctx context.Context, profile string) (evals.System, error) {
	alone, err := m.copied(profile)
	if err != nil {
		return nil, err
	}
	if err := alone.assemble(m.app); err != nil {
		return nil, err
	}
	m.site.closers = append(m.site.closers, alone.close)
	if err := alone.load(ctx); err != nil {
		return nil, err
	}
	return m.app.measure(alone), nil
}

// copied is a site, not assembled yet, over copies of what a profile may see. It answers
// as the site does, by the same leg: a vector is that of a text, whoever sees the text.
func (m *measured) copied(profile string) (*site, error) {
	at, err := m.seat(profile, false)
	if err != nil {
		return nil, err
	}
	profile = at.profile
	dir, err := os.MkdirTemp("", "candor-alone-")
	if err != nil {
		return nil, err
	}
	m.site.closers = append(m.site.closers, func() { os.RemoveAll(dir) })
	cfg := *m.site.cfg
	cfg.Vaults, cfg.Ollama = nil, nil
	for _, v := range m.site.cfg.Vaults {
		root := filepath.Join(dir, v.Name)
		if err := os.MkdirAll(root, 0o700); err != nil {
			return nil, err
		}
		cfg.Vaults = append(cfg.Vaults, config.Vault{Name: v.Name, Root: root})
	}
	alone := &site{cfg: &cfg, profile: profile, leg: m.site.leg, forced: m.site.forced}
	snap := m.site.corpus.Snapshot(profile)
	for _, p := range snap.Paths() {
		n := snap.Note(p)
		if err := copyFile(onDisk(m.site.cfg, n), onDisk(&cfg, n)); err != nil {
			return nil, err
		}
	}
	return alone, nil
}

// onDisk is where a configuration has a note's file.
func onDisk(cfg *config.Config, n *corpus.Note) string {
	vault, file := n.Disk()
	i := slices.IndexFunc(cfg.Vaults, func(v config.Vault) bool { return v.Name == vault })
	return filepath.Join(cfg.Vaults[max(0, i)].Root, filepath.FromSlash(file))
}

// copyFile copies a note with its time, which answers depend on.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Fingerprint names what the answers depend on.
func (m *measured) Fingerprint(context.Context) (evals.Fingerprint, error) {
	s := m.site
	var vault []string
	for _, profile := range s.policy.Profiles() {
		snap := s.corpus.Snapshot(profile)
		vault = append(vault, profile)
		for n := range snap.Current {
			for _, ch := range n.Chunks {
				vault = append(vault, ch.Citation().ID)
			}
		}
	}
	mode := s.tuning(s.profile).Mode
	return evals.Fingerprint{
		Mode: mode, Vault: digest(vault), Policy: digest(s.cfg.Profiles, s.cfg.Trust, s.cfg.TrustDefault),
		Chunker: s.chunker(), Redact: s.redact.Fingerprint(), Analyzer: s.analyzer(),
		Gates: fmt.Sprint(gates(s.cfg.Evidence)),
	}, nil
}

// digest is a short name for values.
func digest(values ...any) string {
	sum := sha256.Sum256([]byte(mustJSON(values)))
	return hex.EncodeToString(sum[:6])
}

// mustJSON is for values of our own types, which always marshal.
func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}
