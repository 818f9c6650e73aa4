package evals

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"candor"
)

// LoadTopics reads a topic file, or every .yaml and .yml file in a folder. Errors
// name file and line, and all of them are given at once.
func LoadTopics(name string) ([]Topic, error) {
	dir, base := filepath.Split(filepath.Clean(name))
	if dir == "" {
		dir = "."
	}
	return ReadTopics(os.DirFS(dir), base)
}

// ReadTopics is LoadTopics inside a file system, such as an embedded one.
func ReadTopics(fsys fs.FS, name string) ([]Topic, error) {
	files, err := topicFiles(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("topics: %w", err)
	}
	var topics []Topic
	var faults []error
	where := map[string]string{} // id to file:line
	for _, file := range files {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("topics: %w", err)
		}
		d := decoder{file: file, where: where}
		topics = append(topics, d.decode(data)...)
		faults = append(faults, d.faults...)
	}
	if len(topics) == 0 && len(faults) == 0 {
		return nil, fmt.Errorf("topics: %s has none: add one with candor eval add", name)
	}
	return topics, errors.Join(faults...)
}

func topicFiles(fsys fs.FS, name string) (files []string, err error) {
	err = fs.WalkDir(fsys, path.Clean(name), func(p string, e fs.DirEntry, err error) error {
		ext := path.Ext(p)
		if err == nil && !e.IsDir() && (p == path.Clean(name) || ext == ".yaml" || ext == ".yml") {
			files = append(files, p)
		}
		return err
	})
	return files, err
}

// decoder reads one topic file from its YAML nodes, so that each fault has a line.
type decoder struct {
	file    string
	profile string
	where   map[string]string
	faults  []error
}

func (d *decoder) fault(line int, format string, args ...any) {
	d.faults = append(d.faults, fmt.Errorf("%s:%d: %s", d.file, line, fmt.Sprintf(format, args...)))
}

func (d *decoder) decode(data []byte) (topics []Topic) {
	var doc, second yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	if err := in.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		d.faults = append(d.faults, yamlFault(d.file, err))
		return nil
	}
	if err := in.Decode(&second); err == nil {
		d.fault(second.Line, "a second document: a topic file has one")
	} else if !errors.Is(err, io.EOF) {
		d.faults = append(d.faults, yamlFault(d.file, err))
	}
	var list *yaml.Node
	d.fields(doc.Content[0], map[string]func(*yaml.Node){
		"profile": func(n *yaml.Node) { d.profile = d.text(n) },
		"topics":  func(n *yaml.Node) { list = n },
	})
	if list == nil || list.Tag == "!!null" {
		return nil
	}
	for _, n := range d.items(list) {
		if t, ok := d.topic(n); ok {
			topics = append(topics, t)
		}
	}
	return topics
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// yamlFault puts the parser's line where ours stand.
func yamlFault(file string, err error) error {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s:%s: %s", file, m[1], err.Error()[len(m[0]):])
	}
	return fmt.Errorf("%s: %w", file, err)
}

func (d *decoder) topic(n *yaml.Node) (Topic, bool) {
	before := len(d.faults)
	t := Topic{Profile: d.profile}
	d.fields(n, map[string]func(*yaml.Node){
		"id":       func(n *yaml.Node) { t.ID = d.text(n) },
		"question": func(n *yaml.Node) { t.Question = strings.TrimSpace(d.text(n)) },
		"profile":  func(n *yaml.Node) { t.Profile = d.text(n) },
		"slice":    func(n *yaml.Node) { t.Slice, t.Sub = d.slice(n) },
		"expect":   func(n *yaml.Node) { t.Expect = d.expect(n) },
		"stale":    func(n *yaml.Node) { t.Stale = paths(d.texts(n)) },
		"never":    func(n *yaml.Node) { t.Never = d.texts(n) },
		"note":     func(n *yaml.Node) { t.Note = d.text(n) },
		"drafted":  func(n *yaml.Node) { t.Drafted = d.author(n) },
		"reviewed": func(n *yaml.Node) { t.Reviewed = d.yes(n) },
	})
	if sub := t.Drafted.sub(); sub != "" && t.Sub != sub && !strings.HasPrefix(t.Sub, sub+"/") {
		t.Sub = strings.TrimSuffix(sub+"/"+t.Sub, "/")
	}
	if t.Slice == "" {
		t.Slice = Unsupported
		if len(t.Expect) > 0 {
			t.Slice = Answerable
		}
	}
	if len(d.faults) == before {
		d.check(n, t)
	}
	return t, len(d.faults) == before
}

