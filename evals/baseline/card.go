package baseline

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"candor"
	"candor/evals"
)

// Verdict is what a topic came to. The package comment defines each.
type Verdict string

// The verdicts.
const (
	Pass            Verdict = "pass"
	Miss            Verdict = "miss"
	FalseAbstention Verdict = "false_abstention"
	FalseAnswer     Verdict = "false_answer"
	Violation       Verdict = "violation"
)

// Zero names a hard zero. The package comment defines each.
type Zero string

// The hard zeros.
const (
	Leak         Zero = "leak"
	Secret       Zero = "secret"
	Superseded   Zero = "superseded"
	Citation     Zero = "citation"
	Unstable     Zero = "unstable"
	Interference Zero = "interference"
)

// Zeros are all hard zeros in the order of reports.
var Zeros = []Zero{Leak, Secret, Superseded, Citation, Unstable, Interference}

// Card is the scorecard of one run.
type Card struct {
	Topics       string            `json:"topics"` // digest of the topics
	Fingerprint  evals.Fingerprint `json:"fingerprint"`
	Results      []Result          `json:"results"`
	Violations   []Fault           `json:"violations"`    // of hard zeros
	FalseAnswers []Fault           `json:"false_answers"` // with the path and score of the best hit
	Probes       map[Zero]int      `json:"probes"`
	Wanted       []Zero            `json:"wanted"` // the hard zeros that the topics ask for
}

// Result is one topic's verdict.
type Result struct {
	Topic   string      `json:"topic"`
	Slice   evals.Slice `json:"slice"`
	Sub     string      `json:"sub,omitempty"`
	Verdict Verdict     `json:"verdict"`
	Rank    int         `json:"rank"` // of the first expected passage as served, 0 without one
	Recall5 float64     `json:"recall@5"`
}

// Fault is one thing that went wrong. A false answer names the note it answered
// from, which the profile may see; a violation names no note and no text.
type Fault struct {
	Zero    Zero        `json:"zero,omitempty"`  // "" for a false answer
	Topic   string      `json:"topic,omitempty"` // "" where a tool was asked for no topic
	Profile string      `json:"profile,omitempty"`
	Slice   evals.Slice `json:"slice,omitempty"`
	Sub     string      `json:"sub,omitempty"`
	Where   string      `json:"where"` // "search", "search, gates off", "read", or a tool
	Path    candor.Path `json:"path,omitempty"`
	Score   float64     `json:"score,omitempty"`
}

// Group counts the verdicts of a slice or of one sub-slice of it.
type Group struct {
	Name             string `json:"name"`
	N                int    `json:"n"`
	Pass             int    `json:"pass"`
	Fail             int    `json:"fail"`
	Misses           int    `json:"misses"`
	FalseAbstentions int    `json:"false_abstentions"`
	FalseAnswers     int    `json:"false_answers"`
	Violations       int    `json:"violations"`
}

func (g *Group) count(v Verdict) {
	g.N++
	switch v {
	case Pass:
		g.Pass++
		return
	case Miss:
		g.Misses++
	case FalseAbstention:
		g.FalseAbstentions++
	case FalseAnswer:
		g.FalseAnswers++
	case Violation:
		g.Violations++
	}
	g.Fail++
}

// Groups counts each slice, and after it its sub-slices.
func (c Card) Groups() []Group {
	counts := map[string]*Group{}
	at := func(name string) *Group {
		if counts[name] == nil {
			counts[name] = &Group{Name: name}
		}
		return counts[name]
	}
	for _, r := range c.Results {
		at(string(r.Slice)).count(r.Verdict)
		if r.Sub != "" {
			at(string(r.Slice) + "/" + r.Sub).count(r.Verdict)
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		sliceA, subA, _ := strings.Cut(a, "/")
		sliceB, subB, _ := strings.Cut(b, "/")
		return cmp.Or(cmp.Compare(place(sliceA), place(sliceB)), strings.Compare(subA, subB))
	})
	out := make([]Group, len(names))
	for i, name := range names {
		out[i] = *counts[name]
	}
	return out
}

func place(slice string) int { return slices.Index(evals.Slices, evals.Slice(slice)) }

// Metrics are the card's numbers over the answerable slice, as served, and the
// shares of refusals, rounded to what a baseline holds. Topics that a rule worded are
// not in them: their wording is the passage's own.
type Metrics struct {
	Hit1            float64 `json:"hit@1"`
	Recall5         float64 `json:"recall@5"`
	MRR             float64 `json:"MRR@10"`
	Refused         float64 `json:"refused"`          // of unsupported and denied
	FalseAbstention float64 `json:"false_abstention"` // of answerable
}

// Metrics computes the numbers.
func (c Card) Metrics() Metrics {
	var hit, recall, rr, refused, quiet []float64
	for _, r := range c.Results {
		if evals.IsDrafted(r.Sub) {
			continue
		}
		switch r.Slice {
		case evals.Answerable:
			reached := r.Rank
			if reached > 10 {
				reached = 0
			}
			hit = append(hit, indicator(r.Rank == 1))
			recall = append(recall, r.Recall5)
			rr = append(rr, reciprocal(reached))
			quiet = append(quiet, indicator(r.Verdict == FalseAbstention))
		case evals.Unsupported, evals.Denied:
			refused = append(refused, indicator(r.Verdict == Pass))
		}
	}
	return Metrics{round(hit), round(recall), round(rr), round(refused), round(quiet)}
}

// round gives a mean in four decimals, the same on every machine.
func round(values []float64) float64 { return math.Round(evals.Mean(values)*1e4) / 1e4 }

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Count gives the violations of one hard zero.
func (c Card) Count(z Zero) int {
	n := 0
	for _, f := range c.Violations {
		if f.Zero == z {
			n++
		}
	}
	return n
}
