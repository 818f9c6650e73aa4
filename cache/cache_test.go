package cache

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
)

// TestEveryBitOfAFloat holds that vectors come back exactly.
func TestEveryBitOfAFloat(t *testing.T) {
	exact := func(in []float32) bool {
		in = append(in, math.SmallestNonzeroFloat32, math.MaxFloat32, float32(math.Copysign(0, -1)))
		in = slices.DeleteFunc(in, func(x float32) bool { return checkVector([]float32{x}) != nil })
		raw, err := unpack(pack([][]float32{in, in}, len(in)), 2*planes*len(in))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range row(raw, 1, len(in)) {
			if math.Float32bits(x) != math.Float32bits(in[i]) {
				return false
			}
		}
		return true
	}
	if err := quick.Check(exact, nil); err != nil {
		t.Error(err)
	}
}

// TestMemoryOnly holds the same interface without a folder.
func TestMemoryOnly(t *testing.T) {
	c := testOpen(t, "", 1)
	entries := entriesOf(c.Key(), "a", 50)
	testPut(t, c, entries...)
	if n := found(t, c, idsOf(entries)); n != 50 {
		t.Errorf("%d of 50 vectors", n)
	}
	w := testWriter(t, c)
	done, err := w.Prune(func(id ID) bool { return id == entries[7].ID })
	if diff := cmp.Diff(Pruned{Vectors: 49}, done); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if s := c.Stat(); s.Vectors != 1 || s.Unstored != 1 || s.Segments != 0 {
		t.Errorf("%+v", s)
	}
	check(t, c)
}

// TestModels holds that a vector is found under its own model only, that a return to a
// model finds its vectors again, and that a chunk that is gone goes under every model.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	c := testOpen(t, dir, 1)
	a, b := entriesOf(c.Key(), "a", 20), entriesOf(c.Key(), "b", 20)
	testPut(t, c, a...)
	if n := found(t, c, idsOf(b)); n != 0 {
		t.Fatalf("%d vectors of another model", n)
	}
	testPut(t, c, b...)
	c = testOpen(t, dir, 1)
	if n := found(t, c, idsOf(a)); n != 20 {
		t.Fatalf("%d of 20 vectors after a return", n)
	}
	live := map[Chunk]bool{}
	for _, e := range a[:5] {
		live[e.ID.Chunk] = true
	}
	w := testWriter(t, c)
	done, err := w.Prune(func(id ID) bool { return live[id.Chunk] })
	if err != nil || done.Vectors != 30 {
		t.Fatalf("%+v, %v", done, err)
	}
	c = testOpen(t, dir, 1)
	if got := [2]int{found(t, c, idsOf(a)), found(t, c, idsOf(b))}; got != [2]int{5, 5} {
		t.Errorf("after a prune: %v", got)
	}
	check(t, c)
}

// TestOwnCopies holds that nobody can change what others are given.
func TestOwnCopies(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		c := testOpen(t, dir, 1)
		e := entry(c.Key(), "a", 1)
		given := slices.Clone(e.Vector)
		testPut(t, c, Entry{e.ID, given})
		given[0]++
		for range 3 {
			v, ok := c.Get(e.ID)
			if !ok || !slices.Equal(v, e.Vector) {
				t.Fatalf("%v, %v", v, ok)
			}
			clear(v)
		}
	}
}

// TestRefused holds that a batch with something that is no vector is refused whole.
func TestRefused(t *testing.T) {
	c := testOpen(t, t.TempDir(), 1)
	w := testWriter(t, c)
	good := entry(c.Key(), "a", 1)
	for _, v := range [][]float32{
		nil, {}, {float32(math.NaN())}, {1, float32(math.Inf(-1))}, make([]float32, maxWidth+1),
	} {
		if err := w.Put([]Entry{good, {entry(c.Key(), "a", 2).ID, v}}); err == nil {
			t.Errorf("%d dimensions are stored", len(v))
		}
	}
	if c.Has(good.ID) {
		t.Error("part of a refused batch is stored")
	}
	if err := w.Put([]Entry{{good.ID, make([]float32, maxWidth)}}); err != nil {
		t.Error(err)
	}
}

