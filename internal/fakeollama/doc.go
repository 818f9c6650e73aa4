// Package fakeollama is an Ollama for tests: its vectors depend on the text, so that
// near texts are near, and it has every fault that a peer can have.
//
// A Server is an http.Handler. Start serves it on loopback; Pipe serves it without a
// network, for tests in a synctest bubble.
package fakeollama
