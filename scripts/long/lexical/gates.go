package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"candor/evals"
	"candor/evidence"
)

var gateNames = []string{"scifact", "k8s-docs-qa", "claude-docs-qa", "datatalks-faq", "cranfield"}

// sample takes at most n questions, evenly spread.
func sample(qs []query, n int) []query {
	if len(qs) <= n {
		return qs
	}
	out := make([]query, n)
	for i := range out {
		out[i] = qs[i*len(qs)/n]
	}
	return out
}

// gates asks 300 of a collection's questions and 75 of each of four others.
func gates() {
	var all []*collection
	for _, name := range selected(gateNames) {
		all = append(all, load(name))
	}
	var answered, refused float64
	for _, c := range all {
		on := c.margins(sample(c.queries, 300))
		var off []float64
		for _, o := range all {
			if o != c {
				off = append(off, c.margins(sample(o.queries, 300/(len(all)-1)))...)
			}
		}
		fmt.Printf("%-18s answered %.3f  off-topic refused %.3f  AUC %.3f\n", c.name, passed(on), 1-passed(off), auc(on, off))
		for _, file := range []string{"queries.no-qrels.jsonl", "queries.unanswerable.jsonl"} {
			if qs := c.unanswerable(file); len(qs) > 0 {
				hard := c.margins(qs)
				fmt.Printf("%-18s its own words, not answered there: refused %.3f of %d  AUC %.3f\n", c.name, 1-passed(hard), len(hard), auc(on, hard))
			}
		}
		answered += passed(on) / float64(len(all))
		refused += (1 - passed(off)) / float64(len(all))
	}
	fmt.Printf("%-18s answered %.3f  off-topic refused %.3f\n", "mean", answered, refused)
}

func auc(on, off []float64) float64 {
	var all []evals.Confidence
	for _, m := range on {
		all = append(all, evals.Confidence{Value: m, Answerable: true})
	}
	for _, m := range off {
		all = append(all, evals.Confidence{Value: m})
	}
	return evals.AUC(all)
}

// passed is the share of margins that make an answer.
func passed(margins []float64) float64 {
	n := 0
	for _, m := range margins {
		if m >= 1 {
			n++
		}
	}
	return float64(n) / float64(len(margins))
}

// unanswerable reads questions that the collection does not answer.
func (c *collection) unanswerable(file string) []query {
	f, err := os.Open(filepath.Join(*data, c.name, file))
	if err != nil {
		return nil
	}
	defer f.Close()
	var qs []query
	for d := json.NewDecoder(f); d.More(); {
		var q query
		must(d.Decode(&q))
		qs = append(qs, q)
	}
	return qs
}

// margins asks questions and gives the margin of each.
func (c *collection) margins(qs []query) []float64 {
	out := make([]float64, len(qs))
	for i, q := range qs {
		_, r := c.retrieve(q.Text, 100)
		v := evidence.Default().Assess(r, zero)
		if out[i] = v.Margin; *trace {
			fmt.Printf("%s\t%.3f\t%s\t%s\n", c.name, v.Margin, q.Text, v.Reason)
		}
	}
	return out
}
