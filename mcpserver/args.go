package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor"
)

// form is what an argument may be.
type form int

const (
	text    form = iota // a string
	glob                // a string, or a list of one
	date                // YYYY-MM-DD
	choice              // one of a few words
	whole               // a whole number
	boolean             // true or false
	list                // strings
	claims              // anything; provenance.ParseClaims reads it
)

// param declares one argument of a tool: its schema, its bounds and how it is read all
// come from here.
type param struct {
	name     string
	form     form
	about    string
	required bool
	min, max int // of the number, or of the bytes of a string or of each in a list
	count    int // most strings in a list
	choices  []string
}

// arguments reads a tool's arguments into Q. Models write "5" or 5.0 for 5 and a list
// as a JSON string; that is taken as meant. All else is refused by name and range.
func arguments[Q any](of string, params []param, raw json.RawMessage) (Q, error) {
	var q Q
	given, err := object(raw)
	if err != nil {
		return q, err
	}
	for name := range given {
		if !slices.ContainsFunc(params, func(p param) bool { return p.name == name }) {
			return q, &candor.InputError{Why: "unknown argument: " + takes(of, params)}
		}
	}
	clean := map[string]any{}
	for _, p := range params {
		v := given[p.name]
		if len(v) == 0 || string(v) == "null" {
			if p.required {
				return q, p.refuse()
			}
			continue
		}
		if clean[p.name], err = p.read(v); err != nil {
			return q, err
		}
	}
	b, err := json.Marshal(clean)
	if err != nil {
		return q, fmt.Errorf("encode arguments: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields() // a param that Q lacks is a fault of ours
	if err := d.Decode(&q); err != nil {
		return q, fmt.Errorf("decode arguments: %w", err)
	}
	return q, nil
}

// object takes arguments apart; absent ones are none.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return given, nil
	}
	if raw[0] != '{' || json.Unmarshal(raw, &given) != nil {
		return nil, &candor.InputError{Field: "arguments", Why: "must be an object"}
	}
	return given, nil
}

func takes(of string, params []param) string {
	if len(params) == 0 {
		return of + " takes none"
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.name
	}
	return of + " takes only " + strings.Join(names, ", ")
}

// read turns one argument into the value its field wants.
func (p param) read(raw json.RawMessage) (any, error) {
	var v any
	var ok bool
	switch p.form {
	case whole:
		v, ok = p.number(raw)
	case boolean:
		v, ok = truth(raw)
	case list:
		v, ok = p.strings(raw)
	case glob:
		v, ok = p.single(raw)
	case claims:
		v, ok = raw, true
	default:
		v, ok = p.text(raw)
	}
	if !ok {
		return nil, p.refuse()
	}
	return v, nil
}

// refuse is the error for a value out of range or of another form.
func (p param) refuse() error {
	return &candor.InputError{Field: p.name, Why: p.wants() + ". Hint: " + p.about}
}

// wants says what the argument must be.
func (p param) wants() string {
	switch p.form {
	case whole:
		return fmt.Sprintf("must be a whole number from %d to %d", p.min, p.max)
	case boolean:
		return "must be true or false"
	case list:
		return fmt.Sprintf("must be a list of at most %d strings of 1 to %d bytes", p.count, p.max)
	case claims:
		return fmt.Sprintf("must be a list of at most %d claims", p.count)
	case date:
		return "must be a date written YYYY-MM-DD"
	case choice:
		return "must be " + strings.Join(p.choices, " or ")
	default:
		if p.min == 0 {
			return fmt.Sprintf("must be a string of at most %d bytes", p.max)
		}
		return fmt.Sprintf("must be a string of %d to %d bytes", p.min, p.max)
	}
}

func (p param) text(raw json.RawMessage) (string, bool) {
	s, ok := stringOf(raw)
	switch {
	case !ok:
		return "", false
	case s == "" && !p.required:
		return "", true
	case p.form == date:
		_, err := time.Parse(time.DateOnly, s)
		return s, err == nil
	case p.form == choice:
		return s, slices.Contains(p.choices, s)
	}
	return s, len(s) <= p.max && len(strings.TrimSpace(s)) >= p.min
}

// single takes a string, or a list of one string.
func (p param) single(raw json.RawMessage) (string, bool) {
	if many, ok := p.strings(raw); ok && len(many) == 1 {
		return many[0], true
	}
	if raw[0] != '"' {
		return "", false
	}
	return p.text(raw)
}

// strings takes a list, or a string that holds one in JSON.
func (p param) strings(raw json.RawMessage) ([]string, bool) {
	if s, ok := stringOf(raw); ok {
		raw = bytes.TrimSpace([]byte(s))
	}
	var parts []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &parts) != nil || len(parts) > max(p.count, 1) {
		return nil, false
	}
	out := make([]string, len(parts))
	for i, part := range parts {
		s, ok := stringOf(part)
		if !ok || s == "" || len(s) > p.max {
			return nil, false
		}
		out[i] = s
	}
	return out, true
}

var numeral = regexp.MustCompile(`^-?[0-9]{1,18}(\.0+)?$`)

// number takes a whole number, however it is written.
func (p param) number(raw json.RawMessage) (int, bool) {
	written := string(raw)
	if s, ok := stringOf(raw); ok {
		if written = strings.TrimSpace(s); !numeral.MatchString(written) {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil || f != math.Trunc(f) || f < float64(p.min) || f > float64(p.max) {
		return 0, false
	}
	return int(f), true
}

func truth(raw json.RawMessage) (value, ok bool) {
	switch string(raw) {
	case `true`, `"true"`:
		return true, true
	case `false`, `"false"`:
		return false, true
	}
	return false, false
}

// stringOf decodes a JSON string and nothing else: null is not "".
func stringOf(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
