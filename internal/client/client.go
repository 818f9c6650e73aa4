// Package client writes the configuration that makes an MCP client start candor.
//
// It prints; it never edits a client's file. What it prints has absolute paths, since
// clients start servers without a shell and in a folder of their choice, and no
// environment and no token: a stdio server needs neither.
package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Server says how candor is started. One of Config, Vault and Demo is set.
type Server struct {
	Binary  string // absolute path of candor
	Config  string // absolute path of candor.yaml
	Vault   string // absolute path of a folder of notes
	Demo    bool   // the embedded vault
	Profile string // "" for the default profile
	OS      string // as runtime.GOOS names the machine that it runs on
}

// Snippet is a piece of configuration for one client.
type Snippet struct {
	Client  string // as people write it: "Claude Desktop"
	File    string // where it goes, for the current user
	Text    string // what goes there: JSON or TOML, ending in a newline
	Merge   string // where in the file, when there is one already
	Command string // a shell command that does the same, "" if the client has none
	After   string // what to do then
}

// name is what clients call the server.
const name = "candor"

// A kind is one client: its words and its format.
type kind struct {
	client  string
	files   map[string]string // by OS; "" is the rest
	render  func(command) string
	merge   string
	command string // program and words before the server's command line
	after   string
}

// command is a program and its arguments.
type command struct {
	program string
	args    []string
}

const typed = `"type": "stdio"` // for clients that want the transport named

var kinds = map[string]kind{
	"claude-desktop": {
		client: "Claude Desktop",
		files: map[string]string{
			"darwin":  "~/Library/Application Support/Claude/claude_desktop_config.json",
			"windows": `%APPDATA%\Claude\claude_desktop_config.json`,
			"":        "~/.config/Claude/claude_desktop_config.json",
		},
		render: under("mcpServers"), merge: "mcpServers",
		after: "Quit Claude Desktop and start it again.",
	},
	"claude-code": {
		client: "Claude Code", files: map[string]string{"": ".mcp.json in the folder of your project"},
		render: under("mcpServers", typed), merge: "mcpServers",
		command: "claude mcp add --scope user " + name + " --",
		after:   "Type /mcp in Claude Code to see it.",
	},
	"cursor": {
		client: "Cursor",
		files:  map[string]string{"windows": `%USERPROFILE%\.cursor\mcp.json`, "": "~/.cursor/mcp.json"},
		render: under("mcpServers", typed), merge: "mcpServers",
		after: "Switch candor on in Cursor's settings, under MCP.",
	},
	"vscode": {
		client: "VS Code", files: map[string]string{"": ".vscode/mcp.json in the folder of your project"},
		render: under("servers", typed), merge: "servers",
		after: "Run the command MCP: List Servers and start candor.",
	},
	"codex": {
		client: "Codex",
		files:  map[string]string{"windows": `%USERPROFILE%\.codex\config.toml`, "": "~/.codex/config.toml"},
		render: codexTable, merge: "the end of the file",
		command: "codex mcp add " + name + " --",
		after:   "Type /mcp in Codex to see it.",
	},
	"zed": {
		client: "Zed",
		files:  map[string]string{"windows": `%APPDATA%\Zed\settings.json`, "": "~/.config/zed/settings.json"},
		render: under("context_servers"), merge: "context_servers",
		after: "Look for the green dot beside candor in the settings of the agent panel.",
	},
}

// Names are the clients, sorted.
func Names() []string {
	names := make([]string, 0, len(kinds))
	for n := range kinds {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// For gives the snippet for a client, one of [Names].
func For(client string, s Server) (Snippet, error) {
	k, ok := kinds[client]
	if !ok {
		return Snippet{}, fmt.Errorf("no client %q; hint: one of %s", client, strings.Join(Names(), ", "))
	}
	if err := s.check(); err != nil {
		return Snippet{}, err
	}
	args := s.args()
	out := Snippet{
		Client: k.client, File: k.files[s.OS], Merge: k.merge, After: k.after,
		Text: k.render(command{s.Binary, args}),
	}
	if out.File == "" {
		out.File = k.files[""]
	}
	// Windows has two shells that quote differently, and one of them eats the --.
	if k.command != "" && s.OS != "windows" {
		words := []string{k.command, shell(s.Binary)}
		for _, a := range args {
			words = append(words, shell(a))
		}
		out.Command = strings.Join(words, " ")
	}
	return out, nil
}

func (s Server) args() []string {
	args := []string{"serve"}
	switch {
	case s.Config != "":
		args = append(args, "--config", s.Config)
	case s.Vault != "":
		args = append(args, "--vault", s.Vault)
	case s.Demo:
		args = append(args, "--demo")
	}
	if s.Profile != "" {
		args = append(args, "--profile", s.Profile)
	}
	return args
}

var (
	windowsAbs = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)
	plainWord  = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)
)

// check refuses what a client would not start as it stands.
func (s Server) check() error {
	sources := 0
	for _, given := range []bool{s.Config != "", s.Vault != "", s.Demo} {
		if given {
			sources++
		}
	}
	if sources != 1 {
		return fmt.Errorf("what to serve is not clear; hint: name one of --config FILE, --vault DIR, --demo")
	}
	for _, p := range []string{s.Binary, s.Config, s.Vault} {
		absolute := strings.HasPrefix(p, "/")
		if s.OS == "windows" {
			absolute = windowsAbs.MatchString(p)
		}
		if !absolute && (p != "" || p == s.Binary) {
			return fmt.Errorf("%q is not an absolute path; hint: clients start servers in a folder of their choice", p)
		}
	}
	for _, word := range append([]string{s.Binary}, s.args()...) {
		if strings.ContainsFunc(word, unicode.IsControl) || !utf8.ValidString(word) {
			return fmt.Errorf("%q has a control character or is not UTF-8; hint: rename it", word)
		}
		if strings.Contains(word, "${") {
			return fmt.Errorf("%q has ${ in it, which clients replace; hint: rename it", word)
		}
	}
	return nil
}

// under puts the server into the mapping that a client looks in: five lines.
func under(key string, first ...string) func(command) string {
	return func(c command) string {
		pairs := append(slices.Clone(first), `"command": `+quote(c.program), `"args": `+list(c.args))
		return fmt.Sprintf("{\n  %s: {\n    %s: {%s}\n  }\n}\n", quote(key), quote(name), strings.Join(pairs, ", "))
	}
}

// codexTable writes the table of Codex. A JSON string without control characters is a
// TOML basic string.
func codexTable(c command) string {
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", name, quote(c.program), list(c.args))
}

func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string: cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// shell quotes a word for a POSIX shell.
func shell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
