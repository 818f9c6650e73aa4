package cache

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrBusy says that another process, or another part of this one, holds the [Writer].
var ErrBusy = errors.New("another process fills the cache")

var errClosed = errors.New("the writer of the cache is closed")

// Entry is a vector and its name.
type Entry struct {
	ID     ID
	Vector []float32
}

// Writer is the right to change the folder. One process at a time has it; the system
// takes it back when that process ends, however it ends. It is not safe for concurrent
// use.
type Writer struct {
	c       *Cache
	release func() error
	unsure  bool // names may not be durable: ours, or those a killed writer left
}

// Writer takes the right to write, or gives [ErrBusy] at once. It takes up what others
// have written and removes what a killed writer has left half done.
func (c *Cache) Writer() (*Writer, error) {
	c.mu.Lock()
	busy := c.writing
	c.writing = true
	c.mu.Unlock()
	if busy {
		return nil, ErrBusy
	}
	w := &Writer{c: c, release: func() error { return nil }}
	if err := w.begin(); err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) begin() error {
	if w.c.folder == nil {
		return nil
	}
	release, err := w.c.folder.lock()
	if err != nil {
		return err
	}
	w.release, w.unsure = release, true
	names, err := w.c.folder.names()
	if err != nil {
		return fmt.Errorf("read the folder of the cache: %w", err)
	}
	for _, name := range names {
		if final, ok := strings.CutSuffix(name, temporary); ok && isSegment(final) {
			_ = w.c.folder.remove(name) // tried again by the next writer
		}
	}
	return w.c.Refresh()
}

// Close gives the right to write back. What could not be stored stays in memory.
func (w *Writer) Close() error {
	if w.c == nil {
		return nil
	}
	err := w.release()
	w.c.mu.Lock()
	w.c.writing = false
	w.c.mu.Unlock()
	w.c = nil
	return err
}

// Put stores a batch. When it returns nil the batch is on disk, so that a kill loses at
// most the batch in flight. On an error of the disk the vectors are kept in memory and
// stored with the next batch; an entry that is no vector fails the whole batch before
// anything is stored. A name that has a vector keeps it.
func (w *Writer) Put(batch []Entry) error {
	if w.c == nil {
		return errClosed
	}
	for _, e := range batch {
		if err := checkVector(e.Vector); err != nil {
			return err
		}
	}
	w.c.mu.Lock()
	for _, e := range batch {
		if !w.c.has(e.ID) {
			w.c.held[e.ID] = slices.Clone(e.Vector)
		}
	}
	w.c.mu.Unlock()
	return w.Flush()
}

func checkVector(v []float32) error {
	if len(v) < 1 || len(v) > maxWidth {
		return fmt.Errorf("a vector has %d dimensions, not 1 to %d", len(v), maxWidth)
	}
	for _, x := range v {
		if x-x != 0 { // NaN or infinite
			return errors.New("a vector is not finite")
		}
	}
	return nil
}

// Flush stores what an earlier Put could not.
func (w *Writer) Flush() error {
	if w.c == nil {
		return errClosed
	}
	if w.c.folder == nil {
		return nil
	}
	for _, batch := range w.c.unstored() {
		if err := w.store(batch); err != nil {
			return fmt.Errorf("store vectors: %w", err)
		}
		w.c.mu.Lock()
		for _, chunk := range batch.chunks {
			delete(w.c.held, ID{batch.space, chunk})
		}
		w.c.mu.Unlock()
	}
	if err := w.settle(); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	_ = w.merge() // only tidies; what fails is tried again with the next batch
	return nil
}

// kind is what the vectors of one segment have in common.
type kind struct {
	space Space
	width int
}

// unstored gives what is held in memory only, in batches that fit a segment each.
func (c *Cache) unstored() []contents {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := batches{}
	for id, v := range c.held {
		b.add(kind{id.Space, len(v)}, id.Chunk, v)
	}
	return b.all()
}

// batches collects rows into contents that fit a segment each.
type batches struct {
	open map[kind]*contents
	full []contents
}

func (b *batches) add(k kind, chunk Chunk, v []float32) {
	if b.open == nil {
		b.open = map[kind]*contents{}
	}
	at := b.open[k]
	if at == nil {
		at = &contents{space: k.space, width: k.width}
		b.open[k] = at
	}
	at.chunks = append(at.chunks, chunk)
	at.rows = append(at.rows, v)
	if most, _ := rowsFor(k.width); len(at.rows) == most {
		b.full = append(b.full, *at)
		delete(b.open, k)
	}
}

// takeFull gives what fills a segment and forgets it.
func (b *batches) takeFull() []contents {
	full := b.full
	b.full = nil
	return full
}

func (b *batches) all() []contents {
	all := b.takeFull()
	for _, c := range b.open {
		all = append(all, *c)
	}
	b.open = nil
	return all
}

// store writes one segment so that it is there whole or not at all.
func (w *Writer) store(c contents) error {
	name, data, err := w.c.key.seal(c)
	if err != nil {
		return err
	}
	if err := w.write(name, data); err != nil {
		return err
	}
	s, err := w.c.key.open(name, memory(data), int64(len(data)))
	if err != nil {
		return err
	}
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	w.c.add(s)
	return nil
}

func (w *Writer) write(name string, data []byte) error {
	f, err := w.c.folder.create(name + temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		w.unsure = true
		err = w.c.folder.rename(name+temporary, name)
	}
	if err != nil {
		_ = w.c.folder.remove(name + temporary)
		return err
	}
	return w.settle()
}

// settle makes the names of the folder durable.
func (w *Writer) settle() error {
	if !w.unsure {
		return nil
	}
	if err := w.c.folder.sync(); err != nil {
		return err
	}
	w.unsure = false
	return nil
}
