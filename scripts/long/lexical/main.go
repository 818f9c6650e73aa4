// Command lexical measures the lexical leg and the evidence gates on judged collections
// in the BEIR layout. Documents are cut as the program cuts them; one ranks by its best
// passage.
//
//	go run ./scripts/long/lexical -data DIR rank
//	go run ./scripts/long/lexical -data DIR gates
//	go run ./scripts/long/lexical -data DIR speed
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"candor"
	"candor/evals"
	"candor/retrieval/lexical"
)

var (
	data    = flag.String("data", "", "folder of unpacked collections")
	size    = flag.Int("words", 0, "words in a passage; 0 is the program's own")
	only    = flag.String("only", "", "collections, comma separated")
	split   = flag.String("split", "", "train: scifact's training questions, half of datatalks-faq; test: the other half")
	profile = flag.String("profile", "", "file for a profile of the processors")
	rounds  = flag.Int("rounds", 3, "speed: how often to build")
	trace   = flag.Bool("trace", false, "gates: print what each question reached")
	options = flag.String("params", "", "k1=1.2 form=0.1 text.b=0.6 title.w=1.5 …")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	if *profile != "" {
		f, err := os.Create(*profile)
		must(err)
		must(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	switch flag.Arg(0) {
	case "rank":
		rank()
	case "gates":
		gates()
	case "ask":
		ask(flag.Arg(1), flag.Args()[2:])
	case "speed":
		speed()
	default:
		log.Fatal("usage: lexical -data DIR rank|gates|speed|ask DIR QUESTION…")
	}
}

type query = evals.BEIRQuery

type collection struct {
	name    string
	docs    []string // by slot
	chunks  []*candor.Chunk
	queries []query
	judged  evals.Qrels
	index   candor.Index
}

var names = []string{
	"scifact", "claude-docs-qa", "datatalks-faq", "k8s-docs-qa", "chroma-chunking", "mtrag-un-pool",
	"locomo", "cranfield", "qmd-evaldocs", "xquad/en", "xquad/de", "xquad/es", "xquad/zh",
}

// load reads a collection. Of datatalks-faq, every other question is for training.
func load(name string) *collection {
	part := ""
	if *split == "train" && name == "scifact" {
		part = "train"
	}
	col, err := evals.OpenBEIR(filepath.Join(*data, name), part)
	must(err)
	c := &collection{name: name, judged: col.Qrels}
	for i, d := range col.Documents {
		for _, piece := range cutDocument(candor.Path(fmt.Sprintf("d%06d.md", i+1)), d) {
			c.chunks = append(c.chunks, piece)
			c.docs = append(c.docs, d.ID)
		}
	}
	for i, q := range col.Queries {
		if name != "datatalks-faq" || *split == "" || (*split == "train") == (i%2 == 0) {
			c.queries = append(c.queries, q)
		}
	}
	c.index = lexical.New(indexOptions(name)).Update(c.chunks)
	return c
}

func indexOptions(name string) lexical.Options {
	p := lexical.Defaults()
	for _, f := range strings.Fields(*options) {
		set(&p, f)
	}
	o := lexical.Options{Params: &p}
	if l, ok := strings.CutPrefix(name, "xquad/"); ok {
		o.Languages = []string{l}
	}
	return o
}

// set sets one constant: k1=1.2, text.b=0.6.
func set(p *lexical.Params, assignment string) {
	name, text, _ := strings.Cut(assignment, "=")
	v, err := strconv.ParseFloat(text, 64)
	must(err)
	fields := []string{"text", "title", "heading", "file", "tags"}
	switch name {
	case "k1":
		p.K1 = v
	case "form":
		p.Form = v
	case "prior":
		p.Prior = v
	case "near":
		p.Near = v
	case "close":
		p.Close = v
	case "whole":
		p.Whole = v
	default:
		f, part, _ := strings.Cut(name, ".")
		i := slices.Index(fields, f)
		if i < 0 {
			log.Fatalf("no constant %s", name)
		}
		if part == "b" {
			p.Fields[i].B = v
		} else {
			p.Fields[i].Weight = v
		}
	}
}

func selected(all []string) []string {
	if *only == "" {
		return all
	}
	return strings.Split(*only, ",")
}

// retrieve gives documents by their best passage, and the ranking.
func (c *collection) retrieve(text string, depth int) ([]string, candor.Ranking) {
	r, err := c.index.Retrieve(context.Background(), candor.Query{Text: text}, depth)
	must(err)
	var docs []string
	for _, h := range r.Hits {
		if d := c.docs[h.Slot]; !slices.Contains(docs, d) {
			docs = append(docs, d)
		}
	}
	return docs, r
}

func rank() {
	fmt.Printf("%-18s %6s %6s %8s %6s %8s\n", "collection", "n", "chunks", "nDCG@10", "hit@1", "recall@5")
	for _, name := range selected(names) {
		c := load(name)
		var ndcg, hit, recall float64
		for _, q := range c.queries {
			docs, _ := c.retrieve(q.Text, 100)
			judged := c.judged[q.ID]
			ndcg += gain(docs, judged)
			if len(docs) > 0 && judged[docs[0]] > 0 {
				hit++
			}
			recall += recallAt(docs, judged, 5)
		}
		n := float64(len(c.queries))
		fmt.Printf("%-18s %6d %6d %8.4f %6.3f %8.3f\n", name, len(c.queries), len(c.chunks), ndcg/n, hit/n, recall/n)
	}
}

// gain is nDCG@10 with linear gain.
func gain(docs []string, judged map[string]int) float64 {
	var dcg, ideal float64
	for i, d := range docs[:min(10, len(docs))] {
		dcg += float64(judged[d]) / math.Log2(float64(i)+2)
	}
	var grades []int
	for _, g := range judged {
		grades = append(grades, g)
	}
	slices.Sort(grades)
	slices.Reverse(grades)
	for i, g := range grades[:min(10, len(grades))] {
		ideal += float64(g) / math.Log2(float64(i)+2)
	}
	if ideal == 0 {
		return 0
	}
	return dcg / ideal
}

func recallAt(docs []string, judged map[string]int, k int) float64 {
	var found, all float64
	for _, g := range judged {
		if g > 0 {
			all++
		}
	}
	for _, d := range docs[:min(k, len(docs))] {
		if judged[d] > 0 {
			found++
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
