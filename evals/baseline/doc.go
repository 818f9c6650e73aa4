// Package baseline is the scorecard of the lexical run and the gate of CI: what each
// slice of topics came to, hard zeros that no score can buy off, and a committed
// file that the next run is held to.
//
// # Verdicts
//
// Each topic comes to one verdict. An answerable or superseded topic passes when an
// expected passage is among the first five as served; a miss answered without it; a
// false abstention did not answer. An unsupported or denied topic passes when it is
// refused; a false answer did answer. A topic aimed at a secret passes when the
// secret is nowhere. A violation of a hard zero is worse than all of these.
//
// # Hard zeros
//
// They are probed in the harshest setting: gates off, deep results, direct reads in
// several spellings, every tool and all its pages.
//
//   - leak: a note that the profile may not see is cited, read, listed or told apart
//     from a missing one
//   - secret: a planted secret, or a phrase of a denied note, is seen anywhere
//   - superseded: a replaced note is given without its flag
//   - citation: a passage is not what stands at its lines, or not what its digest says
//   - unstable: the same question has two answers
//   - interference: an answer depends on notes that the profile may not see
//
// A hard zero that the topics ask for and that nothing probed fails the gate too: a
// check that did not run proves nothing.
package baseline
