package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// table is one table in Markdown.
type table struct {
	out io.Writer
	err error
}

func (t *table) row(cells ...string) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.out, "| %s |\n", strings.Join(cells, " | "))
	}
}

// print writes everything measured as one table.
func (b *bench) print(out io.Writer) error {
	t := table{out: out}
	_, t.err = fmt.Fprintf(out, "%s, %d cores, %s, %s/%s, vault %s: %d passages, %.1f MB, %d questions\n\n    %s\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		filepath.Base(b.vault), len(b.chunks), float64(b.text)/1e6, len(b.queries), command())
	t.row("what", "engine", "wall", "processor", "p50", "p95", "memory", "times the best peer")
	t.row("---", "---", "--:", "--:", "--:", "--:", "--:", "--:")
	b.printReady(&t)
	for _, r := range b.rows {
		ratio := "1.00 (peer)"
		if r.Engine != "tantivy" {
			ratio = ratioTo(r.P50, b.tantivy(r.size))
		}
		t.row(fmt.Sprintf("top %d of %d", top, r.size), r.Engine, seconds(r.Insert), seconds(r.CPU), milli(r.P50), milli(r.P95), mega(r.Resident), ratio)
	}
	return t.err
}

// printReady writes the start of the process, its phases and SQLite's insert.
func (b *bench) printReady(t *table) {
	insert := peer{}
	for i, p := range b.peers {
		if i == 0 || p.Insert < insert.Insert {
			insert = p
		}
	}
	best := start{}
	for i, s := range b.starts {
		if i == 0 || s.ready < best.ready {
			best = s
		}
	}
	if best.ready > 0 {
		memory := fmt.Sprintf("%s, %.1f times the text; peak %s", mega(best.resident), float64(best.resident)/float64(b.text), mega(best.peak))
		t.row(fmt.Sprintf("start to ready, best of %d", len(b.starts)), "candor serve", seconds(best.ready.Seconds()), seconds(best.cpu.Seconds()), "", "", memory, ratioTo(best.ready.Seconds(), insert.Insert))
	}
	if insert.Insert > 0 {
		t.row(fmt.Sprintf("insert, best of %d", len(b.peers)), "sqlite fts5", seconds(insert.Insert), seconds(insert.CPU), "", "", mega(insert.Resident), "1.00 (peer)")
	}
	for _, p := range b.phases {
		t.row("one processor: "+p.name, "candor", seconds(p.wall.Seconds()), seconds(p.cpu.Seconds()), "", "", "", ratioTo(p.cpu.Seconds(), insert.CPU))
	}
}

// tantivy is the p50 to compare with at a size, 0 if it was not measured.
func (b *bench) tantivy(size int) float64 {
	for _, r := range b.rows {
		if r.size == size && r.Engine == "tantivy" {
			return r.P50
		}
	}
	return 0
}

func ratioTo(v, peer float64) string {
	if peer == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", v/peer)
}

func seconds(s float64) string { return fmt.Sprintf("%.2f s", s) }
func milli(s float64) string   { return fmt.Sprintf("%.2f ms", s*1e3) }
func mega(n int64) string      { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }

// command is how the bench was called, folders by their last name.
func command() string {
	args := []string{"go run ."}
	for _, a := range os.Args[1:] {
		name, value, ok := strings.Cut(a, "=")
		switch {
		case ok:
			args = append(args, name+"="+filepath.Base(value))
		case strings.HasPrefix(a, "-"):
			args = append(args, a)
		default:
			args = append(args, filepath.Base(a))
		}
	}
	return strings.Join(args, " ")
}
