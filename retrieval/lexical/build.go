package lexical

import (
	"path"
	"runtime"
	"strings"
	"sync"

	"candor"
)

// A shard smaller than this is not worth a goroutine.
const minShard = 512

// build makes segments of the chunks in slots, on all processors. How many segments it
// makes is not seen in any result.
func build(a *analyzer, chunks []*candor.Chunk, slots []int) []*segment {
	n := min(runtime.GOMAXPROCS(0), 8, (len(slots)+minShard-1)/minShard)
	n = max(n, (len(slots)+maxDocs-1)/maxDocs)
	segments := make([]*segment, n)
	var wg sync.WaitGroup
	for i := range n {
		part := slots[i*len(slots)/n : (i+1)*len(slots)/n]
		wg.Go(func() {
			b := builder{analyzer: a, entries: make([]entry, 0, room(chunks, part))}
			for _, slot := range part {
				b.add(int32(slot), chunks[slot])
			}
			segments[i] = b.segment()
		})
	}
	wg.Wait()
	return segments
}

// bytesPerEntry is less than the text for each entry of most vaults, so that entries
// seldom move; what is never written takes no memory.
const bytesPerEntry = 4

// room is how many entries some chunks will need.
func room(chunks []*candor.Chunk, slots []int) int {
	n := 0
	for _, slot := range slots {
		n += len(chunks[slot].Indexed())/bytesPerEntry + 16
	}
	return n
}

// entry is a term of a document under construction.
type entry struct {
	term uint32
	tf   uint16
}

// content marks, in a cached analysis, a term that counts for the length.
const content = 1 << 31

// span is a part of builder.arena.
type span struct{ start, end uint32 }

// builder analyses chunks one by one. Each distinct token is analysed once.
type builder struct {
	analyzer *analyzer
	out      segment
	entries  []entry
	docs     []uint32 // where each document ends in entries
	last     []int32  // by term: its newest place in entries, and 1
	start    int      // of the present document in entries

	tokens dict   // tokens already analysed
	spans  []span // by token
	arena  []uint32

	titles map[string]string // keys of titles and names, by title
}

// add takes in one chunk.
func (b *builder) add(slot int32, c *candor.Chunk) {
	b.start = len(b.entries)
	b.out.lens = append(b.out.lens, lengths{})
	b.out.slots = append(b.out.slots, slot)
	eachField(c, b.text)
	b.names(c)
	b.docs = append(b.docs, uint32(len(b.entries)))
}

// eachField gives the parts of a chunk that are indexed.
func eachField(c *candor.Chunk, yield func(field int, text string)) {
	yield(FieldText, c.Indexed())
	yield(FieldText, c.Context)
	yield(FieldTitle, c.Title)
	for _, s := range c.Aliases {
		yield(FieldTitle, s)
	}
	for i, s := range c.Heading {
		if i > 0 || s != c.Title {
			yield(FieldHeading, s)
		}
	}
	yield(FieldFile, strings.TrimSuffix(string(c.Path), path.Ext(string(c.Path))))
	for _, s := range c.Tags {
		yield(FieldTags, s)
	}
	yield(FieldTags, c.Meta)
}

// text counts the words of one text.
func (b *builder) text(field int, text string) {
	s := scanner{text: text}
	words := 0
	for s.next() {
		if s.packed {
			words += b.run(field, s.token())
			continue
		}
		for _, id := range b.token(s.token()) {
			if id&content != 0 {
				words++
			}
			b.count(id&^content, field)
		}
	}
	l := &b.out.lens[len(b.out.lens)-1]
	l[field] = uint16(min(int(l[field])+words, 1<<16-1))
}

// run counts the characters and pairs of a packed run; its length is its characters.
func (b *builder) run(field int, run string) int {
	n := 0
	pairs(run, func(gram string, pair bool) {
		b.count(b.term(gram), field)
		if !pair {
			n++
		}
	})
	return n
}

func (b *builder) count(id uint32, field int) {
	if i := int(b.last[id]) - 1; i >= b.start {
		b.entries[i].tf = count(b.entries[i].tf, field)
		return
	}
	b.entries = append(b.entries, entry{id, count(0, field)})
	b.last[id] = int32(len(b.entries))
}

func (b *builder) term(s string) uint32 {
	id, fresh := b.out.dict.add(s)
	if fresh {
		b.last = append(b.last, 0)
	}
	return id
}

// token gives the terms of a token.
func (b *builder) token(token string) []uint32 {
	if len(token) > maxTerm {
		return b.analyze(nil, token)
	}
	n, fresh := b.tokens.add(token)
	if fresh {
		start := uint32(len(b.arena))
		b.arena = b.analyze(b.arena, token)
		b.spans = append(b.spans, span{start, uint32(len(b.arena))})
	}
	return b.arena[b.spans[n].start:b.spans[n].end]
}

// analyze appends the terms of a token to ids.
func (b *builder) analyze(ids []uint32, token string) []uint32 {
	c := b.analyzer.compound(token)
	for _, w := range c.words {
		form := true
		for i, alt := range w.alts {
			id := b.term(alt)
			if i == 0 && !w.stop {
				id |= content
			}
			ids = append(ids, id)
			form = form && alt != w.form
		}
		if form {
			ids = append(ids, b.term(w.form))
		}
	}
	if c.whole == "" {
		return ids
	}
	ids = append(ids, b.term(c.whole))
	for _, alt := range c.one {
		ids = append(ids, b.term(alt))
	}
	return ids
}

// names enters the keys under which a query names the whole note.
func (b *builder) names(c *candor.Chunk) {
	b.name(c.Title)
	for _, s := range c.Aliases {
		b.name(s)
	}
	b.name(fileName(c.Path))
}

func (b *builder) name(s string) {
	key, ok := b.titles[s]
	if !ok {
		key = b.analyzer.key(s)
		if b.titles == nil || len(b.titles) > 1000 {
			b.titles = map[string]string{}
		}
		b.titles[s] = key
	}
	if key == "" {
		return
	}
	if id := b.term(key); int(b.last[id]) <= b.start {
		b.count(id, FieldTitle)
	}
}

// fileName is the last part of a path without its ending.
func fileName(p candor.Path) string {
	s := path.Base(string(p))
	return strings.TrimSuffix(s, path.Ext(s))
}

// segment turns documents into postings by counting sort.
func (b *builder) segment() *segment {
	s := b.out
	s.live = len(s.slots)
	for _, l := range s.lens {
		for f, n := range l {
			s.total[f] += int64(n)
		}
	}
	next := make([]uint32, s.dict.len()+1)
	for _, e := range b.entries {
		next[e.term+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	s.posts = make([]posting, len(b.entries))
	i := uint32(0)
	for doc, end := range b.docs {
		for ; i < end; i++ {
			e := b.entries[i]
			s.posts[next[e.term]] = posting{uint16(doc), e.tf}
			next[e.term]++
		}
	}
	s.ends = next[:s.dict.len():s.dict.len()]
	s.dict.clip()
	return &s
}
