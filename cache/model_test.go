package cache

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
	some := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "keep") }
	m.disk.cut(func(change) bool { return some(2) == 1 }, some)
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

// run is a run of 16 batches and a prune.
type run struct {
	all  []Entry
	live map[ID]bool
}

func newRun() run {
	k := testKey(1)
	r := run{append(entriesOf(k, "a", 40), entriesOf(k, "b", 40)...), map[ID]bool{}}
	for _, e := range r.all[:20] {
		r.live[e.ID] = true
	}
	return r
}

// on gives what was acknowledged before something failed.
func (r run) on(t *testing.T, d *fakeDisk) (put int, pruned bool) {
	c := testOn(t, d)
	w, err := c.Writer()
	if err != nil {
		return 0, false
	}
	defer w.Close()
	for i := 0; i < len(r.all); i += 5 {
		if w.Put(r.all[i:i+5]) != nil {
			return i, false
		}
	}
	_, err = w.Prune(func(id ID) bool { return r.live[id] })
	return len(r.all), err == nil
}

// TestEveryStep fails each step of a run with puts, merges and a prune in turn, in every
// way, with and without a loss of power, and runs it again.
func TestEveryStep(t *testing.T) {
	r, sound := newRun(), newFakeDisk()
	if _, pruned := r.on(t, sound); !pruned {
		t.Fatal("the run fails on a sound disk")
	}
	ends := map[string]func(*fakeDisk, *rand.Rand){
		"kill": func(d *fakeDisk, _ *rand.Rand) { d.kill() },
		"cut, no name kept": func(d *fakeDisk, rng *rand.Rand) {
			d.cut(func(change) bool { return false }, rng.IntN)
		},
		"cut, removals kept": func(d *fakeDisk, rng *rand.Rand) {
			d.cut(func(c change) bool { return c.file == nil }, rng.IntN)
		},
		"cut, some kept": func(d *fakeDisk, rng *rand.Rand) {
			d.cut(func(change) bool { return rng.IntN(2) == 1 }, rng.IntN)
		},
	}
	for at := 1; at <= sound.steps; at++ {
		for f := failIO; f < faults; f++ {
			for how, end := range ends {
				t.Run(fmt.Sprint(at, f, how), func(t *testing.T) {
					d := newFakeDisk()
					d.fail[at] = f
					put, pruned := r.on(t, d)
					end(d, rand.New(rand.NewPCG(uint64(at), uint64(f))))
					r.verify(t, d, put, pruned)
				})
			}
		}
	}
}

// verify holds what was acknowledged against what is there, and that the next run ends
// what the first began.
func (r run) verify(t *testing.T, d *fakeDisk, put int, pruned bool) {
	c := testOn(t, d)
	for i, e := range r.all {
		_, ok := c.Get(e.ID)
		mayGo := put == len(r.all) && !r.live[e.ID]
		if i < put && !mayGo && !ok {
			t.Fatalf("vector %d of %d is gone", i, put)
		}
		if pruned && !r.live[e.ID] && ok {
			t.Fatalf("vector %d was pruned and is there", i)
		}
	}
	if put, pruned := r.on(t, d); put != len(r.all) || !pruned {
		t.Fatal("does not recover")
	}
	c = testOn(t, d)
	if s := c.Stat(); s.Vectors != len(r.live) {
		t.Fatalf("%d vectors after recovery, not %d", s.Vectors, len(r.live))
	}
	for name := range d.now {
		if !isSegment(name) {
			t.Fatalf("%s is left over", name)
		}
	}
	check(t, c)
}

// TestDurableNames holds that a name which another writer left unsynced is synced before
// anything under it is acknowledged.
func TestDurableNames(t *testing.T) {
	d := newFakeDisk()
	e := entry(testKey(1), "a", 1)
	w := testWriter(t, testOn(t, d))
	d.fail[d.steps+6] = failDead // after create, write, sync, close and rename
	if err := w.Put([]Entry{e}); err == nil || !hasSegment(d) {
		t.Fatalf("the run has other steps: %v", err)
	}
	d.kill()
	testPut(t, testOn(t, d), e)
	d.cut(func(change) bool { return false }, func(int) int { return 0 })
	c := testOn(t, d)
	if _, ok := c.Get(e.ID); !ok {
		t.Error("an acknowledged vector is gone")
	}
	check(t, c)
}

func hasSegment(d *fakeDisk) bool {
	for name := range d.now {
		if isSegment(name) {
			return true
		}
	}
	return false
}

// TestSecondCopy holds that of vectors that stand twice the sound copy is found, and kept
// by a prune that meets the damaged one last.
func TestSecondCopy(t *testing.T) {
	k := testKey(1)
	ids, first, firstData := segmentOf(t, k, 50)
	_, last, lastData := segmentOf(t, k, 50)
	if first > last {
		first, firstData, last, lastData = last, lastData, first, firstData
	}
	d := hold(last, lastData)
	c := testOn(t, d)
	w := testWriter(t, c)
	d.now[first] = &fakeFile{firstData, len(firstData)}
	if err := c.Refresh(); err != nil { // the last is the one in use
		t.Fatal(err)
	}
	lastData[len(lastData)-1] ^= 1
	if _, err := w.Prune(func(id ID) bool { return id != ids[0] }); err != nil {
		t.Fatal(err)
	}
	c = testOn(t, d)
	if n := found(t, c, ids); n != 49 {
		t.Errorf("%d of 49 vectors", n)
	}
	check(t, c)
}
