// Package markdown cuts clean notes into the pieces that are indexed and cited, each
// with its heading path and its lines, and collects links and tags on the way.
//
// # Blocks
//
// Only the block structure of CommonMark is read, with the tables of GFM: what is a
// heading, where a fence, list item, quote, table or HTML block begins and ends. One
// pass over the lines does it, with a bounded stack of containers and no tree, so
// time is linear and memory small on any input; the tests compare it with a full
// parser on every kind of note. Beyond the standard, a %% comment of Obsidian at the
// start of a line hides its headings as an HTML comment does.
//
// Headings inside fences, HTML blocks, comments, quotes and list items are text.
// Only headings of the note itself make sections.
//
// # Pieces
//
// A section is one piece, or several when it is longer than Options.Words: cut
// between blocks, and a block that is too long alone between its lines, never inside
// one. A heading with no text of its own goes with the piece after it. Every line
// that is not blank belongs to exactly one piece. Each piece of a cut table but the
// first has the header row as its Context.
//
// # Lines
//
// A line ends at LF, as sed counts; a CR before it is not text; a lone CR is a
// character like others.
//
// # Non-goals
//
// No HTML is made, no emphasis or link is rendered, and nothing is fetched.
package markdown
