package draft

import (
	"cmp"
	"hash/fnv"
	"iter"
	"slices"
	"strings"

	"candor"
	"candor/evals"
)

// Options say what to draft from. The zero value drafts English.
type Options struct {
	Profile   string        // that the chunks are of, and the topics for
	Languages []string      // of the notes: en de es fr hu no ru sv; others give no patterns
	Have      []evals.Topic // that there are already
}

// masked begins what stands in place of a secret.
const masked = "[REDACTED:"

// minWords is how many words a passage must have to be asked about.
const minWords = 12

// Passages gives passages to ask about, spread over the notes. Those that a secret was
// masked in, or near, are left out.
func Passages(chunks []*candor.Chunk, opt Options) iter.Seq[*candor.Chunk] {
	var notes []*note
	at := map[candor.Path]*note{}
	for _, ch := range chunks {
		if ch == nil || !fit(ch) {
			continue
		}
		if at[ch.Path] == nil {
			at[ch.Path] = &note{path: ch.Path, lot: lot(string(ch.Path), len(opt.Have))}
			notes = append(notes, at[ch.Path])
		}
		at[ch.Path].chunks = append(at[ch.Path].chunks, ch)
	}
	for _, t := range opt.Have {
		for _, e := range t.Expect {
			if n := at[e.Path]; n != nil {
				n.asked++
			}
		}
	}
	for _, n := range notes {
		slices.SortFunc(n.chunks, func(a, b *candor.Chunk) int {
			return cmp.Or(cmp.Compare(lot(a.Digest, 0), lot(b.Digest, 0)), cmp.Compare(a.Lines.Start, b.Lines.Start))
		})
	}
	slices.SortFunc(notes, func(a, b *note) int {
		return cmp.Or(cmp.Compare(a.lot, b.lot), strings.Compare(string(a.path), string(b.path)))
	})
	return func(yield func(*candor.Chunk) bool) {
		for round := 0; ; round++ {
			more := false
			for _, n := range notes {
				turn := round - n.asked
				more = more || turn < len(n.chunks)
				if turn >= 0 && turn < len(n.chunks) && !yield(n.chunks[turn]) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// note is one note's passages.
type note struct {
	path   candor.Path
	chunks []*candor.Chunk
	asked  int // topics that there are
	lot    uint64
}

// fit reports whether a passage may be asked about.
func fit(ch *candor.Chunk) bool {
	if ch.Masked || ch.Words < minWords || strings.Contains(ch.Title+string(ch.Path), masked) {
		return false
	}
	return !slices.ContainsFunc(ch.Heading, func(h string) bool { return strings.Contains(h, masked) })
}

// lot orders names as if by chance, another way for each draw.
func lot(name string, draw int) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(draw), byte(draw >> 8)})
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// Topic is a question about a passage, to be reviewed.
func Topic(ch *candor.Chunk, question string, by evals.Author, opt Options) evals.Topic {
	e := evals.Expected{Path: ch.Path, Grade: 1}
	if n := len(ch.Heading); n > 0 {
		e.Heading = ch.Heading[n-1]
	}
	return evals.Topic{Question: question, Profile: opt.Profile, Slice: evals.Answerable, Expect: []evals.Expected{e}, Drafted: by}
}

// asks reports whether a topic has a question already.
func (o Options) asks(question string) bool {
	return slices.ContainsFunc(o.Have, func(t evals.Topic) bool { return strings.EqualFold(t.Question, question) })
}
