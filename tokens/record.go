package tokens

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Prefix begins every token, so that people and secret scanners know one.
const Prefix = "candor_"

// tokenSize is the length of every token in bytes.
const tokenSize = len(Prefix) + 43

// Record is what is kept of one token.
type Record struct {
	ID      string    `json:"id"`
	Profile string    `json:"profile"`
	SHA256  string    `json:"sha256"` // of the token, in hex
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
}

// Expired reports whether the token opens nothing any more.
func (r Record) Expired(now time.Time) bool { return !now.Before(r.Expires) }

// content is the file's form.
type content struct {
	Tokens []Record `json:"tokens"`
}

// newToken draws a token.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return Prefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// newID draws a name for a record that says nothing of its token.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func hash(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// decode reads a file's content and refuses all that encode would not have written.
func decode(data []byte) ([]Record, error) {
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, errors.New("is no JSON of tokens")
	}
	if err := check(c.Tokens); err != nil {
		return nil, err
	}
	again, err := encode(c.Tokens)
	if err != nil {
		return nil, err
	}
	// Unknown, repeated and misspelt names, which decoding passes over, show here.
	var want, got bytes.Buffer
	if json.Compact(&want, again) != nil || json.Compact(&got, data) != nil || !bytes.Equal(want.Bytes(), got.Bytes()) {
		return nil, errors.New("holds more or other than records as candor token writes them")
	}
	return c.Tokens, nil
}

// check refuses records that lack something or that contradict each other.
func check(records []Record) error {
	seen := map[string]bool{}
	for i, r := range records {
		sum, err := hex.DecodeString(r.SHA256)
		switch {
		case r.ID == "":
			return fmt.Errorf("record %d has no id", i+1)
		case r.Profile == "":
			return fmt.Errorf("token %s has no profile", r.ID)
		case err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != r.SHA256:
			return fmt.Errorf("token %s has no sha256 of 64 hex digits", r.ID)
		case r.Created.IsZero():
			return fmt.Errorf("token %s has no created", r.ID)
		case !r.Expires.After(r.Created):
			return fmt.Errorf("token %s has no expires after its created", r.ID)
		case seen["id "+r.ID]:
			return fmt.Errorf("id %s stands twice", r.ID)
		case seen[r.SHA256]:
			return fmt.Errorf("token %s stands twice", r.ID)
		}
		seen["id "+r.ID], seen[r.SHA256] = true, true
	}
	return nil
}

// encode writes the file's content.
func encode(records []Record) ([]byte, error) {
	if records == nil {
		records = []Record{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(content{records}); err != nil {
		return nil, fmt.Errorf("write tokens: %w", err)
	}
	return b.Bytes(), nil
}
