package config

import (
	"maps"
	"slices"
	"time"
)

// FileName is the name of the configuration file.
const FileName = "candor.yaml"

// DefaultProfile is the one profile of a configuration without profiles.
const DefaultProfile = "default"

// Config is a checked configuration: all paths are absolute and clean, all defaults
// filled in.
type Config struct {
	File           string           // the file it was read from, "" without one
	Vaults         []Vault          // at least one
	Profiles       map[string]Rules // nil: one profile, allowing all
	DefaultProfile string           // for the command line and stdio; never empty
	Language       []string         // stemmers; empty: none
	Ollama         *Ollama          // nil: no network client at all
	Retrieval      Retrieval        // how hits are ranked
	Evidence       Evidence         // what a passage must reach
	Trust          []Trust          // the first rule that matches grades a note
	TrustDefault   int              // tier of what no rule matches, 0 to 3
	Cache          bool             // false: vectors in memory only
	Provenance     Provenance       // what is kept of calls
	Write          Write            // the zero value: nothing can be written
	Limits         Limits           // bounds of files, requests and answers
	Evals          Evals            // the owner's questions
	Redact         Redact           // additions to the masker
	Telemetry      *Telemetry       // nil: none
	Places         Places           // candor's own folders
	Warnings       []string         // what is allowed but worth saying
}

// Vault is a folder of notes.
type Vault struct {
	Name string // first part of paths when there are several vaults
	Root string // absolute; exists and is a folder
}

// Rules say what a profile may see. Deny wins over allow; what no allow glob matches
// is denied.
type Rules struct {
	Allow []string
	Deny  []string
}

// Ollama is the embedder.
type Ollama struct {
	URL            string        // http, literal loopback address and port, nothing else
	Model          string        // name and tag, as ollama list shows it
	KeepAlive      time.Duration // how long a model stays loaded; below 0: for ever
	QueryPrefix    *string       // nil: what the model is known to need
	DocumentPrefix *string       // nil: what the model is known to need
}

// Retrieval is how hits are ranked.
type Retrieval struct {
	Mode    string // auto or lexical
	RRFK    int    // the k of reciprocal rank fusion
	Weights Weights
}

// Weights are the shares of the legs in fusion, 0 or more, not both 0.
type Weights struct {
	Lexical  float64
	Semantic float64
}

// Evidence is what a passage must reach to be cited. Absent (nil) means the built-in
// bar and 0 switches a gate off.
type Evidence struct {
	MinScore    *float64 // share of the highest score that the query could reach
	MinCoverage *float64 // weighted share of the query's content words
	PerNote     *int     // most passages of one note in a page
}

// Trust grades the notes under some globs.
type Trust struct {
	Paths    []string
	Tier     int       // 0 to 3
	ReviewBy time.Time // zero: no date
}

// Provenance is what is kept of calls.
type Provenance struct {
	Journal string        // sealed, digests or off
	TTL     time.Duration // lifetime of a stamp
	Mode    string        // stamp, shadow, gate or enforce
}

// Write is the write zone. A path that is "" switches that kind of write off.
type Write struct {
	Drafts string // folder for new notes
	Ledger string // append-only file
}

// Limits bound files, requests and answers.
type Limits struct {
	FileBytes    int64 // a larger note is skipped
	Results      int   // most hits in a page
	ResultTokens int   // most tokens in each half of a result
	ChunkWords   int   // most words of a passage; 0: the chunker's own
	WriteBytes   int   // largest draft or ledger entry
	IndexBytes   int64 // most bytes of notes that are indexed
}

// Evals are the owner's questions.
type Evals struct {
	Topics     string  // file of questions, "" without
	Confidence float64 // needed for a verdict that turns hybrid on
}

// Redact adds to the built-in rules of the masker.
type Redact struct {
	Rules []Pattern
	Allow []string // values never masked: exact, or /regular expression/
	Flags []string // prefixes of challenge flags: HTB for HTB{…}
}

// Pattern is a named regular expression (RE2).
type Pattern struct {
	Name    string
	Pattern string
}

// Telemetry is where traces go.
type Telemetry struct {
	Endpoint    string // base URL of an OTLP collector
	AllowRemote bool   // the endpoint need not be on this machine
}

// ProfileNames are the profiles, sorted; never empty.
func (c *Config) ProfileNames() []string {
	if c.Profiles == nil {
		return []string{DefaultProfile}
	}
	return slices.Sorted(maps.Keys(c.Profiles))
}
