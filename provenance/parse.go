package provenance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"candor"
)

// The bounds of claims.
const (
	MaxClaims    = 1000 // in one file
	maxClaimText = 8 << 10
	maxParts     = 32 // origins or spans of a claim
)

// ParseClaims reads claims: a list, one after another, or an object with "claims". Names
// of fields may be written in any of the usual ways, an origin may be a call id or a
// stamp, and a span a citation id, a path, or a place; each may be one or a list.
func ParseClaims(data []byte) ([]Claim, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	var out []Claim
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, &candor.InputError{Field: "claims", Why: "must be JSON: a list of claims, a claim in each line, or an object with claims"}
		}
		if out, err = addClaims(out, raw); err != nil {
			return nil, err
		}
	}
}

// addClaims takes what stands for claims in one JSON value.
func addClaims(out []Claim, raw json.RawMessage) ([]Claim, error) {
	if len(out) >= MaxClaims {
		return nil, &candor.InputError{Field: "claims", Why: fmt.Sprintf("must be %d at most", MaxClaims)}
	}
	if list, ok := listOf(raw); ok {
		for _, item := range list {
			var err error
			if out, err = addClaims(out, item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if s, ok := textOf(raw); ok { // a list inside a string, or a bare sentence
		if inner := strings.TrimSpace(s); json.Valid([]byte(inner)) && strings.IndexAny(inner, "[{") == 0 {
			return addClaims(out, json.RawMessage(inner))
		}
		raw, _ = json.Marshal(map[string]string{"claim_text": s}) // cannot fail
	}
	fields := fieldsOf(raw)
	if inner, ok := fields["claims"]; ok {
		return addClaims(out, inner)
	}
	c := claimOf(fields)
	if c.ID == "" {
		c.ID = strconv.Itoa(len(out) + 1)
	}
	if c.Text == "" || len(c.Text) > maxClaimText || len(c.Origin) > maxParts || len(c.Spans) > maxParts {
		return nil, &candor.InputError{
			Field: fmt.Sprintf("claims[%d]", len(out)),
			Why:   fmt.Sprintf("must have claim_text of 1 to %d bytes, and at most %d origins and spans", maxClaimText, maxParts),
		}
	}
	return append(out, c), nil
}

// claimOf reads a claim from its fields.
func claimOf(fields map[string]json.RawMessage) Claim {
	c := Claim{ID: short(first(fields, "claimid", "id"))}
	c.Text = first(fields, "claimtext", "text", "claim", "statement", "sentence")
	for _, name := range []string{"origin", "origins", "stamp", "callid", "callids", "call", "calls"} {
		c.addOrigins(fields[name])
	}
	for _, name := range []string{"span", "spans", "citation", "citations"} {
		c.addSpans(fields[name])
	}
	if len(c.Spans) == 0 && (fields["block"] != nil || fields["path"] != nil) {
		c.addSpan(fields)
	}
	render := fieldsOf(fields["render"])
	c.Render.Marker = short(cmp.Or(first(render, "marker"), first(fields, "marker")))
	c.Render.Policy = Policy(cmp.Or(first(render, "policy"), first(fields, "policy")))
	c.takeMarks()
	return c
}

// addOrigins takes an origin: a call id, a stamp, or a list of them.
func (c *Claim) addOrigins(raw json.RawMessage) {
	if list, ok := listOf(raw); ok {
		for _, item := range list {
			c.addOrigins(item)
		}
		return
	}
	if s, ok := textOf(raw); ok {
		if inner := strings.TrimSpace(s); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			c.addOrigins(json.RawMessage(inner))
		} else if inner != "" {
			c.Origin = append(c.Origin, Origin{CallID: inner})
		}
		return
	}
	fields := fieldsOf(raw)
	if inner, ok := fields["stamp"]; ok {
		c.addOrigins(inner)
		return
	}
	if len(fields) == 0 {
		return
	}
	o := Origin{CallID: first(fields, "callid", "id"), Given: map[string]string{}}
	for key, name := range stampFields {
		if v, there := fields[key]; there && string(v) != "null" {
			o.Given[name] = scalar(v)
		}
	}
	if o.CallID != "" || len(o.Given) > 0 {
		c.Origin = append(c.Origin, o)
	}
}

// stampFields are the fields of a stamp beside its call id.
var stampFields = map[string]string{
	"server": "server", "tool": "tool", "profile": "profile", "argumentshash": "arguments_hash",
	"fetchedat": "fetched_at", "ttlseconds": "ttl_seconds", "mac": "mac",
}

// addSpans takes a span: a citation id, a path, a place, or a list of them.
func (c *Claim) addSpans(raw json.RawMessage) {
	if list, ok := listOf(raw); ok {
		for _, item := range list {
			c.addSpans(item)
		}
		return
	}
	if s, ok := textOf(raw); ok {
		if strings.TrimSpace(s) != "" {
			c.Spans = append(c.Spans, Span{Block: s}.tidy())
		}
		return
	}
	if fields := fieldsOf(raw); len(fields) > 0 {
		c.addSpan(fields)
	}
}

func (c *Claim) addSpan(fields map[string]json.RawMessage) {
	if inner := fieldsOf(fields["citation"]); len(inner) > 0 {
		c.addSpan(inner)
		return
	}
	s := Span{Block: first(fields, "block", "citation", "id", "path")}
	s.Start, _ = strconv.Atoi(first(fields, "start", "startline"))
	s.End, _ = strconv.Atoi(first(fields, "end", "endline"))
	if s.Block != "" || s.Start > 0 {
		c.Spans = append(c.Spans, s.tidy())
	}
}

var (
	marks  = regexp.MustCompile(`\s*\[([^\[\]\n]+)\]`)
	lineAt = regexp.MustCompile(`^(.+?)(?:#L|:L?)(\d{1,9})(?:[-–:]L?(\d{1,9}))?$`)
)

// takeMarks takes the citations and call markers out of the sentence itself, where
// models are told to put them.
func (c *Claim) takeMarks() {
	c.Text = strings.TrimSpace(marks.ReplaceAllStringFunc(c.Text, func(mark string) string {
		inner := strings.Trim(strings.TrimSpace(mark), "[]")
		span := Span{Block: inner}.tidy()
		if _, _, _, ok := candor.ParseCitationID(span.Block); ok {
			if !slices.Contains(c.Spans, span) {
				c.Spans = append(c.Spans, span)
			}
			return ""
		}
		if _, ok := nonceOf(inner); ok {
			if !slices.ContainsFunc(c.Origin, func(o Origin) bool { return sameCall(o.CallID, inner) }) {
				c.Origin = append(c.Origin, Origin{CallID: inner})
			}
			return ""
		}
		return mark
	}))
}

// tidy brings a span to the form that is compared: without brackets, and with lines that
// stand in the name as its lines.
func (s Span) tidy() Span {
	s.Block = strings.Trim(strings.TrimSpace(s.Block), "[]`\"'<>")
	if path, ours := strings.CutPrefix(s.Block, "candor://note/"); ours {
		if plain, err := url.PathUnescape(path); err == nil {
			s.Block = plain
		}
	}
	if _, _, _, ok := candor.ParseCitationID(s.Block); ok {
		return s
	}
	if m := lineAt.FindStringSubmatch(s.Block); m != nil && s.Start == 0 {
		s.Block = m[1]
		s.Start, _ = strconv.Atoi(m[2])
		s.End = s.Start
		if m[3] != "" {
			s.End, _ = strconv.Atoi(m[3])
		}
	}
	s.Block = strings.TrimPrefix(strings.ReplaceAll(s.Block, `\`, "/"), "./")
	if s.End == 0 && s.Start > 0 {
		s.End = s.Start
	}
	return s
}

// fieldsOf takes an object apart, its names in lower case without - and _.
func fieldsOf(raw json.RawMessage) map[string]json.RawMessage {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return nil
	}
	out := make(map[string]json.RawMessage, len(given))
	for name, v := range given {
		out[strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))] = v
	}
	return out
}

// first is the first of some fields that holds a text or a number.
func first(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		if s := strings.TrimSpace(scalar(fields[name])); s != "" {
			return s
		}
	}
	return ""
}

// scalar gives a text or a number as text, "" for anything else.
func scalar(raw json.RawMessage) string {
	if s, ok := textOf(raw); ok {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func textOf(raw json.RawMessage) (string, bool) {
	var s string
	raw = bytes.TrimSpace(raw)
	ok := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil
	return s, ok
}

func listOf(raw json.RawMessage) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	raw = bytes.TrimSpace(raw)
	ok := len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil
	return list, ok
}

// short is a name of the client's that results repeat: one line, bounded.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 128 {
		return string(r[:128])
	}
	return s
}
