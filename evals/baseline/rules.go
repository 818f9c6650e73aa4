package baseline

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"candor"
	"candor/evals"
)

// rules is what the topics together say may never be: what one topic forbids a
// profile is looked for in the profile's every answer.
type rules struct {
	profiles []string                        // all that ask, sorted
	denied   map[string]map[candor.Path]bool // by profile
	stale    map[string]map[candor.Path]bool
	never    map[string]phrases
}

func newRules(topics []evals.Topic, secrets []string) rules {
	r := rules{
		denied: map[string]map[candor.Path]bool{}, stale: map[string]map[candor.Path]bool{},
		never: map[string]phrases{},
	}
	everyone := phrases{} // a secret is one for every profile
	everyone.add(secrets...)
	for _, t := range topics {
		if r.denied[t.Profile] == nil {
			r.denied[t.Profile], r.stale[t.Profile], r.never[t.Profile] = map[candor.Path]bool{}, map[candor.Path]bool{}, phrases{}
		}
		if t.Slice == evals.Denied {
			for _, e := range t.Expect {
				r.denied[t.Profile][e.Path] = true
			}
		}
		for _, path := range t.Stale {
			r.stale[t.Profile][path] = true
		}
		to := r.never[t.Profile]
		if t.Slice == evals.Secret {
			to = everyone
		}
		to.add(t.Never...)
	}
	for _, never := range r.never {
		maps.Copy(never, everyone)
	}
	r.profiles = slices.Sorted(maps.Keys(r.denied))
	return r
}

// phrases are texts that may not be seen, in every form that a result gives them.
type phrases map[string]bool

func (p phrases) add(texts ...string) {
	for _, text := range texts {
		p[text] = true
		for _, html := range []bool{true, false} {
			var b strings.Builder
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(html)
			if err := enc.Encode(text); err == nil {
				quoted := strings.TrimSuffix(b.String(), "\n")
				p[quoted[1:len(quoted)-1]] = true
			}
		}
	}
}

// digest matches what authenticators and digests look like in a result. A short phrase,
// such as a PIN of six digits, stands in one of some thousands of them by chance.
var digest = regexp.MustCompile(`\b[0-9a-f]{32,}\b`)

// short is the length in bytes below which chance matters.
const short = 12

func (p phrases) in(text string) bool {
	for phrase := range p {
		if strings.Contains(text, phrase) && (len(phrase) >= short || strings.Contains(digest.ReplaceAllString(text, ""), phrase)) {
			return true
		}
	}
	return false
}
