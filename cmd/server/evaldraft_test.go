package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/evals"
	"candor/internal/fakeollama"
	"candor/internal/vaulttest"
)

// TestDraftByModel: a language model on loopback words the questions, sees nothing that is
// denied or masked, and its wording counts once reviewed; without one, rules do.
func TestDraftByModel(t *testing.T) {
	fake := fakeollama.New()
	fake.Models["llama3.2:1b"] = fakeollama.Model{Writes: true}
	fake.Models["big:cloud"] = fakeollama.Model{Writes: true, RemoteHost: "https://far.example"}
	fake.Write = func(r fakeollama.Request) string {
		if strings.Contains(r.Prompt, "Sick") {
			return `{"question":"` + strings.Repeat("and ", 200) + `"}` // of no use
		}
		return `{"question":"How long may new parents stay\naway?"}`
	}
	const long = " in every office of the company, from the first day of the year to the last one."
	dir := vaulttest.WriteMap(t, map[string]string{
		"candor.yaml": "vaults: [{name: n, root: n}]\nprofiles: {p: {allow: [\"**\"], deny: [d/**]}}\nollama: {url: \"" + fake.Start(t) + "\"}\n",
		"n/a.md":      "# Leave\n\n## Parental leave\n\nNew parents have 26 weeks" + long + "\n\n## Sick leave\n\nA note of the doctor" + long + "\n",
		"n/b.md":      "# Tokens\n\nThe token is AKIAQWERTYUIOPASDFGH" + long + "\n",
		"n/d/pay.md":  "# Pay\n\nThe bands of pay are secret" + long + "\n",
	})
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		m := Main{Stdin: strings.NewReader("k\n"), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
		if got := m.Run(t.Context(), append(args, "--config", filepath.Join(dir, "candor.yaml"))); got != want {
			t.Fatalf("%v: status %d\n%s%s", args, got, out.String(), errs.String())
		}
		return out.String()
	}
	for _, p := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(p, t.TempDir())
	}
	if said := run(0, "eval", "draft"); !strings.Contains(said, "worded by llama3.2:1b") {
		t.Error(said)
	}
	for _, r := range fake.Requests("/api/generate") {
		if r.Model != "llama3.2:1b" || strings.Contains(r.Prompt, "REDACTED") || strings.Contains(r.Prompt, "bands") {
			t.Errorf("%s was shown %q", r.Model, r.Prompt)
		}
	}
	file := filepath.Join(dir, "topics.yaml")
	run(0, "eval", "review")
	topics, err := evals.LoadTopics(file)
	if err != nil || len(topics) != 1 || !topics[0].Reviewed || topics[0].Drafted != evals.ByModel || topics[0].Question != "How long may new parents stay away?" || topics[0].Sub != evals.SubModel || evals.IsDrafted(topics[0].Sub) {
		t.Fatalf("%+v, %v", topics, err)
	}
	fake.Change(func(s *fakeollama.Server) { delete(s.Models, "llama3.2:1b") })
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if said := run(0, "eval", "draft"); !strings.Contains(said, "worded by rules") {
		t.Error(said)
	}
	run(2, "eval", "draft", "--by", "model")
	run(2, "eval", "draft", "--model", "big:cloud")
}
