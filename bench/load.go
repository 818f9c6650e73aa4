package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"candor"
	"candor/corpus"
	"candor/frontmatter"
	"candor/markdown"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

// bench is one run.
type bench struct {
	flags
	dir     string // for temporary files
	text    int64  // bytes of all notes
	store   store
	chunks  []*candor.Chunk
	queries []string
	phases  []phase
	starts  []start
	peers   []peer // inserts of the whole vault
	rows    []row
	timings []timing
	filled  string // the rates of filling, in words
}

// store is an opened vault, before anything is read.
type store struct {
	root   *vault.Root
	policy *policy.Policy
	redact *redact.Redactor
}

func openStore(dir string) (store, error) {
	var s store
	var err error
	if s.policy, err = policy.New(policy.Options{}); err != nil {
		return s, err
	}
	if s.redact, err = redact.New(redact.Options{}); err != nil {
		return s, err
	}
	s.root, err = vault.Open("", dir, vault.Options{})
	return s, err
}

func (s store) corpus() *corpus.Corpus {
	return corpus.New(corpus.Options{Roots: []*vault.Root{s.root}, Policy: s.policy, Redactor: s.redact})
}

// index reads the vault and indexes the one profile, as the server does.
func (s store) index(ctx context.Context) (*corpus.Snapshot, candor.Index, error) {
	c := s.corpus()
	if err := c.Load(ctx); err != nil {
		return nil, nil, err
	}
	snap := c.Snapshot(s.policy.Profiles()[0])
	return snap, lexical.New(lexical.Options{}).Update(snap.Chunks), nil
}

// load makes the passages and the questions.
func (b *bench) load(ctx context.Context) error {
	var err error
	if b.store, err = openStore(b.vault); err != nil {
		return err
	}
	snap, _, err := b.store.index(ctx)
	if err != nil {
		return err
	}
	if b.text, err = textBytes(ctx, b.store); err != nil {
		return err
	}
	for _, ch := range snap.Chunks {
		if ch != nil {
			b.chunks = append(b.chunks, ch)
		}
	}
	if len(b.chunks) == 0 {
		return fmt.Errorf("%s holds no note", b.vault)
	}
	b.queries, err = b.pickQueries()
	return err
}

// textBytes is the length of all notes together.
func textBytes(ctx context.Context, s store) (int64, error) {
	entries, _, err := s.root.List(ctx, s.policy)
	if err != nil {
		return 0, err
	}
	reader := s.root.Reader()
	defer reader.Close()
	sum := 0
	for _, e := range entries {
		if f, err := reader.Read(e); err == nil {
			sum += len(f.Text)
		}
	}
	return int64(sum), nil
}

// phase is a part of the way from files to an index, on one processor.
type phase struct {
	name string
	wall time.Duration
	cpu  time.Duration
}

// clock measures phases.
type clock struct {
	phases []phase
	wall   time.Time
	cpu    time.Duration
}

func (c *clock) start() { c.wall, c.cpu = time.Now(), cpuTime() }

func (c *clock) end(name string) {
	c.phases = append(c.phases, phase{name, time.Since(c.wall), cpuTime() - c.cpu})
	c.start()
}

// measurePhases goes the way of the data stage by stage, each over all notes, so that
// each can be told apart. The server interleaves them.
func measurePhases(ctx context.Context, s store) ([]phase, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC()
	var c clock
	c.start()
	entries, _, err := s.root.List(ctx, s.policy)
	if err != nil {
		return nil, err
	}
	c.end("list")
	var files []vault.File
	reader := s.root.Reader()
	defer reader.Close()
	for _, e := range entries {
		if f, err := reader.Read(e); err == nil {
			files = append(files, f)
		}
	}
	c.end("read")
	headers := make([]frontmatter.Header, len(files))
	bodies := make([]string, len(files))
	for i, f := range files {
		headers[i], bodies[i] = frontmatter.Split(f.Text)
	}
	c.end("front matter")
	texts := make([]redact.Text, len(files))
	for i, body := range bodies {
		texts[i] = s.redact.Clean(body)
	}
	c.end("mask")
	docs := make([]markdown.Doc, len(files))
	for i, text := range texts {
		docs[i] = markdown.Parse(text, markdown.Options{FirstLine: headers[i].Lines + 1})
	}
	c.end("cut")
	for _, doc := range docs {
		for _, p := range doc.Pieces {
			candor.Digest(p.Text)
		}
	}
	c.end("digest")
	snap, _, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	c.end("all of it as the server does")
	lexical.New(lexical.Options{}).Update(snap.Chunks)
	c.end("index")
	return c.phases, nil
}

// profile loads and indexes over and over.
func profile(ctx context.Context, f flags) error {
	s, err := openStore(f.vault)
	if err != nil {
		return err
	}
	if f.cpuprofile != "" {
		out, err := os.Create(f.cpuprofile)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	} else {
		runtime.MemProfileRate = 16 << 10
	}
	var snap *corpus.Snapshot
	var index candor.Index
	for range f.tries {
		snap, index = nil, nil
		wall, cpu := time.Now(), cpuTime()
		if snap, index, err = s.index(ctx); err != nil {
			return err
		}
		fmt.Printf("load and index: %.3f s, %.3f s of processor\n", time.Since(wall).Seconds(), (cpuTime() - cpu).Seconds())
	}
	if f.memprofile == "" {
		return nil
	}
	out, err := os.Create(f.memprofile)
	if err != nil {
		return err
	}
	defer out.Close()
	fmt.Printf("in use: %s\n", mega(heap()))
	err = pprof.Lookup("allocs").WriteTo(out, 0)
	runtime.KeepAlive(snap)
	runtime.KeepAlive(index)
	return err
}
