//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"

	"candor/internal/vaulttest"
)

// The program itself reads candor.yaml again on save and on a hangup, which stops every
// other command, and goes on answering.
func TestHangup(t *testing.T) {
	dir, flag := configured(t, zones, map[string]string{"internal/a.md": "# Heron\n\nthe heron eats frogs\n"})
	c := dial(t, flag)
	acknowledged := func(times int) func() bool {
		return func() bool { return strings.Count(c.stderr.String(), "is in force") == times }
	}
	if got := c.found("heron"); len(got) != 1 {
		t.Fatalf("found %v: the test proves nothing", got)
	}
	if err := c.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	c.until("a hangup is acknowledged", acknowledged(1))
	vaulttest.Put(t, dir, "candor.yaml", strings.Replace(zones, `, "internal/**"`, "", 1))
	c.until("a save is acknowledged", acknowledged(2))
	if got := c.found("heron"); len(got) != 0 {
		t.Errorf("what is denied is found: %v", got)
	}
	vaulttest.Put(t, dir, "candor.yaml", zones)
	c.until("a save is acknowledged", acknowledged(3))
	c.until("what is allowed again is found", func() bool { return len(c.found("heron")) == 1 })
	vaulttest.Put(t, dir, "candor.yaml", "vaults: [")
	c.until("a faulty file is told", func() bool { return strings.Contains(c.stderr.String(), "candor.yaml:1: is not YAML") })
	if got := c.found("heron"); len(got) != 1 {
		t.Errorf("a faulty file was put in force: %v", got)
	}
	if code := c.close(); code != 0 {
		t.Errorf("status %d: %s", code, c.stderr)
	}
}
