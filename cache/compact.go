package cache

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"math/bits"
	"slices"
)

// memory reads a segment that has just been written.
func memory(data []byte) *bytes.Reader { return bytes.NewReader(data) }

// fanIn is how many segments of about one size are merged into one: a vector is then
// written again at most log(vectors)/log(fanIn) times.
const fanIn = 8

// merge joins small segments, size by size, until no size has many.
func (w *Writer) merge() error {
	for {
		group := w.c.crowd()
		if group == nil {
			return nil
		}
		if err := w.rewrite(group, func(ID) bool { return true }); err != nil {
			return err
		}
	}
}

// crowd finds fanIn segments of one kind and size, nil if there are none. Segments more
// than half full stay as they are.
func (c *Cache) crowd() []*segment {
	c.mu.Lock()
	defer c.mu.Unlock()
	type class struct {
		kind
		level int
	}
	classes := map[class][]*segment{}
	for _, name := range slices.Sorted(maps.Keys(c.segments)) {
		s := c.segments[name]
		if most, _ := rowsFor(s.width); s.rows > most/2 {
			continue
		}
		k := class{kind{s.space, s.width}, (bits.Len(uint(s.rows)) - 1) / 3} // log8
		if classes[k] = append(classes[k], s); len(classes[k]) == fanIn {
			return classes[k]
		}
	}
	return nil
}

// rewrite puts what is live of some segments into new ones and then removes them. A
// crash in between leaves vectors twice, which harms nothing; a file that cannot be read
// now, though it may be sound, ends it with nothing removed.
func (w *Writer) rewrite(old []*segment, live func(ID) bool) error {
	err := errDamaged
	for errors.Is(err, errDamaged) { // anew, as what it held may have a copy in a frame passed by
		err = w.copyLive(old, live)
	}
	if err != nil {
		return err
	}
	return w.drop(old)
}

// copyLive stores anew what is live of some segments.
func (w *Writer) copyLive(old []*segment, live func(ID) bool) error {
	var b batches
	for _, s := range old {
		for frame := range s.frames() {
			if err := w.keep(s, frame, live, &b); err != nil {
				return err
			}
			if err := w.storeAll(b.takeFull()); err != nil {
				return err
			}
		}
	}
	return w.storeAll(b.all())
}

func (w *Writer) storeAll(all []contents) error {
	for _, c := range all {
		if err := w.store(c); err != nil {
			return err
		}
	}
	return nil
}

// keep collects the rows of one frame that are live and stand in no better place.
func (w *Writer) keep(s *segment, frame int, live func(ID) bool, b *batches) error {
	rows := w.c.current(s, frame, live)
	if len(rows) == 0 {
		return nil
	}
	raw, err := w.c.planes(s, frame)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	from, _ := s.span(frame)
	for _, r := range rows {
		b.add(kind{s.space, s.width}, s.chunks[r], row(raw, r-from, s.width))
	}
	return nil
}

// current gives the rows of a frame by which the index finds live vectors.
func (c *Cache) current(s *segment, frame int, live func(ID) bool) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rows []int
	for r, to := s.span(frame); r < to; r++ {
		id := ID{s.space, s.chunks[r]}
		if c.index[id] == (place{s, r}) && live(id) {
			rows = append(rows, r)
		}
	}
	return rows
}

// drop removes segments, then looks at what is left: the new places of what they held.
func (w *Writer) drop(old []*segment) error {
	var failed error
	w.unsure = true
	for _, s := range old {
		if err := w.c.folder.remove(s.name); err != nil && !gone(err) {
			failed = err
		}
	}
	return cmp.Or(failed, w.settle(), w.c.Refresh())
}
