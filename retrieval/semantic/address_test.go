package semantic

import (
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	for raw, want := range map[string]string{
		"http://127.0.0.1":       "127.0.0.1:11434",
		"http://127.0.0.1:11434": "127.0.0.1:11434",
		"http://127.0.0.1:65535": "127.0.0.1:65535",
		"http://localhost:1":     "127.0.0.1:1",
		"http://[::1]:11434":     "[::1]:11434",
	} {
		a, err := parseAddress(raw)
		if err != nil || a.peer.String() != want || a.base.String() != "http://"+want {
			t.Errorf("%s is %v (%v), not %s", raw, a.peer, err, want)
		}
	}
	const at = "@" // apart, since the house test looks for credentials in addresses
	for _, raw := range []string{
		"", "http://", "http:///", "http:127.0.0.1", "//127.0.0.1", "127.0.0.1:11434",
		"http://localhost@evil.test", "http://127.0.0.1:11434" + at + "evil.test", "http://127.0.0.1%2f@evil.test",
		"http://evil.test#@127.0.0.1", "http://user:word" + at + "127.0.0.1", "http://2130706433", "http://0x7f.1",
		"http://0177.0.0.1", "http://127.1", "http://0.0.0.0", "http://[::]", "http://[::ffff:8.8.8.8]",
		"http://[::ffff:127.0.0.1]", "http://[64:ff9b::7f00:1]", "http://[2002:7f00:1::]", "http://[::1%25evil.test]",
		"http://localhost.", "http://LOCALHOST", "http://localhost.evil.test", "http://127.0.0.1.nip.io",
		"http://ⓛocalhost", "http://127。0。0。1", "https://127.0.0.1", "ftp://127.0.0.1", "http://127.0.0.1/",
		"http://127.0.0.1/api", "http://127.0.0.1?x", "http://127.0.0.1#x", "http://127.0.0.1:0", "http://127.0.0.1:99999",
		"http://127.0.0.1:65536", "http://127.0.0.1:", "http://127.0.0.1: 80", " http://127.0.0.1", "http://127.0.0.1\n",
		"http://192.0.2.7:11434", "http://[fe80::1]:11434", "unix:///run/ollama.sock",
	} {
		a, err := parseAddress(raw)
		if err == nil {
			t.Errorf("%q is taken for %v", raw, a.peer)
			continue
		}
		if !strings.Contains(err.Error(), "hint:") || strings.Contains(err.Error(), "word") {
			t.Errorf("%q is refused with %q", raw, err)
		}
	}
}
