package provenance

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"candor"
)

// Stamp says who fetched what, when, by which call.
type Stamp struct {
	CallID        string    `json:"call_id"` // id of the JSON-RPC request, ':', nonce
	Server        string    `json:"server"`
	Tool          string    `json:"tool"`
	Profile       string    `json:"profile"`
	ArgumentsHash string    `json:"arguments_hash"` // SHA-256 of their canonical JSON, 32 hex digits
	FetchedAt     time.Time `json:"fetched_at"`     // UTC, whole seconds
	TTLSeconds    int       `json:"ttl_seconds"`
	MAC           string    `json:"mac"` // HMAC-SHA-256 over all of it and what was served, 32 hex digits
}

// Passage is a piece of text as it was served: masked, with its citation.
type Passage struct {
	Citation candor.Citation
	Title    string
	Context  string // the header row of the table that Text is a later piece of
	Text     string
	Tier     candor.Tier
	Flags    []candor.Flag
}

// Call is an answered request that wants a stamp.
type Call struct {
	RequestID string // id of the JSON-RPC request as text; "cli" on the command line
	Server    string // "" is candor
	Tool      string
	Profile   string
	Arguments []byte // JSON; order of members and white space do not count
	Passages  []Passage
}

// DefaultTTL is the lifetime of a stamp where none is set.
const DefaultTTL = 24 * time.Hour

// Own is the name of candor itself in stamps.
const Own = "candor"

// Options are what an Issuer is made of.
type Options struct {
	Key     []byte           // authenticates stamps; 32 bytes
	TTL     time.Duration    // lifetime of a stamp; 0 is DefaultTTL
	Journal *Journal         // nil: nothing is kept
	Now     func() time.Time // nil: time.Now
	Nonce   func() string    // 32 hex digits, others each time; nil: random
}

// Issuer gives out stamps. It is safe for concurrent use.
type Issuer struct{ opt Options }

// keySize is the length of every key here.
const keySize = 32

// New makes an Issuer.
func New(opt Options) (*Issuer, error) {
	if len(opt.Key) != keySize {
		return nil, errors.New("provenance: the key must have 32 bytes")
	}
	opt.TTL = cmp.Or(opt.TTL, DefaultTTL)
	if opt.TTL < time.Second {
		return nil, errors.New("provenance: the lifetime of a stamp must be a second or more")
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Nonce == nil {
		opt.Nonce = randomNonce
	}
	return &Issuer{opt: opt}, nil
}

// Stamp stamps a call and journals what it served. A stamp that comes with an error is
// good but was not kept: claims on it will be found without a record.
func (i *Issuer) Stamp(c Call) (Stamp, error) {
	arguments, err := canonical(c.Arguments)
	if err != nil {
		return Stamp{}, fmt.Errorf("stamp: %w", err)
	}
	nonce := i.opt.Nonce()
	if !isNonce(nonce) {
		return Stamp{}, errors.New("stamp: a nonce must be 32 hex digits")
	}
	sum := sha256.Sum256(arguments)
	s := Stamp{
		CallID: requestName(c.RequestID) + ":" + nonce, Server: cmp.Or(c.Server, Own), Tool: c.Tool, Profile: c.Profile,
		ArgumentsHash: hex.EncodeToString(sum[:16]), FetchedAt: i.opt.Now().UTC().Truncate(time.Second),
		TTLSeconds: int(i.opt.TTL / time.Second),
	}
	r := Record{Stamp: s, Served: make([]Served, len(c.Passages))}
	for n, p := range c.Passages {
		r.Served[n] = Served{Passage: p, Digest: digestOf(p.Text)}
	}
	r.Stamp.MAC = r.mac(i.opt.Key)
	if i.opt.Journal != nil {
		if err := i.opt.Journal.Append(r); err != nil {
			return r.Stamp, fmt.Errorf("keep the stamp: %w", err)
		}
	}
	return r.Stamp, nil
}

// Attach adds a stamp to the JSON of an answer, as the last member "stamp" of its
// object. What is no object stays as it is.
func Attach(structured []byte, s Stamp) []byte {
	body := bytes.TrimRight(structured, " \t\r\n")
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) < 2 || trimmed[0] != '{' || body[len(body)-1] != '}' {
		return structured
	}
	stamp, err := json.Marshal(s)
	if err != nil {
		return structured // only a year beyond 9999 cannot be written
	}
	head := body[:len(body)-1]
	comma := ","
	if len(bytes.TrimSpace(trimmed[1:len(trimmed)-1])) == 0 {
		comma = ""
	}
	return fmt.Appendf(bytes.Clone(head), `%s"stamp":%s}`, comma, stamp)
}

// canonical writes JSON with the members of objects in order and no white space.
func canonical(raw []byte) ([]byte, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return []byte("{}"), nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // a float would change large numbers
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errors.New("the arguments are not JSON")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, errors.New("the arguments cannot be written as JSON")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// longestName bounds the part of a call id that a client chooses.
const longestName = 64

// requestName is a request id as call ids have it: whatever a client sends, it holds
// nothing that could end a marker early.
func requestName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, id)
	return cmp.Or(name[:min(len(name), longestName)], "_")
}

func isNonce(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

func randomNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
