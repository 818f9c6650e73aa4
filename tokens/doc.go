// Package tokens keeps the bearer tokens of the HTTP door. Each opens one profile until
// a date.
//
// A token is 32 random bytes, shown once when it is made. Only its SHA-256 hash is kept:
// who takes the file has no token, and 256 random bits need no slow hash. The file lies
// in the user's configuration folder with mode 0600, one for each configuration, so that
// a token of one candor opens nothing in another.
//
// # Refusals
//
// A file that others can read or change, that is a link, or that holds anything but what
// this package writes is refused as a whole: a record without an expiry must not become
// one that never expires. While serving, a file that turns bad opens nothing until it is
// sound again.
//
// # Changes
//
// Editing takes a lock that dies with its process and replaces the file whole. A Store
// looks at the file with every token it is shown, so a revoked one is refused at the next
// request, and Watch ends within half a second what was begun under it.
package tokens
