package cache

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Options say where vectors are kept and under which key.
type Options struct {
	Dir string // the folder, made if need be; "" keeps vectors in memory only
	Key []byte // a secret of KeySize bytes
}

// Cache gives vectors by name. It is safe for concurrent use.
type Cache struct {
	key    Key
	folder folder // nil in memory
	close  func() error

	mu       sync.Mutex
	writing  bool                // a Writer of this process is open
	held     map[ID][]float32    // not on disk, or not yet
	index    map[ID]place        // on disk
	segments map[string]*segment // by name
	aside    map[string]error    // files that will not be read again, and why
	recent   []decoded           // frames last read, newest last
	trouble  map[string]error    // files that could not be read this time
}

// place is where a vector stands.
type place struct {
	in  *segment
	row int
}

// decoded is an opened frame.
type decoded struct {
	in    *segment
	frame int
	raw   []byte
}

const (
	maxRecent = 4 // frames that stay opened: a megabyte
	maxTries  = 4 // to read what moves
)

// Open opens the folder and reads what its segments hold, not yet their vectors. It
// fails only where the folder cannot be had or cannot be trusted; a file in it that
// cannot be used is a miss, and [Cache.Stat] counts it.
func Open(o Options) (*Cache, error) {
	key, err := NewKey(o.Key)
	if err != nil {
		return nil, err
	}
	if o.Dir == "" {
		return newCache(key, nil), nil
	}
	d, err := openDisk(o.Dir)
	if err != nil {
		return nil, err
	}
	c := newCache(key, d)
	c.close = d.close
	if err := c.Refresh(); err != nil {
		_ = d.close()
		return nil, err
	}
	return c, nil
}

func newCache(key Key, f folder) *Cache {
	return &Cache{
		key: key, folder: f, close: func() error { return nil },
		held: map[ID][]float32{}, index: map[ID]place{},
		segments: map[string]*segment{}, aside: map[string]error{},
	}
}

// Key gives the key that names vectors.
func (c *Cache) Key() Key { return c.key }

// Close lets go of the folder. Close the [Writer] first.
func (c *Cache) Close() error { return c.close() }

// Has reports whether a vector is there. One that turns out damaged when it is read is a
// miss all the same.
func (c *Cache) Has(id ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.has(id)
}

func (c *Cache) has(id ID) bool {
	if _, ok := c.held[id]; ok {
		return true
	}
	_, ok := c.index[id]
	return ok
}

// Get gives a copy of a vector. For many, [Cache.All] is faster.
func (c *Cache) Get(id ID) ([]float32, bool) {
	for _, v := range c.All([]ID{id}) {
		return v, true
	}
	return nil, false
}

// All gives the vectors of the ids that have one, in the order in which they are stored:
// the place in ids and a copy. Each frame is opened once.
func (c *Cache) All(ids []ID) iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		wanted := make([]int, len(ids))
		for i := range wanted {
			wanted[i] = i
		}
		// Again for what stands elsewhere too: another process may have moved it meanwhile,
		// and of a damaged frame there may be a sound copy.
		for range maxTries {
			var moved []int
			for _, w := range c.plan(ids, wanted) {
				if !c.read(w, &moved, yield) {
					return
				}
			}
			if len(moved) == 0 || c.Refresh() != nil {
				return
			}
			wanted = moved
		}
	}
}

// work is what is wanted of one frame, or a vector that is in memory.
type work struct {
	in     *segment
	frame  int
	rows   []int // in the segment
	wanted []int // for each row, its place in the caller's ids
	held   []float32
}

// plan sorts what is wanted by where it stands.
func (c *Cache) plan(ids []ID, wanted []int) []work {
	c.mu.Lock()
	defer c.mu.Unlock()
	type frame struct {
		in *segment
		n  int
	}
	var plan []work
	at := map[frame]int{}
	for _, i := range wanted {
		if v, ok := c.held[ids[i]]; ok {
			plan = append(plan, work{held: v, wanted: []int{i}})
			continue
		}
		p, ok := c.index[ids[i]]
		if !ok {
			continue
		}
		f := frame{p.in, p.in.frameOf(p.row)}
		n, ok := at[f]
		if !ok {
			n = len(plan)
			at[f] = n
			plan = append(plan, work{in: f.in, frame: f.n})
		}
		plan[n].rows = append(plan[n].rows, p.row)
		plan[n].wanted = append(plan[n].wanted, i)
	}
	slices.SortStableFunc(plan, func(a, b work) int {
		return cmp.Or(strings.Compare(a.name(), b.name()), cmp.Compare(a.frame, b.frame))
	})
	return plan
}

