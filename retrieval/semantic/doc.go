// Package semantic is the leg that finds a passage by its meaning: an embedder on
// Ollama's API and an index on chromem-go.
//
// # The embedder is a hostile peer
//
// Whatever listens on the configured port gets note text and sends numbers, so it is
// held to both. The address is a literal loopback address, checked again on the socket
// that was connected, together with the account that listens there; there is no name
// lookup, proxy, redirect or compression, and models that Ollama would forward to
// another machine are refused. Answers are bounded in bytes and time. A vector counts
// only if the answer has as many vectors as texts, each as wide as the model's, finite
// and not zero; it is then brought to length one.
//
// # One space at a time
//
// Vectors of two models must never meet. A model is known by its fingerprint: what it
// makes of a few fixed canary texts. They are embedded at start, after each reconnect
// and when Ollama names another digest for the model, and the digest is read again
// after every request, before its vectors are believed. Another digest with the same
// canary vectors is the same model; the same digest with others is not.
//
// # Nothing waits for it
//
// Queries have a lane of their own and go before filling. Three failures or one timeout
// open a breaker; then queries are refused at once while probes in the background find
// out when the embedder is back. Errors say why in words for any client: see
// Unavailable.
//
// # The index
//
// Slots are kept in pages of a fixed size. A page is immutable: its vectors live in a
// chromem-go collection that is never changed once filled, in memory only, without
// text. An update makes new pages for the slots that differ and shares the others. Small
// indexes are searched exactly, by chromem-go or, under a filter, slot by slot; large
// ones through a sketch of one bit for each dimension, whose best candidates are scored
// exactly. See Index.
package semantic
