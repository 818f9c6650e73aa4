package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"candor/kb"
	"candor/provenance"
)

// Base answers for one profile. It is declared here so that the doors can be tested
// without a vault; kb.Base is the real one.
type Base interface {
	Search(ctx context.Context, q kb.SearchRequest) (kb.SearchAnswer, error)
	Read(ctx context.Context, q kb.ReadRequest) (kb.ReadAnswer, error)
	Outline(ctx context.Context, q kb.OutlineRequest) (kb.OutlineAnswer, error)
	Links(ctx context.Context, q kb.LinksRequest) (kb.LinksAnswer, error)
	Status(ctx context.Context) (kb.StatusAnswer, error)
}

// Options says what a Server shows and how.
type Options struct {
	Base    Base   // required
	Name    string // of the server towards clients; "" is candor
	Version string // "" is dev

	Results      int // most hits that a search may ask for; 0 is 50
	ResultTokens int // most tokens in each half of a result, 3 bytes each; 0 is 8000

	Stamper Stamper // nil: results carry no stamps
	Profile string  // the one that Base answers for, in stamps
	// Verify judges claims; nil: there is no such tool.
	Verify func(ctx context.Context, claims []provenance.Claim) (provenance.Answer, error)

	Observe Observe // told of each call of a tool; nil: nobody is

	Notes      NoteMaker    // nil: no drafts can be made
	Ledger     LedgerKeeper // nil: there is no ledger
	WriteBytes int          // largest body or lesson; 0 is 64 KiB

	// Nonce gives 32 hex digits, other ones each time; nil draws 128 random bits.
	Nonce  func() string
	Logger *slog.Logger // nil: no log
}

// Observe is told that a call of a tool begins. The function that it gives is told the
// call id of the stamp, "" without one, and whether the tool failed.
type Observe func(ctx context.Context, tool, requestID string) (context.Context, func(callID string, failed bool))

// Server is one profile's MCP server, to be put behind any number of doors.
type Server struct {
	opt   Options
	tools []tool
	mcp   *server.MCPServer
	log   *slog.Logger
}

//go:embed instructions.md
var instructions string

// New builds a Server. It reads nothing from the base.
func New(opt Options) (*Server, error) {
	if opt.Base == nil {
		return nil, errors.New("mcpserver: Options.Base is nil")
	}
	opt.Name = cmp.Or(opt.Name, "candor")
	opt.Version = cmp.Or(opt.Version, "dev")
	opt.Results = cmp.Or(opt.Results, 50)
	opt.ResultTokens = cmp.Or(opt.ResultTokens, 8000)
	opt.WriteBytes = cmp.Or(opt.WriteBytes, 64<<10)
	if opt.Nonce == nil {
		opt.Nonce = randomNonce
	}
	s := &Server{opt: opt, log: opt.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	hooks := &server.Hooks{}
	hooks.AddBeforeInitialize(negotiate)
	hooks.AddBeforeReadResource(canonical)
	hooks.AddAfterListResources(s.listNotes)
	s.mcp = server.NewMCPServer(opt.Name, opt.Version,
		server.WithTitle("candor: notes with citations"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithCacheHints(0, mcp.CacheScopePrivate),
		server.WithHooks(hooks),
	)
	if err := s.addTools(); err != nil {
		return nil, err
	}
	s.addResources()
	s.addPrompt()
	return s, nil
}

// MCP gives the dispatcher, for a door that needs mcp-go's own transport. Such a door
// must check the framing of what it passes on.
func (s *Server) MCP() *server.MCPServer { return s.mcp }

// negotiate answers a client that names no version with the newest, as it would be
// answered if it named an unknown one.
func negotiate(_ context.Context, _ any, q *mcp.InitializeRequest) {
	q.Params.ProtocolVersion = cmp.Or(q.Params.ProtocolVersion, mcp.LATEST_LEGACY_PROTOCOL_VERSION)
}

func randomNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
