package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"time"

	"candor"
	"candor/cache"
	"candor/config"
	"candor/internal/keys"
	"candor/kb"
	"candor/retrieval/semantic"
)

// chunkerVersion is part of a vector's name. Raise it with what Compose makes of a chunk.
const chunkerVersion = "1"

// openVectors opens the semantic leg. It connects to nothing: the first question or the
// first filling does. Without an ollama section there is no leg and no network client.
func (s *site) openVectors(a *app) error {
	o := s.cfg.Ollama
	if o == nil || s.leg != nil {
		return nil
	}
	store, err := s.openCache()
	if err != nil {
		return err
	}
	s.leg, err = semantic.New(semantic.LegOptions{
		Embedder: semantic.Options{
			URL: o.URL, Model: o.Model, KeepAlive: &o.KeepAlive,
			QueryPrefix: o.QueryPrefix, DocumentPrefix: o.DocumentPrefix,
			Warn: func(message string) { fmt.Fprintln(a.Stderr, "candor:", plain(message)) },
		},
		Cache: store, Chunker: chunkerVersion,
	})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { s.leg.Close() })
	return nil
}

// openCache opens the folder of sealed vectors, or none where they stay in memory.
func (s *site) openCache() (*cache.Cache, error) {
	dir := s.vectorsDir()
	if dir == "" {
		return nil, nil
	}
	c, err := cache.Open(cache.Options{Dir: dir, Key: s.keys.Subkey(keys.Cache)})
	if err != nil {
		return nil, fmt.Errorf("open the cache of vectors: %w", err)
	}
	s.closers = append(s.closers, func() { c.Close() })
	return c, nil
}

// vectorsDir is the cache folder of this set of vaults; "" where vectors are kept in
// memory: with cache off, without a home, or with a key that ends with the process.
func (s *site) vectorsDir() string {
	if !s.cfg.Cache || s.cfg.Places.Cache == "" || s.keys.InMemory() != "" {
		return ""
	}
	if s.vectors != "" {
		return s.vectors
	}
	return filepath.Join(s.cfg.Places.Cache, "vectors", s.name())
}

// name names this configuration and its vaults among others of the same user.
func (s *site) name() string {
	roots := []string{s.cfg.File}
	for _, v := range s.cfg.Vaults {
		roots = append(roots, v.Root)
	}
	return digest(roots)
}

// demoOllama lets an eval command measure the demo with the Ollama of this machine.
func (s *site) demoOllama(a *app) error {
	url, err := config.OllamaURL(a.Getenv("OLLAMA_HOST"))
	if err != nil {
		return err
	}
	s.cfg.Ollama = &config.Ollama{URL: url, Model: demoModel, KeepAlive: 30 * time.Minute}
	if s.cfg.Places.Cache != "" { // the demo's own folder is another each time
		s.vectors = filepath.Join(s.cfg.Places.Cache, "vectors", "demo")
	}
	return nil
}

// demoModel is the embedding model that the demo and judged collections are measured with.
const demoModel = "all-minilm"

// allChunks are the chunks of all profiles.
func (s *site) allChunks() iter.Seq[*candor.Chunk] {
	return func(yield func(*candor.Chunk) bool) {
		for _, profile := range s.policy.Profiles() {
			for _, ch := range s.corpus.Snapshot(profile).Chunks {
				if ch != nil && !yield(ch) {
					return
				}
			}
		}
	}
}

// fill gives every chunk a vector, with progress on a terminal.
func (s *site) fill(ctx context.Context, a *app) (semantic.Progress, error) {
	var show func(semantic.Progress)
	if interactive(a.Stderr) {
		show = func(p semantic.Progress) { fmt.Fprintf(a.Stderr, "\r\x1b[K%s", p) }
		defer fmt.Fprint(a.Stderr, "\r\x1b[K")
	}
	return s.leg.Fill(ctx, s.allChunks(), show)
}

// force makes the site answer in one mode, verdict or not. Only the eval commands may.
func (s *site) force(a *app, mode candor.Mode) error {
	s.forced = &kb.Tuning{Mode: mode, Reason: "measured", Deadline: time.Minute}
	if mode == candor.ModeLexical {
		return nil
	}
	if err := s.needVectors(a); err != nil {
		return err
	}
	for _, profile := range s.policy.Profiles() {
		s.bases[profile] = kb.New(s.baseOptions(profile))
	}
	s.base().Sync()
	return nil
}

// embedCmd fills the cache.
type embedCmd struct{}

// Run gives every chunk a vector. It can be interrupted at any moment and goes on where
// it was.
func (c *embedCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.needVectors(a); err != nil {
		return err
	}
	if s.vectorsDir() == "" {
		return withHint(errors.New("there is no folder to keep vectors in"), "cache: on in candor.yaml, and a home with a key")
	}
	start := time.Now()
	p, err := s.fill(ctx, a)
	if a.JSON {
		if jsonErr := a.out.json(p); jsonErr != nil {
			return jsonErr
		}
	} else if p.Total > 0 {
		fmt.Fprintf(a.Stdout, "%d of %d texts have a vector, %d made in %s, %d cut to fit, %d failed\n",
			p.Have, p.Total, p.Added, time.Since(start).Round(time.Second), p.Cut, p.Failed)
	}
	if errors.Is(err, cache.ErrBusy) {
		return withHint(err, "it goes on without this one; candor cache stat tells how far it is")
	}
	return embedderHint(err)
}

