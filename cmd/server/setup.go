package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"candor/config"
	"candor/internal/client"
	"candor/internal/scaffold"
)

// initCmd writes a first configuration.
type initCmd struct {
	Dir string `arg:"" help:"The folder of notes; an Obsidian vault is taken as it is."`
	Out string `placeholder:"FILE" help:"Write the file here instead of candor.yaml inside the folder."`
}

// Run writes candor.yaml and prints the next two commands.
func (c *initCmd) Run(a *app) error {
	found, err := scaffold.Init(scaffold.Options{Dir: c.Dir, File: c.Out, Check: func(file string) error {
		_, err := config.Load(file)
		return err
	}})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.out.json(found)
	}
	a.out.found(found)
	return nil
}

// found prints what init wrote and what comes next.
func (p printer) found(f scaffold.Found) {
	more, kind := "", "folder"
	if f.More {
		more = "more than "
	}
	if f.Obsidian {
		kind = "Obsidian vault"
	}
	fmt.Fprintf(p.w, "wrote %s for the %s %s with %s%d notes\n", f.File, kind, f.Vault, more, f.Notes)
	for _, g := range f.Denied {
		fmt.Fprintf(p.w, "denied, as Obsidian excludes it: %s\n", plain(g))
	}
	for _, g := range f.Unread {
		fmt.Fprintf(p.w, "excluded in Obsidian and not understood here; deny it yourself: %s\n", plain(g))
	}
	fmt.Fprintf(p.w, "\nnext:\n  candor check --config %[1]s\n  candor search --config %[1]s \"a question of yours\"\n", quoted(f.File))
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune(shellSafe, r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// shellSafe are the characters that need no quotes in a shell.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:="

// clientCmd prints a client's configuration.
type clientCmd struct {
	Name string `arg:"" enum:"claude-desktop,claude-code,cursor,vscode,codex,zed" help:"claude-desktop, claude-code, cursor, vscode, codex or zed."`
}

// Run prints what to put where. The snippet alone goes to stdout, so it can be piped.
func (c *clientCmd) Run(a *app) error {
	server, err := a.clientServer()
	if err != nil {
		return err
	}
	s, err := client.For(c.Name, server)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.out.json(s)
	}
	fmt.Fprintf(a.Stderr, "%s: %s\n", s.Client, s.File)
	if s.Merge != "" {
		fmt.Fprintf(a.Stderr, "where in it: %s\n", s.Merge)
	}
	if _, err := fmt.Fprint(a.Stdout, s.Text); err != nil {
		return err
	}
	if s.Command != "" {
		fmt.Fprintf(a.Stderr, "or run:\n  %s\n", s.Command)
	}
	if s.After != "" {
		fmt.Fprintln(a.Stderr, s.After)
	}
	return nil
}

// clientServer says how a client starts this program with these flags.
func (a *app) clientServer() (client.Server, error) {
	binary, err := os.Executable()
	if err != nil {
		return client.Server{}, err
	}
	s := client.Server{Binary: binary, Profile: a.Profile, OS: runtime.GOOS, Demo: a.Demo}
	switch {
	case a.Demo:
	case a.Vault != "":
		s.Vault, err = filepath.Abs(a.Vault)
	default:
		if s.Config, err = config.Find(a.Config); err == nil {
			s.Config, err = filepath.Abs(s.Config)
		}
	}
	if err != nil {
		return client.Server{}, err
	}
	if strings.HasPrefix(binary, os.TempDir()) && strings.Contains(binary, "go-build") {
		return client.Server{}, withHint(errors.New("this binary is temporary, made by go run"),
			"go build -o candor ./cmd/server, then ./candor client NAME")
	}
	return s, nil
}

// schemaCmd prints the JSON Schema.
type schemaCmd struct{}

// Run prints the JSON Schema of candor.yaml.
func (schemaCmd) Run(a *app) error {
	_, err := a.Stdout.Write(config.Schema())
	return err
}

// versionCmd prints the version.
type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(a *app) error {
	_, err := fmt.Fprintln(a.Stdout, "candor", version())
	return err
}

// version is the module's, or that of the source it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
