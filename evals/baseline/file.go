package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"candor/evals"
)

// Version is the version of the committed format.
const Version = 1

// Baseline is the committed form of a card: what the next run is held to. It has no
// time, no machine and no text, so that equal runs give equal bytes.
type Baseline struct {
	Version     int                `json:"version"`
	Topics      string             `json:"topics"`
	Fingerprint evals.Fingerprint  `json:"fingerprint"`
	Metrics     Metrics            `json:"metrics"`
	Groups      []Group            `json:"groups"`
	Verdicts    map[string]Verdict `json:"verdicts"` // by topic
}

// Baseline gives what is committed of a card.
func (c Card) Baseline() Baseline {
	b := Baseline{
		Version: Version, Topics: c.Topics, Fingerprint: c.Fingerprint,
		Metrics: c.Metrics(), Groups: c.Groups(), Verdicts: make(map[string]Verdict, len(c.Results)),
	}
	for _, r := range c.Results {
		b.Verdicts[r.Topic] = r.Verdict
	}
	return b
}

// Write writes a baseline, one topic a line, so that a change of one is one line of
// a diff.
func (b Baseline) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(b)
}

// Read reads a committed baseline. Any other version, and any field that this one
// does not have, is refused.
func Read(data []byte, name string) (*Baseline, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("baseline %s: %w", name, err)
	}
	if head.Version != Version {
		return nil, fmt.Errorf("baseline %s: format %d, want %d: write it anew with candor eval baseline --write and review the difference", name, head.Version, Version)
	}
	var b Baseline
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return nil, fmt.Errorf("baseline %s: %w", name, err)
	}
	return &b, nil
}

// Load reads a committed baseline from a file; one that is not there is nil.
func Load(file string) (*Baseline, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	return Read(data, file)
}

// Save writes a baseline to a file, whole or not at all.
func (b Baseline) Save(file string) error {
	var text bytes.Buffer
	if err := b.Write(&text); err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	tmp := file + ".new"
	if err := os.WriteFile(tmp, text.Bytes(), 0o644); err != nil { // meant to be committed
		return fmt.Errorf("baseline: %w", err)
	}
	if err := os.Rename(tmp, file); err != nil {
		return fmt.Errorf("baseline: %w", errors.Join(err, os.Remove(tmp)))
	}
	return nil
}
