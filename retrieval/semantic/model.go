package semantic

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// Model is an embedding model as it was last seen.
type Model struct {
	Name        string    // as configured
	Digest      string    // as Ollama names its files
	Fingerprint string    // of the space of its vectors; see Fingerprint
	Canary      []float32 // the canary vectors, one after the other
	Width       int       // dimensions of a vector
	Context     int       // tokens of the longest input, 0 where Ollama doesn't tell

	dials int64 // connections made when the canaries were taken
}

// canaries are the texts that a model is known by: prose, code, and another script.
var canaries = []string{
	"The ferry to the island leaves at half past nine unless the harbour is frozen.",
	"func retry(n int) error { return errors.New(\"gave up after 17 attempts\") }",
	"校正水槽の手順: 温度計を二十分おいてから読む。",
}

// maxDrift is how far canary vectors may be apart, in their worst dimension, and still be
// of one space: builds and machines round differently.
const maxDrift = 1e-3

// maxCanary is how many dimensions of a canary are compared: a cache stores them all as
// one vector.
const maxCanary = 4096

// sameSpace reports whether two models' canary vectors are from one space.
func sameSpace(a, b []float32) bool { return len(a) == len(b) && far(a, b) <= maxDrift }

// Fingerprint names the space that canary vectors are from. It is of their exact
// values: it names a space by the model that was first seen in it.
func Fingerprint(canary []float32) string {
	raw := make([]byte, 0, 4*len(canary))
	for _, x := range canary {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// identify finds out which model answers. It dials first and counts connections before
// the canaries go out, so that a connection made later is seen to be later; and it reads
// the digest on both sides of them.
func (e *Embedder) identify(ctx context.Context) (Model, error) {
	select {
	case e.identifying <- struct{}{}:
		defer func() { <-e.identifying }()
	case <-ctx.Done():
		return Model{}, ctx.Err()
	}
	for range 3 {
		before, err := e.peer.list(ctx)
		if err != nil {
			return Model{}, err
		}
		m, err := e.inspect(ctx, before)
		if err != nil {
			return Model{}, err
		}
		after, err := e.peer.list(ctx)
		if err != nil {
			return Model{}, err
		}
		if after.digest == before.digest {
			e.remember(&m)
			return m, nil
		}
	}
	return Model{}, ErrChanged
}

// inspect refuses a model that another machine runs and takes the canaries of others.
func (e *Embedder) inspect(ctx context.Context, l listed) (Model, error) {
	m := Model{Name: e.peer.model, Digest: l.digest, dials: e.peer.wire.dials.Load()}
	context, remote, err := e.peer.show(ctx)
	if err != nil {
		return m, err
	}
	if remote || l.remote {
		return m, remoteModel(m.Name)
	}
	vectors, err := e.peer.embed(ctx, canaries)
	if err != nil {
		return m, err
	}
	m.Context, m.Width = context, len(vectors[0])
	for _, v := range vectors {
		m.Canary = append(m.Canary, v[:min(len(v), maxCanary)]...)
	}
	return m, nil
}

// remoteModel refuses a model that would carry text off this machine.
func remoteModel(name string) error {
	return &Unavailable{
		Reason: fmt.Sprintf("the model %s runs on another machine: choose one that Ollama runs here", name),
		Err:    ErrRemote,
	}
}

// remember gives a model its fingerprint, that of the first seen in its space, and makes
// it the current one.
func (e *Embedder) remember(m *Model) {
	e.mu.Lock()
	defer e.mu.Unlock()
	m.Fingerprint = e.find(m.Canary)
	if m.Fingerprint == "" {
		m.Fingerprint = Fingerprint(m.Canary)
		e.known = append(e.known, m.Canary)
	}
	e.model = m
}

// find gives the fingerprint of a known space, "" for a new one.
func (e *Embedder) find(canary []float32) string {
	for _, list := range [][][]float32{e.known, e.opt.known()} {
		for _, k := range list {
			if sameSpace(k, canary) {
				return Fingerprint(k)
			}
		}
	}
	return ""
}

// adopt takes over the name that another process gave to the current model's space.
func (e *Embedder) adopt(canary []float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = append([][]float32{canary}, e.known...)
	if e.model != nil {
		m := *e.model
		m.Fingerprint = e.find(m.Canary)
		e.model = &m
	}
}

// Model gives the model as last seen; ok is false before it was.
func (e *Embedder) Model() (m Model, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.model == nil {
		return Model{}, false
	}
	return *e.model, true
}

// current is the model as last seen, found out now if it never was.
func (e *Embedder) current(ctx context.Context) (Model, error) {
	if m, ok := e.Model(); ok {
		return m, nil
	}
	return e.identify(ctx)
}

// confirm reports whether vectors that came after m was current are of m's space. The
// digest is read after them: had the model been changed before, it would show.
func (e *Embedder) confirm(ctx context.Context, m Model) error {
	now, err := e.peer.list(ctx)
	if err != nil {
		return err
	}
	if now.digest == m.Digest && e.peer.wire.dials.Load() == m.dials {
		return nil
	}
	again, err := e.identify(ctx)
	if err != nil {
		return err
	}
	if again.Fingerprint != m.Fingerprint {
		return ErrChanged
	}
	return nil
}
