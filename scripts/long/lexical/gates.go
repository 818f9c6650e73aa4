package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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

func gates() {
	var all []*collection
	for _, name := range selected(gateNames) {
		all = append(all, load(name))
	}
	g := evidence.Default()
	var answered, refused float64
	for _, c := range all {
		a := share(c, sample(c.queries, 300), "on", g)
		var off []query
		for _, o := range all {
			if o != c {
				off = append(off, sample(o.queries, 300/(len(all)-1))...)
			}
		}
		r := 1 - share(c, off, "off", g)
		fmt.Printf("%-18s answered %.3f  off-topic refused %.3f  (%d)\n", c.name, a, r, len(off))
		for _, file := range []string{"queries.no-qrels.jsonl", "queries.unanswerable.jsonl"} {
			if hard := c.unanswerable(file); len(hard) > 0 {
				fmt.Printf("%-18s in its own words but not answered there: refused %.3f  (%d)\n", c.name, 1-share(c, hard, "hard", g), len(hard))
			}
		}
		answered += a / float64(len(all))
		refused += r / float64(len(all))
	}
	fmt.Printf("%-18s answered %.3f  off-topic refused %.3f\n", "mean", answered, refused)
}

// unanswerable reads questions that the collection does not answer.
func (c *collection) unanswerable(file string) []query {
	path := filepath.Join(*data, c.name, file)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	var qs []query
	lines(path, func(line []byte) {
		var q query
		must(json.Unmarshal(line, &q))
		qs = append(qs, q)
	})
	return qs
}

// share of the questions that are answered.
func share(c *collection, qs []query, kind string, g evidence.Gates) float64 {
	n := 0
	for _, q := range qs {
		_, r := c.retrieve(q.Text, 100)
		if *trace {
			best := g.Assess(r, zero).Best
			fmt.Printf("%s\t%s\t%.4f\t%.4f\t%d\t%d\n", c.name, kind, best.Score, best.Coverage, best.Words, len(r.Terms))
			if v := g.Assess(r, zero); v.Abstained && kind == "on" {
				fmt.Printf("# %s\n#  ", q.Text)
				for _, t := range r.Terms {
					fmt.Printf(" %s %.1f/%d", t.Text, t.Weight, t.Found)
				}
				fmt.Printf("\n#   %s\n", v.Reason)
			}
		}
		if !g.Assess(r, zero).Abstained {
			n++
		}
	}
	return float64(n) / float64(len(qs))
}
