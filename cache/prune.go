package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Pruned says what a [Writer.Prune] has done.
type Pruned struct {
	Vectors int // dropped because they are not live
	Files   int // removed because they could not be used
}

// Prune drops every vector that is not live, in whatever space, from memory and from the
// files; when it returns nil no file holds one. It also removes the files that this key
// or this version cannot use, save those that a newer version wrote, which are not ours
// to judge. live is asked for each name and may not call the cache.
//
// Call it with all that the vaults hold, never with a part.
func (w *Writer) Prune(live func(ID) bool) (Pruned, error) {
	if w.c == nil {
		return Pruned{}, errClosed
	}
	if err := w.c.Refresh(); err != nil {
		return Pruned{}, err
	}
	done := Pruned{Vectors: w.c.forget(live)}
	if w.c.folder == nil {
		return done, nil
	}
	if err := w.Flush(); err != nil {
		return done, err
	}
	for _, group := range w.c.tainted(live) {
		dead := group.dead
		if err := w.rewrite(group.segments, live); err != nil {
			return done, fmt.Errorf("prune the cache: %w", err)
		}
		done.Vectors += dead
	}
	files, err := w.sweep()
	done.Files = files
	return done, err
}

// Clear removes every vector and every segment, whatever key it is sealed with, save
// those that a newer version wrote. It is what follows a change of the key.
func (w *Writer) Clear() (Pruned, error) {
	return w.Prune(func(ID) bool { return false })
}

// forget drops what is held in memory and not live.
func (c *Cache) forget(live func(ID) bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.held)
	maps.DeleteFunc(c.held, func(id ID, _ []float32) bool { return !live(id) })
	return before - len(c.held)
}

// group is segments of one kind that must be written anew, and their vectors that go.
type group struct {
	segments []*segment
	dead     int
}

// tainted gives the segments in which something is not live, stands twice or is spoilt.
func (c *Cache) tainted(live func(ID) bool) []group {
	c.mu.Lock()
	defer c.mu.Unlock()
	groups := map[kind]*group{}
	for _, name := range slices.Sorted(maps.Keys(c.segments)) {
		s := c.segments[name]
		dead, useless := 0, 0
		for r, chunk := range s.chunks {
			switch id := (ID{s.space, chunk}); {
			case c.index[id] != place{s, r}:
				useless++
			case !live(id):
				dead++
			}
		}
		if dead+useless == 0 {
			continue
		}
		k := kind{s.space, s.width}
		if groups[k] == nil {
			groups[k] = &group{}
		}
		groups[k].segments = append(groups[k].segments, s)
		groups[k].dead += dead
	}
	var all []group
	for _, g := range groups {
		all = append(all, *g)
	}
	return all
}

// sweep removes files that were set aside.
func (w *Writer) sweep() (int, error) {
	w.c.mu.Lock()
	aside := maps.Clone(w.c.aside)
	w.c.mu.Unlock()
	n := 0
	w.unsure = true
	for name, why := range aside {
		if errors.Is(why, errFuture) {
			continue
		}
		if err := w.c.folder.remove(name); err != nil && !gone(err) {
			return n, fmt.Errorf("remove an unusable file of the cache: %w", err)
		}
		n++
	}
	if err := w.settle(); err != nil {
		return n, fmt.Errorf("remove an unusable file of the cache: %w", err)
	}
	return n, w.c.Refresh()
}
