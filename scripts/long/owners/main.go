// Command owners simulates owners who ask for a verdict: how often is it yes when
// hybrid is no better, and when it is better by so much?
//
//	candor eval hybrid --beir DIR/SET --vectors VECTORS --out SET
//	go run ./scripts/long/owners SET.lexical.json SET.hybrid.json [SET2.lexical.json …]
//
// Each owner draws topics from one pair of saved runs. So that the true difference is
// known, the topics of a pair are weighed until their mean difference is the one wanted
// (exponential tilting): the differences themselves, with all their ties and rare big
// losses, stay as they were measured. Each pair is drawn from the other way round too,
// with the runs exchanged, since a rule may be safe on one side of a skew only.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"candor/evals"
	"candor/evals/hybrid"
)

var (
	owners     = flag.Int("owners", 1000, "owners for each point")
	confidence = flag.Float64("confidence", hybrid.DefaultConfidence, "of the rule")
	seed       = flag.Uint64("seed", evals.Seed, "of the draws")
	each       = flag.Bool("each", false, "print each pair and way too")
	truths     = flag.String("truths", "0,0.03,0.05", "true differences in nDCG@10")
)

// sizes are how many topics with an answer an owner has; a quarter more have none.
var sizes = []int{20, 40, 80, 150}

func main() {
	flag.Parse()
	log.SetFlags(0)
	if flag.NArg() == 0 || flag.NArg()%2 != 0 {
		log.Fatal("usage: owners SET.lexical.json SET.hybrid.json …")
	}
	var all []population
	for i := 0; i < flag.NArg(); i += 2 {
		a, b := load(flag.Arg(i)), load(flag.Arg(i+1))
		all = append(all, newPopulation(a, b), newPopulation(b, a))
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "topics\ttrue delta\tyes\tyes by the score alone\tworst pair, by the score alone")
	for _, n := range sizes {
		for text := range strings.SplitSeq(*truths, ",") {
			truth, err := strconv.ParseFloat(text, 64)
			if err != nil {
				log.Fatal(err)
			}
			row(w, all, n, truth)
		}
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}

// row simulates one point over all populations that can have that truth.
func row(w *tabwriter.Writer, all []population, n int, truth float64) {
	var yes, score []float64
	for i, p := range all {
		draw, ok := p.tilted(truth)
		if !ok {
			continue
		}
		random := rand.New(rand.NewPCG(*seed, uint64(i)))
		whole, alone := 0, 0
		for range *owners {
			r := p.owner(random, n, draw)
			if r.Yes {
				whole++
			}
			if r.Main.Low > 0 && r.Main.P <= 1-*confidence {
				alone++
			}
		}
		yes, score = append(yes, share(whole)), append(score, share(alone))
		if *each {
			fmt.Fprintf(w, "%d\t%+.2f\t%.3f\t%.3f\t%s\n", n, truth, share(whole), share(alone), p.name)
		}
	}
	if len(yes) > 0 {
		fmt.Fprintf(w, "%d\t%+.2f\t%.3f\t%.3f\t%.3f\n", n, truth, evals.Mean(yes), evals.Mean(score), slices.Max(score))
	}
}

func share(n int) float64 { return float64(n) / float64(*owners) }

// population is topics to draw from, in both modes.
type population struct {
	name   string
	judged [][2]evals.Outcome // have an answer
	others [][2]evals.Outcome // have none
	deltas []float64          // of judged
}

func load(file string) evals.Record {
	r, err := evals.LoadRecord(file)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

func newPopulation(a, b evals.Record) population {
	p := population{name: a.Suite + ": " + a.Tag + " to " + b.Tag}
	other := map[string]evals.Outcome{}
	for _, o := range b.Outcomes {
		other[o.Topic] = o
	}
	for _, o := range a.Outcomes {
		h, both := other[o.Topic]
		was, ok := o.Scores[evals.NDCG10]
		switch {
		case !both:
		case ok:
			p.judged = append(p.judged, [2]evals.Outcome{o, h})
			p.deltas = append(p.deltas, h.Scores[evals.NDCG10]-was)
		default:
			p.others = append(p.others, [2]evals.Outcome{o, h})
		}
	}
	return p
}

// tilted gives cumulative weights under which the mean difference is truth; false where
// no sensible weights do that.
func (p population) tilted(truth float64) ([]float64, bool) {
	low, high := -100.0, 100.0
	for range 200 {
		mid := (low + high) / 2
		if mean, _ := p.weigh(mid); mean < truth {
			low = mid
		} else {
			high = mid
		}
	}
	mean, weights := p.weigh(low)
	if math.Abs(mean-truth) > 1e-6 || math.Abs(low) > 30 {
		return nil, false
	}
	for i := 1; i < len(weights); i++ {
		weights[i] += weights[i-1]
	}
	return weights, true
}

func (p population) weigh(tilt float64) (mean float64, weights []float64) {
	total := 0.0
	for _, d := range p.deltas {
		w := math.Exp(tilt * d)
		weights = append(weights, w)
		total += w
		mean += w * d
	}
	return mean / total, weights
}

// owner draws topics and asks for a verdict.
func (p population) owner(random *rand.Rand, n int, cumulative []float64) hybrid.Ruling {
	var a, b evals.Record
	add := func(o [2]evals.Outcome) {
		id := strconv.Itoa(len(a.Outcomes))
		o[0].Topic, o[1].Topic = id, id
		a.Outcomes, b.Outcomes = append(a.Outcomes, o[0]), append(b.Outcomes, o[1])
	}
	for range n {
		at, _ := slices.BinarySearch(cumulative, random.Float64()*cumulative[len(cumulative)-1])
		add(p.judged[min(at, len(p.judged)-1)])
	}
	for range min(n/4, len(p.others)) {
		add(p.others[random.IntN(len(p.others))])
	}
	return hybrid.Judge(a, b, hybrid.Rule{Confidence: *confidence, Seed: random.Uint64()})
}
