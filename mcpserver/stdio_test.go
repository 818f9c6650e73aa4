package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func searchLine(id, query string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"search","arguments":{"query":%q}}}`+"\n", id, query)
}

func pingLine(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`+"\n", id)
}

func cancelLine(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id)
}

// ids lists the ids that out answers, as they are written.
func ids(t *testing.T, out string) []string {
	t.Helper()
	var got []string
	for l := range strings.Lines(out) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("stdout line %q: %v", l, err)
		}
		got = append(got, string(m.ID))
	}
	return got
}

func TestCancelStopsTheCallAndItsAnswer(t *testing.T) {
	for _, id := range []string{`7`, `"seven"`, `9007199254740993`} {
		synctest.Test(t, func(t *testing.T) {
			base := newFakeBase()
			c := startWire(t, base)
			c.send(t, searchLine(id, "!wait"))
			<-base.entered
			if out := c.send(t, cancelLine(`"unknown"`)+cancelLine(`7.0`)+cancelLine(id)); out != "" {
				t.Errorf("id %s: cancelling was answered: %s", id, out)
			}
			<-base.stopped
			out := c.send(t, searchLine(`8`, "leave")) + c.send(t, cancelLine(`8`)) + c.close(t)
			if got := ids(t, out); !slices.Equal(got, []string{`8`}) {
				t.Errorf("id %s: answered %v, want only 8", id, got)
			}
		})
	}
}

func TestIDInFlightIsNotTakenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newFakeBase()
		c := startWire(t, base)
		c.send(t, searchLine(`1`, "!wait"))
		// The refusal has no id: with it, the client would take it for the first answer.
		want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a request with this id is still being answered"}}` + "\n"
		if got := c.send(t, pingLine(`1`)); got != want {
			t.Errorf("second request of the id: %s", got)
		}
		if got := ids(t, c.send(t, `{"jsonrpc":"2.0","id":1,"method":"ping","x":1}`+"\n")); got[0] != "null" {
			t.Errorf("a bad request answered the id in flight: %v", got)
		}
		if got := ids(t, c.send(t, pingLine(`"1"`))); got[0] != `"1"` {
			t.Errorf("the string 1 was taken for the number: %v", got)
		}
		c.send(t, cancelLine(`1`))
		if got := ids(t, c.send(t, pingLine(`1`))); !slices.Equal(got, []string{`1`}) {
			t.Errorf("the id is not free after its call has ended: %v", got)
		}
		c.close(t)
	})
}

// TestEndOfInput: what was read is answered, by an error if it takes too long, and the
// server is gone in 1.5 s even if a call ignores its context.
func TestEndOfInput(t *testing.T) {
	for query, wantError := range map[string]bool{"leave": false, "!wait": true, "!stuck": true} {
		t.Run(query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := newFakeBase()
				c := startWire(t, base)
				start := time.Now()
				if _, err := io.WriteString(c.in, searchLine(`1`, query)); err != nil {
					t.Fatal(err)
				}
				out := c.close(t)
				if took := time.Since(start); took > 1500*time.Millisecond {
					t.Errorf("took %v", took)
				}
				if got := ids(t, out); !slices.Equal(got, []string{`1`}) {
					t.Fatalf("answered %v: %s", got, out)
				}
				if strings.Contains(out, "shutting down") != wantError {
					t.Errorf("answer: %s", out)
				}
				if query == "!stuck" {
					base.stopped <- struct{}{}
				}
			})
		})
	}
}

// TestTerminate: a context that ends (SIGTERM) ends the session although the read of
// stdin blocks, and what was read is answered.
func TestTerminate(t *testing.T) {
	for _, query := range []string{"", "leave", "!wait"} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			defer w.Close()
			out := &lockedBuffer{}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			s := newTestServer(t, newFakeBase())
			go func() { done <- s.ServeStdio(ctx, r, out) }()
			if query != "" {
				_, _ = io.WriteString(w, searchLine(`1`, query))
			}
			synctest.Wait()
			start := time.Now()
			cancel()
			if err := <-done; err != nil || time.Since(start) > 1500*time.Millisecond {
				t.Errorf("%q: ended with %v after %v", query, err, time.Since(start))
			}
			if got := ids(t, out.take()); query != "" && len(got) != 1 {
				t.Errorf("%q: answered %v", query, got)
			}
		})
	}
}

// deafWriter takes some lines and then blocks until it is closed.
type deafWriter struct {
	room   int
	closed chan struct{}
}

func (d *deafWriter) Write(p []byte) (int, error) {
	if d.room--; d.room >= 0 {
		return len(p), nil
	}
	<-d.closed
	return 0, syscall.EPIPE
}

