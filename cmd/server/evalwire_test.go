package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/config"
	"candor/demo"
	"candor/evals"
	"candor/evals/baseline"
	"candor/internal/vaulttest"
	"candor/kb"
)

// demoApp is a command line that opens the embedded vault.
func demoApp() *app {
	m := &Main{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}
	return &app{Main: m, global: global{Demo: true}}
}

// candorProgram is the program as the tests build it.
func candorProgram(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("candor")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// fewTopics are the first of each slice of the demo's topics.
func fewTopics(t *testing.T, each int) (few []evals.Topic) {
	t.Helper()
	topics, err := evals.ReadTopics(demo.Topics(), ".")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]int{}
	for _, topic := range topics {
		key := string(topic.Slice) + "/" + topic.Sub
		if taken[key]++; taken[key] <= each {
			few = append(few, topic)
		}
	}
	return few
}

// emptyTemp makes temporary files go to an empty folder and gives it.
func emptyTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

// TestWiredScorecard holds that the servers give over stdio and over HTTP what is measured in process:
// the same verdicts, the same false answers with the same scores, no violation, and
// that they leave nothing behind.
func TestWiredScorecard(t *testing.T) {
	temp := emptyTemp(t)
	topics, never := fewTopics(t, 2), []string{demo.Secrets()[0].Value}
	run := func(system func(*app, *site) closingSystem) baseline.Card {
		a := demoApp()
		s, err := a.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		sys := system(a, s)
		card, err := baseline.Run(t.Context(), sys, topics, baseline.Options{Never: never})
		if err = errors.Join(err, sys.Close()); err != nil {
			t.Fatal(err)
		}
		return card
	}
	want := run(func(a *app, s *site) closingSystem { return piped{a.measure(s)} })
	want.Probes = nil
	for transport, overHTTP := range map[string]bool{"stdio": false, "HTTP": true} {
		got := run(func(a *app, s *site) closingSystem { return a.wire(s, candorProgram(t), overHTTP) })
		if got.Count(baseline.Leak)+len(got.Violations) > 0 || len(got.Results) != len(topics) {
			t.Errorf("violations over %s: %+v", transport, got.Violations)
		}
		for _, z := range baseline.Zeros {
			if got.Probes[z] == 0 {
				t.Errorf("%s: not probed over %s", z, transport)
			}
		}
		got.Probes = nil // pages are shorter over a wire
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("over %s the scorecard differs from the one in process:\n%s", transport, diff)
		}
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestStdioOffersEverything holds that the probes of tools reach all that a client can
// ask for, and see what the client sees.
func TestStdioOffersEverything(t *testing.T) {
	emptyTemp(t)
	a := demoApp()
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for name, sys := range map[string]closingSystem{"process": piped{a.measure(s)}, "stdio": a.wire(s, candorProgram(t), false), "http": a.wire(s, candorProgram(t), true)} {
		tools, err := sys.Tools(t.Context(), "guest")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"resource", "links", "outline", "read", "search", "status", "verify"}, tools); diff != "" {
			t.Errorf("%s: tools: %s", name, diff)
		}
		seen := func(tool string, args map[string]any) evals.Output {
			out, err := sys.Call(t.Context(), evals.Call{Profile: "guest", Tool: tool, Args: args})
			if err != nil {
				t.Fatalf("%s: %s: %v", name, tool, err)
			}
			return out
		}
		const offTopic = "zebra crossing in the moonlight over the office"
		gated, err := sys.Search(t.Context(), evals.Question{Profile: "guest", Text: offTopic, Limit: 5})
		if err != nil || !gated.Abstained {
			t.Fatalf("%s: %+v, %v", name, gated, err)
		}
		out := seen("search", map[string]any{"query": offTopic})
		if len(out.Paths) == 0 {
			t.Errorf("%s: a tool was asked with the gates on", name)
		}
		if strings.Count(out.Raw, string(out.Paths[0])) < 2 || !strings.Contains(out.Raw, `"structuredContent"`) {
			t.Errorf("%s: a result lacks one of its forms:\n%s", name, out.Raw)
		}
		const note = "public/company/about.md"
		out = seen("resource", map[string]any{"uri": "candor://note/" + note})
		if len(out.Paths) != 1 || out.Paths[0] != note || !strings.Contains(out.Raw, "begin ---") {
			t.Errorf("%s: a resource shows %+v", name, out)
		}
		for _, secret := range []string{"internal/policies/leave.md", "internal/policies/no-such.md"} {
			p, err := sys.Read(t.Context(), evals.Place{Profile: "guest", Path: candor.Path(secret)})
			if !errors.Is(err, candor.ErrNotFound) || !strings.Contains(p.Raw, err.Error()) {
				t.Errorf("%s: a note that a guest may not have: %v, seen %q", name, err, p.Raw)
			}
		}
		if _, err := sys.Search(t.Context(), evals.Question{Profile: "nobody", Text: "x", Limit: 1}); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
			t.Errorf("%s: an unknown profile: %v", name, err)
		}
		if err := sys.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStdioServerFails holds that a server that cannot start is an error with its words.
