package policy_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"candor"
	"candor/policy"
)

func TestCleanPath(t *testing.T) {
	for in, want := range map[string]candor.Path{
		`ops\runbooks\restart.md`:     "ops/runbooks/restart.md",
		"./ops/runbooks/restart.md":   "ops/runbooks/restart.md",
		"ops//runbooks/./restart.md":  "ops/runbooks/restart.md",
		"OPS/runbooks/restart.md":     "OPS/runbooks/restart.md",
		"nai\u0308ve-cafe\u0301.md":   "na\u00efve-caf\u00e9.md",
		"public/a.md/":                "public/a.md/",
		"public/a.md/.":               "public/a.md/",
		"public/../a.md":              "public/../a.md",
		`..\..\etc`:                   "../../etc",
		"..%2f..%2fetc%2fpasswd":      "..%2f..%2fetc%2fpasswd",
		"%2e%2e/":                     "%2e%2e/",
		"/etc/passwd":                 "/etc/passwd",
		"//srv/share/x.md":            "/srv/share/x.md",
		`\\?\C:\x`:                    "/?/C:/x",
		"C:a.md":                      "C:a.md",
		"public/a.md\x00.png":         "public/a.md\x00.png",
		"~/.ssh/id_rsa":               "~/.ssh/id_rsa",
		"file:///etc/passwd":          "file:/etc/passwd",
		"":                            "",
		".":                           "",
		"./":                          "",
		"/":                           "/",
		"a\xff.md":                    "a\xff.md",
		strings.Repeat("../", 1000):   candor.Path(strings.Repeat("../", 1000)),
		strings.Repeat("n", 4097):     candor.Path(strings.Repeat("n", 4097)),
		"public/a.md::$DATA":          "public/a.md::$DATA",
		"\u2025/\uff0e\uff0e/\uff0fx": "\u2025/\uff0e\uff0e/\uff0fx",
	} {
		if got := policy.CleanPath(in); got != want {
			t.Errorf("CleanPath(%q) = %q, want %q", in, got, want)
		}
	}
}

// No spelling becomes a note's path unless a person would say that it names that note.
func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{"a/b.md", `a\b.md`, "./a//b.md", "..", "a/../b.md", "/a", "a/", "a/.", "", ".", "e\u0301", "a\x00", "\xff", "..\\..", "%2e%2e", "./.././", "\u0340/\u212b"} {
		f.Add(seed)
	}
	all, err := policy.New(policy.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(policy.CleanPath(s))
		if again := string(policy.CleanPath(got)); again != got {
			t.Errorf("not idempotent: %q, then %q", got, again)
		}
		if !all.Decide(candor.Path(got)).Allowed() {
			return
		}
		slashed := norm.NFC.String(strings.ReplaceAll(s, `\`, "/"))
		if !fs.ValidPath(got) || path.Clean(slashed) != got || strings.HasPrefix(slashed, "/") || strings.HasSuffix(slashed, "/") {
			t.Errorf("%q became the path %q", s, got)
		}
		for _, part := range strings.Split(slashed, "/") {
			if part == ".." {
				t.Errorf("%q climbed to %q", s, got)
			}
		}
	})
}
