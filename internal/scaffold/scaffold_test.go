package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"candor/config"
	"candor/internal/scaffold"
)

// unpack makes a folder of a testdata archive, beside a home of its own.
func unpack(t *testing.T, archive, name string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(base, "home"))
	for _, v := range []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "CANDOR_MIN_SCORE", "CANDOR_MIN_COVERAGE"} {
		t.Setenv(v, "")
	}
	dir := filepath.Join(base, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	if err := txtar.Write(a, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start runs Init as the command does and loads what it wrote.
func start(t *testing.T, o scaffold.Options) (scaffold.Found, *config.Config) {
	t.Helper()
	o.Check = func(file string) error {
		_, err := config.Load(file)
		return err
	}
	found, err := scaffold.Init(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(found.File)
	if err != nil {
		t.Fatal(err)
	}
	return found, c
}

func TestPlainFolder(t *testing.T) {
	dir := unpack(t, "plain.txtar", "My Notes (2024) 100% $5 é")
	found, c := start(t, scaffold.Options{Dir: dir})
	want := scaffold.Found{
		File: filepath.Join(dir, "candor.yaml"), Vault: dir, Name: "my-notes-2024-100-5", Notes: 4,
		Folders: []string{"hr", "projects"}, Git: true,
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]config.Vault{{Name: want.Name, Root: dir}}, c.Vaults); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]config.Rules{"me": {Allow: []string{"**"}}}, c.Profiles); diff != "" {
		t.Error(diff)
	}
	if c.DefaultProfile != "me" || c.Ollama != nil || len(c.Warnings) != 0 {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff([]string{"candor.yaml"}, c.Unindexed()); diff != "" {
		t.Error(diff)
	}
}

func TestObsidianVault(t *testing.T) {
	dir := unpack(t, "obsidian.txtar", "vault")
	found, c := start(t, scaffold.Options{Dir: dir})
	deny := []string{
		"Templates/**", `Arch\[old\]*`, `Arch\[old\]*/**`, "Daily/2020*", "Daily/2020*/**", "**/*.excalidraw.md",
		"Private*", "Private*/**", "**/*draft*", "**/*draft*/**", `\!inbox/**`, `**/*\!bang*`, `**/*\!bang*/**`,
	}
	if !found.Obsidian || found.Git || found.Notes != 3 {
		t.Errorf("%+v", found)
	}
	if diff := cmp.Diff(deny, found.Denied); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]config.Rules{"me": {Allow: []string{"**"}, Deny: deny}}, c.Profiles); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`/^(a|b)\//`, `C:\x`, "/../x/", "a\nb", "/([/"}, found.Unread); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(found.File)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "NOT in force") || !strings.Contains(string(text), `#   "a\nb"`) {
		t.Errorf("exclusions that are not in force are not said:\n%s", text)
	}
	for path, denied := range map[string]bool{
		"templates/x.md": true, "templates2/x.md": false, "arch[old] notes/x.md": true, "archo/x.md": false,
		"daily/2020-01-01.md": true, "daily/2021-01-01.md": false, "a/b/sketch.excalidraw.md": true, "sketch.md": false,
		"privates/deep/x.md": true, "work/private.md": false, "work/my draft 2/x.md": true, "!inbox/x.md": true, "a/b!bang.md": true, "a/bang.md": false,
	} {
		got := false
		for _, g := range deny {
			ok, err := doublestar.Match(strings.ToLower(g), path)
			if err != nil {
				t.Fatal(err)
			}
			got = got || ok
		}
		if got != denied {
			t.Errorf("%s: denied %v", path, got)
		}
	}
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	for name, app := range map[string]string{"broken": "{", "other": `{"userIgnoreFilters": 7}`, "none": "{}"} {
		dir := unpack(t, "plain.txtar", "vault")
		if err := os.Mkdir(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".obsidian", "app.json"), []byte(app), 0o600); err != nil {
			t.Fatal(err)
		}
		found, _ := start(t, scaffold.Options{Dir: dir})
		if said := len(found.Unread) == 1; said != (name != "none") {
			t.Errorf("%s: %q", name, found.Unread)
		}
	}
}