func TestStdioServerFails(t *testing.T) {
	emptyTemp(t)
	a := demoApp()
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	w := a.wire(s, candorProgram(t), false)
	w.flags = []string{"--config", "nowhere.yaml"}
	_, err = w.Search(t.Context(), evals.Question{Text: "x", Limit: 1})
	if err == nil || !strings.Contains(err.Error(), "exit status 2") || !strings.Contains(err.Error(), "nowhere.yaml") {
		t.Errorf("a server that fails: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestClientHoldsServersToTheProtocol feeds a client answers that no server of ours gives.
func TestClientHoldsServersToTheProtocol(t *testing.T) {
	for _, test := range []struct {
		name, answers string
		check         func(reply, error) bool
	}{
		{
			"an answer behind others", `{"id":7,"result":{"isError":true}}` + "\n" + `{"method":"notifications/x"}` + "\n" + `{"id":1,"result":{"nextCursor":"n"}}`,
			func(r reply, err error) bool { return err == nil && r.Result.Next == "n" },
		},
		{
			"an error for no id", `{"id":null,"error":{"message":"parse error: x"}}`,
			func(_ reply, err error) bool {
				var input *candor.InputError
				return errors.As(err, &input) && err.Error() == "parse error: x"
			},
		},
		{
			"an internal error", `{"id":1,"error":{"message":"internal error"}}`,
			func(_ reply, err error) bool {
				var input *candor.InputError
				return err != nil && !errors.As(err, &input) && !errors.Is(err, candor.ErrNotFound)
			},
		},
		{
			"not found, in the server's own words", `{"id":1,"error":{"message":"not found: a"}}`,
			func(_ reply, err error) bool {
				return errors.Is(err, candor.ErrNotFound) && err.Error() == "not found: a"
			},
		},
		{
			"something else on stdout", "starting up",
			func(_ reply, err error) bool { return err != nil && strings.Contains(err.Error(), "no JSON-RPC") },
		},
		{
			"nothing", "",
			func(_ reply, err error) bool {
				return errors.Is(err, io.EOF) && strings.Contains(err.Error(), "why it left")
			},
		},
	} {
		c := &mcpClient{
			in:  nowhere{},
			out: bufio.NewReader(strings.NewReader(test.answers + strings.Repeat("\n", min(1, len(test.answers))))),
			end: func() error { return errors.New("why it left") },
		}
		if r, err := c.ask(t.Context(), "ping", nil); !test.check(r, err) {
			t.Errorf("%s: %+v, %v", test.name, r, err)
		}
	}
}

type nowhere struct{ io.Writer }

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }

// TestRehouse holds that a configuration for other folders gives the same answers: all
// is kept but the vaults and what has no part in answers.
func TestRehouse(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{
		"candor.yaml": "vaults: [{name: a, root: ./a}]\nprofiles: {p: {allow: [\"**\"], deny: [x.md]}}\n" +
			"language: [de]\nevidence: {min_score: 0.3}\nevals: {topics: topics.yaml}\nwrite: {drafts: drafts}\nollama: {model: m}\n",
		"a/n.md": "# N\n", "$b/%c%/n.md": "# N\n",
	})
	want, err := config.Load(filepath.Join(dir, "candor.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want.Vaults[0].Root = filepath.Join(dir, "$b", "%c%")
	file := filepath.Join(dir, "$b", "candor.yaml")
	if err := rehouse(want.File, file, want.Vaults); err != nil {
		t.Fatal(err)
	}
	got, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	want.File, want.Evals, want.Write, want.Ollama = got.File, got.Evals, got.Write, got.Ollama
	if got.Write != (config.Write{}) || got.Ollama != nil {
		t.Errorf("a write zone or a model was kept: %+v, %+v", got.Write, got.Ollama)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestScoreOfExplanation holds that the score over the wire is the one that ranked.
func TestScoreOfExplanation(t *testing.T) {
	leg := func(score, share float64) *kb.LegExplain { return &kb.LegExplain{Score: score, Contribution: share} }
	for _, test := range []struct {
		explain *kb.Explain
		want    float64
	}{
		{nil, 0},
		{&kb.Explain{}, 0},
		{&kb.Explain{Lexical: leg(7, 0.1)}, 7},
		{&kb.Explain{Semantic: leg(0.5, 0.1)}, 0.5},
		{&kb.Explain{Lexical: leg(7, 0.25), Semantic: leg(0.5, 0.5)}, 0.75},
	} {
		if got := score(test.explain); got != test.want {
			t.Errorf("score %v, want %v", got, test.want)
		}
	}
}

// TestStoppedRunEndsItsServers holds that a run that is stopped ends its servers.
func TestStoppedRunEndsItsServers(t *testing.T) {
	emptyTemp(t)
	a := demoApp()
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	ctx, stop := context.WithCancel(t.Context())
	for _, sys := range []closingSystem{piped{a.measure(s)}, a.wire(s, candorProgram(t), false)} {
		if _, err := sys.Search(ctx, evals.Question{Text: "leave", Limit: 1}); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := sys.Close(); err != nil {
				t.Errorf("close after a stop: %v", err)
			}
		}()
	}
	stop()
	if _, err := a.wire(s, candorProgram(t), false).Search(ctx, evals.Question{Text: "leave", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search after the stop: %v", err)
	}
}
