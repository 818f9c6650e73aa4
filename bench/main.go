// The bench command measures candor beside the full-text engines that people would
// use instead, in one run on one machine, and prints one table in Markdown.
//
// It measures the time from the start of the process to its first ready answer, what
// that time is spent on, the memory that the ready process holds, and the time of a
// question's ten best passages at several sizes. The Python engines get the very same
// passages and questions and are timed inside their own process, each in a fresh one.
//
//	cd bench && go run . --vault DIR --python PYTHON [--collection BEIR]
//
// With --ollama it also times questions in hybrid beside bare queries to that Ollama, and
// with --fill the rate of embedding beside a bare client's.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

// flags of the command.
type flags struct {
	vault           string
	collection      string
	python          string
	sizes           string
	engines         string
	questions       int
	tries           int
	ready           bool
	search          bool
	ollama          string
	model           string
	hybridSizes     string
	hybridQuestions int
	fill            int
	cpuprofile      string
	memprofile      string
}

func main() {
	var f flags
	flag.StringVar(&f.vault, "vault", "", "folder of notes")
	flag.StringVar(&f.collection, "collection", "", "BEIR folder whose queries are asked; else headings of the vault are")
	flag.StringVar(&f.python, "python", "", "Python with tantivy and bm25s; empty leaves all Python engines out")
	flag.StringVar(&f.sizes, "sizes", "1000,45000,200000", "numbers of passages to ask at")
	flag.StringVar(&f.engines, "engines", "candor,bleve,tantivy,bm25s,fts5", "engines to ask")
	flag.IntVar(&f.questions, "questions", 300, "questions at each size")
	flag.IntVar(&f.tries, "tries", 3, "tries, the best of which counts, of each start and insert")
	flag.BoolVar(&f.ready, "ready", true, "measure the start")
	flag.BoolVar(&f.search, "search", true, "measure questions")
	flag.StringVar(&f.ollama, "ollama", "", "address of an Ollama; then hybrid questions are measured too")
	flag.StringVar(&f.model, "model", "all-minilm", "its embedding model")
	flag.StringVar(&f.hybridSizes, "hybrid-sizes", "1000,10000,50000,100000", "numbers of passages to ask at in hybrid")
	flag.IntVar(&f.hybridQuestions, "hybrid-questions", 60, "questions in hybrid at each size")
	flag.IntVar(&f.fill, "fill", 0, "passages to embed for the rate of filling; 0 leaves it out")
	flag.StringVar(&f.cpuprofile, "cpuprofile", "", "only load and index the vault, over and over for --tries times, and write a CPU profile here")
	flag.StringVar(&f.memprofile, "memprofile", "", "likewise, a profile of allocations")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(2)
	}
}

func run(ctx context.Context, f flags) error {
	if f.vault == "" {
		return fmt.Errorf("no vault: give --vault DIR")
	}
	if f.cpuprofile != "" || f.memprofile != "" {
		return profile(ctx, f)
	}
	sizes, err := parseSizes(f.sizes)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "candor-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{flags: f, dir: dir}
	if err := b.load(ctx); err != nil {
		return err
	}
	if f.ready {
		if err := b.measureReady(ctx); err != nil {
			return err
		}
	}
	if f.search {
		for _, n := range sizes {
			if err := b.measureSearch(ctx, n); err != nil {
				return err
			}
		}
	}
	if f.ollama != "" {
		if err := b.measureOllama(ctx); err != nil {
			return err
		}
	}
	if f.ready || f.search || f.ollama == "" {
		if err := b.print(os.Stdout); err != nil {
			return err
		}
	}
	if f.ollama == "" {
		return nil
	}
	return b.printHybrid(os.Stdout)
}

// measureOllama measures what needs an Ollama.
func (b *bench) measureOllama(ctx context.Context) error {
	sizes, err := parseSizes(b.hybridSizes)
	if err != nil {
		return err
	}
	if err := b.measureHybrid(ctx, sizes); err != nil || b.fill == 0 {
		return err
	}
	return b.measureFill(ctx, b.fill)
}

// parseSizes reads "1000,45000".
func parseSizes(s string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--sizes: %q is not a number of passages", part)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
