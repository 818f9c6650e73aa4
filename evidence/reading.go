package evidence

import (
	"strings"
	"sync"

	"candor"
)

// Comparer finds passages that disagree. It remembers what passages say, which no question
// changes, of the last few hundred that it has compared. The zero value is ready; it is
// safe for concurrent use.
type Comparer struct {
	mu          sync.Mutex
	now, before map[*candor.Chunk]*reading
}

// remembered is how many passages are remembered at least, and half of how many at most.
const remembered = 128

// reading gives what a passage says.
func (c *Comparer) reading(p *candor.Chunk) *reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.now[p]
	if r == nil {
		if r = c.before[p]; r == nil {
			r = &reading{}
		}
		if c.now == nil || len(c.now) == remembered {
			c.before, c.now = c.now, make(map[*candor.Chunk]*reading, remembered)
		}
		c.now[p] = r
	}
	return r
}

// reading is what a passage says, whatever is asked. Each part is made where it is first
// wanted.
type reading struct {
	head, body     sync.Once
	lower          string  // the text
	title, context string  // name of the file, title and headings; header of a table; lower case
	names          []token // words of title and headings

	german bool
	list   []statement
	mu     sync.Mutex // of what is filled in later in list
}

// begin reads the outside.
func (r *reading) begin(p *candor.Chunk) {
	r.head.Do(func() {
		heads := p.Title + " . " + strings.Join(p.Heading, " . ")
		r.lower, r.context = strings.ToLower(p.Text), strings.ToLower(p.Context)
		r.title = strings.ToLower(fileName(p.Path) + " . " + heads)
		r.names = tokenize(heads)
	})
}

// statements takes the text apart.
func (r *reading) statements(p *candor.Chunk) []statement {
	r.body.Do(func() { r.german, r.list = isGerman(r.lower), statements(p.Text, p.Context) })
	return r.list
}

// fill takes a statement apart into words and values.
func (r *reading) fill(s *statement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !s.filled {
		s.split()
		s.read()
		s.filled = true
	}
}
