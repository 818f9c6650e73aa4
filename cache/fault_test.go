package cache

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"syscall"
)

// fakeDisk is a folder that forgets at a power cut what was not synced, and fails where
// it is told to. Several caches may share one, as processes share a folder.
type fakeDisk struct {
	mu      sync.Mutex
	now     map[string]*fakeFile // as processes see it
	durable map[string]*fakeFile // as of the last sync of the folder
	since   []change             // to the names since then
	locked  bool
	steps   int           // calls that change something, so far
	fail    map[int]fault // by step
	dead    bool          // the process was killed: nothing it does counts any more
}

type fakeFile struct {
	data   []byte
	synced int
}

// change is a file put under a name, or taken away (nil).
type change struct {
	name string
	file *fakeFile
}

// fault is what happens at a step instead of what was asked.
type fault uint8

const (
	noFault   fault = iota
	failIO          // nothing happens, EIO
	failFull        // half happens, ENOSPC
	failDead        // nothing happens then or after: the process is killed
	failAfter       // it happens and is reported as failed
	faults
)

var errDead = errors.New("killed")

func newFakeDisk() *fakeDisk {
	return &fakeDisk{now: map[string]*fakeFile{}, durable: map[string]*fakeFile{}, fail: map[int]fault{}}
}

// step counts a change and says whether it may happen.
func (d *fakeDisk) step() (does bool, err error) {
	if d.dead {
		return false, errDead
	}
	d.steps++
	switch d.fail[d.steps] {
	case failIO:
		return false, syscall.EIO
	case failFull:
		return false, syscall.ENOSPC
	case failDead:
		d.dead = true
		return false, errDead
	case failAfter:
		return true, syscall.EIO
	}
	return true, nil
}

func (d *fakeDisk) set(name string, f *fakeFile) {
	d.since = append(d.since, change{name, f})
	apply(d.now, change{name, f})
}

func apply(names map[string]*fakeFile, c change) {
	if c.file == nil {
		delete(names, c.name)
	} else {
		names[c.name] = c.file
	}
}

// kill ends the process: what it wrote stays, its lock goes.
func (d *fakeDisk) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead, d.locked = false, false
	clear(d.fail)
}

// cut is a loss of power: of the names since the last sync those that keep chooses
// reached the disk, and of unsynced bytes as many as some says of how many.
func (d *fakeDisk) cut(keep func(change) bool, some func(n int) int) {
	d.kill()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.since {
		if keep(c) {
			apply(d.durable, c)
		}
	}
	d.now, d.since = map[string]*fakeFile{}, nil
	for name, f := range d.durable {
		data := slices.Clone(f.data)
		if lost := len(data) - f.synced; lost > 0 {
			from := f.synced + some(lost+1)
			if some(2) == 1 {
				clear(data[from:]) // the length arrived, the bytes did not
			} else {
				data = data[:from]
			}
		}
		d.now[name] = &fakeFile{data, len(data)}
		d.durable[name] = d.now[name]
	}
}

func (d *fakeDisk) names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return nil, errDead
	}
	var out []string
	for name := range d.now {
		out = append(out, name)
	}
	return out, nil
}

type fakeBlob struct{ *bytes.Reader }

func (fakeBlob) Close() error { return nil }

func (d *fakeDisk) open(name string) (blob, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.now[name]
	switch {
	case d.dead:
		return nil, errDead
	case !ok:
		return nil, fs.ErrNotExist
	}
	return fakeBlob{bytes.NewReader(f.data)}, nil
}

func (d *fakeDisk) create(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] != nil {
		return nil, fs.ErrExist
	}
	does, err := d.step()
	f := &fakeFile{}
	if does {
		d.set(name, f)
	}
	if err != nil {
		return nil, err
	}
	return &fakeWriter{d, f}, nil
}

func (d *fakeDisk) rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.now[from]
	if f == nil {
		return fs.ErrNotExist
	}
	does, err := d.step()
	if does {
		d.set(to, f)
		d.set(from, nil)
	}
	return err
}

func (d *fakeDisk) remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] == nil {
		return fs.ErrNotExist
	}
	does, err := d.step()
	if does {
		d.set(name, nil)
	}
	return err
}

func (d *fakeDisk) sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	does, err := d.step()
	if does {
		for _, c := range d.since {
			apply(d.durable, c)
		}
		d.since = nil
	}
	return err
}

func (d *fakeDisk) lock() (func() error, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked {
		return nil, ErrBusy
	}
	if does, err := d.step(); !does {
		return nil, err
	}
	d.locked = true
	return func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.locked = false
		return nil
	}, nil
}

type fakeWriter struct {
	d *fakeDisk
	f *fakeFile
}

func (w *fakeWriter) Write(p []byte) (int, error) {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	does, err := w.d.step()
	if errors.Is(err, syscall.ENOSPC) {
		w.f.data = append(w.f.data, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	if does {
		w.f.data = append(w.f.data, p...)
	}
	return len(p), err
}

func (w *fakeWriter) Sync() error {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	does, err := w.d.step()
	if does {
		w.f.synced = len(w.f.data)
	}
	return err
}

func (w *fakeWriter) Close() error {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	_, err := w.d.step()
	return err
}
