package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"candor"
	"candor/internal/vaulttest"
	"candor/kb"
)

// keyOf is a made-up key of 20 letters, put together so that no scanner takes this file
// for a leak.
func keyOf(tail string) string { return "AKIA" + tail }

// Cases of security 100 and 101: vaults that differ in the values of their secrets alone,
// whatever their lengths, answer in the same bytes: no digest, citation, size, line or
// order is of the raw text.
func TestSecretsMoveNoByte(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	vault := func(pin, password string) map[string]string {
		return map[string]string{
			"public/pin.md":   "---\ntitle: Door\npassword: " + password + "\n---\n# Door\n\nThe door has PIN: " + pin + " for now.\n\n## After\n\nwords of the door\n",
			"public/other.md": "# Other\n\npassword: " + password + "\n\nwords of another note [[pin]]\n",
		}
	}
	long := func(n int) string { return "x9" + strings.Repeat("Ab3", n)[:n] }
	var first, calls []string
	for i, values := range [][2]string{{"4821", long(6)}, {"0000", long(18)}, {"7359", long(62)}} {
		files := vault(values[0], values[1])
		if i == 0 {
			calls = newCaller(t, 3, vault("", "")).calls(150)
		}
		got := session(t, openSite(t, files, "staff").base(), calls)
		if all := strings.Join(got, "\n"); strings.Contains(all, values[0]) || strings.Contains(all, values[1]) || !strings.Contains(all, "[REDACTED:pin]") {
			t.Fatalf("%q: a secret is told, or no mask is: the test proves nothing", values)
		}
		if first == nil {
			first = got
		}
		if at := firstDifference(first, got); at >= 0 {
			t.Errorf("%q moves an answer:\n%s\n%s", values, first[at], got[at])
		}
	}
}

// Case of security 102: neither a secret nor a part of it finds its note, for whoever
// asks and with every bar off; the words beside it do.
func TestSecretsAreNotInTheIndex(t *testing.T) {
	key := keyOf("QWERTYUIOPASDFGH")
	word := "hunter" + "otter42"
	_, flag := configured(t, harsh, map[string]string{
		"public/a.md":           "---\nowner: " + key + "\n---\n# Deploy " + key + "\n\nthe deploy key " + key + " and password: " + word + "\n\n```\n" + key + "\n```\n[" + key + "](" + key + ".md) #" + key + "\n",
		"public/" + key + ".md": "# Named\n\nits name is a key\n",
	})
	c := dial(t, flag, "--profile=admin")
	if got := c.found("deploy key"); !slices.Contains(got, "public/a.md") {
		t.Fatalf("found %v: the test proves nothing", got)
	}
	for _, part := range []string{key[:8], key[4:12], key[4:], key[12:], key[:4], strings.ToLower(key[4:]), word, word[:11], word[6:]} {
		a := c.call("search", map[string]any{"query": part, "limit": 50})
		if hits, _ := a.data["hits"].([]any); len(hits) > 0 {
			t.Errorf("%s finds %v", part, hits)
		}
	}
	for _, q := range []string{key, "where is " + key, "password: " + word} {
		a := c.call("search", map[string]any{"query": q})
		if !a.isError || strings.Contains(a.raw, key) || strings.Contains(a.raw, word) {
			t.Errorf("a question that holds a secret is answered: %s", a.raw)
		}
	}
	c.close()
	vaulttest.NoLeak(t, []string{key, word}, strings.Join(c.output(), "\n"), c.stderr.String())
}

// Public report 87: a key that stands where a note is cut, at each of 60 places, or in
// the next cell of a table, is masked whole, and the lines after it are right.
func TestKeyAcrossCuts(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	key := keyOf("QWERTYUIOPASDFGH")
	files := map[string]string{}
	for i := range 60 {
		head := fmt.Sprintf("# Note %d\n\n%s", i, strings.Repeat("word ", 100+i))
		files[fmt.Sprintf("public/one%02d.md", i)] = head + key + " " + strings.Repeat("word ", 80) + "\n\nlast heron\n"
		files[fmt.Sprintf("public/two%02d.md", i)] = head + key[:10] + "\n" + key[10:] + " " + strings.Repeat("word ", 80) + "\n\nlast heron\n"
	}
	files["public/cells.md"] = "# Table\n\n| Part | Value |\n|---|---|\n| " + key[:10] + " | " + key[10:] + " |\n\nlast heron\n"
	s := openSite(t, files, "staff")
	snap := s.corpus.Snapshot("staff")
	chunks := 0
	for _, ch := range snap.Chunks {
		if ch == nil {
			continue
		}
		chunks++
		if all := fmt.Sprintf("%+v", *ch); strings.Contains(all, key[:10]) || strings.Contains(all, key[10:]) {
			t.Errorf("%s holds a part of the key: %.300s", ch.Path, all)
		}
		if text, _ := snap.Note(ch.Path).Lines(ch.Lines); text != ch.Text || ch.Digest != candor.Digest(ch.Text) {
			t.Errorf("%s: lines %v are not its text", ch.Path, ch.Lines)
		}
	}
	if chunks <= len(files)+1 {
		t.Fatalf("%d chunks of %d notes: nothing was cut, the test proves nothing", chunks, len(files))
	}
	for name, text := range files {
		end := strings.Count(text, "\n")
		a, err := s.base().Read(t.Context(), kb.ReadRequest{Path: name, StartLine: end, EndLine: end})
		if err != nil || a.Text != "last heron" {
			t.Errorf("%s: line %d is %q, %v", name, end, a.Text, err)
		}
	}
}

// Public report 88: a rule that is added holds from the first answer of the next start.
func TestAddedRuleHoldsAtOnce(t *testing.T) {
	dir, flag := configured(t, zones, map[string]string{"public/a.md": "# A\n\nthe heron project is Zebra-123 since May\n"})
	line := func() string { return dial(t, flag).call("search", map[string]any{"query": "heron project"}).raw }
	if !strings.Contains(line(), "Zebra-123") {
		t.Fatal("no rule, and still a mask: the test proves nothing")
	}
	vaulttest.Put(t, dir, "candor.yaml", zones+"redact: {rules: [{name: project, pattern: 'Zebra-[0-9]{3}'}]}\n")
	if got := line(); strings.Contains(got, "Zebra-123") || !strings.Contains(got, "[REDACTED:project]") {
		t.Errorf("after the rule: %s", got)
	}
}

// Case of security 106: a mask that a note spells itself is not told to be one of ours.
func TestSpeltMaskIsNoMask(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	s := openSite(t, map[string]string{
		"public/spelt.md": "# Spelt\n\nthe aardvark key [REDACTED:aws-key] is a word\n",
		"public/real.md":  "# Real\n\nthe badger key " + keyOf("QWERTYUIOPASDFGH") + " is a key\n",
	}, "staff")
	for path, masked := range map[string]bool{"public/spelt.md": false, "public/real.md": true} {
		a, err := s.base().Read(t.Context(), readPath(path))
		if err != nil || !strings.Contains(a.Text, "[REDACTED:aws-key]") || slices.Contains(a.Flags, candor.FlagMasked) != masked {
			t.Errorf("%s: flags %v, text %q, %v", path, a.Flags, a.Text, err)
		}
	}
}
