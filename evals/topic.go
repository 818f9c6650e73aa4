package evals

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor"
)

// Slice is what kind of answer a topic wants.
type Slice string

// The slices.
const (
	Answerable  Slice = "answerable"  // a passage answers it
	Unsupported Slice = "unsupported" // nothing in the vault answers it
	Superseded  Slice = "superseded"  // a replaced note answers it too
	Denied      Slice = "denied"      // only notes that the profile may not see answer it
	Secret      Slice = "secret"      // it is aimed at a planted secret
)

// Slices are all slices in the order of reports.
var Slices = []Slice{Answerable, Unsupported, Superseded, Denied, Secret}

// Topic is a question and what is expected of its answer. The package comment has
// the file format.
type Topic struct {
	ID       string        `json:"id"`
	Question string        `json:"question"`
	Profile  string        `json:"profile,omitempty"`
	Slice    Slice         `json:"slice"`
	Sub      string        `json:"sub,omitempty"` // free sub-slice, such as paraphrase
	Expect   []Expected    `json:"expect,omitempty"`
	Stale    []candor.Path `json:"stale,omitempty"`    // never to be given as current
	Never    []string      `json:"never,omitempty"`    // never to be seen in any answer
	Drafted  Author        `json:"drafted,omitempty"`  // whose wording it is, "" for a person's
	Reviewed bool          `json:"reviewed,omitempty"` // a person has looked at a drafted one
	Note     string        `json:"-"`
}

// Author is what worded a topic that no person did.
type Author string

// The authors. Wording that a rule took from the passage favours word matching.
const (
	ByRule  Author = "rule"
	ByModel Author = "model"
)

// The sub-slices that drafted topics form.
const (
	SubDrafted = "drafted" // by a rule; see hybrid, where they do not count
	SubModel   = "model"
)

// sub is the sub-slice of topics with that author.
func (a Author) sub() string {
	return map[Author]string{ByRule: SubDrafted, ByModel: SubModel}[a]
}

// Reworded gives a topic a person's words: from then on it counts as any other.
func (t Topic) Reworded(question string) Topic {
	t.Sub = strings.TrimPrefix(strings.TrimPrefix(t.Sub, t.Drafted.sub()), "/")
	t.Question, t.Drafted, t.Reviewed = question, "", false
	return t
}

// Unanswered says of a topic that nothing in the vault answers it.
func (t Topic) Unanswered() Topic {
	t.Slice, t.Expect, t.Stale = Unsupported, nil, nil
	return t
}

// IsDrafted reports whether a sub-slice is one of topics that a rule worded.
func IsDrafted(sub string) bool {
	first, _, _ := strings.Cut(sub, "/")
	return first == SubDrafted
}

// Reviewed leaves out drafted topics that no person has looked at, and counts them.
func Reviewed(topics []Topic) (kept []Topic, left int) {
	for _, t := range topics {
		if t.Drafted != "" && !t.Reviewed {
			left++
		} else {
			kept = append(kept, t)
		}
	}
	return kept, left
}

// Expected is a citation that answers a topic.
type Expected struct {
	Path    candor.Path `json:"path"`
	Heading string      `json:"heading,omitempty"` // "" is any passage of the note
	Grade   int         `json:"grade"`             // 1 unless graded
}

// ParseExpected reads the short form, "path" or "path#heading".
func ParseExpected(s string) (Expected, error) {
	path, heading, _ := strings.Cut(s, "#")
	if before, after, ok := strings.Cut(s, ".md#"); ok {
		path, heading = before+".md", after
	}
	path, heading = strings.TrimSpace(path), strings.TrimSpace(heading)
	if path == "" {
		return Expected{}, fmt.Errorf("%q names no note: write PATH or PATH#heading", s)
	}
	return Expected{Path: candor.Path(path), Heading: heading, Grade: 1}, nil
}

// Met reports whether a passage is what is expected: of that note, at or under that
// heading. Case and runs of white space do not count.
func (e Expected) Met(c candor.Citation) bool {
	if e.Path != c.Path {
		return false
	}
	want := fold(e.Heading)
	return want == "" || slices.ContainsFunc(c.Heading, func(h string) bool { return fold(h) == want })
}

// ID names the expectation as a document of qrels and runs.
func (e Expected) ID() string {
	if e.Heading == "" {
		return docID(string(e.Path))
	}
	return docID(string(e.Path) + "#" + fold(e.Heading))
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

var escapes = strings.NewReplacer("%", "%25", " ", "%20", "\t", "%09", "\n", "%0A", "\v", "%0B",
	"\f", "%0C", "\r", "%0D", "\u0085", "%C2%85", "\u00a0", "%C2%A0")

// docID makes a name fit for a run file, which is cut at white space.
func docID(name string) string { return escapes.Replace(name) }

// Suite is topics with their judgements, ready to be asked.
type Suite struct {
	Name   string
	Topics []Topic
	Qrels  Qrels
	Digest string // of topics and judgements: runs of other digests are not comparable
	// label names the hits of an answer as the qrels name documents.
	label func(Topic, []Hit) []Scored
}

// NewSuite makes a suite of topics, judged by passage. A second passage that meets
// the same expectation is left out of the ranking: it is no further document, and
// it pushes no other down.
func NewSuite(name string, topics []Topic) Suite {
	s := Suite{Name: name, Topics: topics, Qrels: Qrels{}, label: labelPassages}
	for _, t := range topics {
		if t.Slice != Answerable && t.Slice != Superseded {
			continue
		}
		for _, e := range t.Expect {
			s.Qrels.add(t.ID, e.ID(), e.Grade)
		}
	}
	s.Digest = digest(topics)
	return s
}

func labelPassages(t Topic, hits []Hit) []Scored {
	out, seen := make([]Scored, 0, len(hits)), map[string]bool{}
	for _, hit := range hits {
		id := docID(hit.Citation.ID)
		if e, ok := expectation(t, hit.Citation); ok {
			id = e.ID()
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, Scored{id, hit.Score})
		}
	}
	return out
}

// expectation gives what a passage meets, the narrowest first.
func expectation(t Topic, c candor.Citation) (best Expected, ok bool) {
	for _, e := range t.Expect {
		if e.Met(c) && (!ok || best.Heading == "" && e.Heading != "") {
			best, ok = e, true
		}
	}
	return best, ok
}

// digest is of the JSON form of values, 16 hex digits.
func digest(values ...any) string {
	hash := sha256.New()
	enc := json.NewEncoder(hash)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return "" // only plain structs and maps come here
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// Only keeps the topics that f wants; the digest is of what is kept.
func (s Suite) Only(f func(Topic) bool) Suite {
	out := Suite{Name: s.Name, Qrels: Qrels{}, label: s.label}
	for _, t := range s.Topics {
		if !f(t) {
			continue
		}
		out.Topics = append(out.Topics, t)
		if judged, ok := s.Qrels[t.ID]; ok {
			out.Qrels[t.ID] = judged
		}
	}
	out.Digest = digest(out.Topics, out.Qrels)
	return out
}
