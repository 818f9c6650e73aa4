package redact

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// ruleData is the part of gitleaks' rule file that is of use here. It is decoded
// directly: gitleaks' own loader compiles every expression at once, which takes longer
// than reading a small vault.
type ruleData struct {
	Allowlist allowData `toml:"allowlist"`
	Rules     []struct {
		ID          string      `toml:"id"`
		Regex       string      `toml:"regex"`
		Keywords    []string    `toml:"keywords"`
		Entropy     float64     `toml:"entropy"`
		SecretGroup int         `toml:"secretGroup"`
		Allowlists  []allowData `toml:"allowlists"`
	} `toml:"rules"`
}

type allowData struct {
	Condition   string   `toml:"condition"`
	RegexTarget string   `toml:"regexTarget"`
	Regexes     []string `toml:"regexes"`
	StopWords   []string `toml:"stopwords"`
	Paths       []string `toml:"paths"`
}

// vendorRule is one provider's rule, made to be tried at a place where one of its
// keywords stands.
type vendorRule struct {
	kind      string
	anchored  bool     // the match begins at the keyword
	assigned  bool     // keyword, operator, value: tried only where a value follows
	bounded   bool     // no word character before the match
	spaceless bool     // the shortest match holds no white space
	keywords  []string // lower case
	least     int      // bytes of the shortest match
	window    int      // bytes to look at from the keyword on
	back      int      // and before it, unless anchored
	group     int
	entropy   float64
	allow     []ruleAllow
	expr      func() *regexp.Regexp // compiled at its first use
}

// ruleAllow is what a rule must not match: a value, by expression or word in it, or
// an expression over the match or its line.
type ruleAllow struct { // see found.allowed
	target string // "", "match" or "line"
	expr   func() *regexp.Regexp
	words  *automaton
}

func rulesDigest() [32]byte { return sha256.Sum256([]byte(config.DefaultConfig)) }

// skippedRules are left out: a detector of this package does their work better, or
// they judge file names only.
var skippedRules = map[string]bool{"private-key": true, "pkcs12-file": true, "kubernetes-secret-yaml": true}

// rareKeywords stand in for heads that are in every note.
var rareKeywords = map[string][]string{"sidekiq-sensitive-url": {"contribsys.com"}}

// kindOf renames rules whose gitleaks name is longer than the thing.
func kindOf(id string) string {
	if id == "aws-access-token" {
		return "aws-key"
	}
	return id
}

func loadRules() []*vendorRule {
	var data ruleData
	must(toml.Unmarshal([]byte(config.DefaultConfig), &data))
	common := compileAllowData(data.Allowlist)
	var rules []*vendorRule
	for _, d := range data.Rules {
		if skippedRules[d.ID] || d.Regex == "" {
			continue
		}
		r := &vendorRule{kind: kindOf(d.ID), keywords: d.Keywords, entropy: d.Entropy, group: d.SecretGroup}
		r.shape(d.Regex)
		r.allow = append(r.allow, common)
		for _, a := range d.Allowlists {
			if keepAllow(d.ID, a) {
				r.allow = append(r.allow, compileAllowData(a))
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// keepAllow drops the allowance for AWS keys that end in EXAMPLE: a mask of one costs
// nothing, and who plants a key to test the masker plants that one. Allowances by path
// do not apply to notes.
func keepAllow(id string, a allowData) bool {
	if id == "aws-access-token" || strings.EqualFold(a.Condition, "AND") {
		return false
	}
	return len(a.Regexes)+len(a.StopWords) > 0
}

func compileAllowData(a allowData) ruleAllow {
	out := ruleAllow{target: a.RegexTarget}
	if len(a.Regexes) > 0 {
		out.expr = lazily("(?:" + strings.Join(a.Regexes, ")|(?:") + ")")
	}
	if len(a.StopWords) > 0 {
		words := slices.Clone(a.StopWords)
		for i := range words {
			words[i] = strings.ToLower(words[i])
		}
		out.words = newAutomaton(words)
	}
	return out
}

func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// The fragments that gitleaks' rule generator puts around a name and a value.
const (
	lead     = `[\w.-]{0,50}?`
	gap      = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
	gapOpen  = `[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
	stopping = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
)

// shape works out how the rule can be tried cheaply.
func (r *vendorRule) shape(expr string) {
	body := strings.ReplaceAll(expr, lead, "")
	r.assigned = strings.Contains(body, gap) || strings.Contains(body, gapOpen)
	for _, p := range []string{`\b`, `(?i)\b`} {
		if strings.HasPrefix(body, p) {
			r.bounded = true
			body = strings.Replace(body, `\b`, "", 1)
		}
	}
	heads, ok := headsOf(body)
	m := measure(strings.TrimSuffix(body, stopping))
	r.least, r.spaceless = m.least, !m.space
	r.window = min(m.most, maxWindow) + 2
	if rare := rareKeywords[r.kind]; rare != nil {
		r.keywords, ok = rare, false
	}
	if ok {
		r.anchored, r.keywords = true, heads
		r.expr = lazily(`\A(?:` + body + `)`)
		return
	}
	r.spaceless, r.bounded = false, false
	r.back, r.window = windowBack, 2*windowBack+r.window
	r.expr = lazily(expr)
}

const (
	maxWindow  = 2048 // longest stretch that an unbounded expression may look at
	windowBack = 64   // how far before its keyword an unanchored rule looks
)

// must stops the program on a fault in data that is compiled in.
func must(err error) {
	if err != nil {
		panic("redact: rule data: " + err.Error())
	}
}
