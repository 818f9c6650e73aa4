package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile is far above any configuration that a person wrote.
const maxFile = 1 << 20

// Load reads and checks a configuration file. All that is wrong with it comes as one
// [*Error].
func Load(file string) (*Config, error) {
	data, err := Read(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Parse is [Load] for the text that [Read] gave.
func Parse(file string, data []byte) (*Config, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := &reader{lines: map[string]int{}}
	c := r.parse(data)
	c.File, c.Places = abs, UserPlaces()
	r.check(&c, filepath.Dir(abs))
	return r.result(&c, file)
}

// flagVault is where problems of a vault without a file are.
const flagVault = "--vault"

// Default is the configuration of one vault without a file: one profile that sees
// all, lexical search, nothing written.
func Default(vault string) (*Config, error) {
	r := &reader{lines: map[string]int{}}
	c := fresh()
	c.DefaultProfile, c.Places = DefaultProfile, UserPlaces()
	if base, err := os.Getwd(); err != nil {
		r.fail(flagVault, "the current folder cannot be read: "+err.Error(), "write the whole path")
	} else if root, ok := r.path(flagVault, base, vault); ok {
		c.Vaults = []Vault{{Name: "vault", Root: root}}
		r.checkFolder(flagVault, root, c.Places)
	}
	r.override(&c.Evidence)
	return r.result(&c, "")
}

func (r *reader) result(c *Config, file string) (*Config, error) {
	if len(r.problems) == 0 {
		return c, nil
	}
	err := &Error{File: file, Problems: r.problems}
	err.sort()
	return nil, err
}

// Read gives the text of a configuration: of a regular file of bounded size, since a
// pipe would hang the program.
func Read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, plain(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; hint: name the %s in it, or use --vault for a folder of notes", file, FileName)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, plain(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, plain(err))
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is larger than 1 MiB; hint: is it a %s?", file, FileName)
	}
	return data, nil
}

// plain drops the operation and the path, which the message has already.
func plain(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// parse reads the text by the table. It never fails: problems are kept.
func (r *reader) parse(data []byte) Config {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		r.fail("", "is empty", "candor init DIR writes a "+FileName+" to begin with")
		return fresh()
	} else if err != nil {
		r.syntax(err, data)
		return fresh()
	}
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		if err != nil {
			r.syntax(err, data)
		} else {
			r.problems = append(r.problems, Problem{next.Line, "", "holds more than one document", "remove the --- lines"})
		}
		return fresh()
	}
	if r.vet(&doc); len(r.problems) > 0 {
		return fresh()
	}
	root := doc.Content[0]
	r.lines[""] = root.Line
	c, _ := table().read(r, "", root)
	return c
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line ([0-9]+): )?(?s:(.*))$`)

// syntax reports an error of the YAML parser with its line.
func (r *reader) syntax(err error, data []byte) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1]) // "" is 0, no line
	hint := "quote text that has : # [ ] { } or * in it, and indent with spaces"
	if lines := strings.Split(string(data), "\n"); line > 0 && line <= len(lines) && strings.Contains(lines[line-1], "\t") {
		hint = "indent with spaces, not tabs"
	}
	r.problems = append(r.problems, Problem{line, "", "is not YAML: " + m[2], hint})
}

// vet refuses what YAML has for programs: anchors, aliases and tags. Without aliases
// a small file cannot mean a large one.
func (r *reader) vet(n *yaml.Node) {
	what := ""
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		what = "anchors and aliases are not read here"
	case n.Style&yaml.TaggedStyle != 0:
		what = "tags are not read here"
	case n.ShortTag() == "!!merge":
		what = "merge keys are not read here"
	}
	if what != "" {
		r.problems = append(r.problems, Problem{n.Line, "", what, "write the value itself; quote text that begins with &, * or !"})
	}
	for _, c := range n.Content {
		r.vet(c)
	}
}
