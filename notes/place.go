package notes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"candor"
)

// folder is what is asked of the file system. It is an interface for the tests, which put
// faults and losses of power into it.
type folder interface {
	ready(mayMake bool) error                  // it is there and is no link
	names() ([]string, error)                  // of what is in it
	create(name string) (file, error)          // a new file; what is there is an error
	open(name string, flags int) (file, error) // a regular file with one name
	truncate(name string, n int64) error       // durably
	link(from, to string) error                // what is under to is an error
	remove(name string) error
	sync() error           // makes names durable
	free() (uint64, error) // bytes of the disk
	lock(ctx context.Context) (release func() error, err error)
	close() error
}

// file is one file of a folder.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Size() (int64, error)
	Sync() error
}

// place is a folder in which one writer at a time is at work.
type place struct {
	folder
	floor uint64 // bytes of the disk that stay free

	mu   sync.Mutex
	lost error // why nothing more is written: a sync failed, so the disk may hold anything
}

// What guard may do about a folder that is not there.
const (
	existing = false
	made     = true
)

// lostError is a failure after which it is not known what the disk holds.
type lostError struct{ err error }

func (l *lostError) Error() string {
	return l.err.Error() + "; nothing more is written until the next start"
}
func (l *lostError) Unwrap() error { return l.err }

// guard does f while no other writer, of this process or another one, is at work.
func (p *place) guard(ctx context.Context, mayMake bool, f func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return p.lost
	}
	err := p.locked(ctx, mayMake, f)
	if _, refused := errors.AsType[*candor.InputError](err); err == nil || refused {
		return err
	}
	err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	if _, lost := errors.AsType[*lostError](err); lost {
		p.lost = err
	}
	return err
}

func (p *place) locked(ctx context.Context, mayMake bool, f func() error) error {
	if err := p.ready(mayMake); err != nil {
		return err
	}
	release, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	free, err := p.free()
	switch {
	case err != nil:
		return err
	case free < p.floor:
		return ErrQuota
	}
	return f()
}

// shut ends all writing.
func (p *place) shut() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = fmt.Errorf("%w: it was closed", ErrUnavailable)
	return p.close()
}

// store writes a new file so that its content is durable; its name is not yet.
func (p *place) store(name string, data io.Reader) (err error) {
	f, err := p.create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	if err == nil {
		if err = f.Sync(); err != nil {
			err = &lostError{err}
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = p.remove(name) // the next sweep, at the latest
	}
	return err
}

// settle makes names durable.
func (p *place) settle() error {
	if err := p.sync(); err != nil {
		return &lostError{err}
	}
	return nil
}
