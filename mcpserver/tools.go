package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"candor/kb"
	"candor/provenance"
)

// tool is one tool as clients see it.
type tool struct {
	name, title, about string
	params             []param
	writes             bool
	answer             reflect.Type
	call               func(ctx context.Context, raw json.RawMessage) (*mcp.CallToolResult, error)
}

// use is how a tool asks the base and shows what it says.
type use[Q, A any] struct {
	ask  func(context.Context, Q) (A, error)
	show func(*page, A)
	// narrow asks for less after an answer that was over the budget by the factor
	// size/budget; nil or false if there is no less to ask for.
	narrow func(q *Q, a A, size, budget int) bool
}

// addTools registers the tools with mcp-go.
func (s *Server) addTools() error {
	b := s.opt.Base
	bind(s, searchTool(s.opt.Results), use[kb.SearchRequest, kb.SearchAnswer]{b.Search, showSearch, fewerHits})
	bind(s, readTool, use[kb.ReadRequest, kb.ReadAnswer]{b.Read, showRead, fewerLines})
	bind(s, outlineTool, use[kb.OutlineRequest, kb.OutlineAnswer]{ask: b.Outline, show: showOutline})
	bind(s, linksTool, use[kb.LinksRequest, kb.LinksAnswer]{ask: b.Links, show: showLinks})
	bind(s, statusTool, use[struct{}, kb.StatusAnswer]{
		ask:  func(ctx context.Context, _ struct{}) (kb.StatusAnswer, error) { return b.Status(ctx) },
		show: showStatus,
	})
	if s.opt.Verify != nil {
		bind(s, verifyTool, use[claimsRequest, provenance.Answer]{ask: s.verify, show: showVerify})
	}
	s.addWrites()
	for _, t := range s.tools {
		declared, err := t.declare(s.opt.Stamper != nil)
		if err != nil {
			return fmt.Errorf("mcpserver: tool %s: %w", t.name, err)
		}
		s.mcp.AddTool(declared, s.handler(t))
	}
	return nil
}

// bind completes a tool with the way it is answered.
func bind[Q, A any](s *Server, t tool, u use[Q, A]) {
	t.answer = reflect.TypeFor[A]()
	t.call = func(ctx context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
		q, err := arguments[Q](t.name, t.params, raw)
		if err != nil {
			return nil, err
		}
		for {
			a, err := u.ask(ctx, q)
			if err != nil {
				return nil, err
			}
			result, size, err := s.result(a, func(p *page) { u.show(p, a) })
			if err != nil {
				return nil, err
			}
			budget := s.room()
			if size <= budget {
				return result, s.stampResult(ctx, stamped{t.name, raw, Served(a)}, result)
			}
			if u.narrow == nil || !u.narrow(&q, a, size, budget) {
				return nil, errTooLarge
			}
		}
	}
	s.tools = append(s.tools, t)
}

// declare describes the tool for tools/list. All hints are set: the defaults say that
// a tool destroys and reaches the open world.
func (t tool) declare(stamps bool) (mcp.Tool, error) {
	in, err := inputSchema(t.params).raw()
	if err != nil {
		return mcp.Tool{}, err
	}
	shape, err := answerSchema(t.answer, stamps)
	if err != nil {
		return mcp.Tool{}, err
	}
	out, err := shape.raw()
	if err != nil {
		return mcp.Tool{}, err
	}
	reads, no := !t.writes, false // what writes adds, and adds again when asked again
	return mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, RawInputSchema: in, RawOutputSchema: out,
		Annotations: mcp.ToolAnnotation{
			Title: t.title, ReadOnlyHint: &reads, DestructiveHint: &no, IdempotentHint: &reads, OpenWorldHint: &no,
		},
	}, nil
}

// handler answers calls of a tool; an error becomes a result of plain words.
func (s *Server) handler(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if s.opt.Observe == nil {
			return s.call(ctx, t, q), nil
		}
		ctx, end := s.opt.Observe(ctx, t.name, requestID(ctx))
		result := s.call(ctx, t, q)
		end(callID(result), result.IsError)
		return result, nil
	}
}

// call answers a call of a tool and survives its panics.
func (s *Server) call(ctx context.Context, t tool, q mcp.CallToolRequest) (result *mcp.CallToolResult) {
	defer func() {
		if r := recover(); r != nil {
			s.panicked(t.name)
			result = mcp.NewToolResultError(internalText)
		}
	}()
	result, err := t.call(ctx, q.Params.RawArguments)
	if err != nil {
		return mcp.NewToolResultError(s.public(ctx, t.name, err))
	}
	return result
}

// public gives an error's words for the client and logs what those hide.
func (s *Server) public(ctx context.Context, where string, err error) string {
	words, unexpected := public(err)
	if unexpected && ctx.Err() == nil {
		cause := []rune(err.Error())
		s.log.Error("call failed", slog.String("in", where), slog.String("err", string(cause[:min(len(cause), 300)])))
	}
	return words
}

// result makes both halves of a result and tells the size of the larger.
func (s *Server) result(a any, show func(*page)) (*mcp.CallToolResult, int, error) {
	data, err := encode(a)
	if err != nil {
		return nil, 0, fmt.Errorf("encode answer: %w", err)
	}
	data = bytes.TrimSuffix(data, []byte("\n"))
	p, err := s.page(data)
	if err != nil {
		return nil, 0, err
	}
	show(p)
	result := mcp.NewToolResultText(p.String())
	result.StructuredContent = json.RawMessage(data)
	if p.hidden > 0 {
		result.EnsureResultMeta().SetMetaField("candor/hidden_characters", p.hidden)
	}
	return result, max(len(data), p.Len()), nil
}

// page begins a text form with a boundary that its content does not have.
func (s *Server) page(content []byte) (*page, error) {
	for range 8 {
		if nonce := s.opt.Nonce(); len(nonce) == 32 && !bytes.Contains(content, []byte(nonce)) {
			return &page{nonce: nonce}, nil
		}
	}
	return nil, fmt.Errorf("no usable boundary in 8 draws")
}

// fewerHits asks for the hits that would fit: the base then gives the cursor that goes
// on after them.
func fewerHits(q *kb.SearchRequest, a kb.SearchAnswer, size, budget int) bool {
	n := len(a.Hits)
	q.Limit = max(1, min(n*budget/size, n-1))
	return n > 1
}

// fewerLines asks for the lines that would fit.
func fewerLines(q *kb.ReadRequest, a kb.ReadAnswer, size, budget int) bool {
	n := a.Citation.EndLine - a.Citation.StartLine + 1
	if q.Path == "" || n <= 1 {
		return false
	}
	q.StartLine = a.Citation.StartLine
	q.EndLine = q.StartLine + max(1, min(n*budget/size, n-1)) - 1
	return true
}
