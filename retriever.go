package candor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Digest is the first 8 hex digits of the SHA-256 of a masked passage.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// Query is what a leg is asked. It names no profile: an index serves one profile, so
// a request cannot reach another's.
type Query struct {
	Text string
	// Keep reports whether the chunk in a slot may be a hit; nil keeps all. Filters
	// never change the statistics that weigh words.
	Keep func(slot int) bool
	// Explain asks for the weight of each word in each hit.
	Explain bool
}

// Term is one content word of a query as a leg understood it.
type Term struct {
	Text   string  // as the user wrote it, lower case
	Weight float64 // inverse document frequency in this index, above 0
	Found  int     // chunks of this index that hold it
	Name   bool    // written as a name: a capital inside the question
}

// Hit is one ranked chunk of a leg.
type Hit struct {
	Slot  int     // its place in the chunks that the index was built from
	Score float64 // the leg's own scale; higher is better
	// Matched are indexes into Ranking.Terms, ascending; empty for a semantic leg.
	Matched []int
	// Parts are the shares of Score, one for each of Matched, when Query.Explain.
	Parts []float64
	// Close is the most that the words of Matched weigh which stand close together in
	// the chunk, or over it in its headings; 0 where that was not looked at.
	Close float64
}

// Ranking is what a leg answers.
type Ranking struct {
	Hits  []Hit  // best first, a total order: score, then path, then first line
	Terms []Term // the query's content words; nil for a semantic leg
	// Ceiling is the highest score that the query could reach in this index, so
	// that Score/Ceiling means the same in every vault; 0 if nothing can match.
	Ceiling float64
	// Unseen is the weight of a word that no chunk holds: the most that a word weighs.
	Unseen float64
}

// Retriever is one leg over one profile's chunks. It is safe for concurrent use.
type Retriever interface {
	// Retrieve gives at most limit hits. A query without a usable word gives an
	// empty ranking, not an error.
	Retrieve(ctx context.Context, q Query, limit int) (Ranking, error)
}

// Index is a Retriever that knows how to follow its chunks.
type Index interface {
	Retriever
	// Update gives an index of chunks, in time that grows with what differs from
	// the receiver's (by slot and pointer). A nil chunk is an empty slot. The
	// receiver goes on working unchanged.
	Update(chunks []*Chunk) Index
}

// Before is the order of chunks that rank alike: path, then first line.
func (c *Chunk) Before(o *Chunk) int {
	return cmp.Or(strings.Compare(string(c.Path), string(o.Path)), cmp.Compare(c.Lines.Start, o.Lines.Start))
}
