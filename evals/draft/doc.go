// Package draft proposes topics from the passages of a vault, for a person to go through.
//
// Rule turns headings, definitions and numbers into questions by the patterns of the
// passage's language. Such wording is the passage's own and favours word matching, so
// evals keeps it outside of what decides. Prompt and Question let a language model word
// the question instead.
//
// Passages come spread over the notes: each note gives one before any gives a second,
// those that topics already ask for last. Equal input gives equal drafts.
package draft
