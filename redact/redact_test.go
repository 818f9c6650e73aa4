package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/redact"
)

// The secrets here are made up and put together at run time, so that no scanner takes
// this file for a leak.
var (
	awsKey   = "AKIA" + "IOSFODNN7EXAMPLE"
	ghToken  = "ghp" + "_" + "a1B2c3d4E5f6G7h8" + "i9J0k1L2m3N4o5P6q7R8"
	pemBegin = "-----BEGIN RSA PRIVATE" + " KEY-----"
	pemEnd   = "-----END RSA PRIVATE" + " KEY-----"
	pemLine  = "MIIEpQIBAAKCAQEAn6/O8li+SX4m98LLYtPKSzEmQ"
)

func mustNew(t testing.TB, opt redact.Options) *redact.Redactor {
	t.Helper()
	r, err := redact.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCleanMasksSecretsInEveryShape(t *testing.T) {
	r := mustNew(t, redact.Options{})
	for _, c := range []struct{ in, want string }{
		{"the key " + awsKey + " is live", "the key [REDACTED:aws-key] is live"},
		{"password: hunter2", "password: [REDACTED:password]"},
		{"**Password:** `Tr0ub4dor&3`", "**Password:** `[REDACTED:password]`"},
		{"DB_PASSWORD=letmein", "DB_PASSWORD=[REDACTED:password]"},
		{"postgres://app:s3cr3tpw@db/app", "postgres://app:[REDACTED:url-credentials]@db/app"},
		{"Authorization: Basic " + "c3ZjOmh1bnRlcjI=", "Authorization: Basic [REDACTED:authorization]"},
		{"- **Password**: Fake-Gannet-7781-quay", "- **Password**: [REDACTED:password]"},
		{"| Host | Default password |\n|---|---|\n| a | otter-42 |\n| b | n/a |", "| Host | Default password |\n|---|---|\n| a | [REDACTED:password] |\n| b | n/a |"},
		{"PIN: 4821", "PIN: [REDACTED:pin]"},
		{"The wifi password for the Leeds office is otter42", "The wifi password for the Leeds office is [REDACTED:password]"},
		{"| grafana | admin | Otter-42x |", "| grafana | admin | [REDACTED:password] |"},
		{"root:$6$abcd$" + strings.Repeat("aB3", 20) + ":19000", "root:[REDACTED:password-hash]:19000"},
		{"got HTB{x}", "got [REDACTED:flag]"},
		{"THM{x} OOO{x} SEE{X} nullcon{x} picoCTF{x}", strings.TrimSpace(strings.Repeat("[REDACTED:flag] ", 5))},
		{"CTF{a}b}", "[REDACTED:flag]"},
		{"FLAG {x}", "[REDACTED:flag]"},
		{"ＨＴＢ{x}", "[REDACTED:flag]"},
		{"ZmxhZ3t4fQ==", "[REDACTED:flag]"},
		{"synt{x}", "[REDACTED:flag]"},
		{"hxp{51n9uL4r1ti3s_r3duC3_1t}", "[REDACTED:flag]"},
	} {
		if diff := cmp.Diff(c.want, r.Clean(c.in).String()); diff != "" {
			t.Errorf("Clean(%q): %s", c.in, diff)
		}
	}
}

func TestCleanLeavesProseCodeAndPlaceholders(t *testing.T) {
	r := mustNew(t, redact.Options{})
	for _, in := range []string{
		"password: <your password>",
		"API_KEY=$(pass show x)",
		"TOKEN=${VAULT_TOKEN}",
		"Password: must be at least 8 characters",
		"The password is stored in the vault.",
		"password: string",
		"secret: my-secret-2024",
		"password: mysql-root-pass",
		"- sk-\n- one\n- ghp_\n- two",
		"| Field | Password |\n|---|---|\n| a | required |\n| b | see below |",
		"MODEL_DIR=~/.cache/models/zephyr-7b-q4_k_m",
		"fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8",
		`"integrity": "sha512-` + strings.Repeat("aB3d", 21) + `=="`,
		"id: 123e4567-e89b-12d3-a456-426614174000",
		"see https://example.org/a/very/long/path/with/parts/0123456789abcdef/index.html",
		"https://user:password@example.org/",
		`\frac{a_1}{b_2} and \text{snake_case_1}`,
		"func{...} struct{} map{x_1} a{b,c} ${name_1_x}",
		"http_requests_total{job=\"api\"}",
		"![x](data:image/png;base64," + strings.Repeat(awsKey, 40) + ")",
		"-----BEGIN CERTIFICATE-----\n" + pemLine + "\n-----END CERTIFICATE-----",
		"look for `" + pemBegin + "` at the top",
		"with the flag {{< term text=\"API\" >}} set",
		"FLAG = 'flag{xxxxxxxxxxxx}'",
		"a [REDACTED:aws-key] b",
		"password: [REDACTED:password]",
	} {
		if got := r.Clean(in).String(); got != in {
			t.Errorf("Clean(%q) = %q", in, got)
		}
	}
}

func TestCleanFindsSplitSecrets(t *testing.T) {
	r := mustNew(t, redact.Options{})
	a, b := awsKey[:9], awsKey[9:]
	for name, in := range map[string]string{
		"zero width space": a + "\u200b" + b,
		"soft hyphen":      a + "\u00ad" + b,
		"bold":             a[:4] + "**" + a[4:] + "**" + b,
		"continuation":     a + "\\\n  " + b,
		"entity":           "&#65;" + awsKey[1:],
		"line break":       a + "\n" + b,
		"quote":            "> " + a + "\n> " + b,
		"table cells":      "| " + a + " | " + b + " |",
		"code fence":       a + "\n```\n" + b,
		"wide letters":     "ＡＫＩＡ" + awsKey[4:],
		"tag":              a + "<wbr>" + b,
		"table rows":       "| " + a + " |\n| " + b + " |",
		"rows of two":      "| " + a + " | host |\n| " + b + " | port |",
		"under a header":   "| " + a + " |\n|---|\n| " + b + " |",
		"list items":       "- " + a + "\n- " + b,
		"numbered items":   "> 1. " + a + "\n> 2. " + b,
		"html cells":       a + "</td><td>" + b,
		"comment":          a + "<!-- -->" + b,
		"underscores":      a + "__" + b,
		"tildes":           a + "~~" + b,
		"cut head":         a[:3] + "\n" + a[3:] + b,
		"percent sign":     awsKey[:4] + "%" + "49" + awsKey[5:],
		"escape":           strings.Replace(ghToken, "_", `\_`, 1),
	} {
		got := r.Clean(in)
		if strings.Contains(got.String(), b[len(b)-7:]) || strings.Contains(got.String(), ghToken[6:]) || len(got.Findings()) == 0 {
			t.Errorf("%s: Clean(%q) = %q", name, in, got.String())
		}
		if strings.Count(got.String(), "\n") != strings.Count(in, "\n") {
			t.Errorf("%s: lines changed: %q", name, got.String())
		}
	}
}

func TestCleanMasksKeyBlocks(t *testing.T) {
	r := mustNew(t, redact.Options{})
	body := strings.Repeat(pemLine+"\n", 4)
	pem := pemBegin + "\n" + body + pemEnd
	for name, in := range map[string]string{
		"plain":        pem,
		"crlf":         strings.ReplaceAll(pem, "\n", "\r\n"),
		"indented":     "    " + strings.ReplaceAll(pem, "\n", "\n    "),
		"quoted":       "> " + strings.ReplaceAll(pem, "\n", "\n> "),
		"missing end":  pemBegin + "\n" + body + "\nSome prose follows here.",
		"other end":    pemBegin + "\n" + body + "-----END CERTIFICATE-----",
		"three":        pem + "\n" + pem + "\n" + pem,
		"encrypted":    pemBegin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n" + body + pemEnd,
		"json":         `{"k": "` + strings.ReplaceAll(pem, "\n", `\n`) + `"}`,
		"pgp":          strings.ReplaceAll(pem, " KEY-----", " KEY BLOCK-----"),
		"ssh2":         "---- BEGIN SSH2 ENCRYPTED PRIVATE" + " KEY ----\nComment: \"x\"\n" + body + "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
		"putty":        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPublic-Lines: 4\n" + body + "Private-Lines: 4\n" + body + "Private-MAC: 00ff\n",
		"after begins": pemBegin + "\n" + pem,
	} {
		got := r.Clean("before\n" + in + "\nafter")
		if strings.Contains(got.String(), pemLine[:12]) || !strings.Contains(got.String(), "[REDACTED:private-key]") {
			t.Errorf("%s: key left in %q", name, got.String())
		}
		if !strings.HasPrefix(got.String(), "before\n") || !strings.HasSuffix(got.String(), "\nafter") {
			t.Errorf("%s: prose lost: %q", name, got.String())
		}
		if strings.Count(got.String(), "\n") != strings.Count(in, "\n")+2 {
			t.Errorf("%s: lines changed", name)
		}
	}
}

func TestMasksTellTheKindAndNothingElse(t *testing.T) {
	r := mustNew(t, redact.Options{})
	var got []string
	for _, n := range []int{8, 20, 64} {
		got = append(got, r.Clean("password=x9"+strings.Repeat("Ab3", n)[:n]).String())
	}
	for _, g := range got {
		if g != "password=[REDACTED:password]" {
			t.Errorf("masks differ: %q", got)
		}
	}
}

func TestFindingsNameKindAndLine(t *testing.T) {
	r := mustNew(t, redact.Options{})
	text := r.Clean("one [REDACTED:aws-key]\n" + awsKey + "\nthree\npassword: hunter2\n")
	want := []redact.Finding{{Kind: "aws-key", Line: 2}, {Kind: "password", Line: 4}}
	if diff := cmp.Diff(want, text.Findings()); diff != "" {
		t.Error(diff)
	}
	if !r.Finds("search for "+awsKey) || r.Finds("how long is parental leave") {
		t.Error("Finds is wrong")
	}
	if s, found := r.Mask(awsKey + ".md"); !found || s != "[REDACTED:aws-key].md" {
		t.Errorf("Mask gave %q", s)
	}
}

func TestOwnersRules(t *testing.T) {
	r := mustNew(t, redact.Options{
		Rules: []redact.Rule{{Name: "project", Pattern: `\bZebra-\d{3}\b`}},
		Allow: []string{awsKey, "/otter\\d+/"},
		Flags: []string{"acme"},
	})
	in := "Zebra-123, " + awsKey + ", password: otter12345, ACME{x}"
	if got, want := r.Clean(in).String(), "[REDACTED:project], "+awsKey+", password: otter12345, [REDACTED:flag]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if mustNew(t, redact.Options{}).Fingerprint() == r.Fingerprint() {
		t.Error("other rules, same fingerprint")
	}
}

