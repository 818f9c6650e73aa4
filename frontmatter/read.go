package frontmatter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Bounds of what is read of a header: aliases may make it a graph, or a cycle.
const (
	maxNodes = 4096
	maxDepth = 32
)

// reader gathers the fields.
type reader struct {
	Header
	errs      []error
	audiences int // fields named candor
	budget    int // nodes still to be visited
	salvages  int // fields of a broken header
}

func (r *reader) fail(err error) { r.errs = append(r.errs, err) }

// finish gives the header.
func (r *reader) finish(lines int) Header {
	h := r.Header
	h.Lines = lines
	if r.audiences > 1 {
		h.Denied = true
	}
	if h.Denied {
		r.fail(errAudience)
	}
	h.Err = errors.Join(r.errs...)
	return h
}

// document reads a header that is YAML; it reports false for any other.
func (r *reader) document(header string) bool {
	root, ok := parse(header)
	if !ok {
		return false
	}
	r.budget = maxNodes
	r.mapping(root, 0)
	if r.audiences == 0 && hidesAudience(header) {
		r.Denied = true
	}
	return true
}

// parse gives the mapping that a text is; nil for one with nothing in it.
func parse(text string) (root *yaml.Node, ok bool) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, false
	}
	if len(doc.Content) == 0 {
		return nil, true
	}
	root = doc.Content[0]
	empty := root.Kind == yaml.ScalarNode && root.Tag == "!!null"
	return root, root.Kind == yaml.MappingNode || empty
}

// mapping reads the fields of the header, those of a merged mapping (<<) too.
func (r *reader) mapping(n *yaml.Node, depth int) {
	if r.budget--; r.budget < 0 || n == nil || n.Kind != yaml.MappingNode || depth > maxDepth {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			for _, merged := range mergedOf(value) {
				r.mapping(merged, depth+1)
			}
			continue
		}
		r.field(key.Value, value)
	}
}

// mergedOf gives the mappings that a merge names.
func mergedOf(n *yaml.Node) []*yaml.Node {
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	var all []*yaml.Node
	for _, c := range n.Content {
		all = append(all, resolve(c))
	}
	return all
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// field reads one field.
func (r *reader) field(key string, n *yaml.Node) {
	switch name := fold(key); name {
	case "candor":
		r.audience(n)
	case "title":
		r.Title = first(r.leaves(n), r.Title)
	case "status":
		r.Status = first(r.leaves(n), r.Status)
	case "tags", "tag":
		r.Tags = addTags(r.Tags, r.leaves(n), resolve(n).Kind == yaml.ScalarNode)
	case "aliases", "alias":
		r.Aliases = union(r.Aliases, r.leaves(n))
	case "superseded_by":
		r.SupersededBy = union(r.SupersededBy, targets(r.leaves(n)))
	case "supersedes":
		r.Supersedes = union(r.Supersedes, targets(r.leaves(n)))
	case "updated":
		r.Updated = r.date(name, n, r.Updated)
	case "valid_until":
		r.ValidUntil = r.date(name, n, r.ValidUntil)
	default:
		r.other(n)
	}
}

// other keeps the words of a field that does not count.
func (r *reader) other(n *yaml.Node) {
	for _, s := range r.leaves(n) {
		switch {
		case !isDay(s):
			r.Words = append(r.Words, s)
		case !possible(s):
			r.fail(errors.New("front matter: a date that does not exist is left out"))
		}
	}
}

// fold is the form in which keys are compared.
func fold(key string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(key)))
}

// audience reads who may see the note.
func (r *reader) audience(n *yaml.Node) {
	r.audiences++
	profiles, ok := audience(resolve(n))
	if !ok {
		r.Denied = true
		return
	}
	r.Narrowed, r.Profiles = true, profiles
}

