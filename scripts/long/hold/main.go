// Command hold takes checks of what must hold that are too long, or too fond of public
// data, for the tests. Each prints its numbers; the exit status is 1 when one does not
// hold.
//
//	go run ./scripts/long/hold vaults DIR     every folder in DIR: read whole, `check`
//	                                          answers, and chunks are the lines of their
//	                                          files as sed prints them (-n chunks each)
//	go run ./scripts/long/hold spans DIR      a set of marked answers (questions.jsonl,
//	                                          corpora/): the lines of hits are the
//	                                          file's, and how many answers -top hits hold
//	go run ./scripts/long/hold wire DIR       -n malformed messages to `serve` over DIR:
//	                                          one answer for each readable id, no exit,
//	                                          no growth
//	go run ./scripts/long/hold fresh          -n notes, changed in every way while
//	                                          `serve` runs: found within a second
//	go run ./scripts/long/hold race           notes and folders swapped with links for
//	                                          -time while a vault is read: nothing escapes
//	go run ./scripts/long/hold kill           serve killed -n times while it writes drafts
//	                                          and entries: what it acknowledged is there,
//	                                          whole, and what it did not is whole or absent
//	go run ./scripts/long/hold http           -n malformed requests to `serve --http`: the
//	                                          right status each, no exit, no hang, no growth
//	go run ./scripts/long/hold mixed          -n calls with two tokens at one time: each
//	                                          answer holds its own profile's canary alone
//	go run ./scripts/long/hold load DIR       50 clients, who think between questions or do
//	                                          not, for -time each; then beside 2,000 idle
//	                                          and 500 slow connections, then one profile
//	                                          flooded: no error, and how long calls take
//	go run ./scripts/long/hold timing         -n pairs of a denied and a missing note: the
//	                                          time does not tell them apart
//
// What runs the program itself takes it from -binary, or builds it from the module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"candor"
	"candor/corpus"
	"candor/evidence"
	"candor/kb"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

var (
	built = flag.String("binary", "", "the program; built when absent")
	count = flag.Int("n", 0, "vaults: chunks of each (2000); wire, http: messages (100000); fresh: notes, mixed: calls (10000); kill: kills (1000); timing: pairs (20000)")
	top   = flag.Int("top", 5, "spans: hits that are looked at")
	each  = flag.Int("per-note", 0, "spans: hits of one note before those of others; 0: no bound")
	span  = flag.Duration("time", time.Minute, "race, load: how long")
	seed  = flag.Uint64("seed", 1, "of the random choices")
)

// check is one subcommand. It reports what does not hold with fail.
type check func(ctx context.Context, dir string) error

var checks = map[string]check{"vaults": vaults, "spans": spans, "wire": wire, "fresh": fresh, "race": race, "kill": kill, "http": badWeb, "mixed": mixed, "load": load, "flood": floodWeb, "timing": timing}

var failures int

// fail reports one thing that does not hold. The first few are shown.
func fail(format string, args ...any) {
	if failures++; failures <= 20 {
		fmt.Printf("WRONG "+format+"\n", args...)
	}
}

func main() {
	flag.Parse()
	run, ok := checks[flag.Arg(0)]
	if needs := slices.Contains([]string{"vaults", "spans", "wire", "load", "flood"}, flag.Arg(0)); !ok || needs != (flag.NArg() == 2) {
		fmt.Fprintln(os.Stderr, "usage: hold [flags] vaults|spans|wire|load DIR, or hold [flags] fresh|race|kill|http|mixed|timing")
		flag.PrintDefaults()
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failures > 0 {
		fmt.Printf("%d do not hold\n", failures)
		os.Exit(1)
	}
}

// program gives the path of the binary, and what to do when it is no longer needed.
func program(ctx context.Context) (path string, done func(), err error) {
	if *built != "" {
		return *built, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "candor-hold-")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "candor")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "candor/cmd/server")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		done()
		return "", nil, fmt.Errorf("build the program: %w", err)
	}
	return path, done, nil
}

// opened is a folder as one profile that sees all of it has it.
type opened struct {
	corpus *corpus.Corpus
	base   *kb.Base
	root   *vault.Root
}

// open reads a folder. With the gates off and no bounds its base holds nothing back.
func open(ctx context.Context, dir string) (*opened, error) {
	p, err := policy.New(policy.Options{})
	if err != nil {
		return nil, err
	}
	r, err := redact.New(redact.Options{})
	if err != nil {
		return nil, err
	}
	root, err := vault.Open("notes", dir, vault.Options{})
	if err != nil {
		return nil, err
	}
	o := &opened{root: root, corpus: corpus.New(corpus.Options{Roots: []*vault.Root{root}, Policy: p, Redactor: r})}
	if err := o.corpus.Load(ctx); err != nil {
		return nil, err
	}
	o.base = kb.New(kb.Options{
		Profile: p.Profiles()[0], Corpus: o.corpus, Redactor: r, Lexical: lexical.New(lexical.Options{}),
		Gates: evidence.Gates{}, PerNote: *each, Limits: kb.Limits{Results: 1000, ResultTokens: 1 << 24}, CursorKey: make([]byte, 32),
	})
	o.base.Sync()
	return o, nil
}

// snapshot is what the profile has.
func (o *opened) snapshot() *corpus.Snapshot { return o.corpus.Snapshot(o.base.Profile()) }

// chunks are the chunks of all notes.
func (o *opened) chunks() []*candor.Chunk {
	var all []*candor.Chunk
	for _, p := range o.snapshot().Paths() {
		all = append(all, o.snapshot().Note(p).Chunks...)
	}
	return all
}
