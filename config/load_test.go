package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// workshop makes the current folder an empty one with some vaults, and the user's
// home a folder in it.
func workshop(t *testing.T) string {
	t.Helper()
	dir := real(t.TempDir())
	for _, d := range []string{"notes/sub", "other", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "file.md"), "x")
	t.Chdir(dir)
	t.Setenv("HOME", filepath.Join(dir, "home"))
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", EnvFile, EnvMinScore, EnvMinCoverage, "OLLAMA_HOST"} {
		t.Setenv(name, "")
	}
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// load loads a text as ./candor.yaml.
func load(t *testing.T, text string) (*Config, error) {
	t.Helper()
	write(t, FileName, text)
	return Load(FileName)
}

func TestProblems(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/problems.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], archive.Files[i+1]
		name, _ := strings.CutSuffix(in.Name, ".yaml")
		if want.Name != name+".want" {
			t.Fatalf("%s is followed by %s", in.Name, want.Name)
		}
		t.Run(name, func(t *testing.T) {
			dir := workshop(t)
			_, err := load(t, string(in.Data))
			if err == nil {
				t.Fatal("loaded")
			}
			got := strings.ReplaceAll(err.Error(), dir, "DIR") + "\n"
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Error(diff)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("error is a %T", err)
			}
		})
	}
}

// full is the sample of the design document.
const full = `
vaults:    [{name: handbook, root: ./notes}]
profiles:
  public:  {allow: ["public/**"]}
  staff:   {allow: ["public/**", "internal/**"], deny: ["**/salaries/**"]}
default_profile: public
language:  [en, de]
ollama:    {url: "http://localhost:11434", model: "nomic-embed-text:latest", keep_alive: 10m,
            query_prefix: "", document_prefix: "doc: "}
retrieval: {mode: lexical, rrf_k: 30, weights: {lexical: 2, semantic: 0.5}}
evidence:  {min_score: 0, min_coverage: 0.4, per_note: 3}
trust:     [{paths: ["policies/**"], tier: T0, review_by: 2027-06-01}]
trust_default: T1
cache:     off
provenance: {journal: off, ttl: 90s, mode: enforce}
write:     {drafts: drafts, ledger: notes/ledger.jsonl}
limits:    {file_bytes: 1MiB, results: 10, result_tokens: 25000, chunk_words: 120, write_bytes: 65536, index_bytes: 64 MiB}
evals:     {topics: topics.yaml, confidence: 0.9}
redact:    {rules: [{name: badge, pattern: "BADGE-[0-9]{6}"}], allow: [BADGE-000000, "/BADGE-9+/"], flags: [HTB, picoCTF]}
telemetry: {endpoint: "http://127.0.0.1:4318/", allow_remote: no}
`

func at[T any](v T) *T { return &v }

func TestLoad(t *testing.T) {
	dir := workshop(t)
	got, err := load(t, full)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		File:   filepath.Join(dir, FileName),
		Vaults: []Vault{{"handbook", filepath.Join(dir, "notes")}},
		Profiles: map[string]Rules{
			"public": {Allow: []string{"public/**"}},
			"staff":  {Allow: []string{"public/**", "internal/**"}, Deny: []string{"**/salaries/**"}},
		},
		DefaultProfile: "public",
		Language:       []string{"en", "de"},
		Ollama:         &Ollama{"http://127.0.0.1:11434", "nomic-embed-text:latest", 10 * time.Minute, at(""), at("doc: ")},
		Retrieval:      Retrieval{"lexical", 30, Weights{2, 0.5}},
		Evidence:       Evidence{at(0.0), at(0.4), at(3)},
		Trust:          []Trust{{[]string{"policies/**"}, 0, time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)}},
		TrustDefault:   1,
		Provenance:     Provenance{"off", 90 * time.Second, "enforce"},
		Write:          Write{filepath.Join(dir, "drafts"), filepath.Join(dir, "notes/ledger.jsonl")},
		Limits:         Limits{1 << 20, 10, 25000, 120, 65536, 64 << 20},
		Evals:          Evals{filepath.Join(dir, "topics.yaml"), 0.9},
		Redact:         Redact{[]Pattern{{"badge", "BADGE-[0-9]{6}"}}, []string{"BADGE-000000", "/BADGE-9+/"}, []string{"HTB", "picoCTF"}},
		Telemetry:      &Telemetry{Endpoint: "http://127.0.0.1:4318"},
		Places:         UserPlaces(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ledger.jsonl"}, got.Unindexed()); diff != "" {
		t.Error(diff)
	}
}

