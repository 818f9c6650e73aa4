package kb

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"candor"
	"candor/corpus"
	"candor/evidence"
	"candor/fusion"
	"candor/redact"
	"candor/retrieval"
)

// Options are what a Base is made of.
type Options struct {
	Profile  string
	Corpus   *corpus.Corpus
	Redactor *redact.Redactor // judges queries
	Lexical  candor.Index     // an empty index of the wanted kind
	Semantic candor.Index     // likewise; nil without vectors
	Gates    evidence.Gates
	PerNote  int    // passages of one note before those of others; 0 is no cap
	Limits   Limits // zero fields take the defaults
	// CursorKey authenticates cursors; 32 bytes.
	CursorKey []byte
	// Tuning says how to search at this moment, and why; nil is lexical, without a
	// semantic leg.
	Tuning func() Tuning
	// Now is the clock of flags and filters; nil is time.Now.
	Now func() time.Time
	// Wait is how long a call waits for the vault to be read first; 0 is DefaultWait.
	Wait time.Duration
}

// Tuning is how questions are answered. The zero value is lexical.
type Tuning struct {
	Mode   candor.Mode // lexical, or hybrid; semantic only to measure
	Reason string      // why not hybrid
	Fusion fusion.Params
	Pin    retrieval.Pin
	Gates  *evidence.Gates // of the verdict; nil is those of Options
	Model  string          // the embedding model, "" without one
	// Deadline bounds the wait for the semantic leg; 0 is the engine's default.
	Deadline time.Duration
}

// The defaults of Limits and Wait.
const (
	DefaultQueryBytes   = 4 << 10
	DefaultResults      = 50
	DefaultResultTokens = 8000
	DefaultWait         = 3 * time.Second
)

// depth is how many hits each leg gives: what fusion needs and what paging can reach.
const depth = 100

// Base answers for one profile. It is safe for concurrent use.
type Base struct {
	opt   Options
	ready chan struct{} // closed when there is a view
	once  sync.Once
	mu    sync.Mutex // held while a view is made
	at    atomic.Pointer[view]

	compare evidence.Comparer
}

// view is one snapshot with its indexes.
type view struct {
	snap     *corpus.Snapshot
	lexical  candor.Index
	semantic candor.Index // nil without vectors
}

// New makes a Base. It answers once Sync has found a snapshot.
func New(opt Options) *Base {
	if opt.Tuning == nil {
		opt.Tuning = func() Tuning {
			return Tuning{Mode: candor.ModeLexical, Reason: "no ollama section in the configuration"}
		}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.Limits.QueryBytes = orDefault(opt.Limits.QueryBytes, DefaultQueryBytes)
	opt.Limits.Results = orDefault(opt.Limits.Results, DefaultResults)
	opt.Limits.ResultTokens = orDefault(opt.Limits.ResultTokens, DefaultResultTokens)
	opt.Wait = orDefault(opt.Wait, DefaultWait)
	return &Base{opt: opt, ready: make(chan struct{})}
}

// orDefault is v, or def where v is zero.
func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Profile is the profile that the Base answers for.
func (b *Base) Profile() string { return b.opt.Profile }

// Limits are the bounds in force.
func (b *Base) Limits() Limits { return b.opt.Limits }

// Sync brings the indexes up to the corpus's snapshot, at the cost of what changed.
// Answers do it too when they need it; to call it after a change only makes the next
// answer faster.
func (b *Base) Sync() {
	b.mu.Lock()
	defer b.mu.Unlock()
	snap := b.opt.Corpus.Snapshot(b.opt.Profile)
	old := b.at.Load()
	if snap == nil || old != nil && old.snap == snap {
		return
	}
	v := &view{snap: snap, lexical: b.opt.Lexical, semantic: b.opt.Semantic}
	if old != nil {
		v.lexical, v.semantic = old.lexical, old.semantic
	}
	v.lexical = v.lexical.Update(snap.Chunks)
	if v.semantic != nil {
		v.semantic = v.semantic.Update(snap.Chunks)
	}
	b.at.Store(v)
	b.once.Do(func() { close(b.ready) })
}

// view is the state of now. Before the vault is read it waits, then gives ErrLoading.
func (b *Base) view(ctx context.Context) (*view, error) {
	if b.at.Load() == nil {
		wait := time.NewTimer(b.opt.Wait)
		defer wait.Stop()
		select {
		case <-b.ready:
		case <-wait.C:
			return nil, candor.ErrLoading
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if v := b.at.Load(); v.snap == b.opt.Corpus.Snapshot(b.opt.Profile) {
		return v, nil
	}
	b.Sync()
	return b.at.Load(), nil
}

// settled makes an answer from a view in which every note that the answer shows is as
// it is on disk now. make gives those notes; they are looked at also where it fails,
// since an error may tell of them too. A note that has changed is read again and the
// answer made anew; one that is gone or newly denied is in no answer.
func (b *Base) settled(ctx context.Context, make func(*view) ([]candor.Path, error)) error {
	for range maxRefresh {
		v, err := b.view(ctx)
		if err != nil {
			return err
		}
		shown, failed := make(v)
		fresh, err := b.opt.Corpus.Fresh(ctx, v.snap, shown)
		switch {
		case err != nil:
			return err
		case fresh:
			return failed
		}
	}
	return candor.ErrLoading // notes change faster than they can be read
}

// maxRefresh bounds how often an answer is made anew because notes change under it.
const maxRefresh = 8

// note finds a note by the path of a request, and the list of notes that an answer
// about it shows, itself first.
func (v *view) note(p candor.Path) (*corpus.Note, []candor.Path, error) {
	n := v.snap.Note(p)
	if n == nil {
		return nil, nil, candor.ErrNotFound
	}
	return n, []candor.Path{p}, nil
}
