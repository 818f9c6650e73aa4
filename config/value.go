package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A schema is a JSON Schema, as far as one key needs it.
type schema map[string]any

// A value reads one kind of YAML value and describes it to the schema. Values are
// composed into the table of keys.
type value[V any] struct {
	schema schema
	read   func(r *reader, at string, n *yaml.Node) (V, bool)
}

// A reader collects the problems of a file and where each key stands.
type reader struct {
	lines    map[string]int
	problems []Problem
}

// fail reports a problem of the key at a path; the line is that of the nearest key
// above which stands in the file.
func (r *reader) fail(at, what, hint string) {
	r.problems = append(r.problems, Problem{r.line(at), at, what, hint})
}

func (r *reader) line(at string) int {
	for {
		if n, ok := r.lines[at]; ok {
			return n
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			return 0
		}
		at = at[:i]
	}
}

// sound reports whether nothing was wrong at or below a key, so that a check of what
// it says makes sense.
func (r *reader) sound(at string) bool {
	return !slices.ContainsFunc(r.problems, func(p Problem) bool {
		rest, below := strings.CutPrefix(p.Key, at)
		return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// scalar gives the text of a plain value.
func (r *reader) scalar(at string, n *yaml.Node, want string) (string, bool) {
	switch {
	case n.ShortTag() == "!!null":
		r.fail(at, "has no value", "write "+want+", or remove the key for the default")
	case n.Kind != yaml.ScalarNode:
		r.fail(at, "must be "+want, "")
	default:
		return n.Value, true
	}
	return "", false
}

// text reads a string that rule finds no fault with; rule may be nil.
func text(want string, s schema, rule func(string) (what, hint string)) value[string] {
	s["type"] = "string"
	return value[string]{s, func(r *reader, at string, n *yaml.Node) (string, bool) {
		v, ok := r.scalar(at, n, want)
		if !ok {
			return "", false
		}
		if tag := n.ShortTag(); tag != "!!str" && tag != "!!timestamp" {
			r.fail(at, "must be text", "put it in quotes: "+strconv.Quote(v))
			return "", false
		}
		if rule != nil {
			if what, hint := rule(v); what != "" {
				r.fail(at, what, hint)
				return "", false
			}
		}
		return v, true
	}}
}

// oneOf reads one of some words.
func oneOf(words ...string) value[string] {
	list := strings.Join(words, ", ")
	return text("one of "+list, schema{"enum": words}, func(v string) (string, string) {
		if slices.Contains(words, v) {
			return "", ""
		}
		hint := ""
		if near := nearest(v, words); near != "" {
			hint = "did you mean " + near + "?"
		}
		return "must be one of " + list, hint
	})
}

// number reads a number in a range, both ends included.
func number[N int | int64 | float64](lo, hi N) value[N] {
	want := fmt.Sprintf("a number from %v to %v", lo, hi)
	kind := "integer"
	if _, float := any(lo).(float64); float {
		kind = "number"
	}
	s := schema{"type": kind, "minimum": lo, "maximum": hi}
	return value[N]{s, func(r *reader, at string, n *yaml.Node) (N, bool) {
		v, ok := r.scalar(at, n, want)
		if !ok {
			return 0, false
		}
		if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" {
			hint := ""
			if _, err := strconv.ParseFloat(v, 64); err == nil {
				hint = "write it without quotes"
			}
			r.fail(at, "must be "+want, hint)
			return 0, false
		}
		if f, err := strconv.ParseFloat(v, 64); err == nil && f >= float64(lo) && f <= float64(hi) && f == float64(N(f)) {
			return N(f), true
		}
		r.fail(at, "must be "+want, "")
		return 0, false
	}}
}

var units = map[string]int64{
	"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30,
}

// size reads a number of bytes: 65536 or 64KiB.
func size[N int | int64](lo, hi N) value[N] {
	want := fmt.Sprintf("a size from %s to %s, such as %s", sizeText(int64(lo)), sizeText(int64(hi)), sizeText(int64(lo)*2))
	s := schema{"oneOf": []schema{
		{"type": "integer", "minimum": lo, "maximum": hi},
		{"type": "string", "pattern": `^[0-9]{1,12} ?([KMGkmg][Ii]?)?[Bb]?$`},
	}}
	return value[N]{s, func(r *reader, at string, n *yaml.Node) (N, bool) {
		v, ok := r.scalar(at, n, want)
		if !ok {
			return 0, false
		}
		digits := strings.TrimRight(v, "KMGIBkmgib ")
		unit, known := units[strings.ToUpper(strings.TrimPrefix(v[len(digits):], " "))]
		count, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || !known || count < 0 || count > int64(hi)/unit || count*unit < int64(lo) {
			r.fail(at, "must be "+want, "")
			return 0, false
		}
		return N(count * unit), true
	}}
}

func sizeText(n int64) string {
	for _, u := range []string{"GiB", "MiB", "KiB"} {
		if size := units[strings.ToUpper(u)]; n >= size && n%size == 0 {
			return strconv.FormatInt(n/size, 10) + u
		}
	}
	return strconv.FormatInt(n, 10)
}

// toggle reads true, false, on, off, yes or no.
func toggle() value[bool] {
	s := schema{"enum": []any{true, false, "on", "off", "yes", "no"}}
	return value[bool]{s, func(r *reader, at string, n *yaml.Node) (bool, bool) {
		v, ok := r.scalar(at, n, "on or off")
		if !ok {
			return false, false
		}
		switch strings.ToLower(v) {
		case "true", "on", "yes":
			return true, true
		case "false", "off", "no":
			return false, true
		}
		r.fail(at, "must be on or off", "")
		return false, false
	}}
}

// date reads a day.
func date() value[time.Time] {
	day := text("a date such as 2027-06-01", schema{"format": "date", "pattern": `^\d{4}-\d{2}-\d{2}$`}, func(v string) (string, string) {
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			return "must be a date of the calendar", "write it as 2027-06-01"
		}
		return "", ""
	})
	return convert(day, func(v string) time.Time {
		t, _ := time.Parse(time.DateOnly, v) // checked by the rule
		return t
	})
}

// duration reads 30m, 24h or 90s, at least lo.
func duration(lo, hi time.Duration) value[time.Duration] {
	want := "a duration from " + spell(lo) + " to " + spell(hi)
	v := text(want, schema{"pattern": `^([0-9]+(\.[0-9]+)?(h|m|s|ms))+$`}, func(v string) (string, string) {
		if d, err := time.ParseDuration(v); err != nil || d < lo || d > hi {
			return "must be " + want, "write it as 90s, 30m or 24h"
		}
		return "", ""
	})
	return convert(v, func(v string) time.Duration {
		d, _ := time.ParseDuration(v) // checked by the rule
		return d
	})
}

// spell writes a duration as people do: 24h, not 24h0m0s.
func spell(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func convert[A, B any](v value[A], to func(A) B) value[B] {
	return value[B]{v.schema, func(r *reader, at string, n *yaml.Node) (B, bool) {
		a, ok := v.read(r, at, n)
		if !ok {
			var zero B
			return zero, false
		}
		return to(a), true
	}}
}

// optional reads a value whose absence means something.
func optional[V any](v value[V]) value[*V] { return convert(v, func(x V) *V { return &x }) }
