package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"

	"candor"
	"candor/kb"
	"candor/provenance"
)

// Stamper says of each result by which call it was served; provenance.Issuer is the
// real one. A stamp that comes with an error is good but was not kept.
type Stamper interface {
	Stamp(c provenance.Call) (provenance.Stamp, error)
}

// stampKey is the name of a stamp in _meta.
const stampKey = "candor/stamp"

// stampRoom is what a stamp adds at most to either half of a result, in bytes, beside
// the names of server and profile.
const stampRoom = 640

// room is what a result may hold beside its stamp, in bytes.
func (s *Server) room() int {
	budget := s.opt.ResultTokens * 3
	if s.opt.Stamper != nil {
		budget -= stampRoom + 2*len(s.opt.Name) + 2*len(s.opt.Profile)
	}
	return budget
}

// stamped is a request that wants a stamp.
type stamped struct {
	tool      string
	arguments []byte
	passages  []provenance.Passage
}

// stamp draws the stamp of the request of ctx; nil without a Stamper.
func (s *Server) stamp(ctx context.Context, q stamped) (*provenance.Stamp, error) {
	if s.opt.Stamper == nil {
		return nil, nil
	}
	stamp, err := s.opt.Stamper.Stamp(provenance.Call{
		RequestID: requestID(ctx), Server: s.opt.Name, Tool: q.tool, Profile: s.opt.Profile,
		Arguments: q.arguments, Passages: q.passages,
	})
	switch {
	case stamp.MAC == "":
		return nil, fmt.Errorf("stamp: %w", err)
	case err != nil: // what was found still serves; claims on it will be found without a record
		s.log.Error("a call was not kept", slog.String("in", q.tool), slog.String("err", err.Error()))
	}
	return &stamp, nil
}

// stampResult puts a stamp into all forms of a tool's result.
func (s *Server) stampResult(ctx context.Context, q stamped, r *mcp.CallToolResult) error {
	stamp, err := s.stamp(ctx, q)
	if err != nil || stamp == nil {
		return err
	}
	if data, ok := r.StructuredContent.(json.RawMessage); ok {
		r.StructuredContent = json.RawMessage(provenance.Attach(data, *stamp))
	}
	for i, c := range r.Content {
		if text, ok := c.(mcp.TextContent); ok {
			text.Text = mark(text.Text, stamp)
			r.Content[i] = text
		}
	}
	r.EnsureResultMeta().SetMetaField(stampKey, *stamp)
	return nil
}

// mark puts a text form between two lines with the marker of its call: whichever end a
// client cuts off, one is left.
func mark(text string, stamp *provenance.Stamp) string {
	if stamp == nil {
		return text
	}
	return stamp.Marker() + "\n" + text + "\n" + stamp.Marker()
}

// Served lists the passages of an answer, as a stamp covers them.
func Served(answer any) []provenance.Passage {
	switch a := answer.(type) {
	case kb.SearchAnswer:
		out := make([]provenance.Passage, len(a.Hits))
		for i, h := range a.Hits {
			out[i] = provenance.Passage{
				Citation: h.Citation, Title: h.Title, Context: h.Context, Text: h.Text, Tier: candor.ParseTier(h.Tier), Flags: h.Flags,
			}
		}
		return out
	case kb.ReadAnswer:
		if a.State != kb.Stale {
			return []provenance.Passage{{
				Citation: a.Citation, Title: a.Title, Text: a.Text, Tier: candor.ParseTier(a.Tier), Flags: a.Flags,
			}}
		}
	}
	return nil
}

// requestID is the id of the request of ctx as text, "" where the door tells none.
func requestID(ctx context.Context) string {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return ""
	}
	if s, ok := stringOf(c.id); ok {
		return s
	}
	return string(c.id)
}

// callID is that of a result's stamp, "" without one.
func callID(r *mcp.CallToolResult) string {
	if r.Meta == nil {
		return ""
	}
	stamp, _ := r.Meta.AdditionalFields[stampKey].(provenance.Stamp)
	return stamp.CallID
}
