// Package notes is the one place where a model may write: drafts of notes, which are
// created and never changed, and a ledger, to which lines are added and never anything
// else. Both are off unless the owner names a place for them.
//
// # Drafts
//
// A draft is one markdown file. Its name, its front matter, its author and its tier are
// the server's; the client gives title, summary, tags and body. Drafts lie in the write
// zone, which the policy keeps out of every index: a draft is in no answer until a person
// has moved it.
//
// # The ledger
//
// A file of JSON lines. Each holds the length of its entry, the sum of the line before,
// and a sum over both:
//
//	{"length":212,"prev":"<sum of the line before>","sum":"<SHA-256>","entry":{…}}
//
// So a line that is edited, removed, moved or cut is found ([Zone.Verify]). What a chain
// without a secret cannot show is that its last lines were removed, or all of it written
// anew; an owner who keeps the head elsewhere sees that too. An entry's id is random: it
// tells a profile nothing of what others write.
//
// # Acknowledged is durable
//
// A draft is written under a temporary name, synced, linked to its own name, and the
// folder synced, before the client hears of it. A line is one write, synced. When a sync
// fails nobody knows what the disk holds, so nothing more is written until a restart. A
// tail that a crash has torn is set aside in a file of its own before the next line.
//
// # Refused
//
// Credentials and challenge flags, found as the masker finds them; what is too long; what
// is over a profile's bounds of rate and number; anything when the disk is nearly full.
// Each refusal is one constant text and nothing is written. Invisible characters are
// dropped or shown as \u{…}.
package notes
