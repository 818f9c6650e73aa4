package evals

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"candor"
)

// written is the form of a topic in a file.
type written struct {
	ID       string        `yaml:"id"`
	Question string        `yaml:"question"`
	Profile  string        `yaml:"profile,omitempty"`
	Slice    string        `yaml:"slice"`
	Expect   []any         `yaml:"expect,omitempty"`
	Stale    []candor.Path `yaml:"stale,omitempty"`
	Never    []string      `yaml:"never,omitempty"`
	Drafted  Author        `yaml:"drafted,omitempty"`
	Reviewed bool          `yaml:"reviewed,omitempty"`
	Note     string        `yaml:"note,omitempty"`
}

// longForm is an expectation that the short form cannot hold.
type longForm struct {
	Path    candor.Path `yaml:"path"`
	Heading string      `yaml:"heading,omitempty"`
	Grade   int         `yaml:"grade"`
}

// yaml writes a topic as an item of a list that is indented so far.
func (t Topic) yaml(indent int) (string, error) {
	w := written{
		ID: t.ID, Question: t.Question, Profile: t.Profile, Slice: string(t.Slice), Stale: t.Stale, Never: t.Never,
		Drafted: t.Drafted, Reviewed: t.Reviewed, Note: t.Note,
	}
	if sub := strings.TrimPrefix(strings.TrimPrefix(t.Sub, t.Drafted.sub()), "/"); sub != "" {
		w.Slice += "/" + sub
	}
	for _, e := range t.Expect {
		w.Expect = append(w.Expect, e.form())
	}
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode([]written{w}); err != nil {
		return "", err
	}
	margin := strings.Repeat(" ", indent)
	return margin + strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "\n", "\n"+margin) + "\n", nil
}

// form is the short form where that says the same.
func (e Expected) form() any {
	short := string(e.Path)
	if e.Heading != "" {
		short += "#" + e.Heading
	}
	if again, err := ParseExpected(short); err == nil && again == e {
		return short
	}
	return longForm(e)
}

// ChangeTopic replaces the topic of a file that has its id; DropTopic takes one out. All
// other topics and their comments stay byte for byte, and the file is checked as it will
// be before a byte is written.
func ChangeTopic(file string, t Topic) error { return edit(file, t.ID, &t) }

// DropTopic takes a topic out of a file; see ChangeTopic.
func DropTopic(file, id string) error { return edit(file, id, nil) }

// edit replaces a topic's lines, or removes them.
func edit(file, id string, t *Topic) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("change topic: %w", err)
	}
	want, err := parseTopics(file, old)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(want, func(t Topic) bool { return t.ID == id })
	if at < 0 {
		return fmt.Errorf("%s has no topic %s any more", file, id)
	}
	lines := slices.Collect(strings.Lines(string(old)))
	start, end, indent := itemLines(old, at, lines)
	item := ""
	if t == nil {
		want = slices.Delete(want, at, at+1)
	} else if item, err = t.yaml(indent); err != nil {
		return fmt.Errorf("change topic: %w", err)
	} else {
		want[at] = *t
	}
	text := strings.Join(lines[:start], "") + item + strings.Join(lines[end:], "")
	now, err := parseTopics(file, []byte(text))
	if err != nil || !slices.EqualFunc(now, want, func(a, b Topic) bool { return reflect.DeepEqual(a, b) }) {
		return errors.Join(fmt.Errorf("%s: topic %s cannot be changed: write the list in block form, each topic on lines of its own", file, id), err)
	}
	return replaceFile(file, []byte(text))
}

// itemLines are the lines of the n-th topic, the end excluded, and how far its list is
// indented. Comments and blank lines before the next one are left to it. What it gives
// for a file in another form does not survive the check of what was written.
func itemLines(data []byte, n int, lines []string) (start, end, indent int) {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return 0, 0, 0
	}
	end = len(lines)
	root := doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		list := root.Content[i+1]
		if root.Content[i].Value != "topics" || n >= len(list.Content) {
			continue
		}
		start, indent = list.Content[n].Line-1, list.Column-1
		if n+1 < len(list.Content) {
			end = list.Content[n+1].Line - 1
		} else if i+2 < len(root.Content) {
			end = root.Content[i+2].Line - 1
		}
	}
	for end > start+1 {
		if s := strings.TrimSpace(lines[end-1]); s != "" && s[0] != '#' {
			break
		}
		end--
	}
	return start, end, indent
}
