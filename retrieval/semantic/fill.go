package semantic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"candor"
	"candor/cache"
)

// Progress is how far filling is. Texts that several chunks share count once.
type Progress struct {
	Total  int           // texts that should have a vector
	Have   int           // those that have one
	Added  int           // vectors made in this run
	Cut    int           // texts that were cut to fit the model; their vector is of all parts
	Failed int           // texts that the embedder fails on; tried again later
	Rate   float64       // texts a second in this run
	Left   time.Duration // at that rate; 0 when unknown
}

// String says it in words for a terminal.
func (p Progress) String() string {
	s := fmt.Sprintf("%d of %d passages have a vector", p.Have, p.Total)
	if p.Rate > 0 && p.Have < p.Total {
		s += fmt.Sprintf(", %.1f a second, %s left", p.Rate, p.Left.Round(time.Second))
	}
	if p.Cut > 0 {
		s += fmt.Sprintf(", %d cut to fit the model", p.Cut)
	}
	if p.Failed > 0 {
		s += fmt.Sprintf(", %d failed", p.Failed)
	}
	return s
}

// The pauses of filling.
const (
	putEvery = time.Second // vectors are stored together, since each store is synced
	patience = 5           // failures in a row before filling gives up
	firstTry = time.Second // before asking a failing embedder again; then twice that
)

// Fill gives a vector to each chunk that has none. It can be ended at any moment and goes
// on where it was the next time; one process at a time fills, others get cache.ErrBusy.
// It gives way to queries. progress may be nil; it is called after each batch. The error
// says why chunks are left without a vector.
func (l *Leg) Fill(ctx context.Context, chunks iter.Seq[*candor.Chunk], progress func(Progress)) (Progress, error) {
	w, err := l.cache.Writer()
	if err != nil {
		return Progress{}, err
	}
	defer w.Close()
	if progress == nil {
		progress = func(Progress) {}
	}
	f := &filling{leg: l, writer: w, chunks: chunks, report: progress}
	for tries := 0; ; tries++ {
		err = f.run(ctx)
		if !errors.Is(err, ErrChanged) || tries == patience {
			break
		}
	}
	if err == nil && f.p.Have < f.p.Total {
		err = fmt.Errorf("%d of %d passages could not be embedded", f.p.Total-f.p.Have, f.p.Total)
	}
	return f.p, err
}

// filling is one run of Fill.
type filling struct {
	leg    *Leg
	writer *cache.Writer
	chunks iter.Seq[*candor.Chunk]
	report func(Progress)

	p       Progress
	model   Model
	space   cache.Space
	todo    []item
	unput   []cache.Entry
	lastPut time.Time
	unkept  error // why vectors are in memory only
	began   time.Time
	start   int // Have at began
}

// item is a text on its way.
type item struct {
	id  cache.ID
	doc Document
}

// run fills under one model.
func (f *filling) run(ctx context.Context) (err error) {
	if _, err = f.leg.embedder.Identify(ctx); err != nil {
		return err
	}
	if f.model, err = f.leg.register(f.writer); err != nil {
		return err
	}
	f.space = f.leg.names.space(f.model, f.leg.embedder.prefixes.Document)
	f.plan()
	f.began, f.lastPut, f.start = time.Now(), time.Now(), f.p.Have
	defer func() {
		f.put()
		err = errors.Join(err, f.unkept)
	}()
	f.report(f.p)
	for failures := 0; len(f.todo) > 0; {
		err = f.batch(ctx)
		if err == nil {
			failures = 0
			continue
		}
		if failures++; !worthAgain(ctx, err) || failures == patience {
			return err
		}
		if err := sleep(ctx, firstTry<<(failures-1)); err != nil {
			return err
		}
	}
	return nil
}

// worthAgain reports whether the embedder may get over a failure by itself.
func worthAgain(ctx context.Context, err error) bool {
	what := judge(ctx, err)
	return what != stopped && what != missing && !errors.Is(err, ErrChanged) && ctx.Err() == nil
}

// sleep waits, or ends with the context.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// plan lists the texts without a vector, each once.
func (f *filling) plan() {
	f.p = Progress{Added: f.p.Added, Cut: f.p.Cut}
	f.todo = nil
	seen := map[cache.Chunk]bool{}
	for c := range f.chunks {
		if c == nil {
			continue // an empty slot
		}
		doc := Compose(c)
		name := f.leg.names.chunk(doc.String())
		if seen[name] || doc.blank() {
			continue
		}
		seen[name] = true
		f.p.Total++
		id := cache.ID{Space: f.space, Chunk: name}
		switch {
		case f.leg.cache.Has(id):
			f.p.Have++
		case f.leg.rests(id):
			f.p.Failed++
		default:
			f.todo = append(f.todo, item{id, doc})
		}
	}
}

// batch embeds the next texts. What a failure left undone stays to be done.
func (f *filling) batch(ctx context.Context) error {
	n := f.next()
	docs := make([]Document, n)
	for i, it := range f.todo[:n] {
		docs[i] = it.doc
	}
	out, m, err := f.leg.embedder.Documents(ctx, docs)
	if m.Fingerprint != f.model.Fingerprint && m.Fingerprint != "" {
		return errors.Join(ErrChanged, err) // vectors of another model
	}
	var undone []item
	for i, e := range out {
		it := f.todo[i]
		switch {
		case e.Vector != nil:
			f.unput = append(f.unput, cache.Entry{ID: it.id, Vector: e.Vector})
			f.p.Added, f.p.Have = f.p.Added+1, f.p.Have+1
			if e.Parts > 1 {
				f.p.Cut++
			}
		case e.Err != nil:
			f.leg.rest(it.id)
			f.p.Failed++
		default:
			undone = append(undone, it)
		}
	}
	f.todo = f.todo[n:]
	if len(undone) > 0 {
		f.todo = append(undone, f.todo...)
	}
	if time.Since(f.lastPut) >= putEvery || len(f.todo) == 0 {
		f.put()
	}
	f.tell()
	return err
}

// next is how many of the texts to do make the next batch: as many as queries may wait
// for, and one that may be too long alone, so that it takes no other with it.
func (f *filling) next() int {
	budget := f.leg.embedder.pace.budget()
	for n, it := range f.todo {
		tokens := about(f.leg.embedder.prefixes.Document + it.doc.String())
		suspect := f.model.Context > 0 && tokens > f.model.Context*9/10
		if budget -= tokens; n > 0 && (budget < 0 || suspect) || n == batchTexts {
			return n
		}
		if suspect {
			return 1
		}
	}
	return len(f.todo)
}

// put stores what was made. Where the disk fails the cache keeps it in memory.
func (f *filling) put() {
	f.lastPut = time.Now()
	if len(f.unput) == 0 {
		return
	}
	f.unkept = f.writer.Put(f.unput)
	f.unput = nil
	f.leg.version.Add(1)
}

// tell reports the progress.
func (f *filling) tell() {
	if took := time.Since(f.began); took > 0 && f.p.Have > f.start {
		f.p.Rate = float64(f.p.Have-f.start) / took.Seconds()
		f.p.Left = time.Duration(float64(len(f.todo)) / f.p.Rate * float64(time.Second))
	}
	f.report(f.p)
}
