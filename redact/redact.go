// Package redact masks secrets. It is the only maker of clean text: a [Text] is
// what may be indexed, embedded, logged or shown.
//
// # What is masked
//
// The shapes of some 220 providers' keys (rule data of gitleaks), private key blocks,
// credentials in URLs and headers, password assignments, password hashes, flags of
// security games, and what the owner's own rules name. A mask is `[REDACTED:kind]`; it
// tells the kind and nothing of the secret, not even its length. Masks keep the line
// breaks of what they cover, so line numbers hold.
//
// # How
//
// One pass of an Aho-Corasick automaton over the text finds where a secret could
// begin; only there a detector looks at a small window. A note that splits a key with
// invisible characters, emphasis, entities, percent signs, escapes or comments is looked
// at again in a normalised view whose spans are mapped back; pieces on neighbouring
// lines, in cells or list items are put together. Work is bounded by bytes looked at:
// over the bound, the line is masked unseen. So it is with the owner's patterns, which
// see each line that is short enough for their size.
//
// # Limits
//
// Shapes are found, not every secret: a passphrase of plain words in prose, or a key
// in a language of its own, passes. Masking is defence in depth beside the policy.
package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
)

// version names the behaviour of the detectors in this package. It is part of
// [Redactor.Fingerprint], so raise it with every change of what is masked.
const version = "2"

// Rule is an owner's pattern; what it matches is masked under its name.
type Rule struct {
	Name    string // letters, digits, '-' and '_'
	Pattern string // RE2 syntax; the first group, if any, is what is masked
}

// Options configure a [Redactor]. The zero value masks everything that the package
// knows.
type Options struct {
	Rules []Rule
	// Allow are values that are no secrets: exact, or a regular expression between
	// slashes that matches the whole value.
	Allow []string
	// Flags are further prefixes of security-game flags, as HTB in HTB{…}.
	Flags []string
}

// Redactor finds and masks secrets. It is safe for concurrent use.
type Redactor struct {
	owner       []ownerRule
	allow       allowList
	fingerprint string
	engine      func() *engine // built in the background, once
}

// New checks the options and begins to load the rules in the background; the first
// use waits for them.
func New(opt Options) (*Redactor, error) {
	owner, err := compileOwner(opt.Rules)
	if err != nil {
		return nil, err
	}
	allow, err := compileAllow(opt.Allow)
	if err != nil {
		return nil, err
	}
	flags, err := flagPrefixes(opt.Flags)
	if err != nil {
		return nil, err
	}
	r := &Redactor{owner: owner, allow: allow, fingerprint: fingerprint(opt)}
	r.engine = sync.OnceValue(func() *engine { return newEngine(flags) })
	go r.engine()
	return r, nil
}

// Fingerprint names the rule set: equal fingerprints mask alike.
func (r *Redactor) Fingerprint() string { return r.fingerprint }

// Clean masks the secrets of a note or a part of one.
func (r *Redactor) Clean(text string) Text {
	masked, findings := r.mask(text)
	return Text{text: masked, findings: findings}
}

// Mask masks one value: a name, a heading, a query, a front matter leaf. It reports
// whether there was anything to mask.
func (r *Redactor) Mask(s string) (masked string, found bool) {
	masked, findings := r.mask(s)
	return masked, len(findings) > 0
}

// Finds reports whether s holds a secret.
func (r *Redactor) Finds(s string) bool { return len(r.find(s)) > 0 }

// find gives the spans of text to mask: ordered, apart, allowed values left out.
func (r *Redactor) find(text string) []span {
	if text == "" {
		return nil
	}
	spans := r.engine().find(text)
	for _, rule := range r.owner {
		spans = rule.find(text, spans)
	}
	return tidy(text, r.allow.without(text, spans))
}

func fingerprint(opt Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%x\x00%q\x00%q\x00%q", version, rulesDigest(), opt.Rules, opt.Allow, opt.Flags)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
