"""Scores a run with ir-measures: one line for each topic and metric, then the means.

The output for qrels.trec and run.trec is committed as expected.tsv.
Usage: python irmeasures.py QRELS RUN

ir-measures computes RR@10 by MS MARCO's script, which breaks ties of score by
document ascending, and everything else by trec_eval, which breaks them descending.
One run has one order, so RR@10 is taken here from trec_eval's RR: the same value
where the rank is 10 or better, else 0.
"""

import sys

import ir_measures
from ir_measures import AP, RR, R, Success, nDCG

NAMES = {
    nDCG @ 10: "nDCG@10",
    Success @ 1: "hit@1",
    R @ 5: "recall@5",
    R @ 100: "recall@100",
    RR: "MRR@10",
    AP: "MAP",
}


def value(measure, v):
    return 0.0 if measure == RR and v < 0.0999 else v


qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
run = list(ir_measures.read_trec_run(sys.argv[2]))
values = {}
for m in ir_measures.iter_calc(list(NAMES), qrels, run):
    values[m.query_id, NAMES[m.measure]] = value(m.measure, m.value)
topics = {topic for topic, _ in values}
for name in NAMES.values():
    values["all", name] = sum(values[t, name] for t in topics) / len(topics)
for topic, name in sorted(values):
    print(f"{topic}\t{name}\t{values[topic, name]:.6f}")
