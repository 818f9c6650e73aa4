package redact_test

import (
	"strings"
	"testing"

	"candor/redact"
)

func mustNew(t testing.TB, opt redact.Options) *redact.Redactor {
	t.Helper()
	r, err := redact.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCleanMasksTheSecretAndNothingElse(t *testing.T) {
	r := mustNew(t, redact.Options{})
	key := "AKIA" + "IOSFODNN7EXAMPLE"
	for in, want := range map[string]string{
		"the key " + key + " is live": "the key [REDACTED:aws-key] is live",
		"password: hunter2":           "password: [REDACTED:password]",
		"nothing here":                "nothing here",
	} {
		if got := r.Clean(in).String(); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanKeepsLines(t *testing.T) {
	r := mustNew(t, redact.Options{})
	in := "a\r\n-----BEGIN RSA PRIVATE" + " KEY-----\r\n" + strings.Repeat("MIIEpQIBAAKCAQEAn6/O8li+SX4m98LLYt\r\n", 4) + "-----END RSA PRIVATE KEY-----\r\nb\r\n"
	got := r.Clean(in)
	if strings.Count(got.String(), "\n") != strings.Count(in, "\n") || strings.Contains(got.String(), "MIIE") {
		t.Errorf("got %q", got.String())
	}
	if f := got.Findings(); len(f) != 1 || f[0].Line != 2 || f[0].Kind != "private-key" {
		t.Errorf("findings %v", f)
	}
}