// TestClientStopsReading: the server stops taking requests, keeps a bounded number of
// answers, and ends cleanly when the pipe breaks or it is told to stop.
func TestClientStopsReading(t *testing.T) {
	for _, breaks := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			d := &deafWriter{room: 3, closed: make(chan struct{})}
			base := newFakeBase()
			s := newTestServer(t, base)
			done := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { done <- s.ServeStdio(ctx, r, d) }()
			go func() {
				for i := range 5000 {
					if _, err := io.WriteString(w, searchLine(fmt.Sprint(i), "leave")); err != nil {
						return
					}
				}
			}()
			time.Sleep(time.Minute) // past every patience
			synctest.Wait()
			if n := base.asked.Load(); n < 3 || n > 1000 {
				t.Errorf("%d calls were worked on for a client that read 3 answers", n)
			}
			start := time.Now()
			if breaks {
				close(d.closed)
			} else {
				defer close(d.closed)
				cancel()
			}
			if err := <-done; err != nil {
				t.Errorf("breaks %v: %v", breaks, err)
			}
			if took := time.Since(start); took > 1500*time.Millisecond {
				t.Errorf("breaks %v: took %v", breaks, took)
			}
			cancel()
			_ = r.Close()
		})
	}
}

func TestWriteFaultIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, newFakeBase())
		err := s.ServeStdio(t.Context(), strings.NewReader(pingLine(`1`)), failingWriter{})
		if err == nil || !errors.Is(err, os.ErrPermission) {
			t.Errorf("error %v, want the writer's", err)
		}
	})
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrPermission }

func TestReadFaultIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := io.MultiReader(strings.NewReader(pingLine(`1`)), failingReader{})
		var out lockedBuffer
		err := newTestServer(t, newFakeBase()).ServeStdio(t.Context(), in, &out)
		if !errors.Is(err, os.ErrPermission) || !strings.Contains(out.take(), `"id":1,`) {
			t.Errorf("error %v, want the reader's and the ping answered", err)
		}
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, os.ErrPermission }

// TestManyAtOnce: every request of a long pipe is answered, and no more than atOnce
// calls work on notes at one time.
func TestManyAtOnce(t *testing.T) {
	var in strings.Builder
	want := map[string]int{}
	for i := range 3000 {
		in.WriteString(searchLine(fmt.Sprint(i), "leave"))
		want[fmt.Sprint(i)] = 1
	}
	var out lockedBuffer
	if err := newTestServer(t, newFakeBase()).ServeStdio(t.Context(), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids(t, out.take()) {
		want[id]--
	}
	for id, n := range want {
		if n != 0 {
			t.Errorf("id %s was answered %d times", id, 1-n)
		}
	}
}

func TestSlotsBoundCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newFakeBase()
		c := startWire(t, base)
		for i := range 3 * atOnce {
			c.send(t, searchLine(fmt.Sprint(i), "!wait"))
		}
		if n := len(base.entered); n != atOnce {
			t.Errorf("%d calls at one time, want %d", n, atOnce)
		}
		if got := ids(t, c.send(t, pingLine(`"p"`))); !slices.Equal(got, []string{`"p"`}) {
			t.Errorf("a ping waits behind calls: %v", got)
		}
		for i := range 3 * atOnce {
			c.send(t, cancelLine(fmt.Sprint(i)))
		}
		c.close(t)
	})
}

// zeros gives n bytes of a line.
type zeros struct{ n int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.n <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	z.n -= n
	return int(n), nil
}

// TestHugeLine: a line of 100 MB, and one that never ends, cost one error and little
// memory; the next line is read.
func TestHugeLine(t *testing.T) {
	in := io.MultiReader(&zeros{100 << 20}, strings.NewReader("\n"+pingLine(`1`)), &zeros{100 << 20})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var out lockedBuffer
	if err := newTestServer(t, newFakeBase()).ServeStdio(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := ids(t, out.take()); !slices.Equal(got, []string{"null", "1", "null"}) && !slices.Equal(got, []string{"null", "null", "1"}) {
		t.Errorf("answered %v", got)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 3<<20 {
		t.Errorf("allocated %d bytes for two lines that were refused", used)
	}
}

func TestLineLimitIsExact(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		for over := range 2 {
			body := pingLine(`1`)
			line := strings.TrimSpace(body) + strings.Repeat(" ", maxMessage-len(strings.TrimSpace(body))+over) + end
			l := newLineReader(strings.NewReader(line))
			text, tooLong, err := l.next()
			if err != nil || tooLong != (over == 1) || !tooLong && len(text) != maxMessage {
				t.Errorf("end %q, %d over: %d bytes, too long %v, %v", end, over, len(text), tooLong, err)
			}
			if _, _, err := l.next(); err != io.EOF {
				t.Errorf("after the line: %v", err)
			}
		}
	}
}
