// Package corpus turns the files of the vaults into one immutable snapshot of notes
// for each profile. It is the one place where policy, vault, frontmatter, redact and
// markdown meet, in that order, and each stage takes what only the one before can
// make: a permit opens a file, a file is split and narrowed, its text is masked, and
// only masked text is cut into chunks.
//
// A file is read and cut once however many profiles see it. What differs between
// profiles, who is superseded by whom and where a link leads, is resolved inside each
// snapshot from the notes of that profile alone, so nothing in a snapshot depends on
// a note outside it.
package corpus
