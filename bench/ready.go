package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// start is one start of the server.
type start struct {
	ready    time.Duration // from the call that starts the process to status "ready"
	cpu      time.Duration
	resident int64 // bytes, when the questions have been asked
	peak     int64
}

// settled is how long a server gets after its first answer before questions are asked:
// what reading the vault left over has been given back by then.
const settled = 3 * time.Second

// measureReady builds the server, starts it a few times, and lets SQLite insert the
// same passages.
func (b *bench) measureReady(ctx context.Context) error {
	binary := filepath.Join(b.dir, "candor")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if err := buildServer(ctx, binary); err != nil {
		return err
	}
	var err error
	if b.phases, err = measurePhases(ctx, b.store); err != nil {
		return err
	}
	for range b.tries {
		s, err := b.startServer(ctx, binary)
		if err != nil {
			return err
		}
		b.starts = append(b.starts, s)
		// By turns, so that a busy machine is busy for both.
		p, err := b.python1(ctx, job{Engine: "fts5", Tries: 1})
		if err != nil {
			return err
		}
		if p != nil {
			b.peers = append(b.peers, *p)
		}
	}
	return nil
}

// buildServer builds the server in its own module, with the dependencies it ships with.
func buildServer(ctx context.Context, binary string) error {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "candor").Output()
	if err != nil {
		return fmt.Errorf("find the server's module; run in bench/: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/server")
	build.Dir = strings.TrimSpace(string(module))
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return nil
}

// startServer starts the server and waits until it is ready.
func (b *bench) startServer(ctx context.Context, binary string) (start, error) {
	var s start
	cmd := exec.CommandContext(ctx, binary, "serve", "--vault", b.vault)
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return s, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	c := client{in: in, out: bufio.NewReader(out)}
	err = c.untilReady()
	s.ready = time.Since(begin)
	s.cpu = processTime(cmd.Process.Pid)
	if err == nil {
		time.Sleep(settled)
		err = c.ask(b.queries)
		s.resident, s.peak = resident(cmd.Process.Pid)
	}
	in.Close()
	if errWait := cmd.Wait(); err == nil && errWait != nil {
		err = errWait
	}
	if err != nil {
		return s, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return s, nil
}

// client speaks just enough MCP.
type client struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

func (c *client) untilReady() error {
	params := map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"},
	}
	if _, err := c.call("initialize", params); err != nil {
		return err
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	for {
		answer, err := c.call("tools/call", map[string]any{"name": "status", "arguments": map[string]any{}})
		if err != nil {
			return err
		}
		var result struct {
			StructuredContent struct{ State string }
		}
		if err := json.Unmarshal(answer, &result); err != nil {
			return err
		}
		if result.StructuredContent.State == "ready" {
			return nil
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// ask puts all questions to the server.
func (c *client) ask(queries []string) error {
	for _, q := range queries {
		if _, err := c.call("tools/call", map[string]any{"name": "search", "arguments": map[string]any{"query": q}}); err != nil {
			return err
		}
	}
	return nil
}

// call sends one request and waits for its answer.
func (c *client) call(method string, params any) (json.RawMessage, error) {
	c.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		if m.Error != nil {
			return nil, errors.New(string(m.Error))
		}
		if string(m.ID) == strconv.Itoa(c.id) {
			return m.Result, nil
		}
	}
}
