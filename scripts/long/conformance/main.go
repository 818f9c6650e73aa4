// Command conformance is a server for the official MCP conformance suite: tools, prompts
// and resources that its scenarios ask for, behind the HTTP door that candor serves with.
//
//	go run ./scripts/long/conformance -addr 127.0.0.1:8090
//
// Unlike candor the fixture keeps sessions: before 2026-07-28 a server that asks its client
// something needs one to know whose answer it gets. candor asks nothing.
//
// The suite knows no tokens, so the listener puts the one that the door wants into each
// request, which is otherwise as it was sent. scripts/long/conformance/run starts both.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"

	"github.com/mark3labs/mcp-go/server"

	"candor/mcpserver"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8090", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// onlyToken opens the only profile.
type onlyToken struct{}

const token = "conformance"

// Authorize implements mcpserver.Authorizer.
func (onlyToken) Authorize(t string) (string, <-chan struct{}, bool) {
	return "fixture", nil, t == token
}

func serve(ctx context.Context, addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	transport := server.NewStreamableHTTPServer(fixture())
	door, err := mcpserver.NewHTTP(mcpserver.HTTPOptions{
		Profiles: map[string]http.Handler{"fixture": beside(transport)}, Authorizer: onlyToken{},
		Origins: []string{"http://" + l.Addr().String(), "http://localhost:" + port, "http://[::1]:" + port},
	})
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s/mcp\n", l.Addr())
	return door.Serve(ctx, bearing{l})
}
