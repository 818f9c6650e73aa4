package client

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite testdata/clients.txtar")

// starts are ways to start candor, with the paths that go wrong.
var starts = []struct {
	name string
	Server
}{
	{"linux", Server{Binary: "/usr/local/bin/candor", Config: "/home/ana/My Notes (2024)/été & co/candor.yaml", Profile: "staff", OS: "linux"}},
	{"darwin", Server{Binary: "/opt/homebrew/bin/candor", Vault: "/Users/ana/Ana's \"best\" notes", OS: "darwin"}},
	{"windows", Server{Binary: `C:\Program Files\candor\candor.exe`, Config: `C:\Users\ana\notes\candor.yaml`, OS: "windows"}},
	{"demo", Server{Binary: "/usr/bin/candor", Demo: true, OS: "freebsd"}},
}

func (s Snippet) golden() string {
	out := "into:    " + s.File + ", " + s.Merge + "\n"
	if s.Command != "" {
		out += "or run:  " + s.Command + "\n"
	}
	return out + "then:    " + s.After + "\n" + s.Text
}

func TestGolden(t *testing.T) {
	const file = "testdata/clients.txtar"
	got := &txtar.Archive{Comment: []byte("What candor client NAME says, by client and system. go test -update rewrites it.\n\n")}
	for _, name := range Names() {
		for _, s := range starts {
			snippet, err := For(name, s.Server)
			if err != nil {
				t.Fatal(err)
			}
			got.Files = append(got.Files, txtar.File{Name: name + " " + s.name, Data: []byte(snippet.golden())})
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Error(diff)
	}
}

// entry reads a snippet as its client does.
func entry(t *rapid.T, client, text string) map[string]any {
	var doc map[string]any
	var err error
	key := map[string]string{"vscode": "servers", "codex": "mcp_servers", "zed": "context_servers"}[client]
	if key == "" {
		key = "mcpServers"
	}
	if client == "codex" {
		err = toml.Unmarshal([]byte(text), &doc)
	} else {
		err = json.Unmarshal([]byte(text), &doc)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", client, err, text)
	}
	servers, _ := doc[key].(map[string]any)
	out, _ := servers["candor"].(map[string]any)
	if len(doc) != 1 || len(servers) != 1 || out == nil {
		t.Fatalf("%s: %v", client, doc)
	}
	return out
}

// Whatever a path holds, a client that reads the snippet starts exactly that, and
// the snippet holds nothing else: no environment, no token.
func TestClientsReadBackWhatIsMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[ -~ ÄßЖ日🧙\x{2028}]{1,20}`).Filter(func(s string) bool { return !strings.Contains(s, "${") })
		s := Server{Binary: "/" + path.Draw(t, "binary"), Config: "/" + path.Draw(t, "config"), Profile: "staff", OS: "linux"}
		if rapid.Bool().Draw(t, "windows") {
			s.Binary, s.Config, s.OS = `C:\`+s.Binary[1:], `C:\`+s.Config[1:], "windows"
		}
		for _, client := range Names() {
			snippet, err := For(client, s)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"command": s.Binary, "args": []any{"serve", "--config", s.Config, "--profile", "staff"}}
			if slices.Contains([]string{"claude-code", "cursor", "vscode"}, client) {
				want["type"] = "stdio"
			}
			if diff := cmp.Diff(want, entry(t, client, snippet.Text)); diff != "" {
				t.Fatalf("%s: %s", client, diff)
			}
		}
	})
}

func TestShellReadsBackWhatIsMeant(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, word := range []string{"plain/path", "two words", "it's", `"`, "$HOME", "a;b", "`x`", "*", "~", "é", `\`, "-rf", "#", "!x"} {
		out, err := exec.Command(sh, "-c", "printf %s "+shell("/"+word)).Output()
		if err != nil || string(out) != "/"+word {
			t.Errorf("%q became %q, %v", word, out, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		client string
		Server
		want string
	}{
		"unknown client":      {"emacs", starts[0].Server, "one of claude-code, claude-desktop, codex, cursor, vscode, zed"},
		"relative binary":     {"zed", Server{Binary: "candor", Demo: true}, "not an absolute path"},
		"no binary":           {"zed", Server{Demo: true}, "not an absolute path"},
		"relative config":     {"zed", Server{Binary: "/candor", Config: "candor.yaml"}, "not an absolute path"},
		"unix path there":     {"zed", Server{Binary: "/candor", Demo: true, OS: "windows"}, "not an absolute path"},
		"windows path here":   {"zed", Server{Binary: `C:\candor.exe`, Demo: true, OS: "linux"}, "not an absolute path"},
		"nothing to serve":    {"zed", Server{Binary: "/candor"}, "--config FILE, --vault DIR, --demo"},
		"two things to serve": {"zed", Server{Binary: "/candor", Demo: true, Vault: "/v"}, "--config FILE, --vault DIR, --demo"},
		"a newline":           {"zed", Server{Binary: "/candor", Vault: "/a\nb"}, "control character"},
		"not UTF-8":           {"zed", Server{Binary: "/candor", Vault: "/a\xff"}, "not UTF-8"},
		"a client's variable": {"zed", Server{Binary: "/candor", Vault: "/a/${HOME}"}, "which clients replace"},
	} {
		if _, err := For(c.client, c.Server); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
