// The candor command answers questions from a folder of markdown notes with citations,
// or abstains: on the command line and, with serve, for an AI client over MCP.
//
// Exit status: 0 answered, 1 abstained or a gate failed, 2 an error. Results go to
// stdout, all else to stderr.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A pipe that nobody reads is an error of writing, not the end: what is temporary is
	// still to be removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills
	m := Main{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}
	code := m.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
