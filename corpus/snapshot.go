package corpus

import (
	"slices"
	"strings"
	"sync"

	"candor"
	"candor/policy"
)

// Snapshot is what one profile may see, at one moment. It is immutable and safe for
// concurrent use.
type Snapshot struct {
	// Profile is the profile it was made for.
	Profile string
	// Chunks are the passages that search may give, those of notes not superseded,
	// each in a slot that it keeps from one snapshot to the next. An empty slot is nil.
	Chunks []*candor.Chunk

	notes    map[candor.Path]*Note
	order    []candor.Path // sorted
	slots    map[*Note]int // the first slot of a note's chunks, by its origin
	live     int           // chunks, without the empty slots
	left     []candor.Path // visible, and beyond the bound on bytes
	policy   *policy.Policy
	replaced map[candor.Path]replacement
	refused  []Problem // claims to supersede a note that is trusted more

	names     func() map[string][]candor.Path // made when a link is first resolved
	backlinks func() map[candor.Path][]Link
}

// compactAt is the share of empty slots at which the slots are dealt anew.
const compactAt = 0.5

// newSnapshot makes the snapshot of a profile's notes, in path order. It keeps the
// slots of the snapshot before, so that an index can follow at the cost of the change.
func newSnapshot(profile string, visible []*Note, before *Snapshot) *Snapshot {
	s := &Snapshot{Profile: profile, notes: make(map[candor.Path]*Note, len(visible)), slots: map[*Note]int{}}
	for _, n := range visible {
		// Two files whose masked names are the same: the first is kept.
		if _, taken := s.notes[n.Path]; !taken {
			s.notes[n.Path] = n
			s.order = append(s.order, n.Path)
		}
	}
	slices.Sort(s.order)
	s.names = sync.OnceValue(func() map[string][]candor.Path { return nameIndex(s.order) })
	s.replaced = s.supersede()
	s.refused = s.claim(s.replaced)
	s.deal(before)
	s.backlinks = sync.OnceValue(s.findBacklinks)
	return s
}

// deal gives each current note its slots: those it had, else new ones at the end.
func (s *Snapshot) deal(before *Snapshot) {
	total := 0
	var fresh []*Note
	if before != nil {
		s.Chunks = make([]*candor.Chunk, len(before.Chunks))
	}
	for _, p := range s.order {
		n := s.notes[p]
		if _, old := s.replaced[p]; old {
			continue
		}
		total += len(n.Chunks)
		if before != nil {
			if at, ok := before.slots[n.origin]; ok {
				s.slots[n.origin] = at
				copy(s.Chunks[at:], n.Chunks)
				continue
			}
		}
		fresh = append(fresh, n)
	}
	s.live = total
	for _, n := range fresh {
		s.slots[n.origin] = len(s.Chunks)
		s.Chunks = append(s.Chunks, n.Chunks...)
	}
	if before != nil && float64(len(s.Chunks)-total) > compactAt*float64(len(s.Chunks)) {
		s.Chunks, s.slots = nil, map[*Note]int{}
		s.deal(nil)
	}
}

// Note is the note of a path, or nil.
func (s *Snapshot) Note(p candor.Path) *Note { return s.notes[p] }

// Paths are all notes, superseded ones too, sorted.
func (s *Snapshot) Paths() []candor.Path { return s.order }

// Size counts the notes and the chunks that search may give.
func (s *Snapshot) Size() (notes, chunks int) { return len(s.order), s.live }

// Left are the notes that the profile may see and that the bound on indexed bytes left
// out, sorted.
func (s *Snapshot) Left() []candor.Path { return s.left }

// Current are the notes that are not superseded, in path order, each with the first
// slot of its chunks.
func (s *Snapshot) Current(yield func(n *Note, slot int) bool) {
	for _, p := range s.order {
		n := s.notes[p]
		if at, ok := s.slots[n.origin]; ok && !yield(n, at) {
			return
		}
	}
}

// nameIndex maps each way a wikilink may spell a note, lower case, to its paths: the
// file name and each longer tail of the path, with and without extension.
func nameIndex(paths []candor.Path) map[string][]candor.Path {
	names := make(map[string][]candor.Path, 2*len(paths))
	for _, p := range paths {
		tail := strings.ToLower(string(p))
		for {
			names[tail] = append(names[tail], p)
			if dot := strings.LastIndexByte(tail, '.'); dot > strings.LastIndexByte(tail, '/') {
				names[tail[:dot]] = append(names[tail[:dot]], p)
			}
			slash := strings.IndexByte(tail, '/')
			if slash < 0 {
				break
			}
			tail = tail[slash+1:]
		}
	}
	return names
}
