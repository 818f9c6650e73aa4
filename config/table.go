package config

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A field is one key of a mapping that reads into a T.
type field[T any] struct {
	name     string
	schema   schema // with its description
	required bool
	value    func(*T) any // what the key reads into, for its default
	read     func(r *reader, at string, n *yaml.Node, into *T)
}

// key makes the field of a name, what it means, how it is read and where it goes.
func key[T, V any](name, doc string, v value[V], to func(*T) *V) field[T] {
	s := maps.Clone(v.schema)
	s["description"] = doc
	return field[T]{
		name: name, schema: s, value: func(t *T) any { return *to(t) },
		read: func(r *reader, at string, n *yaml.Node, into *T) {
			if got, ok := v.read(r, at, n); ok {
				*to(into) = got
			}
		},
	}
}

// must says that a mapping cannot do without the key.
func must[T any](f field[T]) field[T] {
	f.required = true
	return f
}

// object reads a mapping with known keys over the defaults that fresh gives.
func object[T any](fresh func() T, fields ...field[T]) value[T] {
	known := make([]string, len(fields))
	byName := map[string]field[T]{}
	for i, f := range fields {
		known[i], byName[f.name] = f.name, f
	}
	return value[T]{objectSchema(fresh(), fields), func(r *reader, at string, n *yaml.Node) (T, bool) {
		into := fresh()
		found := r.mapping(at, n, strings.Join(known, ", "))
		if found == nil {
			return into, false
		}
		for _, e := range found {
			f, ok := byName[e.name]
			if !ok {
				r.unknown(e, known)
				continue
			}
			f.read(r, e.at, e.node, &into)
		}
		for _, f := range fields {
			missing := !slices.ContainsFunc(found, func(e entry) bool { return e.name == f.name })
			if f.required && missing {
				r.fail(at, "has no "+f.name, f.name+": "+lower(f.schema["description"].(string)))
			}
		}
		return into, true
	}}
}

func objectSchema[T any](fresh T, fields []field[T]) schema {
	properties, required := schema{}, []string{}
	for _, f := range fields {
		if d := jsonDefault(f.value(&fresh)); d != nil {
			f.schema["default"] = d
		}
		properties[f.name] = f.schema
		if f.required {
			required = append(required, f.name)
		}
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// jsonDefault is a default as the schema writes it; nil when there is none to tell.
func jsonDefault(v any) any {
	switch v := v.(type) {
	case string:
		if v != "" {
			return v
		}
	case int, float64, int64:
		if v != 0 && v != int64(0) && v != 0.0 {
			return v
		}
	case bool:
		return v
	case time.Duration:
		return spell(v)
	case []string:
		if len(v) > 0 {
			return v
		}
	}
	return nil
}

// lists reads a sequence.
func lists[V any](v value[V]) value[[]V] {
	s := schema{"type": "array", "items": v.schema}
	return value[[]V]{s, func(r *reader, at string, n *yaml.Node) ([]V, bool) {
		if n.ShortTag() == "!!null" {
			r.fail(at, "has no value", "write a list, or remove the key")
			return nil, false
		}
		if n.Kind != yaml.SequenceNode {
			r.fail(at, "must be a list", bracketed(n))
			return nil, false
		}
		out, all := make([]V, 0, len(n.Content)), true
		for i, c := range n.Content {
			below := at + "[" + strconv.Itoa(i) + "]"
			r.lines[below] = c.Line
			got, ok := v.read(r, below, c)
			out, all = append(out, got), all && ok // places are kept: problems name them
		}
		return out, all
	}}
}

// bracketed is how to write as a list what is none. A value is quoted where YAML would
// take it for something else in brackets, as it takes ** for an alias.
func bracketed(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return "begin each item with a dash"
	}
	var bare []yaml.Node
	item := n.Value
	err := yaml.Unmarshal([]byte("["+item+"]"), &bare)
	if err != nil || len(bare) != 1 || bare[0].Value != item || bare[0].ShortTag() != n.ShortTag() {
		item = strconv.Quote(item)
	}
	return "write it in brackets: [" + item + "]"
}

// filled refuses a list or mapping that is present but empty.
func filled[V any](v value[V], size func(V) int, what, hint string) value[V] {
	s := maps.Clone(v.schema)
	if s["type"] == "array" {
		s["minItems"] = 1
	} else {
		s["minProperties"] = 1
	}
	return value[V]{s, func(r *reader, at string, n *yaml.Node) (V, bool) {
		if n.ShortTag() == "!!null" {
			r.fail(at, what, hint)
			var zero V
			return zero, false
		}
		got, ok := v.read(r, at, n)
		if ok && size(got) == 0 && r.sound(at) {
			r.fail(at, what, hint)
			return got, false
		}
		return got, ok
	}}
}

// dict reads a mapping whose keys are names of the user's.
func dict[V any](names *regexp.Regexp, want string, v value[V]) value[map[string]V] {
	s := schema{"type": "object", "additionalProperties": v.schema, "propertyNames": schema{"pattern": names.String()}}
	return value[map[string]V]{s, func(r *reader, at string, n *yaml.Node) (map[string]V, bool) {
		found := r.mapping(at, n, want)
		if found == nil {
			return nil, false
		}
		out := map[string]V{}
		for _, e := range found {
			if !names.MatchString(e.name) {
				r.fail(e.at, "is not a name that can be used here", "a name is "+want)
				continue
			}
			if got, ok := v.read(r, e.at, e.node); ok {
				out[e.name] = got
			}
		}
		return out, len(out) == len(found)
	}}
}

// An entry is one key of a mapping as the file has it.
type entry struct {
	name, at string
	node     *yaml.Node
}

// mapping gives the entries of a mapping and reports repeated keys; nil, and a
// problem, for anything else.
func (r *reader) mapping(at string, n *yaml.Node, want string) []entry {
	if n.Kind != yaml.MappingNode {
		what, hint := "must be a mapping", "write keys and values: "+want
		if n.ShortTag() == "!!null" {
			what = "has no value"
		}
		r.fail(at, what, hint)
		return nil
	}
	found := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		e := entry{name: k.Value, at: k.Value, node: v}
		if at != "" {
			e.at = at + "." + k.Value
		}
		if k.Kind != yaml.ScalarNode {
			r.fail(at, "has a key that is not a word", "known here: "+want)
			continue
		}
		if first, again := r.lines[e.at]; again {
			r.problems = append(r.problems, Problem{k.Line, e.at, "stands here twice", "the first is on line " + strconv.Itoa(first)})
			continue
		}
		r.lines[e.at] = k.Line
		found = append(found, e)
	}
	return found
}

// unknown reports a key that does not exist here, with the one that was likely meant.
func (r *reader) unknown(e entry, known []string) {
	hint := "known here: " + strings.Join(known, ", ")
	if near := nearest(e.name, known); near != "" {
		hint = "did you mean " + near + "? " + hint
	} else if owner := homes()[e.name]; owner != "" {
		hint = e.name + " belongs under " + owner + "; " + hint
	}
	r.fail(e.at, "unknown key", hint)
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
