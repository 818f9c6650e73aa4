package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"candor/internal/vaulttest"
)

// Whatever lines come, each is answered once, under its id where that can be read and
// under null where not, and the program goes on. The long run is scripts/long/hold.
func TestMalformedMessages(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{"a.md": "# A\n\nleave\n"})
	c := start(t, "--vault", dir)
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string]int{}
	for i := range 1000 {
		id := fmt.Sprintf("m%d", i)
		line, readable := vaulttest.Malformed(rng, id)
		if c.send(line); readable {
			want[strconv.Quote(id)]++
		} else {
			want["null"]++
		}
		if i%100 == 0 {
			c.ask("ping", map[string]any{})
		}
	}
	if code := c.close(); code != 0 || c.stderr.String() != onlyProfile {
		t.Errorf("status %d: %s", code, c.stderr)
	}
	for _, line := range c.output() {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Errorf("no JSON: %q", line)
		}
		if id := string(m.ID); !strings.HasPrefix(id, `"q`) {
			want[id]--
		}
	}
	for id, n := range want {
		if n != 0 {
			t.Errorf("id %s: %d answers are missing", id, n)
		}
	}
}

// onlyProfile is what the owner of a vault without profiles is told.
const onlyProfile = "candor: there are no profiles: one profile, default, sees every note\n"

// A server does not outlive its client, or a signal, however it waits.
func TestServeEnds(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{"a.md": "# A\n\nleave\n"})
	t.Run("end of input", func(t *testing.T) {
		c := dial(t, "--vault", dir)
		c.send(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"search","arguments":{"query":"leave"}}}`)
		if code := c.close(); code != 0 {
			t.Errorf("status %d", code)
		}
		if out := c.output(); !strings.Contains(out[len(out)-1], `"id":"last"`) {
			t.Error("what was read was not answered")
		}
	})
	t.Run("within a line", func(t *testing.T) {
		c := dial(t, "--vault", dir)
		c.in.Write([]byte(`{"jsonrpc":"2.0","id":9,"meth`))
		if code := c.close(); code != 0 {
			t.Errorf("status %d", code)
		}
	})
	t.Run("before a word", func(t *testing.T) {
		if code := start(t, "--vault", dir).close(); code != 0 {
			t.Errorf("status %d", code)
		}
	})
	t.Run("signal while idle", func(t *testing.T) {
		c := dial(t, "--vault", dir)
		if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Skip("no signals here")
		}
		if code := c.wait(); code != 0 {
			t.Errorf("status %d: %s", code, c.stderr)
		}
	})
}
