// Command redact measures the masker on data that is too large for the repository:
// recall and precision on labelled strings, recall on generated secrets in prose,
// false masks in vaults, throughput, and the worst line.
//
//	go run ./scripts/long/redact -secrets secrets.jsonl.gz -vaults DIR -speed DIR [-show]
//
// It exits with status 1 if a bound is missed.
package main

import (
	"flag"
	"fmt"
	"os"

	"candor/redact"
)

// report collects whether each bound was kept.
type report struct{ failed bool }

func (r *report) line(ok bool, format string, args ...any) {
	word := "ok  "
	if !ok {
		word, r.failed = "MISS", true
	}
	fmt.Printf("%s %s\n", word, fmt.Sprintf(format, args...))
}

func main() {
	secrets := flag.String("secrets", "", "labelled strings, as gzipped lines of JSON: rule, tp, fp")
	vaults := flag.String("vaults", "", "folder of vaults in which masks are counted")
	speed := flag.String("speed", "", "folder of notes to time")
	show := flag.Bool("show", false, "print each miss and each mask")
	seed := flag.Uint64("seed", 1, "seed of the generated secrets")
	flag.Parse()

	r, err := redact.New(redact.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	run := runner{redactor: r, show: *show}
	if *secrets != "" {
		run.check(run.labelled(*secrets))
	}
	run.prose(*seed)
	if *vaults != "" {
		run.check(run.vaults(*vaults))
	}
	if *speed != "" {
		run.check(run.speed(*speed))
	}
	run.worstLine()
	if run.failed {
		os.Exit(1)
	}
}

type runner struct {
	report
	redactor *redact.Redactor
	show     bool
}

func (r *runner) check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func (r *runner) print(format string, args ...any) {
	if r.show {
		fmt.Printf(format+"\n", args...)
	}
}
