package cache

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// machine drives a writer, a second reader and a map beside them over a disk that fails.
// The map says for each name whether its vector must be there, may be, or must not be.
type machine struct {
	disk          *fakeDisk
	cache, reader *Cache
	writer        *Writer
	pool          []Entry
	must, may     map[ID]bool
	hurt          map[string]bool
	files         bool // faults of files are to be expected
}

func newMachine(t *rapid.T) *machine {
	m := &machine{disk: newFakeDisk(), must: map[ID]bool{}, may: map[ID]bool{}, hurt: map[string]bool{}}
	k := testKey(1)
	m.pool = append(entriesOf(k, "a", 30), entriesOf(k, "b", 30)...)
	m.restart(t)
	m.reader = testOn(t, m.disk)
	return m
}

func (m *machine) restart(t *rapid.T) {
	m.cache = testOn(t, m.disk)
	m.writer = testWriter(t, m.cache)
}

func (m *machine) draw(t *rapid.T) []Entry {
	return rapid.SliceOfN(rapid.SampledFrom(m.pool), 1, 12).Draw(t, "entries")
}

// Put stores a batch, after a look at what is there, as whoever embeds does: that is when
// damage inside a file is found. What an error leaves open may be there or not.
func (m *machine) Put(t *rapid.T) {
	batch := m.draw(t)
	found(t, m.cache, idsOf(batch))
	err := m.writer.Put(batch)
	for _, e := range batch {
		m.may[e.ID] = true
		if err == nil {
			m.must[e.ID] = true
		}
	}
	m.settle(t, err)
}

// Prune drops what is not live. When it succeeds nothing else may ever come back.
func (m *machine) Prune(t *rapid.T) {
	live := map[ID]bool{}
	for _, e := range m.draw(t) {
		live[e.ID] = true
	}
	if _, err := m.cache.Verify(); err != nil && !m.disk.dead {
		t.Fatalf("verify: %v", err)
	}
	_, err := m.writer.Prune(func(id ID) bool { return live[id] })
	for _, e := range m.pool {
		if !live[e.ID] {
			delete(m.must, e.ID)
			if err == nil {
				delete(m.may, e.ID)
			}
		}
	}
	if err == nil {
		m.files = false
	}
	m.settle(t, err)
}

// settle restarts a process that was killed in the middle.
func (m *machine) settle(t *rapid.T, err error) {
	if errors.Is(err, errDead) || m.disk.dead {
		m.disk.kill()
		m.restart(t)
		m.reader = testOn(t, m.disk)
		// What only the dead process held is lost, and that was never acknowledged.
	}
}

// Fault arms the disk for one of the next steps.
func (m *machine) Fault(t *rapid.T) {
	at := m.disk.steps + rapid.IntRange(1, 12).Draw(t, "steps ahead")
	m.disk.fail[at] = fault(rapid.IntRange(1, int(faults)-1).Draw(t, "fault"))
}

// Kill ends the process between two calls.
func (m *machine) Kill(t *rapid.T) {
	m.disk.kill()
	m.restart(t)
}

// Cut loses power.
func (m *machine) Cut(t *rapid.T) {
	m.disk.cut(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "keep") })
	m.restart(t)
	m.reader = testOn(t, m.disk)
	m.files = true // a name may have come back that a removal had taken
}

// Damage changes a byte of a file: its vectors may be gone, never wrong.
func (m *machine) Damage(t *rapid.T) {
	names, _ := m.disk.names()
	slices.Sort(names)
	// Twice the same bit would heal a file, which those that left it aside do not expect.
	names = slices.DeleteFunc(names, func(n string) bool { return !isSegment(n) || m.hurt[n] })
	if len(names) == 0 {
		t.Skip("no file")
	}
	name := rapid.SampledFrom(names).Draw(t, "file")
	m.hurt[name] = true
	f := m.disk.now[name]
	if len(f.data) == 0 {
		t.Skip("empty")
	}
	f.data = slices.Clone(f.data)
	at := rapid.IntRange(0, len(f.data)-1).Draw(t, "at")
	if at/4 == len(magic)/4 {
		at = 0 // a file of a newer version is left alone, that of a prune too
	}
	f.data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	clear(m.must)
	m.files = true
	m.Kill(t) // so that what the writer remembers of sound files goes
}