// check holds a topic to what its slice needs to be measured at all.
func (d *decoder) check(n *yaml.Node, t Topic) {
	switch {
	case t.ID == "" || strings.ContainsFunc(t.ID, isSpace):
		d.fault(n.Line, "a topic needs an id without white space")
	case d.where[t.ID] != "":
		d.fault(n.Line, "id %s stands at %s too", t.ID, d.where[t.ID])
	case t.Question == "":
		d.fault(n.Line, "topic %s has no question", t.ID)
	case t.Slice == Answerable && len(t.Expect) == 0:
		d.fault(n.Line, "topic %s is answerable and expects nothing: name a note under expect", t.ID)
	case t.Slice == Unsupported && len(t.Expect) > 0:
		d.fault(n.Line, "topic %s is unsupported and yet expects a note", t.ID)
	case t.Slice == Superseded && len(t.Stale) == 0:
		d.fault(n.Line, "topic %s is superseded: name the replaced notes under stale", t.ID)
	case t.Slice == Denied && len(t.Expect) == 0:
		d.fault(n.Line, "topic %s is denied: name the notes that would answer under expect", t.ID)
	case t.Slice == Secret && len(t.Never)+len(t.Expect) == 0:
		d.fault(n.Line, "topic %s is aimed at a secret: write the planted one under never, or its note under expect", t.ID)
	}
	d.where[t.ID] = fmt.Sprintf("%s:%d", d.file, n.Line)
}

// fields calls the reader of each key; a key without one is a fault.
func (d *decoder) fields(n *yaml.Node, readers map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.fault(n.Line, "want keys and values")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		read, ok := readers[key.Value]
		switch {
		case !ok:
			d.fault(key.Line, "unknown key %q: want one of %s", key.Value, strings.Join(sortedKeys(readers), ", "))
		case seen[key.Value]:
			d.fault(key.Line, "key %q stands twice", key.Value)
		default:
			read(n.Content[i+1])
		}
		seen[key.Value] = true
	}
}

func (d *decoder) items(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	d.fault(n.Line, "want a list")
	return nil
}

func (d *decoder) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.fault(n.Line, "want a text")
		return ""
	}
	return n.Value
}

func (d *decoder) texts(n *yaml.Node) []string {
	var out []string
	for _, item := range d.items(n) {
		text := d.text(item)
		if text == "" {
			d.fault(item.Line, "want a text that is not empty")
		}
		out = append(out, text)
	}
	return out
}

func (d *decoder) slice(n *yaml.Node) (Slice, string) {
	slice, sub, _ := strings.Cut(d.text(n), "/")
	if !slices.Contains(Slices, Slice(slice)) {
		d.fault(n.Line, "unknown slice %q: want one of %v, and a sub-slice after a slash if you like", slice, Slices)
	}
	return Slice(slice), sub
}

func (d *decoder) author(n *yaml.Node) Author {
	a := Author(d.text(n))
	if a.sub() == "" {
		d.fault(n.Line, "drafted must be %s or %s", ByRule, ByModel)
	}
	return a
}

func (d *decoder) yes(n *yaml.Node) bool {
	if n.Tag != "!!bool" {
		d.fault(n.Line, "want true or false")
	}
	return n.Value == "true"
}

func (d *decoder) expect(n *yaml.Node) (out []Expected) {
	for _, item := range d.items(n) {
		e := Expected{Grade: 1}
		if item.Kind == yaml.ScalarNode {
			var err error
			if e, err = ParseExpected(item.Value); err != nil {
				d.fault(item.Line, "%v", err)
			}
		} else {
			d.fields(item, map[string]func(*yaml.Node){
				"path":    func(n *yaml.Node) { e.Path = candor.Path(d.text(n)) },
				"heading": func(n *yaml.Node) { e.Heading = d.text(n) },
				"grade":   func(n *yaml.Node) { e.Grade = d.grade(n) },
			})
			if e.Path == "" {
				d.fault(item.Line, "an expected citation needs a path")
			}
		}
		out = append(out, e)
	}
	return out
}

func (d *decoder) grade(n *yaml.Node) int {
	grade, err := strconv.Atoi(d.text(n))
	if err != nil || grade < 1 || grade > 10 {
		d.fault(n.Line, "grade must be 1 to 10")
	}
	return grade
}

func paths(in []string) []candor.Path {
	out := make([]candor.Path, len(in))
	for i, s := range in {
		out[i] = candor.Path(s)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
