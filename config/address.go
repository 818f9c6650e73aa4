package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// DefaultOllama is where Ollama listens unless it is told otherwise.
const DefaultOllama = "http://127.0.0.1:" + defaultPort

// loopback is the whole grammar of an address that may be used. It is matched on the
// text as written: what a URL parser would make of anything else does not matter.
var loopback = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?$`)

// loopbackURL checks an address by that grammar and gives its one spelling. localhost
// is a way to write 127.0.0.1 and is never looked up.
func loopbackURL(raw, port string) (string, bool) {
	m := loopback.FindStringSubmatch(raw)
	if m == nil {
		return "", false
	}
	host := m[1]
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if m[2] != "" {
		port = m[2]
	}
	if n, _ := strconv.Atoi(port); n > 65535 {
		return "", false
	}
	return "http://" + host + ":" + port, true
}

func ollamaURL() value[string] {
	v := text("an address", schema{"pattern": loopback.String()}, func(raw string) (string, string) {
		if _, ok := loopbackURL(raw, defaultPort); ok {
			return "", ""
		}
		return "must be http and a literal loopback address, and nothing else", "write " + DefaultOllama
	})
	return convert(v, func(raw string) string {
		u, _ := loopbackURL(raw, defaultPort) // checked by the rule
		return u
	})
}

// host is what OLLAMA_HOST may say of this machine, with the addresses that a server
// listens on when it listens everywhere.
var host = regexp.MustCompile(`^(http://)?(?:(127\.0\.0\.1|\[::1\]|localhost|0\.0\.0\.0|\[::\]|)(:[0-9]{1,5})?|(::1?))/?$`)

// OllamaURL gives the address of Ollama that the value of OLLAMA_HOST means for a
// client on this machine; "" means the default. That variable is first of all the
// server's listen address, so 0.0.0.0, [::] and a bare port stand for loopback. Any
// other machine is refused.
func OllamaURL(env string) (string, error) {
	raw := strings.Trim(strings.TrimSpace(env), `"'`)
	if raw == "" {
		return DefaultOllama, nil
	}
	m := host.FindStringSubmatch(raw)
	if m == nil {
		return "", fmt.Errorf("OLLAMA_HOST %q is not an address of this machine; hint: write ollama.url in %s, such as %s", env, FileName, DefaultOllama)
	}
	name := m[2] + m[4]
	switch strings.Trim(name, "[]") {
	case "::1":
		name = "[::1]"
	case "", "0.0.0.0", "::":
		name = "127.0.0.1"
	}
	port := defaultPort
	if m[1] != "" {
		port = "80" // as Ollama reads a URL without a port
	}
	u, ok := loopbackURL("http://"+name+m[3], port)
	if !ok {
		return "", fmt.Errorf("OLLAMA_HOST %q has a port that does not exist; hint: ports are 1 to 65535", env)
	}
	return u, nil
}

// endpoint checks where traces may go and gives the URL in one spelling.
func endpoint(raw string, remote bool) (string, error) {
	if base, path, ok := cutPath(raw); ok {
		if u, ok := loopbackURL(base, "4318"); ok {
			return u + path, nil
		}
	}
	if !remote {
		return "", errors.New("must be http and a literal loopback address")
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("must be an http or https URL without credentials")
	}
	return u.String(), nil
}

// cutPath splits a URL before its path, which may be plain words alone.
func cutPath(raw string) (base, path string, ok bool) {
	rest, ok := strings.CutPrefix(raw, "http://")
	if !ok {
		return "", "", false
	}
	at := strings.IndexByte(rest, '/')
	if at < 0 {
		return raw, "", true
	}
	path = strings.TrimSuffix(rest[at:], "/")
	return "http://" + rest[:at], path, plainPath.MatchString(path)
}

var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9_-]+)*$`)