// Read looks for all names with both processes.
func (m *machine) Read(t *rapid.T) {
	if err := m.reader.Refresh(); err != nil {
		t.Fatalf("refresh: %v", err)
	}
	m.look(t, m.cache, "writer")
	m.look(t, m.reader, "reader")
}

func (m *machine) look(t *rapid.T, c *Cache, who string) {
	ids := idsOf(m.pool)
	there := map[ID]bool{}
	for i, v := range c.All(ids) {
		if !slices.Equal(v, vectorOf(ids[i])) {
			t.Fatalf("%s: wrong vector", who)
		}
		there[ids[i]] = true
	}
	for _, id := range ids {
		if m.must[id] && !there[id] {
			t.Fatalf("%s: a stored vector is gone", who)
		}
		if there[id] && !m.may[id] {
			t.Fatalf("%s: a pruned vector is back", who)
		}
	}
}

// Check looks at what a process that starts now would find.
func (m *machine) Check(t *rapid.T) {
	fresh := testOn(t, m.disk)
	m.look(t, fresh, "fresh")
	if !m.files {
		check(t, fresh)
	}
}

// TestModel holds that, whatever fails and whenever the process or the machine dies, a
// vector that was stored stays, one that was pruned is gone, and none is ever wrong.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(map[string]func(*rapid.T){
			"put": m.Put, "put again": m.Put, "prune": m.Prune, "fault": m.Fault, "kill": m.Kill,
			"cut": m.Cut, "damage": m.Damage, "read": m.Read, "": m.Check,
		})
	})
}

// TestEveryStep fails each step of a put, a merge and a prune in turn, in every way.
func TestEveryStep(t *testing.T) {
	k := testKey(1)
	first, second := entriesOf(k, "a", 40), entriesOf(k, "b", 40)
	live := map[ID]bool{}
	for _, e := range first[:20] {
		live[e.ID] = true
	}
	// run gives what is acknowledged before something fails.
	run := func(d *fakeDisk) (put int, pruned bool) {
		c := testOn(t, d)
		w, err := c.Writer()
		if err != nil {
			return 0, false
		}
		defer w.Close()
		all := append(slices.Clone(first), second...)
		for i := 0; i < len(all); i += 5 {
			if w.Put(all[i:i+5]) != nil {
				return i, false
			}
		}
		_, err = w.Prune(func(id ID) bool { return live[id] })
		return len(all), err == nil
	}
	d := newFakeDisk()
	if _, pruned := run(d); !pruned {
		t.Fatal("the run fails on a sound disk")
	}
	steps := d.steps
	for at := 1; at <= steps; at++ {
		for f := failIO; f < faults; f++ {
			for _, power := range []bool{false, true} {
				t.Run(fmt.Sprint(at, f, power), func(t *testing.T) {
					d := newFakeDisk()
					d.fail[at] = f
					put, pruned := run(d)
					d.kill()
					if power {
						d.cut(func(n int) int { return (at * 7919) % n })
					}
					c := testOn(t, d)
					all := append(slices.Clone(first), second...)
					for i, e := range all {
						_, ok := c.Get(e.ID)
						if mustStay := i < put && live[e.ID] || i < put && !pruned && put < len(all); mustStay && !ok {
							t.Fatalf("vector %d of %d is gone", i, put)
						}
						if pruned && !live[e.ID] && ok {
							t.Fatalf("vector %d was pruned and is there", i)
						}
					}
					// The next run ends what this one began.
					if put, pruned := run(d); put != len(all) || !pruned {
						t.Fatal("does not recover")
					}
					c = testOn(t, d)
					if s := c.Stat(); s.Vectors != len(live) {
						t.Fatalf("%d vectors after recovery, not %d", s.Vectors, len(live))
					}
					check(t, c)
				})
			}
		}
	}
}
