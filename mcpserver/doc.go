// Package mcpserver shows one profile's knowledge base to MCP clients: the tools
// search, read, outline, links and status, notes as resources, and one prompt.
//
// # The way of a message
//
// A door reads a message and gives it to parseMessage, the framing guard, which
// refuses what encoding/json would let through in a wrong sense: duplicate and
// case-folded names, ids that a float cannot hold, lone surrogates, depth and sheer
// number. What passes goes to Server.handle, which checks the parameters of its method,
// lets mcp-go dispatch it, and writes the answer under the id exactly as it was sent.
// Errors leave with constant words: no input, no path and no cause is ever repeated.
//
// # The doors
//
// ServeStdio is a session on two streams. HTTP is a door for many clients: it lets a
// request in by its Host, Origin and token, checks framing and headers, and passes it to
// the handler of the token's profile (Server.HTTP), behind which mcp-go's stateless
// transport dispatches it. Profiles share nothing there.
//
// # The two halves of a result
//
// Every tool result is whole in its structured form and whole in its text form, since
// clients show the one or the other. In the text form all that comes from notes stands
// between boundary lines that are random for each response; in the structured form
// text is the bare passage.
//
// # Non-goals
//
// The server sends no requests, no change notifications and no progress: nothing that
// a profile sees may depend on what it may not see, and nothing runs on its behalf.
package mcpserver
