package semantic

import (
	"errors"
	"strings"
	"testing"

	"candor/internal/fakeollama"
)

// newChat is a chat with a fake over a line.
func newChat(t *testing.T, fake *fakeollama.Server, model string) *Chat {
	t.Helper()
	c, err := NewChat(ChatOptions{URL: "http://127.0.0.1:11434", Model: model, Dial: fake.Pipe(t).Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// writers is a fake with models of each kind.
func writers() *fakeollama.Server {
	fake := fakeollama.New()
	fake.Models["a-cloud:cloud"] = fakeollama.Model{Writes: true}
	fake.Models["b-listed:1b"] = fakeollama.Model{Writes: true, RemoteHost: "https://far.example"}
	fake.Models["c-shown:1b"] = fakeollama.Model{Writes: true, RemoteHost: "https://far.example", Unlisted: true}
	fake.Models["llama:1b"] = fakeollama.Model{Writes: true}
	fake.Write = func(fakeollama.Request) string { return `{"question":"how long?"}` }
	return fake
}

// TestChatFindsALocalWriter: neither an embedder nor a model that runs elsewhere is asked.
func TestChatFindsALocalWriter(t *testing.T) {
	fake := writers()
	c := newChat(t, fake, "")
	if name, err := c.Find(t.Context()); name != "llama:1b" || err != nil {
		t.Fatalf("%q, %v", name, err)
	}
	if said, err := c.Ask(t.Context(), "ask", "text", "question"); said != "how long?" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	fake.Change(func(s *fakeollama.Server) { delete(s.Models, "llama:1b") })
	if _, err := newChat(t, fake, "").Find(t.Context()); !errors.Is(err, ErrNoChat) {
		t.Errorf("without one: %v", err)
	}
}

// TestChatStaysHere: text never goes to a model that another machine runs, also not when
// it comes to run there later.
func TestChatStaysHere(t *testing.T) {
	fake := writers()
	if _, err := NewChat(ChatOptions{URL: "http://127.0.0.1:1", Model: "a-cloud:cloud"}); !errors.Is(err, ErrRemote) {
		t.Errorf("a cloud model by name: %v", err)
	}
	for _, url := range []string{"http://10.0.0.1:11434", "https://127.0.0.1:11434"} {
		if _, err := NewChat(ChatOptions{URL: url, Model: "m"}); err == nil {
			t.Errorf("%s is taken", url)
		}
	}
	for _, name := range []string{"b-listed:1b", "c-shown:1b"} {
		if _, err := newChat(t, fake, name).Find(t.Context()); !errors.Is(err, ErrRemote) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := newChat(t, fake, "llama:1b")
	if _, err := c.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	fake.Change(func(s *fakeollama.Server) {
		s.Models["llama:1b"] = fakeollama.Model{Writes: true, RemoteHost: "https://far.example"}
	})
	if _, err := c.Ask(t.Context(), "ask", "text", "question"); !errors.Is(err, ErrRemote) {
		t.Errorf("moved away: %v", err)
	}
	if n := len(fake.Requests("/api/generate")); n != 0 {
		t.Errorf("%d texts went out", n)
	}
}

// TestChatAnswersAreBounded: what is no answer is an error in our words.
func TestChatAnswersAreBounded(t *testing.T) {
	fake := writers()
	c := newChat(t, fake, "llama:1b")
	for name, said := range map[string]string{
		"nothing": "", "no JSON": "SECRET words", "another field": `{"answer":"SECRET"}`, "a list": `["SECRET"]`,
		"long": `{"question":"` + strings.Repeat("SECRET ", 1000) + `"}`, "huge": `{"question":"` + strings.Repeat("SECRET ", 200_000) + `"}`,
	} {
		fake.Change(func(s *fakeollama.Server) { s.Write = func(fakeollama.Request) string { return said } })
		got, err := c.Ask(t.Context(), "ask", "text", "question")
		var u *Unavailable
		if got != "" || !errors.As(err, &u) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, f := range []fakeollama.Fault{fakeollama.Moved301, fakeollama.HTML, fakeollama.Internal} {
		fake.Change(func(s *fakeollama.Server) {
			s.OtherWay = func(path string) fakeollama.Fault {
				if path == "/api/generate" {
					return f
				}
				return fakeollama.None
			}
		})
		if got, err := c.Ask(t.Context(), "ask", "text", "question"); err == nil {
			t.Errorf("%s: %q", f, got)
		}
	}
}
