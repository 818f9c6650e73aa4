package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestTelemetryHoldsNoText: a collector on loopback gets a span for each call, which names
// the tool and the call id of the stamp, and never a word of question or note.
func TestTelemetryHoldsNoText(t *testing.T) {
	var mu sync.Mutex
	var sent bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(&sent, r.Body)
	}))
	defer collector.Close()
	for _, on := range []bool{true, false} {
		sent.Reset()
		dir := t.TempDir()
		settings := "vaults: [{name: notes, root: ./notes}]\nprofiles: {all: {allow: [\"**\"]}}\n"
		if on {
			settings += "telemetry: {endpoint: \"" + collector.URL + "\"}\n"
		}
		for name, text := range map[string]string{
			"candor.yaml": settings, "notes/leave.md": "# Leave\n\n## Parental leave\n\nEach parent has sixteen weeks.\n",
		} {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		m := &Main{
			Stdin: strings.NewReader(
				`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"how long is parental leave"}}}` + "\n" +
					`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","arguments":{"path":"missing.md"}}}` + "\n" +
					`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"verify","arguments":{"claims":[{"claim_text":"Leave is sixteen weeks."}]}}}` + "\n"),
			Stdout: &out, Stderr: &errs, Getenv: os.Getenv,
		}
		if code := m.Run(context.Background(), []string{"serve", "--config", filepath.Join(dir, "candor.yaml")}); code != 0 {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		got := sent.String()
		if !on {
			if got != "" {
				t.Errorf("without a telemetry section %d bytes were sent", len(got))
			}
			continue
		}
		_, id, _ := strings.Cut(out.String(), "[candor call ")
		id, _, _ = strings.Cut(id, "]")
		for _, want := range []string{"tools/call search", "tools/call read", "tool_error", "candor.claims.checked", "candor.claims.alarm", id} {
			if want == "" || !strings.Contains(got, want) {
				t.Errorf("the collector is not told %q", want)
			}
		}
		for _, text := range []string{"parental", "sixteen", "Leave", "leave.md", "missing.md"} {
			if strings.Contains(got, text) {
				t.Errorf("the collector is told %q", text)
			}
		}
	}
}

// TestTelemetryOutlivesAReload: calls are told after the site was built anew, until the end.
func TestTelemetryOutlivesAReload(t *testing.T) {
	sent := &lockedBuffer{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(sent, r.Body) }))
	defer collector.Close()
	yaml := zones + "telemetry: {endpoint: \"" + collector.URL + "\"}\n"
	l, _, _ := startLive(t, yaml, map[string]string{"public/a.md": "# Heron\n"})
	s := l.at.Load()
	var err error
	if l.observe, err = s.observe(t.Context(), "pipe", slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := l.rebuild(t.Context(), s.cfg); err != nil {
		t.Fatal(err)
	}
	_, end := l.observe(t.Context(), "afterwards", "1")
	end("call", false)
	l.end()
	l.at.Load().close()
	l.begin(t.Context()) // for the end of the test
	if !strings.Contains(sent.String(), "tools/call afterwards") {
		t.Errorf("told: %q", sent)
	}
}
