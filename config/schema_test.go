package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("candor.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("candor.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON reads YAML as an editor does: dates stay text.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	untime(&n)
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	v, err = jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func untime(n *yaml.Node) {
	if n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		untime(c)
	}
}

func TestSchemaTakesWhatLoads(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		full, "vaults: [{name: a, root: notes}]",
		"vaults: [{name: a, root: .}]\nollama: {}\ncache: on\nlanguage: []",
		"vaults: [{name: a, root: .}]\nollama: {keep_alive: -1}\nlimits: {file_bytes: 65536, write_bytes: 64KiB}",
		"vaults: [{name: a, root: .}]\nollama: {keep_alive: '-1', url: 'http://[::1]'}\ntrust_default: T3",
	} {
		if err := s.Validate(asJSON(t, []byte(text))); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// beyond are faults that only the reader sees: across keys, on disk, or in YAML itself.
var beyond = map[string]bool{
	"empty": true, "comment-only": true, "tab": true, "two-documents": true, "alias": true, "twice": true,
	"no-default-profile": true, "wrong-default-profile": true, "default-profile-alone": true, "vault-prefix": true,
	"trust-no-default": true, "telemetry": true, "same-name": true, "unset": true, "roots": true, "write-zone": true,
	"weights": true, "folder-globs": true,
}

func TestSchemaRefusesWhatDoesNotLoad(t *testing.T) {
	s := compiled(t)
	archive, err := txtar.ParseFile("testdata/problems.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name, isInput := strings.CutSuffix(f.Name, ".yaml")
		if !isInput || beyond[name] {
			continue
		}
		if s.Validate(asJSON(t, f.Data)) == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
}

func TestSchemaDescribesEveryKey(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	keys := 0
	var walk func(at string, s map[string]any)
	walk = func(at string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			p := p.(map[string]any)
			if d, _ := p["description"].(string); len(d) < 10 {
				t.Errorf("%s.%s has no description", at, name)
			}
			keys++
			walk(at+"."+name, p)
		}
		for _, below := range []string{"items", "additionalProperties"} {
			if p, ok := s[below].(map[string]any); ok {
				walk(at+"."+below, p)
			}
		}
	}
	walk("", doc)
	if keys < 50 {
		t.Errorf("only %d keys", keys)
	}
	limits := doc["properties"].(map[string]any)["limits"].(map[string]any)["properties"].(map[string]any)
	tokens := limits["result_tokens"].(map[string]any)
	if tokens["default"] != 8000.0 || tokens["maximum"] != 25000.0 {
		t.Errorf("result_tokens: %v", tokens)
	}
}
