package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"candor"
	"candor/policy"
)

// Every pattern that this package takes means what doublestar documents, save that a
// set never crosses a slash.
func TestGlobAgreesWithDoublestar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := drawGlob(t)
		path := drawPath(t)
		match, err := policy.Glob(pattern)
		if err != nil || starsTouchBrace(pattern) {
			return
		}
		want, err := doublestar.Match(pattern, path)
		if err != nil {
			t.Fatalf("taken although doublestar says %v", err)
		}
		if prefix, ok := strings.CutSuffix(pattern, "/**"); ok && !want {
			want, _ = doublestar.Match(prefix, path) // as doublestar takes a/** for a, but not a*/**
		}
		if got := match(candor.Path(path)); got != want && !crosses(pattern, path) {
			t.Fatalf("Glob(%q)(%q) = %v, doublestar %v", pattern, path, got, want)
		}
	})
}

// Where a star touches a brace, doublestar's answer depends on the way it took.
func starsTouchBrace(pattern string) bool {
	return strings.Contains(pattern, "*{") || strings.Contains(pattern, "}*")
}

// crosses reports whether doublestar lets a negated set of the pattern be a slash.
func crosses(pattern, path string) bool {
	return strings.Contains(pattern, "[^") && strings.Contains(path, "/")
}

func drawGlob(t *rapid.T) string {
	items := rapid.SampledFrom([]string{"a", "b", "é", "*", "?", "[ab]", "[^a]", "{a,b}", "{a/b,?}", "{,b}", `\*`, "[[]", ","})
	part := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(items, 1, 3).Draw(t, "items"), "")
	})
	parts := rapid.SliceOfN(rapid.OneOf(part, rapid.Just("**")), 1, 4).Draw(t, "parts")
	parts = slices.Compact(parts) // as doublestar takes a/** for a, but not a/**/**
	return strings.Join(parts, "/")
}

func drawPath(t *rapid.T) string {
	part := rapid.StringOfN(rapid.SampledFrom([]rune("abé*[,")), 1, 3, -1)
	return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "path"), "/")
}

func TestGlobOfARequest(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"hr/**", "hr/leave.md", true},
		{"hr/**", "HR/leave.md", false},
		{"**/*.md", ".github/a.md", true},
		{"cafe\u0301/*", "caf\u00e9/a.md", true},
		{"🧙‍♂️/*", "🧙‍♂️/notes.md", true},
		{"{hr,ops}/**", "ops/a/b.md", true},
		{"hr", "hr/a.md", false},
		{"{hr/**,ops}/a.md", "hr/x/y/a.md", true},
		{"{**,x}/a.md", "y/z/a.md", true},
		{"hr/*{a,*}", "hr/x/a.md", false},
		{"hr/**{,x}", "hr/x/a.md", false},
		{"hr/{*,x}*", "hr/x/a.md", false},
		{"hr/{*,x}*", "hr/a.md", true},
		{"hr/**.md", "hr/x/a.md", false},
	} {
		match, err := policy.Glob(test.pattern)
		if err != nil {
			t.Errorf("%q: %v", test.pattern, err)
		} else if match(candor.Path(test.path)) != test.want {
			t.Errorf("%q on %q: not %v", test.pattern, test.path, test.want)
		}
	}
}

// The work for one path is bounded whatever the pattern.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"**", "a/**/b", "{a,{b,c}}*", "[^a]", `\`, "[", "{", "{,}", "**/**/**", "*a*a*a*b", strings.Repeat("{a,b}", 30), "a{/b,c/}d", "[a/b]", "\xff", "[!]a]"} {
		f.Add(seed, "a/b/c.md")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		match, err := policy.Glob(pattern)
		if err != nil {
			return
		}
		clean := policy.CleanPath(path)
		match(clean)
		p, err := policy.New(policy.Options{Profiles: map[string]policy.Rules{
			"p": {Allow: []string{"**"}, Deny: []string{pattern}},
		}})
		if err != nil {
			return // a set that does not fold
		}
		if match(clean) && p.Decide(clean).Allowed() {
			t.Errorf("deny %q matches %q and lets it through", pattern, clean)
		}
		upper := policy.CleanPath(strings.ToUpper(string(clean)))
		if match(clean) && strings.EqualFold(string(upper), string(clean)) && p.Decide(upper).Allowed() {
			t.Errorf("deny %q matches %q and lets %q through", pattern, clean, upper)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	p, err := policy.New(policy.Options{Profiles: map[string]policy.Rules{
		"public": {Allow: []string{"public/**"}},
		"staff":  {Allow: []string{"public/**", "internal/**"}, Deny: []string{"**/salaries/**", "**/*secret*"}},
	}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Decide("internal/handbook/benefits/parental-leave.md")
	}
}
