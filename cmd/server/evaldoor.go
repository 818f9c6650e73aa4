package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"candor"
	"candor/evals"
	"candor/kb"
	"candor/mcpserver"
)

// seat is where a client sits: the eyes of a profile, with the gates on or off.
type seat struct {
	profile  string
	gatesOff bool
}

// doors are MCP sessions, each opened when it is first needed.
type doors struct {
	open func(context.Context, seat) (*mcpClient, error)
	at   map[seat]*mcpClient
}

// client is the session of a seat.
func (d *doors) client(ctx context.Context, at seat) (*mcpClient, error) {
	if c := d.at[at]; c != nil {
		return c, nil
	}
	c, err := d.open(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := c.ready(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if d.at == nil {
		d.at = map[seat]*mcpClient{}
	}
	d.at[at] = c
	return c, nil
}

// Close ends all sessions.
func (d *doors) Close() error {
	var faults []error
	for c := range maps.Values(d.at) {
		faults = append(faults, c.close())
	}
	return errors.Join(faults...)
}

// seat checks the profile of a question; "" is the command's.
func (m *measured) seat(profile string, gatesOff bool) (seat, error) {
	if profile == "" {
		profile = m.site.profile
	}
	if !slices.Contains(m.site.cfg.ProfileNames(), profile) {
		return seat{}, fmt.Errorf("the topics name the profile %q, which the configuration does not have", profile)
	}
	return seat{profile, gatesOff}, nil
}

// client is the session of a profile.
func (m *measured) client(ctx context.Context, profile string, gatesOff bool) (*mcpClient, error) {
	at, err := m.seat(profile, gatesOff)
	if err != nil {
		return nil, err
	}
	return m.doors.client(ctx, at)
}

// pipe serves a profile in this process, behind the same framing as over stdio.
func (m *measured) pipe(ctx context.Context, at seat) (*mcpClient, error) {
	base := m.base(at)
	limits := base.Limits()
	server, err := mcpserver.New(mcpserver.Options{
		Base: base, Version: version(), Results: limits.Results, ResultTokens: limits.ResultTokens,
		Stamper: m.site.issuer, Profile: at.profile, Verify: m.site.verify(at.profile, base, slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return nil, err
	}
	requests, in := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := server.ServeStdio(ctx, requests, out)
		requests.Close()
		out.Close()
		done <- err
	}()
	return &mcpClient{in: in, out: bufio.NewReader(answers), end: sync.OnceValue(func() error { return <-done })}, nil
}

// Tools are those that a server lists, and its resources as one more.
func (m *measured) Tools(ctx context.Context, profile string) ([]string, error) {
	c, err := m.client(ctx, profile, true)
	if err != nil {
		return nil, err
	}
	r, err := c.ask(ctx, "tools/list", map[string]any{})
	if err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	if r.Result.Next != "" {
		return nil, errors.New("tools/list: the list goes on, and only its first page is probed")
	}
	names := []string{resource}
	for _, t := range r.Result.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

// resource is what resources/read is called among the tools.
const resource = "resource"

// Call runs a tool with the gates off and gives both forms of its result.
func (m *measured) Call(ctx context.Context, call evals.Call) (evals.Output, error) {
	c, err := m.client(ctx, call.Profile, true)
	if err != nil {
		return evals.Output{}, err
	}
	if call.Tool == resource {
		r, err := c.ask(ctx, "resources/read", call.Args)
		out := evals.Output{Raw: r.raw}
		for _, part := range r.Result.Contents {
			out.Paths = append(out.Paths, candor.Path(strings.TrimPrefix(part.URI, "candor://note/")))
		}
		return out, err
	}
	r, err := c.tool(ctx, call.Tool, call.Args)
	out := evals.Output{Raw: r.raw}
	if err == nil {
		out.Paths, out.Next, err = named(call.Tool, r.Result.Structured)
	}
	return out, err
}

// named gives the notes that the fields of a tool's answer name, and its next cursor.
func named(tool string, structured json.RawMessage) (paths []candor.Path, next string, err error) {
	switch tool {
	case "search":
		a, err := decode[kb.SearchAnswer](structured)
		for _, h := range a.Hits {
			paths = append(append(paths, h.Citation.Path), h.Duplicates...)
		}
		return paths, a.NextCursor, err
	case "read":
		a, err := decode[kb.ReadAnswer](structured)
		return []candor.Path{a.Citation.Path, a.SupersededBy}, "", err
	case "outline":
		a, err := decode[kb.OutlineAnswer](structured)
		for _, n := range a.Notes {
			paths = append(paths, n.Path)
		}
		return paths, a.NextCursor, err
	case "links":
		a, err := decode[kb.LinksAnswer](structured)
		for _, l := range append(a.Links, a.Backlinks...) {
			paths = append(paths, l.Citation.Path)
		}
		return paths, a.NextCursor, err
	}
	return nil, "", nil
}

// decode reads the structured form of an answer.
func decode[A any](structured json.RawMessage) (A, error) {
	var a A
	err := json.Unmarshal(structured, &a)
	return a, err
}

// piped is a site in process whose answers are also looked at as a client sees them:
// in both forms, with the words of errors. With the gates off a search shows its
// structured form alone, which is long and holds all that the other one does.
type piped struct{ *measured }

// Close ends the sessions.
func (p piped) Close() error { return p.doors.Close() }

// Search asks in process, and once more through the server.
func (p piped) Search(ctx context.Context, q evals.Question) (evals.Answer, error) {
	a, err := p.measured.Search(ctx, q)
	if err != nil || q.GatesOff {
		return a, err
	}
	c, err := p.client(ctx, q.Profile, false)
	if err != nil {
		return a, err
	}
	r, err := c.tool(ctx, "search", kb.SearchRequest{Query: q.Text, Limit: min(q.Limit, c.page)})
	a.Raw += r.raw
	return a, err
}

// Read asks through the server.
func (p piped) Read(ctx context.Context, at evals.Place) (evals.Passage, error) {
	c, err := p.client(ctx, at.Profile, false)
	if err != nil {
		return evals.Passage{}, err
	}
	return c.passage(ctx, at)
}

// passage reads lines of a note.
func (c *mcpClient) passage(ctx context.Context, at evals.Place) (evals.Passage, error) {
	r, err := c.tool(ctx, "read", kb.ReadRequest{Path: string(at.Path), StartLine: at.Lines.Start, EndLine: at.Lines.End})
	out := evals.Passage{Raw: r.raw}
	if err != nil {
		return out, err
	}
	a, err := decode[kb.ReadAnswer](r.Result.Structured)
	out.Citation, out.Text, out.Flags, out.SupersededBy = a.Citation, a.Text, a.Flags, a.SupersededBy
	return out, err
}
