package semantic

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"candor"
	"candor/cache"
)

// LegOptions say what a Leg is made of.
type LegOptions struct {
	Embedder Options
	// Cache keeps the vectors; nil keeps them in memory. The Leg doesn't close it.
	Cache *cache.Cache
	// Chunker is the version of what cuts the chunks; it is part of a vector's name.
	Chunker string
}

// Leg is what the profiles share: the embedder and the vectors. Each profile has an
// index of its own. It is safe for concurrent use.
type Leg struct {
	embedder *Embedder
	cache    *cache.Cache
	names    names
	version  atomic.Int64 // changes whenever vectors came

	mu        sync.Mutex
	refreshed time.Time             // when the cache was last asked for others' work
	resting   map[cache.ID]resting  // texts that failed
	asked     map[string]*questions // by profile
}

// New makes a leg. It connects to nothing and reads no vector yet.
func New(opt LegOptions) (*Leg, error) {
	if opt.Cache == nil {
		key := make([]byte, cache.KeySize)
		_, _ = rand.Read(key) // never fails
		var err error
		if opt.Cache, err = cache.Open(cache.Options{Key: key}); err != nil {
			return nil, fmt.Errorf("a cache in memory: %w", err)
		}
	}
	l := &Leg{
		cache: opt.Cache, names: names{key: opt.Cache.Key(), chunker: opt.Chunker},
		resting: map[cache.ID]resting{}, asked: map[string]*questions{},
	}
	opt.Embedder.known = l.models
	var err error
	if l.embedder, err = NewEmbedder(opt.Embedder); err != nil {
		return nil, err
	}
	return l, nil
}

// Close ends what the leg has in the background.
func (l *Leg) Close() error { return l.embedder.Close() }

// Identify asks which model answers, however long it takes to load.
func (l *Leg) Identify(ctx context.Context) (Model, error) { return l.embedder.Identify(ctx) }

// Prefixes are what stands before texts.
func (l *Leg) Prefixes() Prefixes { return l.embedder.Prefixes() }

// Model gives the model as last seen; ok is false before it was.
func (l *Leg) Model() (m Model, ok bool) { return l.embedder.Model() }

// Index gives an empty index for a profile. The indexes of one profile, such as one
// made after the policy changed, share the vectors of its questions.
func (l *Leg) Index(profile string) *Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked[profile] == nil {
		l.asked[profile] = newQuestions(l.names.key)
	}
	x := &Index{leg: l, questions: l.asked[profile]}
	x.at.Store(&state{})
	return x
}

// Live tells which vectors are still of use while the vaults hold these chunks, for
// cache.Writer.Prune. It must be given the chunks of all profiles.
func Live(key cache.Key, chunker string, chunks iter.Seq[*candor.Chunk]) func(cache.ID) bool {
	n := names{key: key, chunker: chunker}
	live := map[cache.Chunk]bool{}
	for c := range chunks {
		if c != nil {
			live[n.chunk(Compose(c).String())] = true
		}
	}
	for i := range maxModels {
		live[n.model(i).Chunk] = true
	}
	return func(id cache.ID) bool { return live[id.Chunk] }
}

// models are the canary vectors of the models that this cache has met.
func (l *Leg) models() [][]float32 {
	var out [][]float32
	for i := range maxModels {
		v, ok := l.cache.Get(l.names.model(i))
		if !ok {
			break
		}
		out = append(out, v)
	}
	return out
}

// register writes the current model down, so that other processes and later runs give
// its space the same name.
func (l *Leg) register(w *cache.Writer) (Model, error) {
	m, _ := l.Model()
	for i := range maxModels {
		id := l.names.model(i)
		v, ok := l.cache.Get(id)
		switch {
		case !ok:
			if err := w.Put([]cache.Entry{{ID: id, Vector: m.Canary}}); err != nil {
				return m, fmt.Errorf("write down the embedding model: %w", err)
			}
			return m, nil
		case sameSpace(v, m.Canary):
			l.embedder.adopt(v)
			m, _ = l.Model()
			return m, nil
		}
	}
	return m, nil
}

// space names the current vectors; ok is false before there is a model.
func (l *Leg) space() (s cache.Space, m Model, ok bool) {
	if m, ok = l.Model(); ok {
		s = l.names.space(m, l.embedder.prefixes.Document)
	}
	return s, m, ok
}

// others is how often the cache is asked for what other processes have written.
const others = 2 * time.Second

// refresh takes up the work of other processes, now and then. What fails is tried again.
func (l *Leg) refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.refreshed) < others {
		return
	}
	l.refreshed = time.Now()
	if l.cache.Refresh() == nil {
		l.version.Add(1)
	}
}

// The pauses of a text that the embedder fails on.
const (
	minRest = time.Minute
	maxRest = 24 * time.Hour
)

// resting is a text that failed, and is let be for a while, each time longer.
type resting struct {
	until time.Time
	pause time.Duration
}

// rest lets a text be.
func (l *Leg) rest(id cache.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pause := min(max(2*l.resting[id].pause, minRest), maxRest)
	l.resting[id] = resting{until: time.Now().Add(pause), pause: pause}
}

// rests reports whether a text is to be let be.
func (l *Leg) rests(id cache.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.resting[id].until)
}
