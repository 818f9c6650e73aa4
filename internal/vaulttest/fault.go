package vaulttest

import (
	"io/fs"
	"sync"

	"candor/vault"
)

// Faults is a disk that fails as it is told to. The zero value works as the real one.
type Faults struct {
	mu    sync.Mutex
	calls int
	next  int   // the call that fails, 0 for none
	all   bool  // all from it on
	err   error // with which
	hit   bool
}

// FailAt lets the n-th call from now on fail, once; 1 is the next one.
func (f *Faults) FailAt(n int, err error) { f.set(n, false, err) }

// FailAll lets every call fail until Heal.
func (f *Faults) FailAll(err error) { f.set(1, true, err) }

// Heal ends the failing, and reports whether a call has failed since it was asked for.
func (f *Faults) Heal() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next, f.all = 0, false
	return f.hit
}

func (f *Faults) set(n int, all bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.next, f.all, f.err, f.hit = 0, n, all, err, false
}

// call counts a call and gives its error.
func (f *Faults) call(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.next == 0 || f.calls != f.next && !(f.all && f.calls > f.next) {
		return nil
	}
	f.hit = true
	return &fs.PathError{Op: op, Path: name, Err: f.err}
}

// Open opens a folder of the disk; it is the System of [vault.Options].
func (f *Faults) Open(dir string) (vault.Folder, error) {
	if err := f.call("open", dir); err != nil {
		return nil, err
	}
	at, err := vault.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	return faultyFolder{at, f}, nil
}

type faultyFolder struct {
	vault.Folder
	faults *Faults
}

func (d faultyFolder) OpenFolder(name string) (vault.Folder, error) {
	if err := d.faults.call("open", name); err != nil {
		return nil, err
	}
	next, err := d.Folder.OpenFolder(name)
	if err != nil {
		return nil, err
	}
	return faultyFolder{next, d.faults}, nil
}

func (d faultyFolder) OpenFile(name string) (vault.Handle, error) {
	if err := d.faults.call("open", name); err != nil {
		return nil, err
	}
	file, err := d.Folder.OpenFile(name)
	if err != nil {
		return nil, err
	}
	return faultyFile{file, d.faults}, nil
}

func (d faultyFolder) Lstat(name string) (fs.FileInfo, error) {
	if err := d.faults.call("lstat", name); err != nil {
		return nil, err
	}
	return d.Folder.Lstat(name)
}

func (d faultyFolder) Stat() (fs.FileInfo, error) {
	if err := d.faults.call("stat", "."); err != nil {
		return nil, err
	}
	return d.Folder.Stat()
}

func (d faultyFolder) ReadDir() ([]fs.DirEntry, error) {
	if err := d.faults.call("readdir", "."); err != nil {
		return nil, err
	}
	return d.Folder.ReadDir()
}

type faultyFile struct {
	vault.Handle
	faults *Faults
}

// Read gives half of what is asked for and then fails: a fault may come when part of a
// file is read.
func (h faultyFile) Read(p []byte) (int, error) {
	if err := h.faults.call("read", ""); err != nil {
		n, _ := h.Handle.Read(p[:len(p)/2])
		return n, err
	}
	return h.Handle.Read(p)
}

func (h faultyFile) Stat() (fs.FileInfo, error) {
	if err := h.faults.call("stat", ""); err != nil {
		return nil, err
	}
	return h.Handle.Stat()
}
