package evals

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// AddTopic is AddTopics for one; what was added is returned.
func AddTopic(file string, t Topic) (Topic, error) {
	out, err := AddTopics(file, []Topic{t})
	if err != nil {
		return Topic{}, err
	}
	return out[0], nil
}

// AddTopics appends topics to a file, which it makes if need be; comments and order
// in the file stay. A topic without an id gets one from its question. The file is
// checked as it will be before a byte is written, and what was added is returned.
func AddTopics(file string, topics []Topic) ([]Topic, error) {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("add topic: %w", err)
	}
	have, err := parseTopics(file, old)
	if err != nil {
		return nil, err
	}
	text := string(old)
	if strings.TrimSpace(text) == "" {
		text = "# Questions and where their answers stand. One with no answer has no expect.\ntopics:\n"
	}
	text = strings.TrimRight(text, "\n") + "\n"
	all := have
	for _, t := range topics {
		t = t.withDefaults(all)
		if slices.ContainsFunc(all, func(a Topic) bool { return a.ID == t.ID }) {
			return nil, fmt.Errorf("%s has a topic %q already: give another id, or none to get one from the question", file, t.ID)
		}
		all = append(all, t)
		item, err := t.yaml(2)
		if err != nil {
			return nil, fmt.Errorf("add topic: %w", err)
		}
		text += item
	}
	now, err := parseTopics(file, []byte(text))
	if err != nil || len(now) != len(all) {
		return nil, errors.Join(fmt.Errorf("%s: a topic cannot be appended: its list must be the last key, in block form, and indented by two", file), err)
	}
	if err := replaceFile(file, []byte(text)); err != nil {
		return nil, fmt.Errorf("add topic: %w", err)
	}
	return now[len(have):], nil
}

func parseTopics(file string, data []byte) ([]Topic, error) {
	d := decoder{file: file, where: map[string]string{}}
	topics := d.decode(data)
	return topics, errors.Join(d.faults...)
}

func (t Topic) withDefaults(have []Topic) Topic {
	if t.Slice == "" {
		t.Slice = Unsupported
		if len(t.Expect) > 0 {
			t.Slice = Answerable
		}
	}
	if t.ID == "" {
		t.ID = freeID(t.Question, have)
	}
	return t
}

// freeID makes an id of the first words of a question.
func freeID(question string, have []Topic) string {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return r < 0x80 && !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') || isSpace(r)
	})
	base := strings.Join(words[:min(5, len(words))], "-")
	if base == "" {
		base = "topic"
	}
	taken := map[string]bool{}
	for _, t := range have {
		taken[t.ID] = true
	}
	id := base
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return id
}

// replaceFile writes beside the file and renames, so that a reader sees the old
// text or the new one. The file keeps its permissions.
func replaceFile(name string, data []byte) error {
	perm := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		perm = info.Mode().Perm()
	}
	tmp := name + ".new"
	if err := os.WriteFile(tmp, data, perm); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}
