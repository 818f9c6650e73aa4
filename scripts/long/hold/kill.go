package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"candor"
	"candor/notes"
)

// killed is a vault with a write zone whose servers are killed while they write.
type killed struct {
	program, dir string
	cite         string
	random       *rand.Rand
	said         map[string]bool // ids of entries that were acknowledged, in this ledger
	drafts       int             // acknowledged
	entries      int             // likewise
	unsaid       int             // drafts that are there whole and were not acknowledged
	torn         int             // tails that were set aside
	silent       int             // kills before the first answer
}

// theEnd ends each body, so that a whole one is known.
const theEnd = "the end of it"

// kill starts serve -n times over one write zone, has it write, and kills it at a random
// moment.
func kill(ctx context.Context, _ string) error {
	candorBinary, done, err := program(ctx)
	if err != nil {
		return err
	}
	defer done()
	dir, err := os.MkdirTemp("", "candor-kill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text := "# Leave\n\nEach parent has sixteen weeks."
	err = errors.Join(put(dir, "kb/leave.md", text+"\n"), put(dir, "kb/done/README.md", "# Done\n"), put(dir, "candor.yaml",
		"vaults: [{name: kb, root: kb}]\nprofiles: {all: {allow: [\"**\"]}}\nwrite: {drafts: kb/drafts, ledger: kb/ledger.jsonl}\n"))
	if err != nil {
		return err
	}
	k := &killed{
		program: candorBinary, dir: dir, random: rand.New(rand.NewPCG(*seed, 9)), said: map[string]bool{},
		cite: candor.CitationID("leave.md", candor.Span{Start: 1, End: 3}, candor.Digest(text)),
	}
	total := cmp.Or(*count, 1000)
	begin := time.Now()
	for i := range total {
		if err := k.once(ctx, i); err != nil {
			return fmt.Errorf("kill %d: %w", i, err)
		}
		if i%50 == 49 || i == total-1 {
			if err := k.settle(ctx, i); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d kills in %v (%d before the first answer): %d drafts and %d entries acknowledged, all there and whole; "+
		"%d whole drafts unacknowledged, %d torn tails set aside\n",
		total, time.Since(begin).Round(time.Second), k.silent, k.drafts, k.entries, k.unsaid, k.torn)
	if k.drafts < total || k.entries < total {
		fail("too few writes were acknowledged for %d kills to tell anything", total)
	}
	return nil
}

// once runs one server to its death and looks at what it left.
func (k *killed) once(ctx context.Context, run int) error {
	cmd := exec.CommandContext(ctx, k.program, "serve", "--config", filepath.Join(k.dir, "candor.yaml"))
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(k.dir, "home"), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		for i := range 25 {
			body := fmt.Sprintf("run %d, %d. %s%s", run, i, strings.Repeat("Words that fill it. ", 1+(run+i)%100), theEnd)
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_note","arguments":{"title":"run %d","body":%q}}}`+"\n", 2*i, run, body)
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"append_ledger","arguments":{"subject":"run %d","lesson":%q,"evidence":%q}}}`+"\n", 2*i+1, run, body, k.cite)
		}
	}()
	paths, ids := k.listen(cmd, bufio.NewReader(out))
	_ = cmd.Wait()
	if len(paths)+len(ids) == 0 {
		k.silent++
	}
	for _, id := range ids {
		k.said[id] = true
	}
	k.entries += len(ids)
	return k.look(paths)
}

// listen collects acknowledgements until the server is dead. It is killed some time after
// its first answer, or before.
func (k *killed) listen(cmd *exec.Cmd, out *bufio.Reader) (paths, ids []string) {
	wait := time.Duration(k.random.IntN(60_000)) * time.Microsecond
	var timer *time.Timer
	end := func() { _ = cmd.Process.Kill() }
	if k.random.IntN(10) == 0 {
		timer = time.AfterFunc(wait, end)
	}
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return paths, ids
		}
		if timer == nil {
			timer = time.AfterFunc(wait, end)
		}
		var m struct {
			Result struct {
				IsError           bool
				StructuredContent struct {
					Path    string `json:"path"`
					EntryID string `json:"entry_id"`
				}
			}
		}
		switch err := json.Unmarshal(line, &m); {
		case err != nil || m.Result.IsError:
			fail("an answer: %.200s", line)
		case m.Result.StructuredContent.Path != "":
			paths = append(paths, m.Result.StructuredContent.Path)
		case m.Result.StructuredContent.EntryID != "":
			ids = append(ids, m.Result.StructuredContent.EntryID)
		default:
			fail("an answer: %.200s", line)
		}
	}
}

// look holds that the drafts are whole, and takes them away as a review does.
func (k *killed) look(paths []string) error {
	k.drafts += len(paths)
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(k.dir, "kb", path)); err != nil {
			fail("a draft is lost: %v", err)
		}
	}
	drafts := filepath.Join(k.dir, "kb", "drafts")
	entries, err := os.ReadDir(drafts)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	whole := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := filepath.Join(drafts, e.Name())
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(string(data), "---\ntitle: ") || !strings.HasSuffix(string(data), theEnd+"\n") {
			fail("%s is torn", e.Name())
		}
		whole++
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	k.unsaid += whole - len(paths)
	return nil
}

// settle holds that the ledger is one chain with every entry, and begins a new one.
func (k *killed) settle(ctx context.Context, run int) error {
	ledger := filepath.Join(k.dir, "kb", "ledger.jsonl")
	zone, err := notes.Open(notes.Options{
		Ledger: ledger, Drafts: filepath.Join(k.dir, "kb", "drafts"), Secret: func(string) bool { return false },
	})
	if err != nil {
		return err
	}
	defer zone.Close()
	if err := zone.Recover(ctx); err != nil {
		return err
	}
	r, err := zone.Verify(ctx)
	if err != nil {
		return err
	}
	if r.BadLine > 0 {
		fail("after kill %d line %d of the ledger %s", run, r.BadLine, r.Why)
	}
	k.torn += len(r.Aside)
	data, err := os.ReadFile(ledger)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		var l struct{ Entry notes.Entry }
		if err := json.Unmarshal([]byte(line), &l); err != nil || !strings.HasSuffix(l.Entry.Lesson, theEnd) {
			fail("after kill %d: %.100s", run, line)
		}
		delete(k.said, l.Entry.ID)
	}
	for id := range k.said {
		fail("after kill %d the entry %s is lost", run, id)
	}
	clear(k.said)
	left, err := filepath.Glob(filepath.Join(k.dir, "kb", "drafts", "*.tmp"))
	if err != nil || len(left) > 0 {
		fail("left over: %v", left)
	}
	for _, name := range append(r.Aside, "ledger.jsonl") {
		if err := os.Remove(filepath.Join(k.dir, "kb", name)); err != nil {
			return err
		}
	}
	return nil
}
