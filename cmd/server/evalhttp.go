package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"candor/config"
	"candor/tokens"
)

// listening is one candor serve --http, a process of its own, with a token for each
// profile.
type listening struct {
	url    string
	tokens map[string]string // by profile
	dir    string            // of the token file
	stop   func() error
}

// startTime is how long a server may take until it listens, which is before it reads.
const startTime = time.Minute

// listen starts a server of all profiles.
func (w *wired) listen(ctx context.Context, gatesOff bool) (*listening, error) {
	s := &listening{tokens: map[string]string{}}
	var err error
	if s.dir, err = os.MkdirTemp("", "candor-tokens-"); err != nil {
		return nil, err
	}
	file := tokens.File(filepath.Join(s.dir, "tokens.json"))
	for _, profile := range w.site.cfg.ProfileNames() {
		if s.tokens[profile], _, err = file.New(profile, 24*time.Hour); err != nil {
			return nil, errors.Join(err, os.RemoveAll(s.dir))
		}
	}
	args := append([]string{"serve", "--http", "127.0.0.1:0", "--tokens", string(file)}, w.flags...)
	cmd := exec.CommandContext(ctx, w.program, args...)
	if gatesOff {
		cmd.Env = append(cmd.Environ(), config.EnvMinScore+"=0", config.EnvMinCoverage+"=0")
	}
	if err := s.start(ctx, cmd); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// start runs the server and waits for the line that says where it listens.
func (s *listening) start(ctx context.Context, cmd *exec.Cmd) error {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	var said firstWords
	at, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			_, _ = said.Write(append(lines.Bytes(), '\n'))
			if url, ok := strings.CutPrefix(lines.Text(), "candor: listening on "); ok {
				at <- url
			}
		}
		_, _ = io.Copy(io.Discard, stderr) // a line was too long to be one of ours
	}()
	s.stop = sync.OnceValue(func() error {
		defer time.AfterFunc(leaveTime, func() { _ = cmd.Process.Kill() }).Stop()
		_ = interrupt(cmd.Process)
		<-ended
		if err := cmd.Wait(); err != nil && ctx.Err() == nil && runtime.GOOS != "windows" {
			return fmt.Errorf("candor serve: %w: %s", err, strings.TrimSpace(said.String()))
		}
		return nil
	})
	late := time.NewTimer(startTime)
	defer late.Stop()
	select {
	case s.url = <-at:
		return nil
	case <-ended:
	case <-late.C:
	case <-ctx.Done():
	}
	return errors.Join(errors.New("the server does not listen"), s.stop())
}

// interrupt asks a process to end, or ends it where it cannot be asked.
func interrupt(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(os.Interrupt)
}

// close ends the server.
func (s *listening) close() error { return errors.Join(s.stop(), os.RemoveAll(s.dir)) }

// dial opens a session of a profile with the server for the seat. While it asks, another
// profile asks the same with its own token.
func (w *wired) dial(ctx context.Context, at seat) (*mcpClient, error) {
	s := w.servers[at.gatesOff]
	if s == nil {
		var err error
		if s, err = w.listen(ctx, at.gatesOff); err != nil {
			return nil, err
		}
		if w.servers == nil {
			w.servers = map[bool]*listening{}
		}
		w.servers[at.gatesOff] = s
	}
	p := &posting{ctx: ctx, url: s.url, token: s.tokens[at.profile]}
	for _, profile := range w.site.cfg.ProfileNames() {
		if profile != at.profile {
			p.other = s.tokens[profile]
		}
	}
	return &mcpClient{in: p, out: bufio.NewReader(p), end: func() error { return nil }}, nil
}

// posting makes two streams of lines out of HTTP requests: what is written is posted, and
// what is read is the answers.
type posting struct {
	ctx          context.Context
	url          string
	token, other string // other is another profile's, "" if there is none
	answers      bytes.Buffer
}

// Write posts one message under both tokens at once and keeps the first one's answer.
func (p *posting) Write(message []byte) (int, error) {
	var beside sync.WaitGroup
	var fault error
	if p.other != "" {
		beside.Go(func() { _, fault = p.post(p.other, message) })
	}
	answer, err := p.post(p.token, message)
	beside.Wait()
	p.answers.Write(answer)
	return len(message), errors.Join(err, fault)
}

func (p *posting) post(token string, message []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(p.ctx, http.MethodPost, p.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := toServers.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusBadRequest:
		return answer, nil
	}
	return nil, fmt.Errorf("the server answers with the status %s", resp.Status)
}

// toServers speaks to servers of this machine: no proxy, no redirect.
var toServers = &http.Client{
	Transport:     &http.Transport{},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Read implements io.Reader: at the end of an answer there is no more.
func (p *posting) Read(to []byte) (int, error) { return p.answers.Read(to) }

// Close implements io.Closer; there is no session to end.
func (*posting) Close() error { return nil }
