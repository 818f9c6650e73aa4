package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// proseCount is the size of the generated set.
const proseCount = 500

// prose measures recall on secrets of our own making in sentences of our own making.
// Neither was taken from a rule; the shapes are what people write into notes. The
// number is reported, not bounded: it is the honest one beside the labelled strings.
func (r *runner) prose(seed uint64) {
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	type tally struct{ masked, of int }
	byShape := map[string]*tally{}
	total := 0
	for i := range proseCount {
		shape := shapes[i%len(shapes)]
		secret := shape.make(g)
		text := g.sentence(fmt.Sprintf(shape.frames[g.IntN(len(shape.frames))], secret))
		t := byShape[shape.name]
		if t == nil {
			t = &tally{}
			byShape[shape.name] = t
		}
		t.of++
		if left := r.redactor.Clean(text).String(); !strings.Contains(left, secret) && gone(left, text, secret) {
			t.masked++
			total++
		} else {
			r.print("  left %s: %q", shape.name, left)
		}
	}
	low, high := wilson(total, proseCount)
	fmt.Printf("     prose: %d of %d generated secrets masked, %.1f%% (95%% interval %.1f to %.1f)\n", total, proseCount, percent(total, proseCount), low, high)
	for _, s := range shapes {
		fmt.Printf("       %-20s %d of %d\n", s.name, byShape[s.name].masked, byShape[s.name].of)
	}
}

// wilson is the 95% score interval of a share, in percent.
func wilson(n, of int) (low, high float64) {
	const z = 1.96
	p, m := float64(n)/float64(of), float64(of)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return 100 * (mid - half), 100 * (mid + half)
}

type generator struct{ *rand.Rand }

func (g generator) pick(list []string) string { return list[g.IntN(len(list))] }

func (g generator) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(b)
}

func (g generator) sentence(middle string) string {
	return g.pick(before) + middle + g.pick(after)
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	alnum  = lower + upper + digits
)

var (
	before = []string{"", "Notes from Tuesday. ", "- ", "> ", "We moved hosts last week.\n\n", "## Access\n\n", "1. "}
	after  = []string{"", ".", " (ask Dana first).", "\n\nThe rest is in the runbook.", ", same as last year.", " - rotate in May."}
	words  = []string{"otter", "maple", "rocket", "Quartz", "velvet", "Canyon", "pixel", "Harbor"}
)

type shape struct {
	name   string
	frames []string
	make   func(generator) string
}

var credentialFrames = []string{
	"The wifi password for the Leeds office is %s", "Password: %s", "password = %s", "The admin password was %s", "pw: %s", "Passwort: `%s`",
	"Log in as deploy, password %s", "Log in with admin / %s", "DB_PASSWORD=%s", "| grafana | admin | %s |", "My pwd is `%s`", "the new passphrase is \"%s\"",
}

var tokenFrames = []string{
	"The API token for staging is %s", "export ACME_TOKEN=%s", "api_key: \"%s\"", "Use %s as the access token", "the secret key `%s` expires soon",
	"curl -H 'X-Api-Key: %s' https://api.acme.test/v1", "Authorization: Bearer %s", "token=%s", "Access token: %s", "Our billing key is %s",
}

var shapes = []shape{
	{"word and digits", credentialFrames, func(g generator) string { return g.pick(words) + g.from(digits, 2+g.IntN(3)) }},
	{"word and sign", credentialFrames, func(g generator) string { return g.pick(words) + "-" + g.pick(words) + "!" + g.from(digits, 2) }},
	{"random password", credentialFrames, func(g generator) string { return g.from(alnum+"!#%^*_+", 14) }},
	{"letters alone", credentialFrames, func(g generator) string { return g.from(lower, 10) }},
	{"mixed token", tokenFrames, func(g generator) string { return g.from(alnum, 32) }},
	{"hex token", tokenFrames, func(g generator) string { return g.from("0123456789abcdef", 40) }},
	{"base64 token", tokenFrames, func(g generator) string { return base64.StdEncoding.EncodeToString([]byte(g.from(alnum, 30))) }},
	{"prefixed token", tokenFrames, func(g generator) string { return "acme_live_" + g.from(alnum, 24) }},
	{"url", []string{"postgres://app:%s@db.acme.test:5432/app", "clone https://bot:%s@git.acme.test/x.git", "amqp://svc:%s@10.0.0.8/"}, func(g generator) string { return g.from(alnum, 12) }},
	{"pin", []string{"PIN: %s", "The PIN is %s", "door code: %s", "Alarm code is %s"}, func(g generator) string { return g.from(digits, 4+g.IntN(3)) }},
	{"basic header", []string{"Authorization: Basic %s", "send `Authorization: Basic %s`"}, func(g generator) string {
		return base64.StdEncoding.EncodeToString([]byte("svc:" + g.from(alnum, 12)))
	}},
	{"crypt hash", []string{"root:%s:19000:0:99999:7:::", "the stored hash is %s"}, func(g generator) string { return "$6$" + g.from(alnum, 8) + "$" + g.from(alnum, 86) }},
	{"key block", []string{"%s"}, func(g generator) string {
		raw := hex.EncodeToString([]byte(g.from(alnum, 64)))
		return "-----BEGIN EC PRIVATE" + " KEY-----\n" + raw[:64] + "\n" + raw[64:] + "\n-----END EC PRIVATE" + " KEY-----"
	}},
}
