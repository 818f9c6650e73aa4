package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"candor"
	"candor/config"
	"candor/evals"
	"candor/kb"
)

// wired is a site as its clients reach it: over stdio one candor serve for each profile,
// and one more with the gates off, each a process of its own; over HTTP one for all
// profiles, and one more with the gates off. Of the site in this process only the
// fingerprint and the files are used.
type wired struct {
	*measured
	program string
	http    bool
	flags   []string // which site the servers open
	alone   []*wired
	servers map[bool]*listening // over HTTP, by whether the gates are off
}

var (
	_ evals.System   = (*wired)(nil)
	_ evals.Isolator = (*wired)(nil)
	_ evals.Opener   = (*wired)(nil)
)

// wire makes the system of an open site. A program serves what this one has opened,
// the demo too.
func (a *app) wire(s *site, program string, http bool) *wired {
	return newWired(wired{measured: a.measure(s), program: program, http: http, flags: s.flags()})
}

// newWired opens sessions as the transport has it.
func newWired(as wired) *wired {
	w := &as
	w.doors.open = w.spawn
	if w.http {
		w.doors.open = w.dial
	}
	return w
}

// flags open a site again in another process.
func (s *site) flags() []string {
	if s.cfg.File == "" {
		return []string{"--vault", s.cfg.Vaults[0].Root}
	}
	return []string{"--config", s.cfg.File}
}

// spawn starts a server.
func (w *wired) spawn(ctx context.Context, at seat) (*mcpClient, error) {
	cmd := exec.CommandContext(ctx, w.program, append([]string{"serve", "--profile", at.profile}, w.flags...)...)
	if at.gatesOff {
		cmd.Env = append(cmd.Environ(), config.EnvMinScore+"=0", config.EnvMinCoverage+"=0")
	}
	var said firstWords
	cmd.Stderr = &said
	cmd.WaitDelay = leaveTime
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	end := func() error {
		defer time.AfterFunc(leaveTime, func() { cmd.Process.Kill() }).Stop()
		io.Copy(io.Discard, out) // Wait closes it
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("candor serve: %w: %s", err, strings.TrimSpace(said.String()))
		}
		return nil
	}
	return &mcpClient{in: in, out: bufio.NewReader(out), end: sync.OnceValue(end)}, nil
}

// leaveTime is how long a server may take to leave after the end of its input: more
// than the 1.5 seconds that it promises.
const leaveTime = 10 * time.Second

// firstWords keeps the beginning of what a server says on stderr.
type firstWords struct{ kept []byte }

// Write takes everything and keeps some.
func (f *firstWords) Write(p []byte) (int, error) {
	f.kept = append(f.kept, p[:min(len(p), max(0, 4096-len(f.kept)))]...)
	return len(p), nil
}

// String is what was kept.
func (f *firstWords) String() string { return string(f.kept) }

// Close ends all servers. One that does not leave in peace is an error.
func (w *wired) Close() error {
	faults := []error{w.doors.Close()}
	for _, s := range w.servers {
		faults = append(faults, s.close())
	}
	for _, alone := range w.alone {
		faults = append(faults, alone.Close())
	}
	return errors.Join(faults...)
}

// Search asks for as many lexical hits as are wanted, page by page. The scores come from
// the explanations; a confidence is not shown to clients.
func (w *wired) Search(ctx context.Context, q evals.Question) (evals.Answer, error) {
	c, err := w.client(ctx, q.Profile, q.GatesOff)
	if err != nil {
		return evals.Answer{}, err
	}
	var out evals.Answer
	req := kb.SearchRequest{Query: q.Text, Limit: min(q.Limit, c.page), Mode: candor.ModeLexical, Explain: true}
	for {
		r, err := c.tool(ctx, "search", req)
		out.Raw += r.raw
		if err != nil {
			return out, err
		}
		a, err := decode[kb.SearchAnswer](r.Result.Structured)
		if err != nil {
			return out, fmt.Errorf("search: %w", err)
		}
		out.Abstained, out.Reason = a.Abstained, a.Reason
		for _, h := range a.Hits {
			out.Hits = append(out.Hits, evals.Hit{Citation: h.Citation, Text: h.Text, Score: score(h.Explain), Flags: h.Flags})
		}
		if a.NextCursor == "" || len(out.Hits) >= q.Limit {
			return out, nil
		}
		req.Cursor = a.NextCursor
	}
}

// score is what ranked a hit: the score of its only leg, or what both gave together.
func score(e *kb.Explain) float64 {
	switch {
	case e == nil:
		return 0
	case e.Semantic == nil && e.Lexical != nil:
		return e.Lexical.Score
	case e.Lexical == nil && e.Semantic != nil:
		return e.Semantic.Score
	case e.Lexical == nil:
		return 0
	}
	return e.Lexical.Contribution + e.Semantic.Contribution
}

// Read gives lines of a note.
func (w *wired) Read(ctx context.Context, at evals.Place) (evals.Passage, error) {
	return piped{w.measured}.Read(ctx, at)
}

// Alone has servers of their own read copies of what a profile may see, and nothing else.
func (w *wired) Alone(_ context.Context, profile string) (evals.System, error) {
	s, err := w.copied(profile)
	if err != nil {
		return nil, err
	}
	if s.cfg.File != "" {
		file := filepath.Join(filepath.Dir(s.cfg.Vaults[0].Root), config.FileName)
		if err := rehouse(s.cfg.File, file, s.cfg.Vaults); err != nil {
			return nil, err
		}
		s.cfg.File = file
	}
	alone := newWired(wired{measured: &measured{app: w.app, site: s}, program: w.program, http: w.http, flags: s.flags()})
	w.alone = append(w.alone, alone)
	return alone, nil
}

// rehouse writes a configuration again for vaults at other places. What would lead to
// files beside the old one or to a model, and does nothing to lexical answers, is left out.
func rehouse(from, to string, vaults []config.Vault) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	keys := map[string]yaml.Node{}
	if err := yaml.Unmarshal(data, &keys); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	var list []map[string]string
	literal := strings.NewReplacer("$", "$$", "%", "%%") // a configuration expands variables
	for _, v := range vaults {
		list = append(list, map[string]string{"name": v.Name, "root": literal.Replace(v.Root)})
	}
	var node yaml.Node
	if err := node.Encode(list); err != nil {
		return err
	}
	keys["vaults"] = node
	for _, name := range []string{"evals", "ollama", "write", "telemetry"} {
		delete(keys, name)
	}
	if data, err = yaml.Marshal(keys); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
