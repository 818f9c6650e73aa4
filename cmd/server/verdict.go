package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"candor"
	"candor/cache"
	"candor/evals"
	"candor/evals/hybrid"
	"candor/fusion"
	"candor/kb"
	"candor/markdown"
	"candor/retrieval"
	"candor/retrieval/lexical"
	"candor/retrieval/semantic"
)

// verdictDir is where the verdict on this set of vaults lies; "" without a home.
func (s *site) verdictDir() string {
	if s.cfg.Places.State == "" || s.keys.InMemory() != "" {
		return ""
	}
	return filepath.Join(s.cfg.Places.State, "verdicts", s.name())
}

// openVerdict reads the recorded verdict and, where it says yes, opens the semantic leg.
// Without one nothing is opened: no vectors, no network client.
func (s *site) openVerdict(a *app) error {
	s.verdict = new(atomic.Pointer[ruling])
	if !s.asksVerdict() {
		return nil
	}
	found := s.readRuling(ruling{})
	if s.verdict.Store(&found); !found.Yes() {
		return nil
	}
	if err := s.openVectors(a); err != nil {
		// The vectors are a gain, not a need.
		fmt.Fprintln(a.Stderr, "candor: answers are lexical:", plain(err.Error()))
		s.leg, s.fault = nil, "the cache of vectors cannot be opened"
	}
	return nil
}

// asksVerdict reports whether the configuration leaves hybrid to the verdict.
func (s *site) asksVerdict() bool {
	return s.cfg.Ollama != nil && s.cfg.Retrieval.Mode != string(candor.ModeLexical)
}

// recorded is the verdict as last read.
func (s *site) recorded() ruling {
	if v := s.verdict.Load(); v != nil {
		return *v
	}
	return ruling{}
}

// meet gives the embedder a moment to say which model it is, where answers depend on it.
func (s *site) meet(ctx context.Context) {
	if s.leg == nil || s.forced != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	_, _ = s.leg.Identify(ctx) // without an answer the mode says why
}

// meetTime is how long a command waits for the embedder to say which model it is.
const meetTime = 3 * time.Second

// tuning says how a profile searches at this moment: hybrid while the verdict holds.
func (s *site) tuning(profile string) kb.Tuning {
	if s.forced != nil {
		return *s.forced
	}
	switch {
	case s.cfg.Retrieval.Mode == string(candor.ModeLexical):
		return kb.Tuning{Mode: candor.ModeLexical, Reason: "the configuration says lexical"}
	case s.cfg.Ollama == nil:
		return kb.Tuning{Mode: candor.ModeLexical, Reason: "no ollama section in the configuration"}
	}
	t := kb.Tuning{Mode: candor.ModeLexical, Model: s.cfg.Ollama.Model, Reason: s.fault}
	if s.fault != "" {
		return t
	}
	now := hybrid.Conditions{}
	if s.leg != nil {
		model, known := s.leg.Model()
		if !known {
			t.Reason = "the embedder has not answered yet"
			return t
		}
		now.Setup, now.Vectors = s.setup(model), s.bases[profile].Vectors()
	}
	verdict := s.recorded()
	now.Topics = verdict.topics
	holds, reason := verdict.Holds(now)
	t.Reason = reason
	if !holds {
		return t
	}
	v := verdict.Verdict()
	t.Mode, t.Fusion, t.Gates = candor.ModeHybrid, v.Params.Fusion, &v.Params.Gates
	return t
}

// setup names what a verdict depends on beside the constants that it teaches.
func (s *site) setup(m semantic.Model) hybrid.Setup {
	p := s.leg.Prefixes()
	return hybrid.Setup{
		Model: m.Fingerprint, QueryPrefix: p.Query, DocumentPrefix: p.Document,
		Chunker: s.chunker(), Analyzer: s.analyzer(), Fusion: fusion.Version,
		Pin: fmt.Sprint(retrieval.Pin{}), Gates: fmt.Sprint(gates(s.cfg.Evidence)),
	}
}

// chunker names what cuts the notes.
func (s *site) chunker() string {
	words := s.cfg.Limits.ChunkWords
	if words == 0 {
		words = markdown.DefaultWords
	}
	return fmt.Sprintf("%s, %d words", chunkerVersion, words)
}

// analyzer names what makes words of text.
func (s *site) analyzer() string { return digest(lexical.Version, s.cfg.Language, lexical.Defaults()) }

// keepVectors gives chunks their vectors while serving under a verdict, until ctx ends.
func (s *site) keepVectors(ctx context.Context, log *slog.Logger) {
	if s.leg == nil {
		return
	}
	pause := time.NewTicker(fillEvery)
	defer pause.Stop()
	for {
		if !s.recorded().Yes() {
			return
		}
		// Another process may be filling, or the embedder may be down: both pass.
		if _, err := s.leg.Identify(ctx); err == nil {
			if _, err := s.leg.Fill(ctx, s.allChunks(), nil); err != nil && !errors.Is(err, cache.ErrBusy) && ctx.Err() == nil {
				log.Debug("vectors are missing", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// fillEvery is how often a server looks for chunks without a vector.
const fillEvery = 5 * time.Second

// Legs implements hybrid.Legs.
func (m *measured) Legs(ctx context.Context, q evals.Question) (hybrid.Pair, error) {
	at, err := m.seat(q.Profile, true)
	if err != nil {
		return hybrid.Pair{}, err
	}
	l, err := m.base(at).Legs(ctx, q.Text)
	for tries := 0; err != nil; l, err = m.base(at).Legs(ctx, q.Text) {
		if _, away := errors.AsType[*semantic.Unavailable](err); !away || !m.awaits(ctx, &tries) {
			return hybrid.Pair{}, err
		}
	}
	return hybrid.Pair{
		Lexical: l.Lexical, Semantic: l.Semantic, Cite: l.Cite, Pinned: l.Pinned,
		Took: hybrid.Took{Lexical: l.LexicalTook, Semantic: l.SemanticTook},
	}, nil
}
