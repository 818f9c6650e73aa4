// Package kb answers for one profile: search, read, outline, links and status, each a
// typed request and a typed answer. It knows nothing of MCP or of the command line,
// which show the same answers.
package kb
