package semantic

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// Options say where the embedder is and how it is used. URL and Model are needed.
type Options struct {
	URL   string // http, a literal loopback address, a port
	Model string // as ollama list shows it
	// KeepAlive is how long Ollama keeps the model loaded after a request: 0 not at
	// all, below 0 for ever, nil what Ollama does by itself.
	KeepAlive *time.Duration
	// QueryPrefix and DocumentPrefix stand before texts; nil is what the model's
	// family was trained with, see Family.
	QueryPrefix, DocumentPrefix *string
	// AnyOwner leaves out the check of who listens on the port.
	AnyOwner bool
	// Warn is told once what somebody has to do, such as to pull the model, and again
	// only after it had been done. It may be nil.
	Warn func(message string)
	// Dial replaces the network in tests.
	Dial Dial

	// known are canary vectors of models met before, by this process or another.
	known func() [][]float32
}

// The bounds of waiting, beside the deadlines of callers.
const (
	queryTimeout = 10 * time.Second
	// probeTimeout covers the loading of a model, which a query doesn't wait for.
	probeTimeout = 2 * time.Minute
	// hung is how long a question must have been with the embedder for its timeout to
	// open the breaker alone, and fair how many tokens it may have for that: a long one
	// that takes its time says nothing about the next.
	hung = 200 * time.Millisecond
	fair = 256
)

// Embedder turns texts into vectors by way of Ollama. It is safe for concurrent use. See
// the package comment for what it holds its peer to.
type Embedder struct {
	opt         Options
	peer        *peer
	prefixes    Prefixes
	lanes       *lanes
	breaker     breaker
	pace        pace
	identifying chan struct{} // held while canaries are taken

	stop context.Context // ends the probes
	end  context.CancelFunc
	busy sync.WaitGroup

	mu     sync.Mutex
	model  *Model      // as last seen
	known  [][]float32 // canaries seen by this process
	warned bool
}

// NewEmbedder makes an embedder. It connects to nothing: that is left to the first query.
func NewEmbedder(opt Options) (*Embedder, error) {
	at, err := parseAddress(opt.URL)
	if err != nil {
		return nil, err
	}
	if opt.Model == "" {
		return nil, errors.New("the embedder needs the name of a model")
	}
	if cloud(opt.Model) {
		return nil, remoteModel(opt.Model)
	}
	if opt.known == nil {
		opt.known = func() [][]float32 { return nil }
	}
	wire := newTransport(at.peer, opt.AnyOwner, opt.Dial)
	e := &Embedder{
		opt: opt, lanes: newLanes(), identifying: make(chan struct{}, 1),
		peer:     &peer{api: api.NewClient(at.base, wire.client()), wire: wire, model: opt.Model, keepAlive: keepAlive(opt.KeepAlive)},
		prefixes: Family(opt.Model),
	}
	if opt.QueryPrefix != nil {
		e.prefixes.Query = *opt.QueryPrefix
	}
	if opt.DocumentPrefix != nil {
		e.prefixes.Document = *opt.DocumentPrefix
	}
	e.stop, e.end = context.WithCancel(context.Background())
	return e, nil
}

// Close ends the probes and the connections.
func (e *Embedder) Close() error {
	e.end()
	e.busy.Wait()
	e.peer.wire.inner.CloseIdleConnections()
	return nil
}

// Prefixes are what stands before texts.
func (e *Embedder) Prefixes() Prefixes { return e.prefixes }

// Identify asks which model answers, however long it takes to load.
func (e *Embedder) Identify(ctx context.Context) (Model, error) {
	leave, err := e.lanes.enterQuery(ctx)
	if err != nil {
		return Model{}, unavailable(err)
	}
	defer leave()
	m, err := e.identify(ctx)
	e.note(ctx, err, true)
	if err != nil {
		return Model{}, unavailable(err)
	}
	return m, nil
}

// Query gives the vector of a question and the model that made it. Its errors are
// Unavailable.
func (e *Embedder) Query(ctx context.Context, text string) (v Vector, m Model, err error) {
	err = e.inQuery(ctx, about(text), func(ctx context.Context) error {
		v, m, err = e.question(ctx, text)
		return err
	})
	return v, m, err
}

// Alive asks whether the model that made an earlier vector still answers.
func (e *Embedder) Alive(ctx context.Context, m Model) error {
	return e.inQuery(ctx, 0, func(ctx context.Context) error { return e.confirm(ctx, m) })
}

// inQuery runs the work for a query of so many tokens in its lane, unless the breaker is
// open.
func (e *Embedder) inQuery(ctx context.Context, tokens int, work func(context.Context) error) error {
	if refusal, due := e.breaker.pass(); refusal != nil {
		if due {
			e.probe()
		}
		return refusal
	}
	leave, err := e.lanes.enterQuery(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer leave()
	// Those that waited behind the query that opened it are refused as well.
	if refusal := e.breaker.refusal(); refusal != nil {
		return refusal
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	began := time.Now()
	err = work(ctx)
	e.note(ctx, err, tokens <= fair && time.Since(began) >= hung)
	if err != nil {
		return unavailable(err)
	}
	return nil
}

// question embeds one text with the prefix of queries. When the model turns out to have
// changed it asks the new one.
func (e *Embedder) question(ctx context.Context, text string) (Vector, Model, error) {
	for tries := 0; ; tries++ {
		m, err := e.current(ctx)
		if err != nil {
			return nil, m, err
		}
		v, _, err := fit(ctx, Document{Body: text}, m.Context, func(ctx context.Context, d Document) (Vector, error) {
			vectors, err := e.embed(ctx, m, []string{e.prefixes.Query + d.Body})
			if err != nil {
				return nil, err
			}
			return vectors[0], nil
		})
		if err == nil {
			err = e.confirm(ctx, m)
		}
		if !errors.Is(err, ErrChanged) || tries > 0 {
			return v, m, err
		}
	}
}

// probe looks in the background whether the embedder is back.
func (e *Embedder) probe() {
	e.busy.Go(func() {
		ctx, cancel := context.WithTimeout(e.stop, probeTimeout)
		defer cancel()
		leave, err := e.lanes.enterQuery(ctx)
		if err != nil {
			e.breaker.probed(unavailable(err))
			return
		}
		defer leave()
		if _, err = e.identify(ctx); err != nil {
			e.breaker.probed(e.warn(unavailable(err)))
			return
		}
		e.recovered()
	})
}

// note tells the breaker how a request went; patient says whether a timeout is final.
func (e *Embedder) note(ctx context.Context, err error, patient bool) {
	if err == nil {
		e.recovered()
		return
	}
	what := judge(ctx, err)
	if what == stopped || what == tooLong {
		return
	}
	timeout := errors.Is(err, context.DeadlineExceeded) && patient
	e.breaker.failure(e.warn(unavailable(err)), timeout || what == missing)
}

// recovered closes the breaker.
func (e *Embedder) recovered() {
	e.breaker.success()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.warned = false
}

// warn passes on once what somebody has to do.
func (e *Embedder) warn(u *Unavailable) *Unavailable {
	if judge(context.Background(), u) != missing && !errors.Is(u, errOwner) {
		return u
	}
	e.mu.Lock()
	told := e.warned
	e.warned = true
	e.mu.Unlock()
	if !told && e.opt.Warn != nil {
		e.opt.Warn(u.Reason)
	}
	return u
}
