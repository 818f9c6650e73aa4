package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"candor"
	"candor/kb"
)

// mcpClient speaks to one MCP server over two streams, one request at a time. It is
// small so that it sees the very bytes that a client gets.
type mcpClient struct {
	in   io.WriteCloser
	out  *bufio.Reader
	end  func() error // waits for the server, once its input has ended
	last int          // id
	page int          // most hits that a search may ask for
}

// reply is one answer. It has what any of the methods may answer.
type reply struct {
	ID     *int        `json:"id"`
	Result replyResult `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
	raw string // all that the client sees, as it came
}

// replyResult is the result of an answer.
type replyResult struct {
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Content    []struct {
		Text string `json:"text"`
	} `json:"content"`
	Contents []struct {
		URI string `json:"uri"`
	} `json:"contents"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Next string `json:"nextCursor"`
}

// ready opens the session and waits until the server has read the vault.
func (c *mcpClient) ready(ctx context.Context) error {
	_, err := c.ask(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "candor eval", "version": version()},
	})
	if err != nil {
		return err
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	for {
		r, err := c.tool(ctx, "status", nil)
		if err != nil {
			return err
		}
		var a kb.StatusAnswer
		if err := json.Unmarshal(r.Result.Structured, &a); err != nil {
			return fmt.Errorf("status: %w", err)
		}
		if c.page = a.Limits.Results; a.State == "ready" {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the vault is not read yet: %w", ctx.Err())
		}
	}
}

// readTime bounds how long a server may read the vault.
const readTime = 5 * time.Minute

// tool calls a tool. What the server refuses is an error, with all that was seen.
func (c *mcpClient) tool(ctx context.Context, name string, args any) (reply, error) {
	params := map[string]any{"name": name}
	if args != nil {
		params["arguments"] = args
	}
	r, err := c.ask(ctx, "tools/call", params)
	if err != nil || !r.Result.IsError {
		return r, err
	}
	if len(r.Result.Content) != 1 {
		return r, fmt.Errorf("%s: an error result of %d parts", name, len(r.Result.Content))
	}
	return r, refusal(r.Result.Content[0].Text)
}

// ask sends one request and waits for its answer.
func (c *mcpClient) ask(ctx context.Context, method string, params any) (reply, error) {
	c.last++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params}); err != nil {
		return reply{}, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return reply{}, c.lost(ctx, err)
		}
		r := reply{raw: string(line)}
		if err := json.Unmarshal(line, &r); err != nil {
			return r, fmt.Errorf("%s: what the server wrote is no JSON-RPC: %w", method, err)
		}
		switch {
		case r.Error != nil && (r.ID == nil || *r.ID == c.last):
			return r, refusal(r.Error.Message)
		case r.ID != nil && *r.ID == c.last:
			return r, nil
		}
	}
}

// send writes one message.
func (c *mcpClient) send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write to the server: %w", err)
	}
	return nil
}

// lost says why the server has gone.
func (c *mcpClient) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(fmt.Errorf("the server is gone: %w", err), c.close())
}

// close ends the session and waits for the server.
func (c *mcpClient) close() error {
	c.in.Close() // a server that is gone has closed it
	return c.end()
}

// refusal is the error that a server's words stand for. They stay whole, since denied
// and missing must be told in the same ones.
func refusal(words string) error {
	switch {
	case strings.HasPrefix(words, "not found"):
		return &told{words, candor.ErrNotFound}
	case strings.HasPrefix(words, "still reading"):
		return &told{words, candor.ErrLoading}
	case strings.HasPrefix(words, "internal error"), strings.HasPrefix(words, "too many"), strings.HasPrefix(words, "the server"):
		return errors.New(words)
	}
	return &candor.InputError{Why: words}
}

// told is a known error in the words of a server.
type told struct {
	words string
	err   error
}

func (t *told) Error() string { return t.words }
func (t *told) Unwrap() error { return t.err }
