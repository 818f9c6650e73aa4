// Command claims measures the rules of claim checking on labelled scientific claims:
//
//	go run ./scripts/long/claims CLAIMS CORPUS
//
// CLAIMS holds a line of JSON for each claim and abstract, with claim_id, claim_text,
// doc_id and label SUPPORT or CONTRADICT; CORPUS the abstracts, as in BEIR. A claim counts
// as supported where the rules say so; unknown is not supported. Beside the rules stands
// plain coverage, the idf-weighted share of the claim's words that the abstract has,
// with the bar at which it takes as many contradictions for support, and with the bar
// that gives it the best balanced accuracy. Rules were tuned on odd claim ids.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"candor/evals"
	"candor/provenance"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: claims CLAIMS CORPUS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(2)
	}
}

// judged is a claim with its abstract and what both ways say of it.
type judged struct {
	supports bool // the label
	verdict  provenance.Verdict
	coverage float64
}

func run(claims, corpus string, w io.Writer) error {
	texts, err := abstracts(corpus)
	if err != nil {
		return err
	}
	idf := weights(texts)
	rules := &provenance.Rules{}
	halves := map[bool][]judged{}
	seen := map[string]bool{}
	err = lines(claims, func(line []byte) error {
		var c struct {
			ID    string `json:"claim_id"`
			Text  string `json:"claim_text"`
			Doc   string `json:"doc_id"`
			Label string `json:"label"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		id, err := strconv.Atoi(c.ID)
		text, ok := texts[c.Doc]
		if err != nil || !ok || seen[c.ID+" "+c.Doc] { // one line for each sentence that shows it
			return err
		}
		seen[c.ID+" "+c.Doc] = true
		halves[id%2 == 1] = append(halves[id%2 == 1], judged{
			supports: c.Label == "SUPPORT",
			verdict:  rules.CheckText(c.Text, text).Verdict,
			coverage: coverage(c.Text, text, idf),
		})
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(report("odd ids, tuned on", halves[true]).Write(w, evals.Text), report("even ids, unseen", halves[false]).Write(w, evals.Text))
}

// report makes the table of one half.
func report(title string, claims []judged) evals.Table {
	t := evals.Table{
		Title:  fmt.Sprintf("%s: %d claims", title, len(claims)),
		Header: []string{"by", "supports found", "contradictions called supported", "contradictions found", "balanced accuracy"},
	}
	add := func(name string, found, contradicted func(judged) bool) float64 {
		hits := share(claims, true, found)
		risk := share(claims, false, found)
		t.Add(name, hits, risk, share(claims, false, contradicted), (hits+1-risk)/2)
		return risk
	}
	never := func(judged) bool { return false }
	risk := add("rules", func(j judged) bool { return j.verdict == provenance.Supported }, func(j judged) bool { return j.verdict == provenance.Contradicted })
	equal, best := bars(claims, risk)
	add(fmt.Sprintf("coverage from %.2f (equal risk)", equal), func(j judged) bool { return j.coverage >= equal }, never)
	add(fmt.Sprintf("coverage from %.2f (best bar)", best), func(j judged) bool { return j.coverage >= best }, never)
	return t
}

// share is how many of the claims of a label pass.
func share(claims []judged, supports bool, pass func(judged) bool) float64 {
	var n, of float64
	for _, c := range claims {
		if c.supports == supports {
			of++
			if pass(c) {
				n++
			}
		}
	}
	return n / max(1, of)
}

// bars gives the lowest bar of plain coverage with at most this risk, and the bar of the
// best balanced accuracy.
func bars(claims []judged, risk float64) (equal, best float64) {
	cuts := []float64{2}
	for _, c := range claims {
		cuts = append(cuts, c.coverage)
	}
	slices.SortFunc(cuts, func(a, b float64) int { return cmp.Compare(b, a) })
	equal, top := 2.0, -1.0
	for _, cut := range slices.Compact(cuts) {
		pass := func(j judged) bool { return j.coverage >= cut }
		hits, wrong := share(claims, true, pass), share(claims, false, pass)
		if wrong <= risk+1e-9 {
			equal = cut
		}
		if hits-wrong > top {
			top, best = hits-wrong, cut
		}
	}
	return equal, best
}

// coverage is the idf-weighted share of a claim's words that a text has.
func coverage(claim, text string, idf func(string) float64) float64 {
	have := map[string]bool{}
	for _, w := range words(text) {
		have[w] = true
	}
	var covered, all float64
	for _, w := range words(claim) {
		all += idf(w)
		if have[w] {
			covered += idf(w)
		}
	}
	return covered / max(1e-9, all)
}

// words are the letters and digits of a text in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// weights gives the idf of words over the abstracts.
func weights(texts map[string]string) func(string) float64 {
	df := map[string]int{}
	for _, text := range texts {
		seen := map[string]bool{}
		for _, w := range words(text) {
			if !seen[w] {
				seen[w] = true
				df[w]++
			}
		}
	}
	n := float64(len(texts))
	return func(w string) float64 {
		return math.Log(1 + (n-float64(df[w])+0.5)/(float64(df[w])+0.5))
	}
}

// abstracts reads a corpus in the format of BEIR: title and text by id.
func abstracts(name string) (map[string]string, error) {
	out := map[string]string{}
	return out, lines(name, func(line []byte) error {
		var d struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Text  string `json:"text"`
		}
		err := json.Unmarshal(line, &d)
		out[d.ID] = "# " + d.Title + "\n\n" + d.Text
		return err
	})
}

// lines calls a function for each line of a file.
func lines(name string, each func([]byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		if err := each(s.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return s.Err()
}
