package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"candor/config"
)

var update = flag.Bool("update", false, "write the generated pages of doc/")

// page compares a generated page with the committed one, or writes it with -update.
func page(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join("..", "..", "doc", name)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("doc/%s is not what the program says; run go test ./cmd/server -update\n%s", name, diff)
	}
}

// TestCommandsPage holds that doc/commands.md names every command and flag.
func TestCommandsPage(t *testing.T) {
	var c cli
	parser, err := kong.New(&c, kong.Name("candor"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Commands\n\nMade from the program by `go test ./cmd/server -update`.\n\n" +
		"Exit status: 0 answered, 1 abstained or a gate failed, 2 an error. Results go to\n" +
		"stdout, all else to stderr. Colour and links only on a terminal; `NO_COLOR` is obeyed.\n\n" +
		"Every command takes:\n\n")
	flagLines(&b, parser.Model.Flags)
	for _, node := range parser.Model.Leaves(true) {
		fmt.Fprintf(&b, "\n## candor %s\n\n%s\n\n", summary(node), node.Help)
		for _, arg := range node.Positional {
			fmt.Fprintf(&b, "- `%s`: %s\n", arg.Summary(), arg.Help)
		}
		flagLines(&b, node.Flags)
	}
	page(t, "commands.md", strings.TrimRight(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"), "\n")+"\n")
}

// summary is a command with its arguments.
func summary(node *kong.Node) string {
	parts := []string{strings.TrimPrefix(node.FullPath(), "candor ")}
	for _, arg := range node.Positional {
		parts = append(parts, arg.Summary())
	}
	return strings.Join(parts, " ")
}

// flagLines lists flags.
func flagLines(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		fmt.Fprintf(b, "- `%s`: %s\n", strings.TrimSpace(f.String()), f.Help)
	}
}

// TestConfigurationPage holds that doc/configuration.md names every key of candor.yaml.
func TestConfigurationPage(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# candor.yaml\n\nMade from the program by `go test ./cmd/server -update`; `candor schema` prints the same as\n" +
		"JSON Schema, for editors.\n\nWithout `--config` the file is found by `$CANDOR_CONFIG`, as `./candor.yaml`, or in the\n" +
		"user's configuration folder. Relative paths start at the folder of the file; `~`, `$NAME`,\n" +
		"`${NAME}` and `%NAME%` are expanded. Unknown keys are errors.\n\n" +
		"`candor serve` takes a saved file over within a second, or at once on SIGHUP, and says so on\n" +
		"stderr when it is in force; a faulty one changes nothing and is reported with its line. A\n" +
		"profile that is taken away finds nothing from then on. Only a restart changes `write`,\n" +
		"`provenance`, `telemetry`, the limits of results and writes, and the profile that a\n" +
		"client on stdio looks through.\n\n| key | meaning | default |\n|---|---|---|\n")
	keyRows(&b, "", schema)
	b.WriteString("\n## Variables\n\n| variable | meaning |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, variables[name])
	}
	page(t, "configuration.md", b.String())
}

// variables are the environment variables that the program or its tests read.
var variables = map[string]string{
	"CANDOR_CONFIG":         "The configuration file, where no flag names one.",
	"CANDOR_MIN_SCORE":      "Overrides `evidence.min_score`; 0 switches the gate off, for the sabotage run of the evals.",
	"CANDOR_MIN_COVERAGE":   "Overrides `evidence.min_coverage`, likewise.",
	"CANDOR_PYTHON":         "For the tests: a Python with ir-measures, which the metrics are then held to.",
	"CANDOR_TEST_OLLAMA":    "For the tests: the address of a real Ollama with all-minilm; `scripts/ollama start` prints it.",
	"CANDOR_REQUIRE_OLLAMA": "For the tests: a test that needs the real Ollama fails without it instead of being skipped.",
	"NO_COLOR":              "No colour on a terminal.",
	"OLLAMA_HOST":           "Where Ollama listens, where `ollama.url` does not say it; a listen address means loopback, a remote one is refused.",
}

// keyRows writes a row for each key of an object, and for the keys inside it.
func keyRows(b *strings.Builder, prefix string, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := properties[name].(map[string]any)
		def := ""
		if d, ok := p["default"]; ok {
			text, _ := json.Marshal(d)
			def = "`" + string(text) + "`"
		}
		help, _ := p["description"].(string)
		if choice := choices(p); choice != "" {
			help += " One of " + choice + "."
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, name, strings.ReplaceAll(help, "|", "\\|"), def)
		keyRows(b, prefix+name+".", p)
		if items, ok := p["items"].(map[string]any); ok {
			keyRows(b, prefix+name+"[].", items)
		}
		if each, ok := p["additionalProperties"].(map[string]any); ok {
			keyRows(b, prefix+name+".NAME.", each)
		}
	}
}

// choices lists the words of an enumeration.
func choices(p map[string]any) string {
	list, _ := p["enum"].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, "`"+s+"`")
		}
	}
	return strings.Join(out, ", ")
}

// TestVariablesAreNamed finds variables in the source, tests aside, that no page explains.
func TestVariablesAreNamed(t *testing.T) {
	name := regexp.MustCompile(`"(CANDOR_[A-Z_]+)"`) // as an argument of os.Getenv or a constant
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return err
		}
		data, err := os.ReadFile(filepath.Join("../..", p))
		for _, m := range name.FindAllSubmatch(data, -1) {
			seen[string(m[1])] = true
			if variables[string(m[1])] == "" {
				t.Errorf("%s reads %s, which no page explains", p, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen["CANDOR_CONFIG"] {
		t.Error("CANDOR_CONFIG was not found: the search is broken")
	}
}
