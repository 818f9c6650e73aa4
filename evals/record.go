package evals

import (
	"encoding/json"
	"fmt"
	"io"
)

// RecordVersion is the version of the record format.
const RecordVersion = 1

// Record is a measured run: enough to report it and to compare it, with no question
// and no passage in it.
type Record struct {
	Version     int         `json:"version"`
	Suite       string      `json:"suite"`
	Digest      string      `json:"digest"` // of topics and judgements
	Tag         string      `json:"tag"`
	Fingerprint Fingerprint `json:"fingerprint"`
	// AsServed says that the gates could not be switched off, so that the ranking
	// scores are of what was served.
	AsServed bool      `json:"as_served,omitempty"`
	Latency  Latency   `json:"latency_ms"`
	Cost     Cost      `json:"cost"`
	Outcomes []Outcome `json:"outcomes"`
}

// Latency is of answers as served, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

// Cost is what stands beside quality; whoever builds the system fills it.
type Cost struct {
	Notes   int     `json:"notes,omitempty"`
	Chunks  int     `json:"chunks,omitempty"`
	ReadyMS float64 `json:"ready_ms,omitempty"` // from nothing to the first answer
	Bytes   int64   `json:"bytes,omitempty"`    // memory held by the indexes
}

// WriteRecord writes a record as JSON.
func WriteRecord(w io.Writer, r Record) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// ReadRecord reads a record. A record of another version is refused.
func ReadRecord(r io.Reader, name string) (Record, error) {
	var rec Record
	if err := json.NewDecoder(r).Decode(&rec); err != nil {
		return Record{}, fmt.Errorf("record %s: %w", name, err)
	}
	if rec.Version != RecordVersion {
		return Record{}, fmt.Errorf("record %s: version %d, want %d: measure again with candor eval run", name, rec.Version, RecordVersion)
	}
	return rec, nil
}

// Values gives one score of all outcomes that have it and that keep wants; a nil
// keep wants all.
func (r Record) Values(score string, keep func(Outcome) bool) []float64 {
	var out []float64
	for _, o := range r.Outcomes {
		if v, ok := o.Scores[score]; ok && (keep == nil || keep(o)) {
			out = append(out, v)
		}
	}
	return out
}

// Mean is the mean of Values over all outcomes.
func (r Record) Mean(score string) float64 { return Mean(r.Values(score, nil)) }

// Confidences gives the sample that the abstention curve is drawn from.
func (r Record) Confidences() []Confidence {
	var out []Confidence
	for _, o := range r.Outcomes {
		_, answerable := o.Scores[Answered]
		_, not := o.Scores[Refused]
		if answerable || not {
			out = append(out, Confidence{o.Confidence, answerable})
		}
	}
	return out
}

// groups names the slices and sub-slices that a record has, in the order of reports.
func (r Record) groups() []group {
	subs := map[Slice]map[string]bool{}
	for _, o := range r.Outcomes {
		if subs[o.Slice] == nil {
			subs[o.Slice] = map[string]bool{}
		}
		subs[o.Slice][o.Sub] = true
	}
	var out []group
	for _, slice := range Slices {
		if subs[slice] == nil {
			continue
		}
		out = append(out, group{slice: slice, whole: true})
		for _, sub := range sortedKeys(subs[slice]) {
			if sub != "" {
				out = append(out, group{slice: slice, sub: sub})
			}
		}
	}
	return out
}

// group is a slice, or one sub-slice of it.
type group struct {
	slice Slice
	sub   string
	whole bool
}

func (g group) String() string {
	if g.whole {
		return string(g.slice)
	}
	return string(g.slice) + "/" + g.sub
}

func (g group) has(o Outcome) bool { return o.Slice == g.slice && (g.whole || o.Sub == g.sub) }

// byTopic finds outcomes for pairing.
func (r Record) byTopic() map[string]Outcome {
	out := make(map[string]Outcome, len(r.Outcomes))
	for _, o := range r.Outcomes {
		out[o.Topic] = o
	}
	return out
}
