package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"candor/tokens"
)

// web is candor serve --http, with a token for each of two profiles.
type web struct {
	cmd    *exec.Cmd
	addr   string
	tokens map[string]string
	ended  chan struct{}
	stderr *bytes.Buffer
	client *http.Client
}

// profiles of a served folder. Both see all of it, but each has a note of its own.
var profiles = []string{"heron", "osprey"}

// serveWeb starts the program on a folder, or on a small one of its own for "".
func serveWeb(ctx context.Context, dir string) (w *web, done func(), err error) {
	path, built, err := program(ctx)
	if err != nil {
		return nil, nil, err
	}
	temp, err := os.MkdirTemp("", "candor-web-")
	if err != nil {
		built()
		return nil, nil, err
	}
	w = &web{tokens: map[string]string{}, ended: make(chan struct{}), stderr: &bytes.Buffer{}}
	done = func() {
		w.stop()
		os.RemoveAll(temp)
		built()
	}
	if err := w.start(ctx, path, temp, dir); err != nil {
		done()
		return nil, nil, err
	}
	return w, done, nil
}

// start writes the configuration and runs the program until it listens and has read.
func (w *web) start(ctx context.Context, path, temp, dir string) error {
	vaults := "{name: own, root: ./own}"
	for _, p := range profiles {
		text := "# Canary\n\nThe canary of this profile is " + p + " in the marsh.\n"
		if err := errors.Join(os.MkdirAll(filepath.Join(temp, "own", p), 0o700),
			os.WriteFile(filepath.Join(temp, "own", p, "canary.md"), []byte(text), 0o600)); err != nil {
			return err
		}
	}
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		vaults += ", {name: big, root: " + strconv.Quote(abs) + "}"
	} else if err := os.WriteFile(filepath.Join(temp, "own", "both.md"), []byte("# Both\n\nBoth may read how long parental leave is.\n"), 0o600); err != nil {
		return err
	}
	text := "vaults: [" + vaults + "]\nprofiles:\n"
	file := tokens.File(filepath.Join(temp, "tokens", "tokens.json"))
	for i, p := range profiles {
		prefix := map[bool]string{true: "own/", false: ""}[dir != ""]
		text += fmt.Sprintf("  %s: {allow: [\"**\"], deny: [\"%s%s/**\"]}\n", p, prefix, profiles[1-i])
		var err error
		if w.tokens[p], _, err = file.New(p, time.Hour); err != nil {
			return err
		}
	}
	text += "default_profile: heron\n"
	if err := os.WriteFile(filepath.Join(temp, "candor.yaml"), []byte(text), 0o600); err != nil {
		return err
	}
	w.cmd = exec.CommandContext(ctx, path, "serve", "--http", "127.0.0.1:0", "--tokens", string(file), "--config", filepath.Join(temp, "candor.yaml"))
	w.cmd.Env = append(os.Environ(), "HOME="+temp, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=")
	return w.listen()
}

// listen runs the program and waits until it is ready.
func (w *web) listen() error {
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := w.cmd.Start(); err != nil {
		return err
	}
	at := make(chan string, 1)
	go func() {
		defer close(w.ended)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			w.stderr.WriteString(lines.Text() + "\n")
			if url, ok := strings.CutPrefix(lines.Text(), "candor: listening on http://"); ok {
				at <- strings.TrimSuffix(url, "/mcp")
			}
		}
	}()
	select {
	case w.addr = <-at:
	case <-w.ended:
		return fmt.Errorf("it does not listen: %s", w.stderr.String())
	}
	w.client = newClient()
	for range 600 {
		if resp, err := w.client.Get("http://" + w.addr + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	return errors.New("it does not get ready")
}

// newClient keeps a connection for each of many.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}, Timeout: 30 * time.Second}
}

// stop ends the program in peace.
func (w *web) stop() {
	if w.cmd == nil || w.cmd.Process == nil {
		return
	}
	_ = w.cmd.Process.Signal(os.Interrupt)
	time.AfterFunc(10*time.Second, func() { _ = w.cmd.Process.Kill() })
	<-w.ended
	if err := w.cmd.Wait(); err != nil {
		fail("it does not end in peace: %v: %s", err, w.stderr.String())
	}
}

// memory is the resident size of the program in KiB.
func (w *web) memory() int { return (&talk{cmd: w.cmd}).memory() }

// cpu is the time that the program has spent on processors.
func (w *web) cpu() time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// call asks and gives the status and the answer; 0 if there is none.
func (w *web) call(profile, body string) (status int, answer string) {
	r, err := http.NewRequest(http.MethodPost, "http://"+w.addr+"/mcp", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header = http.Header{"Authorization": {"Bearer " + w.tokens[profile]}, "Content-Type": {"application/json"}}
	resp, err := w.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(data)
}

// search is the message that asks a question.
func search(id int, query string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":%s}}}`, id, strconv.Quote(query))
}

// mixed has two clients ask under the same ids at one time: each answer must hold its own
// profile's canary and never the other's.
func mixed(ctx context.Context, _ string) error {
	w, done, err := serveWeb(ctx, "")
	if err != nil {
		return err
	}
	defer done()
	total := cmp.Or(*count, 10_000)
	start := time.Now()
	var both sync.WaitGroup
	for i, p := range profiles {
		for range 4 {
			both.Go(func() {
				for n := range total / 8 {
					status, said := w.call(p, search(n, "canary of this profile"))
					if status != 200 || !strings.Contains(said, p+" in the marsh") || strings.Contains(said, profiles[1-i]) {
						fail("%s: %d %.300s", p, status, said)
					}
				}
			})
		}
	}
	both.Wait()
	fmt.Printf("%d calls of two profiles, interleaved, in %.1f s: each held its own canary alone (%d did not)\n", total, time.Since(start).Seconds(), failures)
	return nil
}

// raw sends bytes, ends its side a while later, since that is to hang up, and gives the status of the first answer; 0 if the
// connection was closed without one, -1 if nothing came in time.
func (w *web) raw(text string) int {
	c, err := net.DialTimeout("tcp", w.addr, 5*time.Second)
	if err != nil {
		return -1
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(8 * time.Second))
	go func() {
		_, _ = io.WriteString(c, text)
		time.Sleep(200 * time.Millisecond)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	line, err := bufio.NewReader(c).ReadString('\n')
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		return -1
	}
	if status, ok := strings.CutPrefix(line, "HTTP/1."); ok && len(status) > 5 {
		n, _ := strconv.Atoi(status[2:5])
		return n
	}
	return 0
}
