package cache

import (
	"maps"
	"slices"
	"strings"
)

// Stat is what the cache holds. It is for the owner of the folder, on the command line:
// it depends on what every profile may see, so no answer may show it.
type Stat struct {
	Segments int     // files in use
	Bytes    int64   // their size
	Vectors  int     // names that have a vector, in memory or on disk
	Unstored int     // those in memory only
	Spaces   []Count // vectors by space, most first
	Faults   []Fault // files not in use, by name
}

// Count is the number of vectors of one space.
type Count struct {
	Space   Space
	Width   int
	Vectors int
}

// Fault is a file that is not used and why.
type Fault struct {
	File   string
	Reason string
}

// Stat counts what is held, as of the last [Cache.Refresh].
func (c *Cache) Stat() Stat {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stat{Segments: len(c.segments), Vectors: len(c.index), Unstored: len(c.held)}
	for _, segment := range c.segments {
		s.Bytes += segment.size
	}
	counts := map[kind]int{}
	for id, p := range c.index {
		counts[kind{id.Space, p.in.width}]++
	}
	for id, v := range c.held {
		if _, stored := c.index[id]; !stored {
			s.Vectors++
			counts[kind{id.Space, len(v)}]++
		}
	}
	for k, n := range counts {
		s.Spaces = append(s.Spaces, Count{k.space, k.width, n})
	}
	slices.SortFunc(s.Spaces, func(a, b Count) int {
		if a.Vectors != b.Vectors {
			return b.Vectors - a.Vectors
		}
		return slices.Compare(a.Space[:], b.Space[:])
	})
	s.Faults = c.faults()
	return s
}

func (c *Cache) faults() []Fault {
	var out []Fault
	for _, files := range []map[string]error{c.aside, c.trouble} {
		for name, err := range files {
			out = append(out, Fault{name, err.Error()})
		}
	}
	slices.SortFunc(out, func(a, b Fault) int { return strings.Compare(a.File, b.File) })
	return out
}

// Report is what [Cache.Verify] found.
type Report struct {
	Vectors int     // that were opened and are sound
	Damaged int     // that are not
	Faults  []Fault // files that are not in use, or in part
}

// Verify opens every vector of every segment.
func (c *Cache) Verify() (Report, error) {
	if err := c.Refresh(); err != nil {
		return Report{}, err
	}
	c.mu.Lock()
	segments := slices.Collect(maps.Values(c.segments))
	r := Report{Vectors: len(c.held), Faults: c.faults()}
	c.mu.Unlock()
	for _, s := range segments {
		why := ""
		for frame := range s.frames() {
			from, to := s.span(frame)
			_, err := c.fetch(s, frame)
			switch {
			case err == nil:
				r.Vectors += to - from
			case !gone(err): // else merged by another process meanwhile
				r.Damaged += to - from
				why = err.Error()
			}
		}
		if why != "" {
			r.Faults = append(r.Faults, Fault{s.name, why})
		}
	}
	slices.SortFunc(r.Faults, func(a, b Fault) int { return strings.Compare(a.File, b.File) })
	return r, nil
}