func audience(n *yaml.Node) (profiles []string, ok bool) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" && strings.EqualFold(n.Value, "false") {
		return []string{}, true
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[0].Value != "profiles" {
		return nil, false
	}
	list := resolve(n.Content[1])
	items := []*yaml.Node{list}
	if list.Kind == yaml.SequenceNode {
		items = list.Content
	}
	profiles = []string{}
	for _, item := range items {
		name := strings.TrimSpace(item.Value)
		if item.Kind != yaml.ScalarNode || item.Tag != "!!str" || name == "" {
			return nil, false
		}
		profiles = append(profiles, name)
	}
	return profiles, true
}

// leaves gives the scalars of a node in order, without those that are null, and
// without the keys. Its work over a header is bounded.
func (r *reader) leaves(n *yaml.Node) []string {
	var out []string
	r.walk(n, 0, func(s string) { out = append(out, s) })
	return out
}

func (r *reader) walk(n *yaml.Node, depth int, leaf func(string)) {
	if r.budget--; r.budget < 0 || depth > maxDepth {
		return
	}
	n = resolve(n)
	switch n.Kind {
	case yaml.ScalarNode:
		if s := strings.TrimSpace(n.Value); s != "" && n.Tag != "!!null" {
			leaf(s)
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			r.walk(c, depth+1, leaf)
		}
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			r.walk(n.Content[i], depth+1, leaf)
		}
	}
}

// first gives the first of values, or what there was.
func first(values []string, was string) string {
	if len(values) > 0 && was == "" {
		return values[0]
	}
	return was
}

// union appends what is new.
func union(list, values []string) []string {
	for _, s := range values {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// addTags takes tags with or without '#'; one value may hold several, parted by
// commas or spaces.
func addTags(list, values []string, oneValue bool) []string {
	var tags []string
	for _, s := range values {
		parts := []string{s}
		if oneValue {
			parts = strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
		}
		for _, p := range parts {
			tags = append(tags, strings.ToLower(strings.Trim(strings.TrimSpace(p), "#")))
		}
	}
	return union(list, tags)
}

// targets gives what links name: [[note|alias]] is note, [text](note.md) is note.md.
func targets(values []string) []string {
	out := make([]string, 0, len(values))
	for _, s := range values {
		if in, ok := strings.CutPrefix(s, "[["); ok {
			in, _, _ = strings.Cut(strings.TrimSuffix(in, "]]"), "|")
			s = in
		} else if i := strings.LastIndex(s, "]("); i > 0 && s[0] == '[' && strings.HasSuffix(s, ")") {
			s = s[i+2 : len(s)-1]
		}
		if s = strings.TrimSpace(s); s != "" && s != "false" {
			out = append(out, s)
		}
	}
	return out
}

// date reads a date field.
func (r *reader) date(name string, n *yaml.Node, was time.Time) time.Time {
	values := r.leaves(n)
	if len(values) == 0 {
		return was
	}
	t, ok := parseDate(values[0])
	if !ok {
		r.fail(fmt.Errorf("front matter: %s is no date and is left out; write it as 2026-01-31", name))
		return was
	}
	return t
}

// layouts are the forms of a date; none takes the day for the month.
var layouts = []string{
	time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	time.DateTime, "2006-01-02 15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700",
	"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2 Jan 2006", "2 January 2006", "Jan 2, 2006",
	"January 2, 2006", "Jan 2 2006", "January 2 2006", time.RFC1123, time.RFC1123Z,
}

func parseDate(s string) (time.Time, bool) {
	s = strings.Trim(s, "[] ")
	if len(s) > 64 {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// isDay reports the form 2026-01-31.
func isDay(s string) bool {
	if len(s) != len(time.DateOnly) {
		return false
	}
	for i := range len(s) {
		if digit := s[i] >= '0' && s[i] <= '9'; digit == (i == 4 || i == 7) || !digit && s[i] != '-' {
			return false
		}
	}
	return true
}

// possible reports whether such a day exists.
func possible(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
