package hybrid

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"candor/evals"
)

// Version is the version of the verdict's format.
const Version = 1

// Setup names what a verdict depends on beside the constants it teaches.
type Setup struct {
	Model          string `json:"model"` // fingerprint of the space of its vectors
	QueryPrefix    string `json:"query_prefix"`
	DocumentPrefix string `json:"document_prefix"`
	Chunker        string `json:"chunker"`
	Analyzer       string `json:"analyzer"`
	Fusion         string `json:"fusion"` // fusion.Version and whatever the owner fixed
	Pin            string `json:"pin"`
	Gates          string `json:"gates"` // the configured bars
}

// differs names the first part in which two setups differ, "" if none.
func (s Setup) differs(o Setup) string {
	for _, part := range []struct{ name, a, b string }{
		{"model", s.Model, o.Model},
		{"query prefix", s.QueryPrefix, o.QueryPrefix},
		{"document prefix", s.DocumentPrefix, o.DocumentPrefix},
		{"chunker", s.Chunker, o.Chunker},
		{"analyzer", s.Analyzer, o.Analyzer},
		{"fusion", s.Fusion, o.Fusion},
		{"pin rule", s.Pin, o.Pin},
		{"gate setting", s.Gates, o.Gates},
	} {
		if part.a != part.b {
			return part.name
		}
	}
	return ""
}

// HardZero is one of baseline's hard zeros as it was probed under the learned constants.
type HardZero struct {
	Name       string `json:"name"`
	Violations int    `json:"violations"`
	Probes     int    `json:"probes"`
	Wanted     bool   `json:"wanted"` // the topics ask for it
}

// Verdict is the recorded decision. It names topics by digest and holds no question.
type Verdict struct {
	Format     int                `json:"format"`
	Yes        bool               `json:"yes"`
	Reason     string             `json:"reason"` // in one line, of a yes too
	Setup      Setup              `json:"setup"`
	Params     Params             `json:"params"`
	Confidence float64            `json:"confidence"`
	Suite      string             `json:"suite"`
	Digest     string             `json:"digest"`              // of the topics and judgements
	Topics     []string           `json:"topics"`              // digest of each, sorted
	Elsewhere  bool               `json:"elsewhere,omitempty"` // they are not those of the configuration
	Counts     map[string]int     `json:"counts"`              // of topics by slice; "counting", "drafted", "all"
	Lexical    map[string]float64 `json:"lexical"`             // scores over all topics
	Hybrid     map[string]float64 `json:"hybrid"`
	Deltas     []evals.Delta      `json:"deltas"` // of all scores and slices, with intervals
	Ruling     Ruling             `json:"ruling"`
	Challenge  Challenge          `json:"challenge"`
	Zeros      []HardZero         `json:"zeros"`
	Time       time.Time          `json:"time"`
	Candor     string             `json:"candor"` // version that decided
}

// Case is what a decision is made of.
type Case struct {
	Setup      Setup
	Elsewhere  bool       // the topics are not those of the configuration
	Zeros      []HardZero // probed with Measured.Params; none is a no
	Confidence float64    // one-sided; 0 is DefaultConfidence
	Seed       uint64
	Now        time.Time
	Candor     string
}

// Decide makes the verdict of what was measured.
func (m Measured) Decide(c Case) (Verdict, error) {
	c.Confidence, c.Seed = cmp.Or(c.Confidence, DefaultConfidence), cmp.Or(c.Seed, evals.Seed)
	r := Judge(m.Lexical, m.Hybrid, Rule{c.Confidence, c.Seed})
	r.zeros(c.Zeros)
	r.Yes = len(r.Reasons) == 0
	compared, err := compare(m.Lexical, m.Hybrid, evals.CompareOptions{Seed: c.Seed})
	if err != nil {
		return Verdict{}, fmt.Errorf("decide: %w", err)
	}
	v := Verdict{
		Format: Version, Yes: r.Yes, Setup: c.Setup, Params: m.Params, Confidence: c.Confidence,
		Suite: m.Lexical.Suite, Digest: m.Lexical.Digest, Topics: m.Topics, Counts: counts(m.Lexical),
		Lexical: map[string]float64{}, Hybrid: map[string]float64{}, Deltas: compared.Deltas,
		Elsewhere: c.Elsewhere, Ruling: r, Challenge: m.Challenge, Zeros: c.Zeros, Time: c.Now.UTC().Truncate(time.Second), Candor: c.Candor,
	}
	for _, d := range compared.Deltas {
		if d.Group == "all" {
			v.Lexical[d.Score], v.Hybrid[d.Score] = d.A, d.B
		}
	}
	v.Reason = reason(r, c.Confidence)
	return v, nil
}

// zeros wants every hard zero to have been probed and to hold.
func (r *Ruling) zeros(zeros []HardZero) {
	if len(zeros) == 0 {
		r.no("the hard zeros were not probed")
	}
	for _, z := range zeros {
		switch {
		case z.Violations > 0:
			r.no("%s: %d violations with hybrid, must be 0", z.Name, z.Violations)
		case z.Wanted && z.Probes == 0:
			r.no("%s: nothing was probed", z.Name)
		}
	}
}

// reason is the decision in one line.
func reason(r Ruling, confidence float64) string {
	if !r.Yes {
		return r.Reasons[0]
	}
	return fmt.Sprintf("%s %+.3f on %d topics, %g%% lower bound %+.3f", r.Main.Score, r.Main.Delta, r.Main.N, 100*confidence, r.Main.Low)
}

// counts of topics.
func counts(rec evals.Record) map[string]int {
	out := map[string]int{"all": len(rec.Outcomes), "counting": 0, Drafted: 0}
	for _, o := range rec.Outcomes {
		out[string(o.Slice)]++
		if evals.IsDrafted(o.Sub) {
			out[Drafted]++
		} else if _, ok := o.Scores[evals.NDCG10]; ok {
			out["counting"]++
		}
	}
	return out
}

// TopicDigests names topics without telling them, sorted. A reworded topic is another.
func TopicDigests(topics []evals.Topic) []string {
	out := make([]string, 0, len(topics))
	for _, t := range topics {
		data, err := json.Marshal(t)
		if err != nil {
			continue // a plain struct always marshals
		}
		sum := sha256.Sum256(data)
		out = append(out, hex.EncodeToString(sum[:6]))
	}
	slices.Sort(out)
	return out
}
