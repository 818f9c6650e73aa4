// Package evals measures how well questions are answered: it reads topics and judged
// collections, asks a System, scores the rankings and compares two runs.
//
// # Words
//
// A topic is a question with what is expected of its answer. A suite is topics with
// their judgements (qrels). A run is the ranking a system gave for each topic. A
// record is a run with its scores, abstentions, latency and fingerprint: what two
// measurements are compared by.
//
// # Topic files
//
// A YAML file, or a folder of them. Everything but id and question has a default:
//
//	profile: staff                      # of the topics that name none
//	topics:
//	  - id: leave-01                    # unique in the folder, no white space
//	    question: how long may new parents stay away
//	    profile: staff                  # who asks
//	    slice: answerable/paraphrase    # slice, then a free sub-slice
//	    expect:                         # "path#heading" or the long form
//	      - hr/leave.md#Parental leave
//	      - {path: hr/faq.md, heading: Leave, grade: 2}
//	    stale: [hr/leave-2019.md]       # never to be given as current
//	    never: ["a planted secret"]     # never to be seen in any answer
//	    note: why this topic is here
//	    drafted: rule                   # or model: not worded by a person
//	    reviewed: true                  # without it a drafted topic is left out
//
// The slices are answerable, unsupported, superseded, denied and secret. An expected
// heading is met by any passage at or under it; without a heading by any passage of
// the note. In the slice denied, expect names the notes that would answer and that
// the profile may not reach; in the slice secret, the notes that a secret is planted
// in. A topic that a rule or a model drafted is of the sub-slice drafted or model.
// Aliases are not followed, and a file holds one document.
//
// # What is measured
//
// Ranking metrics are taken with the gates off and 100 deep, so that they tell about
// ranking alone. Whether a question is answered is taken with the gates on, as
// served. Both stand in one record. Metrics follow trec_eval, which ir-measures
// wraps; a test holds them to it.
package evals