func TestDefaults(t *testing.T) {
	dir := workshop(t)
	got, err := load(t, "vaults: [{name: a, root: notes}]")
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		File:           filepath.Join(dir, FileName),
		Vaults:         []Vault{{"a", filepath.Join(dir, "notes")}},
		DefaultProfile: "default",
		Language:       []string{"en"},
		Retrieval:      Retrieval{"auto", 60, Weights{1, 1}},
		Cache:          true,
		Provenance:     Provenance{"sealed", 24 * time.Hour, "stamp"},
		Limits:         Limits{16 << 20, 50, 8000, 0, 64 << 10, 1 << 30},
		Evals:          Evals{Confidence: 0.8},
		Places:         UserPlaces(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	t.Run("the same as without a file", func(t *testing.T) {
		plain, err := Default("notes")
		if err != nil {
			t.Fatal(err)
		}
		want.File, want.Vaults[0].Name = "", "vault"
		if diff := cmp.Diff(want, plain); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("an empty ollama section is Ollama with its defaults", func(t *testing.T) {
		c, err := load(t, "vaults: [{name: a, root: notes}]\nollama: {}")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&Ollama{URL: DefaultOllama, Model: "all-minilm", KeepAlive: 30 * time.Minute}, c.Ollama); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOneProfileNeedsNoDefault(t *testing.T) {
	workshop(t)
	c, err := load(t, "vaults: [{name: a, root: notes}]\nprofiles: {staff: {allow: ['**']}}")
	if err != nil {
		t.Fatal(err)
	}
	if c.DefaultProfile != "staff" || len(c.Warnings) != 0 {
		t.Errorf("default profile %q, warnings %q", c.DefaultProfile, c.Warnings)
	}
}

func TestProfileThatAllowsNothingIsSaid(t *testing.T) {
	workshop(t)
	c, err := load(t, "vaults: [{name: a, root: notes}]\nprofiles: {staff: {deny: ['**']}}")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"profile staff allows nothing: it has deny globs and no allow globs"}
	if diff := cmp.Diff(want, c.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestGatesFromEnvironment(t *testing.T) {
	workshop(t)
	t.Setenv(EnvMinScore, "0")
	t.Setenv(EnvMinCoverage, "0.25")
	const text = "vaults: [{name: a, root: notes}]\nevidence: {min_score: 0.9}"
	c, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Evidence{MinScore: at(0.0), MinCoverage: at(0.25)}, c.Evidence); diff != "" {
		t.Error(diff)
	}
	if c, err := Default("notes"); err != nil || *c.Evidence.MinScore != 0 {
		t.Errorf("without a file: %v, %v", c, err)
	}
	for _, bad := range []string{"x", "-1", "NaN", "2"} {
		t.Setenv(EnvMinScore, bad)
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), EnvMinScore) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"30m": 30 * time.Minute, "-1": -1, `"-1"`: -1, "0": 0, "600": 600 * time.Second, `"600"`: 600 * time.Second,
		"1.5": 1500 * time.Millisecond, "-5m": -1, "1h30m": 90 * time.Minute, "-1e300": -1, "0s": 0,
	} {
		workshop(t)
		c, err := load(t, "vaults: [{name: a, root: notes}]\nollama: {keep_alive: "+in+"}")
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if c.Ollama.KeepAlive != want {
			t.Errorf("%s: %v, want %v", in, c.Ollama.KeepAlive, want)
		}
	}
	for _, in := range []string{"soon", "1e99", ".nan", "true", "[1]", "5 minutes", "''"} {
		workshop(t)
		if _, err := load(t, "vaults: [{name: a, root: notes}]\nollama: {keep_alive: "+in+"}"); err == nil {
			t.Errorf("%s was taken", in)
		}
	}
}

func TestToggle(t *testing.T) {
	for in, want := range map[string]bool{"on": true, "yes": true, "true": true, "True": true, "off": false, "no": false, "false": false} {
		workshop(t)
		c, err := load(t, "vaults: [{name: a, root: notes}]\ncache: "+in)
		if err != nil || c.Cache != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestRoots(t *testing.T) {
	dir := workshop(t)
	odd := filepath.Join(dir, "My Notes (2024) 100% $5", "été")
	if err := os.MkdirAll(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "home", "kb"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CANDOR_TEST", "ho")
	home := filepath.Join(dir, "home", "kb")
	for in, want := range map[string]string{
		"~/kb": home, "$HOME/kb": home, "${HOME}/kb/": home, "%HOME%/kb": home, "./home/kb/": home, "./${CANDOR_TEST}me//kb": home,
		dir + "/My Notes (2024) 100% $5/été":   odd,
		dir + "/My Notes (2024) 100%% $$5/été": odd,
		".":                                    dir,
	} {
		quoted, _ := json.Marshal(in)
		if in == "." {
			t.Setenv("HOME", "/nonexistent")
		} else {
			t.Setenv("HOME", filepath.Join(dir, "home"))
		}
		// The folder that a client starts us in does not matter.
		write(t, filepath.Join(dir, FileName), "vaults: [{name: a, root: "+string(quoted)+"}]")
		t.Chdir("/")
		c, err := Load(filepath.Join(dir, FileName))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if c.Vaults[0].Root != want {
			t.Errorf("%s: %s, want %s", in, c.Vaults[0].Root, want)
		}
	}
}

func TestRootsThatMeetThroughLinks(t *testing.T) {
	workshop(t)
	if err := os.Symlink("notes", "alias"); err != nil {
		t.Skip("no links here")
	}
	_, err := load(t, "vaults: [{name: a, root: notes/sub}, {name: b, root: alias}]")
	if err == nil || !strings.Contains(err.Error(), "overlaps") {
		t.Errorf("%v", err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(mustGetwd(t), "alias", "cache", "not", "yet"))
	_, err = load(t, "vaults: [{name: a, root: notes}]")
	if err == nil || !strings.Contains(err.Error(), "would hold the cache") {
		t.Errorf("%v", err)
	}
}

func TestWriteZoneThatIsALink(t *testing.T) {
	workshop(t)
	for _, name := range []string{"drafts", "ledger"} {
		if err := os.Symlink("other", name); err != nil {
			t.Skip("no links here")
		}
		_, err := load(t, "vaults: [{name: a, root: notes}]\nwrite: {"+name+": "+name+"}")
		if err == nil || !strings.Contains(err.Error(), "is a link") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDefaultRefuses(t *testing.T) {
	dir := workshop(t)
	for in, want := range map[string]string{
		"":        "--vault: must not be empty",
		"missing": "--vault: " + dir + "/missing does not exist\n  hint: relative paths start at the current folder;",
		"file.md": "--vault: " + dir + "/file.md is a file",
		"~":       "would hold the key",
	} {
		if _, err := Default(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestUnindexed(t *testing.T) {
	workshop(t)
	if _, err := load(t, `
vaults: [{name: a, root: .}]
write: {drafts: "in[box]", ledger: log/ledger.jsonl}`); err == nil {
		t.Fatal("the current folder holds the home of this test: it must be refused")
	}
	t.Setenv("HOME", "/nonexistent")
	c, err := load(t, `
vaults: [{name: a, root: .}]
write: {drafts: "in[box]", ledger: log/ledger.jsonl}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"candor.yaml", "log/ledger.jsonl", `in\[box\]/**`}, c.Unindexed()); diff != "" {
		t.Error(diff)
	}
	c, err = load(t, `
vaults: [{name: a, root: notes}, {name: b, root: other}]
write: {drafts: other/drafts}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b/drafts/**"}, c.Unindexed()); diff != "" {
		t.Error(diff)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	dir := workshop(t)
	write(t, "large", strings.Repeat("# x\n", maxFile/4+1))
	for in, want := range map[string]string{"gone.yaml": "no such file", "notes": "is a folder", "large": "larger than 1 MiB", "/dev/null": "not a regular file"} {
		if _, err := Load(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s in %s: %v", in, dir, err)
		}
	}
}
