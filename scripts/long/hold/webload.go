package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Sizes of the load.
const (
	loadClients = 50
	idleConns   = 2000
	slowConns   = 500
	flooders    = 1000
)

// thinks are how long clients rest between two questions. The bound is for those of
// boundThink: 50 of them ask 200 questions a second.
var thinks = []time.Duration{0, 100 * time.Millisecond, boundThink, time.Second}

const (
	boundThink = 250 * time.Millisecond
	boundP99   = 50 * time.Millisecond
)

// questions are headings of the notes in a folder.
func questions(dir string) (out []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") || len(out) > 5000 {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return nil
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 0; n < 200 && lines.Scan(); n++ {
			if h, ok := strings.CutPrefix(lines.Text(), "## "); ok && len(strings.Fields(h)) > 1 && len(h) < 200 {
				out = append(out, strings.ToValidUTF8(h, ""))
			}
		}
		return nil
	})
	return out
}

// times are how long calls took.
type times struct {
	mu   sync.Mutex
	took []time.Duration
}

func (t *times) add(d time.Duration) {
	t.mu.Lock()
	t.took = append(t.took, d)
	t.mu.Unlock()
}

// at is a quantile.
func (t *times) at(q float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.took) == 0 {
		return 0
	}
	slices.Sort(t.took)
	return t.took[min(len(t.took)-1, int(q*float64(len(t.took))))].Round(10 * time.Microsecond)
}

func (t *times) String() string {
	return fmt.Sprintf("%d calls, p50 %s, p99 %s, longest %s", len(t.took), t.at(0.5), t.at(0.99), t.at(1))
}

// drive has clients ask one question after the other for a while.
func (w *web) drive(who []string, asks []string, long time.Duration, pause time.Duration) *times {
	t := &times{}
	end := time.Now().Add(long)
	var all sync.WaitGroup
	for i, profile := range who {
		all.Go(func() {
			r := rand.New(rand.NewPCG(*seed, uint64(i)))
			for n := 0; ; n++ {
				if pause > 0 { // not all at one time
					time.Sleep(pause/2 + time.Duration(r.Int64N(int64(pause))))
				}
				begin := time.Now()
				if !begin.Before(end) {
					return
				}
				status, said := w.call(profile, search(n, asks[r.IntN(len(asks))]))
				t.add(time.Since(begin))
				if status != 200 || !strings.Contains(said, `"structuredContent"`) {
					fail("%s: %d %.300s", profile, status, said)
				}
			}
		})
	}
	all.Wait()
	return t
}

// load measures.
func load(ctx context.Context, dir string) error {
	asks := questions(dir)
	if len(asks) == 0 {
		return fmt.Errorf("%s has no headings to ask for", dir)
	}
	w, done, err := serveWeb(ctx, dir)
	if err != nil {
		return err
	}
	defer done()
	var who []string
	for i := range loadClients {
		who = append(who, profiles[i%2])
	}
	w.drive(who, asks, 2*time.Second, 0)
	before := w.memory()
	fmt.Printf("%7s %6s %9s %9s %9s %9s %13s\n", "clients", "think", "a second", "p50", "p99", "longest", "processor ms")
	for _, think := range thinks {
		spent := w.cpu()
		t := w.drive(who, asks, *span, think)
		n := float64(len(t.took))
		fmt.Printf("%7d %6s %9.0f %9s %9s %9s %13.2f\n", len(who), think, n/span.Seconds(),
			t.at(0.5), t.at(0.99), t.at(1), float64((w.cpu()-spent).Microseconds())/1000/n)
		if p := t.at(0.99); think == boundThink && p > boundP99 {
			fail("p99 %s", p)
		}
	}
	fmt.Printf("resident %d KiB before, %d after\n", before, w.memory())
	w.besides(who, asks)
	return w.flooded(ctx, dir, asks)
}

// besides measures again beside connections that say nothing and ones that say little.
func (w *web) besides(who, asks []string) {
	var conns []net.Conn
	for range idleConns + slowConns {
		c, err := net.Dial("tcp", w.addr)
		if err != nil {
			fail("connect: %v", err)
			return
		}
		conns = append(conns, c)
	}
	stop := make(chan struct{})
	for _, c := range conns[idleConns:] {
		go func() {
			for _, b := range []byte("POST /mcp HTTP/1.1\r\nHost: " + w.addr + "\r\n") {
				select {
				case <-stop:
					return
				case <-time.After(time.Second):
				}
				if _, err := c.Write([]byte{b}); err != nil {
					return // let go, as it should be
				}
			}
		}()
	}
	t := w.drive(who, asks, min(*span, 20*time.Second), 100*time.Millisecond)
	close(stop)
	fmt.Printf("beside %d idle and %d slow connections: %s; resident %d KiB\n", idleConns, slowConns, t, w.memory())
	for _, c := range conns {
		c.Close()
	}
}

// flooded measures one client while another profile is flooded by a process that has the
// processors only when nothing else wants them: what is measured is the server.
func (w *web) flooded(ctx context.Context, dir string, asks []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	long := min(*span, 10*time.Second)
	one := []string{profiles[1]}
	calm := w.drive(one, asks, long, 10*time.Millisecond)
	flooder := exec.CommandContext(ctx, "nice", "-n", "19", self, "-time", (long + 2*time.Second).String(), "flood", dir)
	flooder.Env = append(os.Environ(), "HOLD_ADDR="+w.addr, "HOLD_TOKEN="+w.tokens[profiles[0]])
	var seen strings.Builder
	flooder.Stdout, flooder.Stderr = &seen, os.Stderr
	if err := flooder.Start(); err != nil {
		return err
	}
	time.Sleep(time.Second)
	under := w.drive(one, asks, long, 10*time.Millisecond)
	if err := flooder.Wait(); err != nil {
		return fmt.Errorf("flood: %w", err)
	}
	fmt.Printf("one client alone: %s\n%d clients of another profile beside it: %s; they got %s\n", calm, flooders, under, seen.String())
	return nil
}

// floodWeb asks without a pause for one profile of a server that runs.
func floodWeb(_ context.Context, dir string) error {
	w := &web{addr: os.Getenv("HOLD_ADDR"), tokens: map[string]string{profiles[0]: os.Getenv("HOLD_TOKEN")}, client: newClient()}
	asks := questions(dir)
	if len(asks) == 0 || w.addr == "" {
		return errors.New("flood is started by load")
	}
	end := time.Now().Add(*span)
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for i := range flooders {
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				status, _ := w.call(profiles[0], search(n, asks[(i+n)%len(asks)]))
				mu.Lock()
				seen[status]++
				mu.Unlock()
				if status == 429 {
					time.Sleep(time.Second) // as Retry-After says
				}
			}
		})
	}
	all.Wait()
	fmt.Print(seen)
	return nil
}
