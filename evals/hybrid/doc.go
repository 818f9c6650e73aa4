// Package hybrid decides whether hybrid retrieval may be used: it asks an owner's
// questions of both legs, learns how to fuse them, and holds the fused ranking against
// the lexical one, topic by topic. What it decides is the verdict, the only thing that
// can turn hybrid on.
//
// # Learned and measured on the same few questions
//
// An owner has tens of questions, so none may be set aside. Cross-fitting uses each
// for both: the topics are dealt into folds, stratified by slice; the constants that
// rank and gate a fold are learned on the others; so every topic is measured unseen.
// The choice between reciprocal rank fusion and the blend is part of what is learned,
// by a second cross-fit inside the teaching folds, over several deals, so that the better of two is not
// picked by the numbers that are then reported. See Chernozhukov et al.,
// "Double/debiased machine learning", 2018, and Varma and Simon, "Bias in error
// estimation when using cross-validation for model selection", 2006.
//
// # The decision
//
// Yes needs all of these:
//
//   - enough topics: MinTopics that have an answer and count
//   - nDCG@10 is higher with the one-sided lower bound of the confidence above 0
//     (LowerBound), and the exact sign-flip test agrees
//   - no slice is significantly worse
//   - neither the answered nor the refused share is worse by more than one point or one
//     question, whichever is more
//   - every hard zero was probed and holds under the constants that would be served
//
// A topic whose sub-slice is "drafted" has wording that a rule took from the note. It
// favours word matching, so it neither teaches nor counts; its numbers are shown.
//
// # The verdict
//
// It is a file of the owner's, sealed under a key of the installation: one other byte
// and it is void. It names the model, the prefixes, the chunker, the analyzer and the
// constants that it was measured with, and holds for no others.
package hybrid
