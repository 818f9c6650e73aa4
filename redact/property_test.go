package redact_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"candor/redact"
)

// fragments are what hostile notes are made of.
var fragments = []string{
	awsKey, ghToken, pemBegin, pemEnd, pemLine, "\n", "\r\n", " ", "password: ", "hunter2", "=", "key", "token is ", "[REDACTED:aws-key]", "[REDACTED:",
	"]", "**", "\u200b", "&#65;", "\\\n", "\\_", "| ", "`", "\"", "://", "user:Pa55word@host", "{", "}", "flag", "HTB{", "data:image/png;base64,", "AAAA",
	"curl -u ", "a:b ", "$6$abcd$", "Authorization: Basic ", "PIN: 4821", "ＡＫ", "\xff", "é", "<b>", " as the token", "login admin / ",
}

func notes() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 30).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func TestCleanTwiceIsCleanOnceAndLinesStay(t *testing.T) {
	r := mustNew(t, redact.Options{})
	rapid.Check(t, func(t *rapid.T) { settled(t, r, notes().Draw(t, "note")) })
}

func TestNoPlantedKeySurvives(t *testing.T) {
	r := mustNew(t, redact.Options{})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"otter", "the", "note", "\n", "- item", "## Head", "(", "é"}), 0, 20)
		before, after := words.Draw(t, "before"), words.Draw(t, "after")
		text := strings.Join(before, " ") + " " + awsKey + " " + strings.Join(after, " ")
		if got := r.Clean(text).String(); strings.Contains(got, awsKey[4:12]) {
			t.Fatalf("left in %q", got)
		}
	})
}

type fataler interface{ Fatalf(string, ...any) }

func settled(t fataler, r *redact.Redactor, text string) {
	once := r.Clean(text)
	twice := r.Clean(once.String())
	if once.String() != twice.String() || len(twice.Findings()) != 0 {
		t.Fatalf("not settled: %q\nonce  %q\ntwice %q", text, once.String(), twice.String())
	}
	if strings.Count(once.String(), "\n") != strings.Count(text, "\n") {
		t.Fatalf("lines changed: %q became %q", text, once.String())
	}
	last := 1
	for _, f := range once.Findings() {
		if f.Line < last || f.Line > strings.Count(text, "\n")+1 {
			t.Fatalf("finding %+v out of order in %q", f, text)
		}
		last = f.Line
	}
	if len(once.Findings()) == 0 && once.String() != text {
		t.Fatalf("changed without a finding: %q", text)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"password: hunter2", awsKey, pemBegin + "\n" + pemLine + "\n" + pemLine + "\n" + pemEnd, "a\u200bb **c** &#65; \\_ \\\n", "[REDACTED:aws-key] [REDACTED:",
		"https://a:b3c4d5@h/ HTB{x}", "data:image/png;base64,AAAA", "| a | b |\n|---|\n", "ＡＫＩＡ", "\xff\xc2\xe2\x80",
	} {
		f.Add(s)
	}
	r := mustNew(f, redact.Options{})
	f.Fuzz(func(t *testing.T, text string) { settled(t, r, text) })
}

func TestARuleThatMatchesMasksSettles(t *testing.T) {
	r := mustNew(t, redact.Options{Rules: []redact.Rule{{Name: "word", Pattern: `aws-key`}, {Name: "tail", Pattern: `key\] \w+`}}})
	for _, text := range []string{awsKey, "[REDACTED:aws-key]", "[REDACTED:aws-key] next", "REDACTED: " + awsKey + " next"} {
		settled(t, r, text)
	}
	if got := r.Clean("[REDACTED:aws-key] next"); got.String() != "[REDACTED:tail]" {
		t.Errorf("a rule cut a mask: %q", got.String())
	}
}
