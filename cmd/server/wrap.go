package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"time"

	"candor"
	"candor/provenance/wrap"
)

// wrapCmd stands in front of another MCP server.
type wrapCmd struct {
	Name    string   `required:"" placeholder:"NAME" help:"The server's name in stamps and markers."`
	Tier    string   `required:"" enum:"T0,T1,T2" placeholder:"TIER" help:"How far it is trusted: T0 one's own, T1 vetted, T2 community."`
	Tools   []string `name:"tool" placeholder:"TOOL" help:"A tool that may be called; again for more. Without any: all of them."`
	Command []string `arg:"" help:"The command that starts the server, after --."`
}

// farewell is how long a server may take to end when nobody speaks to it any more.
const farewell = 3 * time.Second

// Run passes messages between the client on stdin and stdout and the server.
func (c *wrapCmd) Run(ctx context.Context, a *app) error {
	s, err := a.build()
	if err != nil {
		return err
	}
	defer s.close()
	tier := candor.T0
	for tier.String() != c.Tier {
		tier++
	}
	tools := c.Tools
	if len(tools) == 0 {
		tools = []string{"*"}
		fmt.Fprintf(a.Stderr, "candor: every tool of %s may be called; --tool names those that may\n", plain(c.Name))
	}
	p, err := wrap.New(wrap.Options{
		Name: c.Name, Tier: tier, Tools: tools, Profile: s.profile, Issuer: s.issuer, Redactor: s.redact,
		Logger: slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	return c.serve(ctx, a, p)
}

// serve starts the server and ends it again.
func (c *wrapCmd) serve(ctx context.Context, a *app, p *wrap.Proxy) error {
	life, end := context.WithCancel(ctx)
	defer end()
	server := exec.CommandContext(life, c.Command[0], c.Command[1:]...)
	server.Stderr, server.WaitDelay = a.Stderr, farewell
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return withHint(fmt.Errorf("start %s: %w", c.Name, err), "the command stands after --, as in candor wrap --name pricing --tier T2 -- pricing-server")
	}
	err = p.Run(ctx, wrap.Pipe{In: a.Stdin, Out: a.Stdout}, wrap.Pipe{In: out, Out: in})
	_ = in.Close()
	last := time.AfterFunc(farewell, end)
	defer last.Stop()
	gone := server.Wait()
	var status *exec.ExitError
	if err == nil && errors.As(gone, &status) && !strings.Contains(gone.Error(), "signal") && life.Err() == nil {
		return fmt.Errorf("%s ended: %w", c.Name, gone)
	}
	return err
}
