package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"candor/internal/vaulttest"
)

// talk is a session with the program.
type talk struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string // the id of each
	stderr  bytes.Buffer
}

// dial starts serve over a folder.
func dial(ctx context.Context, program, dir string) (*talk, error) {
	t := &talk{answers: make(chan string, 4096)}
	t.cmd = exec.CommandContext(ctx, program, "serve", "--vault", dir)
	t.cmd.Stderr = &t.stderr
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	go t.listen(out)
	return t, t.cmd.Start()
}

// listen hands the ids of answers over until the output ends.
func (t *talk) listen(out io.Reader) {
	defer close(t.answers)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.answers <- "no JSON: " + lines.Text()
			continue
		}
		t.answers <- string(m.ID)
	}
}

// memory is the resident size of the program in KiB.
func (t *talk) memory() int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kib, _ := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]))
	return kib
}

// flood is what was sent and what came back.
type flood struct {
	*talk
	sent   int
	due    map[string]bool // ids that must be answered
	nulls  int             // answers that must come without an id
	got    map[string]int
	rss    []int
	silent bool
}

// wire sends malformed messages in batches, each ended by a ping that must be answered
// before the next.
func wire(ctx context.Context, dir string) error {
	candor, done, err := program(ctx)
	if err != nil {
		return err
	}
	defer done()
	t, err := dial(ctx, candor, dir)
	if err != nil {
		return err
	}
	total := cmp.Or(*count, 100_000)
	f := &flood{talk: t, due: map[string]bool{}, got: map[string]int{}}
	rng := rand.New(rand.NewPCG(*seed, 7))
	start := time.Now()
	for f.sent < total && !f.silent {
		f.batch(rng, min(1000, total-f.sent))
	}
	f.big()
	f.finish(start)
	return nil
}

// batch sends some lines, then a ping.
func (f *flood) batch(rng *rand.Rand, n int) {
	var lines bytes.Buffer
	for range n {
		id := fmt.Sprintf("m%d", f.sent)
		line, readable := vaulttest.Malformed(rng, id)
		lines.WriteString(line + []string{"\n", "\r\n"}[rng.IntN(2)])
		if readable {
			f.due[strconv.Quote(id)] = true
		} else {
			f.nulls++
		}
		f.sent++
	}
	f.ping(lines.Bytes())
}

// ping sends bytes and a ping behind them, and takes answers up to the ping's and all
// those that are due. Calls are answered in any order.
func (f *flood) ping(before []byte) {
	id := fmt.Sprintf("p%d", len(f.rss))
	f.due[strconv.Quote(id)] = true
	go func() {
		_, _ = f.in.Write(append(before, `{"jsonrpc":"2.0","id":"`+id+`","method":"ping"}`+"\n"...))
	}()
	limit := time.After(30 * time.Second)
	for f.got[strconv.Quote(id)] == 0 || len(f.got) < len(f.due)+1 {
		select {
		case answer, ok := <-f.answers:
			if !ok {
				fail("the program ended: %s", f.stderr.String())
				f.silent = true
				return
			}
			f.got[answer]++
		case <-limit:
			fail("no answer for 30 s, %d of %d ids answered", len(f.got), len(f.due))
			f.silent = true
			return
		}
	}
	f.rss = append(f.rss, f.memory())
}

// big sends lines that are too long, too wide and too deep.
func (f *flood) big() {
	for _, line := range []string{
		strings.Repeat("x", 100<<20),
		`{"jsonrpc":"2.0","id":null,"method":"ping","params":{"q":"` + strings.Repeat("x", 3<<20) + `"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping","params":{"l":[1` + strings.Repeat(",1", 500_000) + `]}}`,
		strings.Repeat("[", 1<<20-1),
	} {
		if f.silent {
			return
		}
		f.nulls++
		f.ping([]byte(line + "\n"))
	}
}

// finish ends the session and holds the answers against what was sent.
func (f *flood) finish(start time.Time) {
	took := time.Since(start)
	closing := time.Now()
	f.in.Close()
	for answer := range f.answers {
		f.got[answer]++
	}
	err := f.cmd.Wait()
	if err != nil {
		fail("exit: %v", err)
	}
	for id := range f.due {
		if f.got[id] != 1 {
			fail("id %s: %d answers", id, f.got[id])
		}
	}
	for id, n := range f.got {
		if id != "null" && !f.due[id] {
			fail("%d answers for %s, which nobody asked under", n, id)
		}
	}
	if f.got["null"] != f.nulls {
		fail("%d answers without an id, want %d", f.got["null"], f.nulls)
	}
	warm, last, peak := 0, 0, 0
	if n := len(f.rss); n > 0 {
		warm, last = f.rss[n/10], f.rss[n-1]
	}
	for _, kib := range f.rss {
		peak = max(peak, kib)
	}
	fmt.Printf("%d messages in %.1fs, %d readable ids, %d without; resident %d KiB after a tenth, %d at the end, %d at most; closed in %v\n",
		f.sent, took.Seconds(), len(f.due), f.nulls, warm, last, peak, time.Since(closing).Round(time.Millisecond))
	if last > warm+32<<10 {
		fail("memory grew by %d KiB", last-warm)
	}
}