func (w work) name() string {
	if w.in == nil {
		return ""
	}
	return w.in.name
}

// read does one piece of work and reports whether to go on. What stood in a file that is
// gone, or in a damaged frame, is noted in moved.
func (c *Cache) read(w work, moved *[]int, yield func(int, []float32) bool) bool {
	if w.in == nil {
		return yield(w.wanted[0], slices.Clone(w.held))
	}
	raw, err := c.planes(w.in, w.frame)
	if err != nil {
		if gone(err) || errors.Is(err, errDamaged) {
			*moved = append(*moved, w.wanted...)
		}
		return true
	}
	from, _ := w.in.span(w.frame)
	for n, r := range w.rows {
		if !yield(w.wanted[n], row(raw, r-from, w.in.width)) {
			return false
		}
	}
	return true
}

// planes gives an opened frame, from memory if it was read lately.
func (c *Cache) planes(s *segment, frame int) ([]byte, error) {
	if raw := c.recently(s, frame); raw != nil {
		return raw, nil
	}
	raw, err := c.fetch(s, frame)
	if err == nil {
		c.remember(decoded{s, frame, raw})
	}
	return raw, err
}

// fetch reads a frame from its file. One that does not open is not asked for again.
func (c *Cache) fetch(s *segment, frame int) ([]byte, error) {
	b, err := c.folder.open(s.name)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	raw, err := s.planes(b, frame)
	if errors.Is(err, errDamaged) {
		c.spoil(s, frame)
	}
	return raw, err
}

func (c *Cache) recently(s *segment, frame int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.recent {
		if d.in == s && d.frame == frame {
			return d.raw
		}
	}
	return nil
}

func (c *Cache) remember(d decoded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.recent) == maxRecent {
		c.recent = slices.Delete(c.recent, 0, 1)
	}
	c.recent = append(c.recent, d)
}

// spoil makes misses of the rows of a frame, unless they stand elsewhere too.
func (c *Cache) spoil(s *segment, frame int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.spoilt == nil {
		s.spoilt = map[int]bool{}
	}
	s.spoilt[frame] = true
	c.reindex()
}

// Refresh takes up what other processes have written, merged or dropped since.
func (c *Cache) Refresh() error {
	if c.folder == nil {
		return nil
	}
	names, err := c.folder.names()
	if err != nil {
		return fmt.Errorf("read the folder of the cache: %w", err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !isSegment(n) })
	slices.Sort(names)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble = map[string]error{}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
		if c.segments[name] == nil && c.aside[name] == nil {
			c.take(name)
		}
	}
	maps.DeleteFunc(c.aside, func(name string, _ error) bool { return !there[name] })
	before := len(c.segments)
	maps.DeleteFunc(c.segments, func(name string, _ *segment) bool { return !there[name] })
	if len(c.segments) < before {
		c.reindex()
	}
	return nil
}

// take opens a segment, or leaves it aside. What the file system says is no verdict on
// the file, so that is asked again next time.
func (c *Cache) take(name string) {
	b, err := c.folder.open(name)
	if err == nil {
		defer b.Close()
		var s *segment
		if s, err = c.key.open(name, b, b.Size()); err == nil {
			c.add(s)
			return
		}
	}
	switch {
	case gone(err):
	case isVerdict(err):
		c.aside[name] = err
	default:
		c.trouble[name] = err
	}
}

func isVerdict(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errSealed) || errors.Is(err, errFuture)
}

// add indexes a segment. Where a vector stands twice, the one known first is used.
func (c *Cache) add(s *segment) {
	c.segments[s.name] = s
	for i, chunk := range s.chunks {
		id := ID{s.space, chunk}
		if _, ok := c.index[id]; !ok && !s.spoilt[s.frameOf(i)] {
			c.index[id] = place{s, i}
		}
	}
}

// reindex indexes all segments anew, in the order of their names.
func (c *Cache) reindex() {
	clear(c.index)
	c.recent = slices.DeleteFunc(c.recent, func(d decoded) bool { return c.segments[d.in.name] != d.in })
	for _, name := range slices.Sorted(maps.Keys(c.segments)) {
		c.add(c.segments[name])
	}
}

func (s *segment) frameOf(row int) int {
	_, per := rowsFor(s.width)
	return row / per
}

// isSegment reports whether a name is one that we give.
func isSegment(name string) bool {
	digits, ok := strings.CutSuffix(name, suffix)
	return ok && len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}
