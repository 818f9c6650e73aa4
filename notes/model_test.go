package notes

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
)

// modelDisk is a folder that forgets at a loss of power what was not synced, and fails
// where it is told to.
type modelDisk struct {
	mu      sync.Mutex
	now     map[string]*modelFile // as processes see it
	durable map[string]*modelFile // as of the last sync of the folder
	since   []change              // to the names since then
	faults  *faults
}

type modelFile struct {
	data   []byte
	synced int
}

// change is a file put under a name, or taken away (nil).
type change struct {
	name string
	file *modelFile
}

// faults says which of all operations fails, and how.
type faults struct {
	at   int // 0: none
	kind fault
	done int  // operations so far
	dead bool // the process was killed: nothing it does counts any more
}

// fault is what happens instead of what was asked.
type fault struct {
	name string
	err  error
	part bool // half of a write happens
	all  bool // all of it happens, and is reported as failed
	kill bool // nothing happens, then or later
}

var faultKinds = []fault{
	{name: "EIO", err: syscall.EIO},
	{name: "EINTR", err: syscall.EINTR},
	{name: "EDQUOT", err: errors.New("disk quota exceeded")},
	{name: "ENOSPC", err: syscall.ENOSPC, part: true},
	{name: "short write", err: io.ErrShortWrite, part: true},
	{name: "told late", err: syscall.EIO, all: true},
	{name: "kill", err: errors.New("killed"), kill: true},
	{name: "kill in a write", err: errors.New("killed"), kill: true, part: true},
}

// step counts an operation and says how much of it happens.
func (f *faults) step() (none, half bool, err error) {
	f.done++
	if f.dead {
		return true, false, f.kind.err
	}
	if f.done != f.at {
		return false, false, nil
	}
	f.dead = f.kind.kill
	return !f.kind.all && !f.kind.part, f.kind.part, f.kind.err
}

func newModelDisk(f *faults) *modelDisk {
	return &modelDisk{now: map[string]*modelFile{}, durable: map[string]*modelFile{}, faults: f}
}

// do is one operation on names: half of it is none.
func (d *modelDisk) do(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	none, half, err := d.faults.step()
	if none || half {
		return err
	}
	if e := f(); e != nil {
		return e
	}
	return err
}

func (d *modelDisk) set(name string, f *modelFile) {
	d.since = append(d.since, change{name, f})
	apply(d.now, change{name, f})
}

func apply(names map[string]*modelFile, c change) {
	if c.file == nil {
		delete(names, c.name)
	} else {
		names[c.name] = c.file
	}
}

// cut is a loss of power: of what was not synced anything may have reached the disk.
func (d *modelDisk) cut(r *rand.Rand) {
	for _, c := range d.since {
		if r.IntN(2) == 0 {
			apply(d.durable, c)
		}
	}
	d.now, d.since = map[string]*modelFile{}, nil
	for name, f := range d.durable {
		lost := len(f.data) - f.synced
		if lost > 0 {
			kept := slices.Clone(f.data[:f.synced+r.IntN(lost+1)])
			if r.IntN(3) == 0 { // its size is on the disk, and a page of it is not
				kept = slices.Clone(f.data)
				clear(kept[f.synced+r.IntN(lost):][:1])
			}
			f.data, f.synced = kept, len(kept)
		}
		d.now[name] = f
	}
}

func (d *modelDisk) ready(bool) error { return d.do(func() error { return nil }) }

func (d *modelDisk) names() (names []string, err error) {
	err = d.do(func() error {
		for name := range d.now {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil
	})
	return names, err
}

func (d *modelDisk) create(name string) (out file, err error) {
	err = d.do(func() error {
		if d.now[name] != nil {
			return fs.ErrExist
		}
		f := &modelFile{}
		d.set(name, f)
		out = modelHandle{d, f}
		return nil
	})
	return out, err
}

func (d *modelDisk) open(name string, _ int) (out file, err error) {
	err = d.do(func() error {
		f := d.now[name]
		if f == nil {
			return fs.ErrNotExist
		}
		out = modelHandle{d, f}
		return nil
	})
	return out, err
}

func (d *modelDisk) truncate(name string, n int64) error {
	return d.do(func() error {
		f := d.now[name]
		if f == nil {
			return fs.ErrNotExist
		}
		f.data, f.synced = f.data[:n], int(n)
		return nil
	})
}

func (d *modelDisk) link(from, to string) error {
	return d.do(func() error {
		if d.now[to] != nil {
			return fs.ErrExist
		}
		d.set(to, d.now[from])
		return nil
	})
}

func (d *modelDisk) remove(name string) error {
	return d.do(func() error {
		if d.now[name] == nil {
			return fs.ErrNotExist
		}
		d.set(name, nil)
		return nil
	})
}

func (d *modelDisk) sync() error {
	return d.do(func() error {
		d.durable, d.since = map[string]*modelFile{}, nil
		for name, f := range d.now {
			d.durable[name] = f
		}
		return nil
	})
}

func (d *modelDisk) free() (uint64, error) {
	return 1 << 40, d.do(func() error { return nil })
}

func (d *modelDisk) close() error { return nil }

func (d *modelDisk) lock(context.Context) (func() error, error) {
	return func() error { return nil }, d.do(func() error { return nil })
}

// modelHandle is an open file.
type modelHandle struct {
	disk *modelDisk
	file *modelFile
}

func (h modelHandle) Write(p []byte) (n int, err error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	none, half, err := h.disk.faults.step()
	switch {
	case none:
		return 0, err
	case half:
		p = p[:len(p)/2]
	}
	h.file.data = append(h.file.data, p...)
	return len(p), err
}

func (h modelHandle) ReadAt(p []byte, at int64) (n int, err error) {
	err = h.disk.do(func() error {
		if at >= int64(len(h.file.data)) {
			return io.EOF
		}
		if n = copy(p, h.file.data[at:]); n < len(p) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (h modelHandle) Size() (n int64, err error) {
	return int64(len(h.file.data)), h.disk.do(func() error { return nil })
}

func (h modelHandle) Sync() error {
	return h.disk.do(func() error {
		h.file.synced = len(h.file.data)
		return nil
	})
}

func (h modelHandle) Close() error { return h.disk.do(func() error { return nil }) }