func TestNewRefusesBadRulesByName(t *testing.T) {
	for pattern, why := range map[string]string{
		"":                  "empty",
		"(":                 "RE2",
		".*":                "ordinary text",
		`\w+`:               "ordinary text",
		"[^x]":              "ordinary text",
		"(a{1000}){1000}":   "RE2",
		"a|b":               "ordinary text",
		"x?":                "ordinary text",
		`(?s).`:             "ordinary text",
		`[[:alpha:]]{3,}\s`: "ordinary text",
	} {
		_, err := redact.New(redact.Options{Rules: []redact.Rule{{Name: "mine", Pattern: pattern}}})
		if err == nil || !strings.Contains(err.Error(), `"mine"`) || !strings.Contains(err.Error(), why) {
			t.Errorf("pattern %q: %v", pattern, err)
		}
	}
	for _, opt := range []redact.Options{
		{Rules: []redact.Rule{{Name: "a b", Pattern: "abc"}}},
		{Allow: []string{"/.*/"}},
		{Allow: []string{" "}},
		{Flags: []string{"a{"}},
	} {
		if _, err := redact.New(opt); err == nil {
			t.Errorf("accepted %+v", opt)
		}
	}
}

func TestOverTheBoundALineIsMasked(t *testing.T) {
	r := mustNew(t, redact.Options{})
	hard := strings.Repeat("curl -u a:b ", 1<<16)
	got := r.Clean("before\n" + hard + "\nafter")
	if got.String() != "before\n[REDACTED:unscanned]\nafter" {
		t.Errorf("got %.80q", got.String())
	}
}

func TestOwnersRulesAreBounded(t *testing.T) {
	opt := redact.Options{Rules: []redact.Rule{{Name: "code", Pattern: `[a-z]{32}!`}, {Name: "word", Pattern: `zebra(?:.*end)?`}}}
	r := mustNew(t, opt)
	in := "zebra\n" + strings.Repeat("z", 1<<20) + "\n" + strings.Repeat("b", 32) + "!"
	if got := r.Clean(in).String(); got != "[REDACTED:word]\n[REDACTED:unscanned]\n[REDACTED:code]" {
		t.Errorf("a line too long for a rule: got %.80q", got)
	}
	// Behind each match the second rule reads on to the end of the line.
	if got := r.Clean("a\n" + strings.Repeat("zebra ", 1<<13) + "\n"); !strings.HasSuffix(got.String(), "[REDACTED:unscanned]\n") {
		t.Errorf("a line read again and again: got %.80q", got.String())
	}
	opt.Rules[0].Pattern = `[a-z]{20,300}!`
	if _, err := redact.New(opt); err == nil || !strings.Contains(err.Error(), `"code"`) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a pattern of 300 letters: %v", err)
	}
}
