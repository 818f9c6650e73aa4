package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor"
	"candor/evals"
	"candor/evals/hybrid"
	"candor/evidence"
	"candor/internal/fakeollama"
	"candor/internal/keys"
	"candor/kb"
)

// startHybrid lets a site answer under a verdict of yes on the topics beside its
// configuration, and waits until it is hybrid.
func startHybrid(t *testing.T, fake *fakeollama.Server, topics string) (l *live, dir string) {
	t.Helper()
	return startHybridOn(t, fake, topics, map[string]string{"public/a.md": "# Heron\n\nthe heron eats frogs\n", "public/b.md": "# Otter\n\nthe otter eats trout\n"})
}

// startHybridOn is startHybrid over notes of the test's own.
func startHybridOn(t *testing.T, fake *fakeollama.Server, topics string, notes map[string]string) (l *live, dir string) {
	t.Helper()
	yaml := zones + fmt.Sprintf("ollama: {url: %q, model: all-minilm}\n", fake.Start(t))
	l, said, dir := startLive(t, yaml, notes)
	if err := os.WriteFile(filepath.Join(dir, topicsName), []byte(topics), 0o600); err != nil {
		t.Fatal(err)
	}
	v := verdictFor(t, l.app)
	read, err := evals.LoadTopics(filepath.Join(dir, topicsName))
	if err != nil {
		t.Fatal(err)
	}
	v.Topics, v.Params.Gates = hybrid.TopicDigests(read), evidence.Default()
	v.Params.Gates.MinCosine = 0.7
	s := l.at.Load()
	if err := v.Save(s.verdictDir(), s.keys.Subkey(keys.Verdict)); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		l.look(t.Context())
		a, err := l.door("staff").Status(t.Context())
		if err == nil && a.Mode == candor.ModeHybrid {
			return l, dir
		}
		if time.Now().After(end) {
			t.Fatalf("never hybrid: %+v, %v\n%s", a, err, said)
		}
	}
}

// manyTopics are n topics in a file.
func manyTopics(n int) string {
	var b strings.Builder
	b.WriteString("topics:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: t%d, question: what does heron %d eat, expect: [public/a.md]}\n", i, i)
	}
	return b.String()
}

// TestSwappedModelTurnsHybridOff: the first question after another model came to stand
// under the same name is answered lexically, and says why.
func TestSwappedModelTurnsHybridOff(t *testing.T) {
	fake := fakeollama.New()
	l, _ := startHybrid(t, fake, manyTopics(5))
	ask := func(question string) kb.SearchAnswer {
		t.Helper()
		a, err := l.door("staff").Search(t.Context(), kb.SearchRequest{Query: question})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask("what does the heron eat"); a.Mode != candor.ModeHybrid {
		t.Fatalf("before: %s, %s", a.Mode, a.ModeReason)
	}
	fake.Change(func(s *fakeollama.Server) {
		s.Models["all-minilm:latest"] = fakeollama.Model{Digest: "bbbb", Width: 32, Space: 2}
	})
	for _, question := range []string{"what does the heron eat", "what does the otter eat"} {
		if a := ask(question); a.Mode != candor.ModeLexical || a.ModeReason == "" {
			t.Errorf("%s: %s, %q", question, a.Mode, a.ModeReason)
		}
	}
}

// TestTopicsAddedLater: they mark the verdict, and once they are a fifth it is void.
// Proposals that nobody has reviewed are no topics yet.
func TestTopicsAddedLater(t *testing.T) {
	l, dir := startHybrid(t, fakeollama.New(), manyTopics(8))
	for _, c := range []struct {
		topics string
		mode   candor.Mode
		reason string
	}{
		{manyTopics(8) + "  - {id: d, question: q, drafted: rule, expect: [public/a.md]}\n", candor.ModeHybrid, ""},
		{manyTopics(9), candor.ModeHybrid, "1 of 9 topics are not measured yet"},
		{manyTopics(10), candor.ModeLexical, "2 of 10 topics are not measured: run candor eval hybrid again"},
		{"topics: [{", candor.ModeHybrid, ""},
		{manyTopics(8), candor.ModeHybrid, ""},
	} {
		if err := os.WriteFile(filepath.Join(dir, topicsName), []byte(c.topics), 0o600); err != nil {
			t.Fatal(err)
		}
		l.look(t.Context())
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			a, err := l.door("staff").Status(t.Context())
			if err == nil && a.Mode == c.mode && a.ModeReason == c.reason {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%d bytes of topics: %s, %q, %v; want %s, %q", len(c.topics), a.Mode, a.ModeReason, err, c.mode, c.reason)
				break
			}
		}
	}
}
