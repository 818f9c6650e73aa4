package semantic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Document is a text to embed. When the body has to be cut, each part keeps the header.
type Document struct {
	Header string
	Body   string
}

// String is what is embedded of a document that is not cut.
func (d Document) String() string {
	if d.Header == "" {
		return d.Body
	}
	return d.Header + "\n" + d.Body
}

// blank reports whether there is nothing to embed. Ollama answers blank texts in several
// ways, none of them useful, so they are never sent.
func (d Document) blank() bool { return strings.TrimSpace(d.String()) == "" }

// Embedded is what became of a document. Without an error it has a vector.
type Embedded struct {
	Vector Vector
	Parts  int   // how many pieces it was cut into to fit the model; 1 for whole
	Err    error // this text can't be embedded, though others can
}

// errPoison marks a text that the embedder fails on again and again, while it does well
// with others.
var errPoison = errors.New("the embedder fails on this text")

// Documents embeds texts with the prefix of documents, behind waiting queries, and gives
// one result for each. A bad or too long text doesn't take the others with it. With an
// error the results are those that had come by then; the others are zero.
func (e *Embedder) Documents(ctx context.Context, docs []Document) ([]Embedded, Model, error) {
	b := &batch{e: e, docs: docs, out: make([]Embedded, len(docs))}
	var err error
	if b.model, err = e.current(ctx); err == nil {
		err = b.run(ctx, 0, len(docs))
	}
	if err != nil {
		e.warn(unavailable(err))
		return b.out, b.model, unavailable(err)
	}
	return b.out, b.model, nil
}

// batch is documents on their way.
type batch struct {
	e     *Embedder
	model Model
	docs  []Document
	out   []Embedded
}

// run embeds docs[from:to]: in one request, or in halves when that one is refused.
func (b *batch) run(ctx context.Context, from, to int) error {
	switch to - from {
	case 0:
		return nil
	case 1:
		return b.single(ctx, from)
	}
	err := b.together(ctx, from, to)
	if what := judge(ctx, err); err == nil || what != tooLong && what != bad {
		return err
	}
	middle := (from + to) / 2
	if err := b.run(ctx, from, middle); err != nil {
		return err
	}
	return b.run(ctx, middle, to)
}

// together embeds docs[from:to] in one request.
func (b *batch) together(ctx context.Context, from, to int) error {
	for _, d := range b.docs[from:to] {
		if d.blank() || over(d, b.model.Context) {
			return errTooLong // one of them is known not to do
		}
	}
	vectors, err := b.ask(ctx, b.docs[from:to])
	if err != nil {
		return err
	}
	for i, v := range vectors {
		b.out[from+i] = Embedded{Vector: v, Parts: 1}
	}
	return nil
}

// single embeds one document, in parts if it has to be. When it fails and the embedder
// does well with the canaries, it is the text.
func (b *batch) single(ctx context.Context, at int) error {
	d := b.docs[at]
	if d.blank() {
		b.out[at].Err = fmt.Errorf("%w: it is blank", errPoison)
		return nil
	}
	v, parts, err := fit(ctx, d, b.model.Context, func(ctx context.Context, d Document) (Vector, error) {
		vectors, err := b.ask(ctx, []Document{d})
		if err != nil {
			return nil, err
		}
		return vectors[0], nil
	})
	if err == nil {
		b.out[at] = Embedded{Vector: v, Parts: parts}
		return nil
	}
	if what := judge(ctx, err); what != tooLong && what != bad {
		return err
	}
	now, alive := b.e.identify(ctx)
	if alive != nil {
		return alive
	}
	if now.Fingerprint != b.model.Fingerprint {
		return ErrChanged
	}
	b.out[at].Err = fmt.Errorf("%w: %w", errPoison, err)
	return nil
}

// ask is one request in the batch lane. Its vectors count if the model is the same after
// it.
func (b *batch) ask(ctx context.Context, docs []Document) ([]Vector, error) {
	texts, tokens := make([]string, len(docs)), 0
	for i, d := range docs {
		texts[i] = b.e.prefixes.Document + d.String()
		tokens += about(texts[i])
	}
	leave, err := b.e.lanes.enterBatch(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, b.e.pace.timeout(tokens))
	defer cancel()
	began := time.Now()
	vectors, err := b.e.embed(ctx, b.model, texts)
	if errors.Is(err, context.DeadlineExceeded) {
		b.e.pace.slower()
	}
	if err != nil {
		return nil, err
	}
	b.e.pace.measured(tokens, time.Since(began))
	return vectors, b.e.confirm(ctx, b.model)
}

// embed asks for vectors as wide as a model's. Others are a fault, unless the canaries
// are of that width too.
func (e *Embedder) embed(ctx context.Context, m Model, texts []string) ([]Vector, error) {
	vectors, err := e.peer.embed(ctx, texts)
	if err != nil || len(vectors[0]) == m.Width {
		return vectors, err
	}
	now, err := e.identify(ctx)
	if err == nil && now.Fingerprint != m.Fingerprint {
		err = ErrChanged
	}
	return nil, errors.Join(err, fmt.Errorf("%w: width %d, not %d", errShape, len(vectors[0]), m.Width))
}

// over reports whether a document is beyond a context by any count.
func over(d Document, context int) bool { return context > 0 && atLeast(d.String()) > context }

// fit embeds a document, or its halves where it is too long, and theirs. The vector is
// then their mean, each weighed by its length.
func fit(ctx context.Context, d Document, limit int, ask func(context.Context, Document) (Vector, error)) (Vector, int, error) {
	if !over(d, limit) {
		v, err := ask(ctx, d)
		if !errors.Is(err, errTooLong) {
			return v, 1, err
		}
	}
	left, right, ok := halve(d.Body)
	if !ok {
		return nil, 0, errTooLong
	}
	var vectors []Vector
	var weights []float64
	parts := 0
	for _, body := range []string{left, right} {
		v, n, err := fit(ctx, Document{Header: d.Header, Body: body}, limit, ask)
		if err != nil {
			return nil, 0, err
		}
		vectors, weights, parts = append(vectors, v), append(weights, float64(len(body))), parts+n
	}
	return mean(vectors, weights), parts, nil
}

// The bounds of a request for a batch.
const (
	batchTime  = 400 * time.Millisecond // what a query may have to wait for
	batchTexts = 64
	minTimeout = time.Minute
	maxTimeout = 15 * time.Minute
)

// pace is how fast the embedder is, as measured.
type pace struct {
	mu       sync.Mutex
	perToken time.Duration // moving average; 0 before the first measurement
	last     int           // tokens of the last request that came back
}

// measured takes a request into the average. The first may have loaded the model.
func (p *pace) measured(tokens int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = tokens
	now := max(took/time.Duration(max(tokens, 1)), 1)
	switch {
	case p.perToken == 0 || now < p.perToken/4:
		p.perToken = now
	default:
		p.perToken += (now - p.perToken) / 4
	}
}

// slower makes the next batch a quarter of what ran out of time.
func (p *pace) slower() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.perToken *= 4
}

// budget is how many tokens fit a batch. A batch is at most twice the one before, so that
// filling that is ended early, again and again, still gets on.
func (p *pace) budget() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.perToken == 0 {
		return 1
	}
	return max(1, min(int(batchTime/p.perToken), 2*p.last))
}

// timeout is how long a request of so many tokens may take: long enough for a model to
// load, and for a machine that became twenty times slower.
func (p *pace) timeout(tokens int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.perToken == 0 {
		return maxTimeout / 3
	}
	return min(max(20*p.perToken*time.Duration(tokens), minTimeout), maxTimeout)
}
