package config

import (
	"strings"
	"testing"
)

func TestLoopbackURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:11434": "http://127.0.0.1:11434",
		"http://127.0.0.1":       "http://127.0.0.1:11434",
		"http://[::1]:1":         "http://[::1]:1",
		"http://localhost:65535": "http://127.0.0.1:65535",
	} {
		if got, ok := loopbackURL(in, defaultPort); !ok || got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{
		"", "127.0.0.1:11434", "http://localhost@evil.test", "http://127.0.0.1:11434@evil.test", "http://127.0.0.1%2f@evil.test",
		"http://evil.test#@127.0.0.1", "http://2130706433", "http://0x7f.1", "http://0177.0.0.1", "http://127.1", "http://0.0.0.0",
		"http://[::]", "http://[::ffff:8.8.8.8]", "http://[::ffff:127.0.0.1]", "http://[64:ff9b::7f00:1]", "http://[2002:7f00:1::]",
		"http://[::1%25evil.test]", "http://[::1%25lo]", "http://localhost.", "http://localhost.evil.test", "http://127.0.0.1.nip.io",
		"http://ⓛocalhost", "http://127。0。0。1", "http://LOCALHOST:11434", "https://127.0.0.1:11434", "ftp://127.0.0.1", "http:127.0.0.1",
		"http:///", "http://127.0.0.1:11434/", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434?x", "http://127.0.0.1:11434#x",
		"http://127.0.0.1:0", "http://127.0.0.1:99999", "http://127.0.0.1:65536", "http://127.0.0.1:", "http://127.0.0.1:011434",
		"http://127.0.0.1:11434\n", " http://127.0.0.1:11434", "http://127.0.0.1:11434\x00", "http://user:pw@127.0.0.1:11434",
		"http://127.0.0.2:11434", "http://192.0.2.7:11434", "http://127.0.0.1\t:11434", `http://127.0.0.1\@evil.test`,
	} {
		if got, ok := loopbackURL(in, defaultPort); ok {
			t.Errorf("%q was taken as %s", in, got)
		}
	}
}

func TestOllamaURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                         DefaultOllama,
		" \"\" ":                   DefaultOllama,
		"0.0.0.0:11434":            DefaultOllama,
		"0.0.0.0":                  DefaultOllama,
		":11434":                   DefaultOllama,
		":8080":                    "http://127.0.0.1:8080",
		"localhost":                DefaultOllama,
		"localhost:1234":           "http://127.0.0.1:1234",
		"[::1]:11434":              "http://[::1]:11434",
		"[::1]":                    "http://[::1]:11434",
		"::1":                      "http://[::1]:11434",
		"[::]:11434":               DefaultOllama,
		"127.0.0.1":                DefaultOllama,
		"http://127.0.0.1:11434/":  DefaultOllama,
		"http://127.0.0.1":         "http://127.0.0.1:80",
		"'http://localhost:11434'": DefaultOllama,
	} {
		if got, err := OllamaURL(in); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"http://192.0.2.7:11434", "192.0.2.7", "http://localhost.example.test:11434", "localhost.example.test", "https://127.0.0.1",
		"ollama.com", "http://127.0.0.1@evil.test", "127.0.0.1:99999", "127.0.0.1:0", "::1:1143", "[::1", "http://127.0.0.1/x", "127.0.0.1 evil",
	} {
		if got, err := OllamaURL(in); err == nil {
			t.Errorf("%q was taken as %s", in, got)
		} else if !strings.Contains(err.Error(), "hint:") {
			t.Errorf("%q: no hint: %v", in, err)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, c := range []struct {
		in     string
		remote bool
		want   string
	}{
		{"http://127.0.0.1:4318", false, "http://127.0.0.1:4318"},
		{"http://localhost/v1/traces", false, "http://127.0.0.1:4318/v1/traces"},
		{"https://otel.example.test:4318/x", true, "https://otel.example.test:4318/x"},
		{"https://otel.example.test", false, ""},
		{"http://127.0.0.1@evil.test/", false, ""},
		{"http://127.0.0.1:4318/../x", false, ""},
		{"https://user:pw@otel.example.test", true, ""},
		{"ftp://otel.example.test", true, ""},
	} {
		got, err := endpoint(c.in, c.remote)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.in, got, err, c.want)
		}
	}
}