// TestOneWriter holds that the second reads on while the first writes.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	first, second := testOpen(t, dir, 1), testOpen(t, dir, 1)
	entries := entriesOf(first.Key(), "a", 40)
	w := testWriter(t, first)
	for _, c := range []*Cache{first, second} {
		if _, err := c.Writer(); !errors.Is(err, ErrBusy) {
			t.Fatalf("a second writer: %v", err)
		}
	}
	if err := w.Put(entries); err != nil {
		t.Fatal(err)
	}
	if n := found(t, second, idsOf(entries)); n != 0 {
		t.Errorf("%d vectors before a refresh", n)
	}
	if err := second.Refresh(); err != nil {
		t.Fatal(err)
	}
	if n := found(t, second, idsOf(entries)); n != 40 {
		t.Errorf("%d of 40 vectors after a refresh", n)
	}
	// The first moves all of it to another file; the second finds it without being told.
	second.recent = nil
	if _, err := w.Prune(func(id ID) bool { return id != entries[0].ID }); err != nil {
		t.Fatal(err)
	}
	if n := found(t, second, idsOf(entries)); n != 39 {
		t.Errorf("%d of 39 vectors after they moved", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	testPut(t, second, entries[0])
	check(t, testOpen(t, dir, 1))
}

// TestClosedWriter holds that a right that was given back is gone.
func TestClosedWriter(t *testing.T) {
	c := testOpen(t, t.TempDir(), 1)
	w := testWriter(t, c)
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, pruned := w.Prune(func(ID) bool { return true })
	_, cleared := w.Clear()
	for _, err := range []error{w.Put([]Entry{entry(c.Key(), "a", 1)}), w.Flush(), pruned, cleared} {
		if !errors.Is(err, errClosed) {
			t.Errorf("got %v", err)
		}
	}
	testPut(t, c, entry(c.Key(), "a", 1))
	check(t, c)
}

// TestMerge holds that however small the batches, the files stay few and each vector is
// written again only a few times.
func TestMerge(t *testing.T) {
	d := newFakeDisk()
	c := testOn(t, d)
	w := testWriter(t, c)
	entries := entriesOf(c.Key(), "a", 1500)
	for _, e := range entries {
		if err := w.Put([]Entry{e}); err != nil {
			t.Fatal(err)
		}
		if n := len(d.now); n > 32 {
			t.Fatalf("%d files", n)
		}
	}
	if n := found(t, c, idsOf(entries)); n != len(entries) {
		t.Errorf("%d of %d vectors", n, len(entries))
	}
	check(t, testOn(t, d))
}

// TestFullDisk holds that what cannot be stored is used all the same, and stored later.
func TestFullDisk(t *testing.T) {
	d := newFakeDisk()
	c := testOn(t, d)
	w := testWriter(t, c)
	entries := entriesOf(c.Key(), "a", 10)
	for i := range 200 {
		d.fail[d.steps+i] = failFull
	}
	if err := w.Put(entries); err == nil {
		t.Fatal("no error")
	}
	if n := found(t, c, idsOf(entries)); n != 10 {
		t.Errorf("%d of 10 vectors", n)
	}
	if s := c.Stat(); s.Unstored != 10 {
		t.Errorf("%+v", s)
	}
	clear(d.fail)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	c = testOn(t, d)
	if n := found(t, c, idsOf(entries)); n != 10 {
		t.Errorf("%d of 10 vectors are stored", n)
	}
	check(t, c)
}

// TestKeys holds that a lost, wrong or new key makes a cold start and nothing worse, and
// that Clear leaves nothing of the old one.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	old := testOpen(t, dir, 1)
	entries := entriesOf(old.Key(), "a", 30)
	testPut(t, old, entries...)

	c := testOpen(t, dir, 2)
	if n := found(t, c, idsOf(entries)); n != 0 {
		t.Fatalf("%d vectors under another key", n)
	}
	if s := c.Stat(); s.Vectors != 0 || len(s.Faults) != 1 || s.Faults[0].Reason != errSealed.Error() {
		t.Errorf("%+v", s)
	}
	fresh := entriesOf(c.Key(), "a", 30)
	testPut(t, c, fresh...)
	if err := old.Refresh(); err != nil { // the process that still has the old key
		t.Fatal(err)
	}
	if n := found(t, old, idsOf(entries)); n != 30 {
		t.Errorf("%d of 30 vectors for the old key", n)
	}
	done, err := testWriter(t, c).Clear()
	if diff := cmp.Diff(Pruned{Vectors: 30, Files: 1}, done); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, key := range []byte{1, 2} {
		c := testOpen(t, dir, key)
		if s := c.Stat(); s.Segments != 0 || len(s.Faults) != 0 {
			t.Errorf("%+v", s)
		}
		check(t, c)
	}
}

// TestStat holds what the owner is told.
func TestStat(t *testing.T) {
	c := testOpen(t, t.TempDir(), 1)
	k := c.Key()
	testPut(t, c, append(entriesOf(k, "a", 3), entriesOf(k, "b", 5)...)...)
	got := c.Stat()
	got.Bytes = 0
	want := Stat{Segments: 2, Vectors: 8, Spaces: []Count{
		{k.Space("b", ""), width, 5}, {k.Space("a", ""), width, 3},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	check(t, c)
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	c := testOpen(t, t.TempDir(), 1)
	entries := entriesOf(c.Key(), "a", 200)
	done := make(chan error)
	for g := range 3 {
		go func() {
			for i := range 40 {
				if v, ok := c.Get(entries[i].ID); ok && !slices.Equal(v, entries[i].Vector) {
					done <- fmt.Errorf("wrong vector %d", i)
					return
				}
				_ = c.Has(entries[g].ID)
				_ = c.Stat()
				_ = c.Refresh()
			}
			done <- nil
		}()
	}
	w := testWriter(t, c)
	for i := 0; i < len(entries); i += 10 {
		if err := w.Put(entries[i : i+10]); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	check(t, c)
}
