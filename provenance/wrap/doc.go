// Package wrap stands as a proxy between an MCP client and another MCP server, both on
// stdio, and gives that server's results what candor's own have: a stamp, a marker in
// the text, masked secrets, and an entry in the journal, so that claims made from the
// answers of several servers are checked together.
//
// # What it does to a call
//
// Only the tools that the owner names are shown and can be called. Arguments in which
// the masker sees a secret are not sent to a server of tier T1 or T2; the client gets an
// error and nothing has left. A result must keep to the output schema that the server
// itself declared (its response contract), else an error takes its place. In what
// comes back secrets are masked, and what looks like a marker or a citation is made
// harmless: citations inside retrieved text are text.
//
// # What it does not do
//
// It does not judge whether a server tells the truth; the tier says how far it is
// believed. It does not confine the server's process: that is the system's business. A
// server of tier T2 may not ask the client for anything (its model, its user, its
// folders), since that would carry data to it by another way.
package wrap
