// Package cache keeps vectors on disk between runs, sealed.
//
// A vector is treated as the text it was made from: whoever holds it and the model can
// come close to reading that text. So every vector, every name of a chunk, every count
// and every width is under AES-256-GCM, and the key lies outside the folder. The package
// has no type that could hold text: what it is given to name a chunk is hashed under the
// key and forgotten.
//
// # Names
//
// An [ID] has two halves, both HMAC-SHA-256: the [Space] is of all that makes vectors
// comparable (the fingerprint of the model, the prefix put before the text), the [Chunk]
// is of what was embedded (the version of the chunker, the masked text). A vector is
// therefore never found under another model than its own, vectors of several models
// stand side by side, and a chunk that is gone can be dropped under every model at once.
// A [Query] is a name of a third kind, for use in memory: nothing here can store one.
//
// # Many processes
//
// The folder holds segments: small files that are written under a temporary name, synced,
// renamed to a unique name and never changed. Any number of processes read them; one at a
// time, the one that holds the [Writer], adds, merges and drops them. Its lock dies with
// it. Torn, foreign, future or damaged files are left aside. Any doubt is a miss, and a
// miss costs no more than embedding a chunk again.
//
// # Whose folder
//
// One folder belongs to one key and one set of vaults: [Writer.Prune] drops what its
// caller does not call live. What the folder holds depends on every profile, so no
// number that [Cache.Stat] gives may stand in an answer.
//
// The format, the threats and the measurements are in doc/cache.md.
package cache
