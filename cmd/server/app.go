package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"candor"
)

// The exit statuses, as grep has them.
const (
	exitAnswered = 0
	exitNo       = 1 // abstained, a gate failed, a verdict of no
	exitError    = 2
)

// Main is the program with its surroundings as values, so that a test can run it.
type Main struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// global are the flags of every command.
type global struct {
	Config  string `placeholder:"FILE" help:"The configuration; else $$CANDOR_CONFIG, ./candor.yaml, the user's configuration folder."`
	Vault   string `placeholder:"DIR" help:"One folder of notes, no configuration: one profile that sees all."`
	Demo    bool   `help:"The embedded handbook of a fictional company."`
	Profile string `placeholder:"NAME" help:"Whose eyes to look through; else default_profile."`
	JSON    bool   `name:"json" help:"Print the structured form of the answer."`
}

// cli is the command line.
type cli struct {
	global

	DemoCmd demoCmd    `cmd:"" name:"demo" help:"Show a cited answer, an abstention and a denied note on the embedded vault."`
	Search  searchCmd  `cmd:"" help:"Find passages that answer a question, or abstain."`
	Read    readCmd    `cmd:"" help:"Print the lines of a citation or of a note."`
	Outline outlineCmd `cmd:"" help:"List notes and their headings."`
	Links   linksCmd   `cmd:"" help:"List what a note links to and what links to it."`
	Serve   serveCmd   `cmd:"" help:"Answer an MCP client over stdin and stdout, or several over HTTP. SIGHUP reads candor.yaml again."`
	Token   tokenCmd   `cmd:"" help:"Look after the tokens of the HTTP door."`
	Wrap    wrapCmd    `cmd:"" help:"Stand in front of another MCP server and stamp its results."`
	Ledger  ledgerCmd  `cmd:"" help:"Look after the ledger of lessons."`
	Check   checkCmd   `cmd:"" help:"Tell the owner what is indexed, skipped, masked and superseded."`
	Verify  verifyCmd  `cmd:"" help:"Judge claims against the results that they are said to come from."`
	Embed   embedCmd   `cmd:"" help:"Give every passage a vector, for hybrid answers."`
	Cache   cacheCmd   `cmd:"" help:"Look after the cache of vectors."`
	Eval    evalCmd    `cmd:"" help:"Measure answers on judged questions."`
	Init    initCmd    `cmd:"" help:"Write a commented candor.yaml for a folder of notes."`
	Client  clientCmd  `cmd:"" help:"Print the configuration of an MCP client."`
	Schema  schemaCmd  `cmd:"" help:"Print the JSON Schema of candor.yaml."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// errNo ends a command that worked and whose answer is no: exit status 1, no message.
var errNo = errors.New("no")

// app is one run of a command.
type app struct {
	*Main
	global
	out printer
}

// Run runs one command line and gives the exit status.
func (m *Main) Run(ctx context.Context, args []string) int {
	var c cli
	exit := -1
	parser, err := kong.New(&c, kong.Name("candor"), kong.Writers(m.Stdout, m.Stderr),
		kong.Description("An offline knowledge base for AI clients that cites or abstains."),
		kong.Exit(func(code int) { exit = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return m.fail(err)
	}
	args = asPeopleSay(args)
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help has been printed
		return exit
	}
	if err != nil {
		return m.fail(withHint(err, "candor --help lists the commands, candor COMMAND --help their flags; words that begin with - go after --"))
	}
	a := &app{Main: m, global: c.global, out: newPrinter(m.Stdout, m.Getenv)}
	err = parsed.Run(a)
	if errors.Is(err, syscall.EPIPE) { // the reader has seen enough
		return exitAnswered
	}
	if errors.Is(err, errNo) {
		return exitNo
	}
	if err != nil {
		return m.fail(err)
	}
	return exitAnswered
}

// asPeopleSay takes the ways to ask for help and the version that other programs have.
func asPeopleSay(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// fail prints an error, with its hint, and gives the exit status.
func (m *Main) fail(err error) int {
	msg, hint, _ := strings.Cut(err.Error(), "; hint: ")
	var h *hinted
	if errors.As(err, &h) {
		hint = h.hint
	}
	var input *candor.InputError
	switch {
	case errors.As(err, &input):
		msg = asFlags(input)
	case errors.Is(err, candor.ErrNotFound):
		hint = "candor outline lists the notes that this profile may read"
	case errors.Is(err, context.Canceled):
		msg = "stopped"
	}
	fmt.Fprintf(m.Stderr, "candor: %s\n", plainText(msg))
	if hint != "" {
		fmt.Fprintf(m.Stderr, "hint: %s\n", plainText(hint))
	}
	return exitError
}

// flagNames are the flags that are not named as the arguments of tools are.
var flagNames = map[string]string{
	"query": "query", "path": "path", "citation": "citation",
	"start_line": "--start", "end_line": "--end", "updated_after": "--after", "tags": "--tag",
}

// asFlags gives an error about an argument in the words of the command line.
func asFlags(err *candor.InputError) string {
	why := strings.NewReplacer("start_line", "--start", "end_line", "--end", "updated_after", "--after").Replace(err.Why)
	if err.Field == "" {
		return why
	}
	return cmp.Or(flagNames[err.Field], "--"+err.Field) + ": " + why
}

// hinted is an error with advice for the user.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

// withHint adds advice to an error.
func withHint(err error, hint string) error { return &hinted{err: err, hint: hint} }

// interactive reports whether a stream is a terminal.
func interactive(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a device of characters too
	return err != nil || !os.SameFile(info, null)
}

// plain makes a line of text safe for a terminal: control characters, those that reorder
// text, and line ends, which could pass for output of ours, are shown as U+FFFD.
func plain(s string) string { return strings.ReplaceAll(plainText(s), "\n", "\ufffd") }

// plainText is plain for text of several lines.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || bidi(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

// bidi reports whether a character reorders the text around it.
func bidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}