func TestFileElsewhere(t *testing.T) {
	dir := unpack(t, "plain.txtar", "100% $HOME")
	beside := filepath.Join(filepath.Dir(dir), "beside.yaml")
	if _, c := start(t, scaffold.Options{Dir: dir, File: beside}); c.Vaults[0].Root != dir {
		t.Errorf("beside: %s", c.Vaults[0].Root)
	}
	text, err := os.ReadFile(beside)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `root: "./100%% $$HOME"`) {
		t.Errorf("the file and its vault cannot move together:\n%s", text)
	}
	away := filepath.Join(t.TempDir(), "away.yaml")
	if _, c := start(t, scaffold.Options{Dir: dir, File: away}); c.Vaults[0].Root != dir {
		t.Errorf("away: %s", c.Vaults[0].Root)
	}
}

// The commented example, too, must be what it says.
func TestExampleLoads(t *testing.T) {
	dir := unpack(t, "plain.txtar", "vault")
	found, _ := start(t, scaffold.Options{Dir: dir})
	data, err := os.ReadFile(found.File)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := strings.Index(text, "#  team:")
	example, _, _ := strings.Cut(text[at:], "\n\n")
	example = strings.ReplaceAll(example, "#  ", "  ")
	text = strings.Replace(text, "default_profile:", example+"\ndefault_profile:", 1)
	for _, key := range []string{"ollama", "language", "evals"} {
		text = strings.Replace(text, "# "+key+":", key+":", 1)
	}
	if err := os.WriteFile(found.File, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(found.File)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := map[string]config.Rules{
		"me": {Allow: []string{"**"}}, "team": {Allow: []string{"hr/**"}}, "guest": {Allow: []string{"**"}, Deny: []string{"projects/**"}},
	}
	if diff := cmp.Diff(want, c.Profiles); diff != "" {
		t.Error(diff)
	}
	if c.Ollama == nil || c.Evals.Topics == "" {
		t.Errorf("%+v", c)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := unpack(t, "plain.txtar", "vault")
	file := filepath.Join(dir, "candor.yaml")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Init(scaffold.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "there already; hint:") {
		t.Error(err)
	}
	if text, _ := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("now %q", text)
	}
}

// A ~ that the shell left alone, as in quotes, is the home, for the folder and the file.
func TestHome(t *testing.T) {
	dir := unpack(t, "plain.txtar", "home")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	found, c := start(t, scaffold.Options{Dir: "~/empty", File: "~/mine.yaml"})
	if want := filepath.Join(dir, "empty"); found.Vault != want || c.Vaults[0].Root != want {
		t.Errorf("the vault is %s, loaded as %s, not %s", found.Vault, c.Vaults[0].Root, want)
	}
	if want := filepath.Join(dir, "mine.yaml"); found.File != want {
		t.Errorf("the file is %s, not %s", found.File, want)
	}
}

func TestRefused(t *testing.T) {
	dir := unpack(t, "plain.txtar", "vault")
	for name, c := range map[string]struct {
		o    scaffold.Options
		want string
	}{
		"no folder":      {scaffold.Options{}, "hint: name the folder"},
		"missing folder": {scaffold.Options{Dir: filepath.Join(dir, "gone")}, "hint: name a folder that exists"},
		"a file":         {scaffold.Options{Dir: filepath.Join(dir, "README.md")}, "is a file; hint:"},
		"other's home":   {scaffold.Options{Dir: "~someone/notes"}, "hint: write the whole path"},
		"failed check":   {scaffold.Options{Dir: dir, Check: func(string) error { return errors.New("no good") }}, "no good"},
	} {
		if _, err := scaffold.Init(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "candor.yaml")); err == nil {
		t.Error("a file that failed its check was left behind")
	}
}