// embedderHint tells what to do about an embedder that does not answer.
func embedderHint(err error) error {
	var away *semantic.Unavailable
	if !errors.As(err, &away) {
		return err
	}
	return withHint(errors.New(away.ModeReason()), "start it with ollama serve; ollama list shows its models, ollama pull brings one")
}

// needVectors opens the leg, or says what is missing.
func (s *site) needVectors(a *app) error {
	if s.cfg.Ollama == nil {
		return withHint(errors.New("no ollama section in the configuration"), "add to candor.yaml: ollama: {model: all-minilm}")
	}
	return s.openVectors(a)
}

// cacheCmd looks after the cache of vectors.
type cacheCmd struct {
	Stat   cacheStatCmd   `cmd:"" help:"Count what the cache holds."`
	Verify cacheVerifyCmd `cmd:"" help:"Open every vector; exit 1 if one is damaged."`
	Prune  cachePruneCmd  `cmd:"" help:"Drop the vectors of what is no longer in the vaults."`
	Rotate cacheRotateCmd `cmd:"" name:"rotate-key" help:"Replace the key: all vectors, cursors and verdicts made before are void."`
}

// withCache runs f on the configuration's cache.
func (a *app) withCache(f func(s *site, c *cache.Cache) error) error {
	s, err := a.build()
	if err != nil {
		return err
	}
	defer s.close()
	c, err := s.openCache()
	if err != nil {
		return err
	}
	if c == nil {
		return withHint(errors.New("vectors are kept in memory: there is no cache"), "cache: on in candor.yaml, and a home with a key")
	}
	return f(s, c)
}

// cacheStatCmd counts.
type cacheStatCmd struct{}

// Run prints counts.
func (cacheStatCmd) Run(a *app) error {
	return a.withCache(func(s *site, c *cache.Cache) error {
		st := c.Stat()
		return a.show(st, func() { a.out.cacheStat(s.vectorsDir(), st) })
	})
}

// cacheVerifyCmd opens everything.
type cacheVerifyCmd struct{}

// Run opens every vector.
func (cacheVerifyCmd) Run(a *app) error {
	return a.withCache(func(_ *site, c *cache.Cache) error {
		r, err := c.Verify()
		if err != nil {
			return err
		}
		err = a.show(r, func() {
			fmt.Fprintf(a.Stdout, "%d vectors are sound, %d are damaged\n", r.Vectors, r.Damaged)
			a.out.cacheFaults(r.Faults)
		})
		if err != nil {
			return err
		}
		if r.Damaged > 0 || len(r.Faults) > 0 {
			return errNo
		}
		return nil
	})
}

// cachePruneCmd drops what is not live.
type cachePruneCmd struct{}

// Run drops vectors of text that no vault holds any more.
func (cachePruneCmd) Run(ctx context.Context, a *app) error {
	return a.withCache(func(s *site, c *cache.Cache) error {
		if err := s.corpus.Load(ctx); err != nil {
			return err
		}
		w, err := c.Writer()
		if err != nil {
			return err
		}
		defer w.Close()
		pruned, err := w.Prune(semantic.Live(c.Key(), chunkerVersion, s.allChunks()))
		if err != nil {
			return err
		}
		return a.show(pruned, func() {
			fmt.Fprintf(a.Stdout, "dropped %d vectors, removed %d files\n", pruned.Vectors, pruned.Files)
		})
	})
}

// cacheRotateCmd replaces the key.
type cacheRotateCmd struct{}

// Run makes a new key file. What was sealed under the old one is dropped at the next
// filling.
func (cacheRotateCmd) Run(a *app) error {
	if a.Demo {
		return errors.New("the demo has no key of its own")
	}
	if _, err := keys.Rotate(config.UserPlaces().Config); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.Stdout, "a new key is in force; candor embed fills the cache again")
	return err
}

// cacheStat prints the counts of a cache.
func (p printer) cacheStat(dir string, st cache.Stat) {
	fmt.Fprintf(p.w, "%s\n%d vectors in %d files, %d bytes\n", dir, st.Vectors, st.Segments, st.Bytes)
	for _, c := range st.Spaces {
		fmt.Fprintf(p.w, "  one model: %d vectors of %d dimensions\n", c.Vectors, c.Width)
	}
	p.cacheFaults(st.Faults)
}

// cacheFaults prints files that are not used.
func (p printer) cacheFaults(faults []cache.Fault) {
	for _, f := range faults {
		fmt.Fprintf(p.w, "not used: %s: %s\n", f.File, f.Reason)
	}
}
