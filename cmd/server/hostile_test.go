package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/internal/vaulttest"
	"candor/kb"
)

// patience bounds every wait of a test for the program: past it the program hangs.
const patience = 30 * time.Second

// served is a session with the program itself, in a process of its own.
type served struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr *lockedBuffer

	mu      sync.Mutex
	next    int
	waiting map[string]chan []byte // by id
	lines   []string               // all that came, in order
	ended   chan struct{}
}

// lockedBuffer can be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// start starts the program with serve and more arguments; home has no configuration.
func start(t *testing.T, args ...string) *served {
	t.Helper()
	return startAt(t, t.TempDir(), args...)
}

// startAt is start with a home that may hold a cache and a verdict.
func startAt(t *testing.T, home string, args ...string) *served {
	t.Helper()
	c := &served{t: t, waiting: map[string]chan []byte{}, ended: make(chan struct{}), stderr: &lockedBuffer{}}
	c.cmd = exec.Command("candor", append([]string{"serve"}, args...)...)
	c.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "CANDOR_CONFIG=")
	c.cmd.Stderr = c.stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill() })
	go c.listen(out)
	return c
}

// dial starts the program over a vault, shakes hands and waits until it is read.
func dial(t *testing.T, args ...string) *served {
	t.Helper()
	return start(t, args...).greet()
}

// greet shakes hands and waits until the vault is read.
func (c *served) greet() *served {
	c.t.Helper()
	c.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"},
	})
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.until("the vault is read", func() bool { return strings.Contains(c.call("status", nil).raw, `"state":"ready"`) })
	return c
}

// listen hands answers to those who wait for them.
func (c *served) listen(out io.Reader) {
	defer close(c.ended)
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct{ ID json.RawMessage }
		bad := json.Unmarshal(line, &m)
		c.mu.Lock()
		c.lines = append(c.lines, strings.TrimSuffix(string(line), "\n"))
		wanted := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if bad == nil && wanted != nil {
			wanted <- line
		}
	}
}

// send writes one line.
func (c *served) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("the program takes no more input: %v\n%s", err, c.stderr)
	}
}

// ask sends a request and gives its answer.
func (c *served) ask(method string, params any) string {
	c.t.Helper()
	c.mu.Lock()
	c.next++
	id := fmt.Sprintf(`"q%d"`, c.next)
	answer := make(chan []byte, 1)
	c.waiting[id] = answer
	c.mu.Unlock()
	body, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, body))
	select {
	case line := <-answer:
		return strings.Replace(string(line), id, `"id"`, 1)
	case <-c.ended:
		c.t.Fatalf("the program ended: %s", c.stderr)
	case <-time.After(patience):
		c.t.Fatalf("no answer to %s %s", method, body)
	}
	return ""
}

// answer is the result of a tool.
type answer struct {
	raw     string
	isError bool
	data    map[string]any
	text    string
}

// asker asks the program through one of its doors.
type asker interface {
	ask(method string, params any) string
	call(tool string, args map[string]any) answer
	found(query string) []string
	until(what string, holds func() bool)
}

// call calls a tool.
func (c *served) call(tool string, args map[string]any) answer {
	c.t.Helper()
	return toolAnswer(c.t, c.ask("tools/call", map[string]any{"name": tool, "arguments": args}))
}

// toolAnswer takes the answer of a tool apart.
func toolAnswer(t *testing.T, raw string) answer {
	t.Helper()
	var m struct {
		Result struct {
			IsError           bool
			StructuredContent map[string]any
			Content           []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	a := answer{raw: raw, isError: m.Result.IsError, data: m.Result.StructuredContent}
	for _, part := range m.Result.Content {
		a.text += part.Text
	}
	return a
}

// found are the paths of a search's hits.
func (c *served) found(query string) []string {
	c.t.Helper()
	return c.call("search", map[string]any{"query": query, "limit": 50}).paths()
}

// paths are those of a search's hits.
func (a answer) paths() (out []string) {
	hits, _ := a.data["hits"].([]any)
	for _, h := range hits {
		out = append(out, h.(map[string]any)["citation"].(map[string]any)["path"].(string))
	}
	return out
}

// until asks again and again until something holds.
func (c *served) until(what string, holds func() bool) {
	c.t.Helper()
	if !comesTrue(holds) {
		c.t.Fatalf("never: %s\n%s", what, c.stderr)
	}
}

// comesTrue reports whether something holds after a while.
func comesTrue(holds func() bool) bool {
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// close ends the input, waits for the program's end and gives its status.
func (c *served) close() int {
	c.t.Helper()
	c.in.Close()
	return c.wait()
}

// wait waits for the end of the program.
func (c *served) wait() int {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Fatal("the program does not end")
	}
	c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}

// output is every line that came so far.
func (c *served) output() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.lines...)
}

// configured writes a configuration beside a vault/ of files, and gives the folder and
// the flag that names the configuration.
func configured(t *testing.T, yaml string, files map[string]string) (dir, flag string) {
	t.Helper()
	dir = t.TempDir()
	vaulttest.Put(t, dir, "candor.yaml", yaml)
	for name, text := range files {
		vaulttest.Put(t, dir, "vault/"+name, text)
	}
	return dir, "--config=" + filepath.Join(dir, "candor.yaml")
}

// readPath asks for a note whole.
func readPath(path string) kb.ReadRequest { return kb.ReadRequest{Path: path} }
