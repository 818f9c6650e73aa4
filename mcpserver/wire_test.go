package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the transcripts and golden files anew")

// wire is a running stdio session. It must be made inside a synctest bubble.
type wire struct {
	in   *io.PipeWriter
	out  *lockedBuffer
	done chan error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns what was written since the last take.
func (l *lockedBuffer) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

func startWire(t *testing.T, base Base) *wire {
	t.Helper()
	r, w := io.Pipe()
	c := &wire{in: w, out: &lockedBuffer{}, done: make(chan error, 1)}
	s := newTestServer(t, base)
	go func() { c.done <- s.ServeStdio(t.Context(), r, c.out) }()
	return c
}

// send writes bytes and returns what the server says to them once it is at rest.
func (c *wire) send(t *testing.T, text string) string {
	t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return c.out.take()
}

// close ends the input and returns what is said after it.
func (c *wire) close(t *testing.T) string {
	t.Helper()
	_ = c.in.Close()
	if err := <-c.done; err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
	return c.out.take()
}

// TestTranscripts plays each section of testdata/wire/*.txtar as a session of its own.
// A line "> text" is sent; `>"quoted"` is sent as Go unquotes it and without a line end
// of its own; lines "< text" are what the server says before it rests. With -update they
// are written anew.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range archive.Files {
				f := &archive.Files[i]
				t.Run(f.Name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						got := play(t, string(f.Data))
						if *update {
							f.Data = []byte(got)
						} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
							t.Errorf("transcript differs (-want +got):\n%s", diff)
						}
					})
				})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func play(t *testing.T, script string) string {
	c := startWire(t, newFakeBase())
	var got strings.Builder
	said := func(out string) {
		for l := range strings.Lines(out) {
			if !json.Valid([]byte(l)) || !strings.HasSuffix(l, "}\n") {
				t.Errorf("not one line of JSON: %q", l)
			}
			got.WriteString("< " + l)
		}
	}
	for l := range strings.Lines(script) {
		if strings.HasPrefix(l, "<") {
			continue
		}
		got.WriteString(l)
		quoted, isQuoted := strings.CutPrefix(l, `>"`)
		plain, isPlain := strings.CutPrefix(l, "> ")
		switch {
		case isQuoted:
			text, err := strconv.Unquote(`"` + strings.TrimSuffix(quoted, "\n"))
			if err != nil {
				t.Fatalf("%s: %v", l, err)
			}
			said(c.send(t, text))
		case isPlain:
			said(c.send(t, plain))
		}
	}
	said(c.close(t))
	return got.String()
}
