// Package provenance makes answers auditable: who fetched what, when, by which call,
// and whether a sentence written from it may stand.
//
// # Stamps
//
// An [Issuer] gives every result a [Stamp]: a call id, the server and tool, the profile,
// a hash of the arguments, the time and a lifetime. The call id is the id of the JSON-RPC
// request and a nonce of 128 bits, so that two sessions that both ask under id 7 still
// have two calls. The MAC covers every field and, for each passage served, its citation,
// its lines and the digest of its text: a stamp cannot be carried over to other words.
// A stamp goes into the structured form, and its marker, [Stamp.Marker], stands on the
// first and the last line of the text form, so that one of them survives whatever a
// client cuts off.
//
// # The journal
//
// A [Journal] keeps each stamp with the masked passages that were served under it, sealed
// with AES-256-GCM. Each process writes files of its own and reads everyone's; the oldest
// go when there is no more room. A record that is torn, damaged or sealed under another
// key is skipped. Mode [Digests] keeps no text: then a claim can be judged only while the
// passage still stands in the note as it was served.
//
// # Claims
//
// A [Claim] is a sentence of an answer with the call and the passage it is said to come
// from. A [Verifier] grades it on two axes: is the source right, that is, is the stamp
// this profile's and whole, within its lifetime, of a passage that is neither changed nor
// replaced, and trusted enough; and does the passage say so. It judges against what was
// stamped, never against a new fetch. See [Verifier.Verify] for the order of the rules
// and [Quadrant] for what the two axes give.
//
// # Non-goals
//
// Fact right means that the passage supports the sentence, not that it is true. Nobody
// here asks a model: the rules of support are written down and measured, and what they
// cannot tell is unknown, never assumed right.
package provenance
