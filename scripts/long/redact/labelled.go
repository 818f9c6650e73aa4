package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// sample is one line of the labelled strings.
type sample struct {
	Rule string   `json:"rule"`
	TP   []string `json:"tp"`
	FP   []string `json:"fp"`
}

// labelled measures recall on the positives of each rule and precision on its
// negatives. A positive counts as masked if nothing of what its rule calls the secret
// is left; a negative counts as hit if its own rule masks in it.
func (r *runner) labelled(path string) error {
	secretOf, err := secrets()
	if err != nil {
		return err
	}
	samples, err := readSamples(path)
	if err != nil {
		return err
	}
	var positives, masked, negatives, hit int
	for _, s := range samples {
		for _, text := range s.TP {
			positives++
			left := r.redactor.Clean(text).String()
			if secret := secretOf(s.Rule, text); gone(left, text, secret) {
				masked++
			} else {
				r.print("  missed %s: %q in %q", s.Rule, left, text)
			}
		}
		for _, text := range s.FP {
			negatives++
			if r.fires(s.Rule, text) {
				hit++
				r.print("  false %s: %q", s.Rule, text)
			}
		}
	}
	r.line(masked*100 >= positives*98, "labelled: %d of %d positives masked (%.2f%%)", masked, positives, percent(masked, positives))
	r.line(hit*100 <= negatives*5, "labelled: %d of %d negatives masked by their own rule (%.2f%%)", hit, negatives, percent(hit, negatives))
	return nil
}

// gone reports whether no piece of 8 bytes of the secret is left that does not stand
// elsewhere in the text too.
func gone(left, text, secret string) bool {
	size := min(8, len(secret))
	rest := strings.ReplaceAll(text, secret, "\x00")
	for i := 0; i+size <= len(secret); i++ {
		piece := secret[i : i+size]
		if size > 0 && strings.Contains(left, piece) && !strings.Contains(rest, piece) {
			return false
		}
	}
	return true
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

func (r *runner) fires(rule, text string) bool {
	if rule == "aws-access-token" {
		rule = "aws-key"
	}
	for _, f := range r.redactor.Clean(text).Findings() {
		if f.Kind == rule {
			return true
		}
	}
	return false
}

// secrets gives a function that finds what gitleaks calls the secret in a positive;
// all of the text where its expression does not match.
func secrets() (func(rule, text string) string, error) {
	var data struct {
		Rules []struct {
			ID          string `toml:"id"`
			Regex       string `toml:"regex"`
			SecretGroup int    `toml:"secretGroup"`
		} `toml:"rules"`
	}
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &data); err != nil {
		return nil, err
	}
	type rule struct {
		re    *regexp.Regexp
		group int
	}
	rules := map[string]rule{}
	for _, d := range data.Rules {
		if d.Regex != "" {
			rules[d.ID] = rule{regexp.MustCompile(d.Regex), d.SecretGroup}
		}
	}
	return func(id, text string) string {
		r := rules[id]
		if r.re == nil {
			return text
		}
		m := r.re.FindStringSubmatch(text)
		if m == nil {
			return text
		}
		if r.group > 0 {
			return m[r.group]
		}
		for _, g := range m[1:] {
			if g != "" {
				return strings.Trim(g, `"'`)
			}
		}
		return m[0]
	}, nil
}

func readSamples(path string) ([]sample, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	var out []sample
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, lines.Err()
}
