// Package claims measures how well claims about notes are judged: on the fact and on the
// source, over claims that a person has labelled.
//
// # Claims files
//
// A YAML file with claims and conflicts; go doc candor/evals/claims Claim gives the fields.
// A claim's kind says what a fair reader says of it. Odd ids may be tuned on; even ids are
// held out, and results are reported on them.
//
// # What is measured
//
// Each claim is bound to a real call: its passage is fetched, stamped and journalled, what
// its kind asks for is done (the note edited, another call named, the stamp forged, the
// clock put on), and a real verifier judges it.
//
//   - Rightly sourced claims that pass, wrongly sourced and false ones that pass as rightly
//     sourced.
//   - Citation precision: claims judged right on both axes, over all claims; beside it
//     what the labels say, and how many of those judged so are so.
//   - Wrong-source rate: right facts judged to have a wrong source, over right facts.
//   - Support by the very call, and by whatever the answer's calls served: the second is a
//     floor that says nothing about sources.
//   - Conflicts: where two notes differ, what counts stands before what says otherwise.
//   - Probes of the five ways to lose provenance; each must hold.
package claims
