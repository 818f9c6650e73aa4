package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// serveCmd answers MCP clients.
type serveCmd struct {
	httpFlags

	Debug bool `help:"Log each call to stderr: its kind, its time, nothing of its text."`
}

// Run serves one profile over stdin and stdout until the client leaves, or all of them
// over HTTP. The client is answered before the vault is read; a search waits for it a
// while.
func (c *serveCmd) Run(ctx context.Context, a *app) error {
	level := slog.LevelWarn
	if c.Debug {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level}))
	switch {
	case c.HTTP != "":
		return c.serve(ctx, a, log)
	case c.httpFlags != httpFlags{}:
		return withHint(errors.New("--tokens, --expose, --tls-cert and --tls-key go with --http"), "--http 127.0.0.1:8080")
	}
	s, err := a.build()
	if err != nil {
		return err
	}
	l := a.goLive(s, log)
	if l.observe, err = s.observe(ctx, "pipe", log); err != nil {
		s.close()
		return err
	}
	if err := l.openZone(); err != nil {
		s.close()
		return err
	}
	server, err := l.server(s.profile)
	if err != nil {
		s.close()
		return err
	}
	for _, w := range s.warnings() {
		fmt.Fprintln(a.Stderr, "candor:", w)
	}
	life, end := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { l.run(life) })
	following.Go(func() { l.recover(life) })
	defer following.Wait()
	defer end()
	return server.ServeStdio(ctx, a.Stdin, a.Stdout)
}

// follow reads the vaults and then keeps up with them until ctx ends. What goes wrong
// is logged for the owner: the client is answered from what could be read.
func (s *site) follow(ctx context.Context, log *slog.Logger) {
	if err := s.load(ctx); err != nil {
		if ctx.Err() == nil {
			log.Error("the vault cannot be read", "error", err)
		}
		return
	}
	trimMemory()
	var vectors sync.WaitGroup
	vectors.Go(func() { s.keepVectors(ctx, log) })
	defer vectors.Wait()
	if err := s.corpus.Watch(ctx, s.sync); err != nil && ctx.Err() == nil {
		log.Warn("the vault is no longer watched; changes show in answers that cite them", "error", err)
	}
}
