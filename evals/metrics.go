package evals

import (
	"math"
	"slices"
)

// Metric scores one ranking against the judgements of its topic, from 0 to 1.
type Metric struct {
	Name string
	Of   func(ranking []string, judged map[string]int) float64
}

// Names of the metrics.
const (
	NDCG10    = "nDCG@10"
	Hit1      = "hit@1"
	Recall5   = "recall@5"
	Recall100 = "recall@100"
	MRR10     = "MRR@10"
	MAP       = "MAP"
)

// Metrics are the ranking metrics of every report, in its order. The first is the
// one that decides.
var Metrics = []Metric{
	{NDCG10, func(r []string, j map[string]int) float64 { return NDCG(r, j, 10) }},
	{Hit1, func(r []string, j map[string]int) float64 { return Success(r, j, 1) }},
	{Recall5, func(r []string, j map[string]int) float64 { return Recall(r, j, 5) }},
	{Recall100, func(r []string, j map[string]int) float64 { return Recall(r, j, 100) }},
	{MRR10, func(r []string, j map[string]int) float64 { return ReciprocalRank(r, j, 10) }},
	{MAP, AveragePrecision},
}

// NDCG is the normalised discounted cumulative gain of the first k: the gain of a
// document is its grade, discounted by log2(rank+1), over that of the best possible
// order of all judged documents. Järvelin and Kekäläinen, "Cumulated gain-based
// evaluation of IR techniques", TOIS 20(4), 2002, with the linear gain that
// trec_eval's ndcg_cut has.
func NDCG(ranking []string, judged map[string]int, k int) float64 {
	ideal := make([]int, 0, len(judged))
	for _, grade := range judged {
		ideal = append(ideal, grade)
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	best := dcg(ideal[:min(k, len(ideal))])
	if best == 0 {
		return 0
	}
	return dcg(grades(ranking, judged, k)) / best
}

// dcg sums discounted gains. The conversion keeps the compiler from fusing the
// division into the sum, which would differ between machines.
func dcg(grades []int) float64 {
	sum := 0.0
	for i, grade := range grades {
		sum += float64(float64(max(grade, 0)) / math.Log2(float64(i+2)))
	}
	return sum
}

// Success is 1 if a relevant document is among the first k, else 0
// (Craswell and Hawking, "Overview of the TREC 2004 Web track").
func Success(ranking []string, judged map[string]int, k int) float64 {
	if ReciprocalRank(ranking, judged, k) > 0 {
		return 1
	}
	return 0
}

// Recall is the share of the relevant documents that stand among the first k
// (Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 8.3).
func Recall(ranking []string, judged map[string]int, k int) float64 {
	all, found := relevant(judged), 0
	for _, grade := range grades(ranking, judged, k) {
		if grade > 0 {
			found++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(found) / float64(all)
}

// ReciprocalRank is one over the rank of the first relevant document, 0 if none is
// among the first k (Voorhees, "The TREC-8 question answering track report", 1999).
func ReciprocalRank(ranking []string, judged map[string]int, k int) float64 {
	for i, grade := range grades(ranking, judged, k) {
		if grade > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// AveragePrecision is the mean, over all relevant documents, of the precision at
// the rank of each, 0 for one that is not ranked; its mean over topics is MAP
// (Buckley and Voorhees, "Evaluating evaluation measure stability", SIGIR 2000).
func AveragePrecision(ranking []string, judged map[string]int) float64 {
	all, found, sum := relevant(judged), 0, 0.0
	for i, grade := range grades(ranking, judged, len(ranking)) {
		if grade > 0 {
			found++
			sum += float64(float64(found) / float64(i+1))
		}
	}
	if all == 0 {
		return 0
	}
	return sum / float64(all)
}

// grades gives the grade of each of the first k documents, 0 for one not judged.
func grades(ranking []string, judged map[string]int, k int) []int {
	out := make([]int, min(k, len(ranking)))
	for i := range out {
		out[i] = judged[ranking[i]]
	}
	return out
}

func relevant(judged map[string]int) int {
	n := 0
	for _, grade := range judged {
		if grade > 0 {
			n++
		}
	}
	return n
}

// Score gives every metric of one ranking.
func Score(ranking []Scored, judged map[string]int) map[string]float64 {
	docs := make([]string, len(ranking))
	for i, hit := range ranking {
		docs[i] = hit.Doc
	}
	out := make(map[string]float64, len(Metrics))
	for _, m := range Metrics {
		out[m.Name] = m.Of(docs, judged)
	}
	return out
}

// Mean averages, summing in the order given.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Quantile interpolates in sorted values (definition 7 of Hyndman and Fan, "Sample
// quantiles in statistical packages", 1996); q is from 0 to 1.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
