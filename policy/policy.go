package policy

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"candor"
)

// DefaultProfile is the one profile of a vault without profiles.
const DefaultProfile = "default"

// maxProfiles is the width of a permit.
const maxProfiles = 64

// Rules are the globs of one profile.
type Rules struct {
	Allow []string
	Deny  []string
}

// Options are what an owner decides. The zero value lets one profile see everything.
type Options struct {
	// Profiles by name. Nil is one profile, DefaultProfile, that allows all; an empty
	// map is refused.
	Profiles map[string]Rules
	// Trust rules, the first that matches decides.
	Trust []TrustRule
	// TrustDefault is the tier of paths that no trust rule matches.
	TrustDefault candor.Tier
	// Write are the globs of the write zone, which is never read.
	Write []string
}

// Policy decides. It is immutable and safe for concurrent use.
type Policy struct {
	profiles     []profile // by name
	write        []strict
	trust        []trustRule
	trustDefault candor.Tier
}

type profile struct {
	name  string
	allow []glob
	deny  []strict
}

var profileName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,63}$`)

// New compiles the rules. It refuses what could only be a mistake: no profiles, a
// profile that allows nothing, a malformed glob.
func New(opt Options) (*Policy, error) {
	rules := opt.Profiles
	if rules == nil {
		rules = map[string]Rules{DefaultProfile: {Allow: []string{"**"}}}
	}
	if len(rules) == 0 {
		return nil, errors.New("profiles is empty: name one with allow globs, or leave profiles out")
	}
	if len(rules) > maxProfiles {
		return nil, fmt.Errorf("%d profiles: at most %d", len(rules), maxProfiles)
	}
	p := &Policy{trustDefault: opt.TrustDefault}
	if opt.TrustDefault > candor.T3 {
		return nil, fmt.Errorf("trust_default %s: write T0 to T3", opt.TrustDefault)
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		one, err := newProfile(name, rules[name])
		if err != nil {
			return nil, fmt.Errorf("profile %q: %w", name, err)
		}
		p.profiles = append(p.profiles, one)
	}
	var err error
	if p.write, err = compileAll("write", opt.Write, compileStrict); err != nil {
		return nil, err
	}
	for i, rule := range opt.Trust {
		one, err := newTrustRule(rule)
		if err != nil {
			return nil, fmt.Errorf("trust rule %d: %w", i+1, err)
		}
		p.trust = append(p.trust, one)
	}
	return p, nil
}

func newProfile(name string, rules Rules) (profile, error) {
	if !profileName.MatchString(name) {
		return profile{}, errors.New("a name is 1 to 64 letters, digits, '.', '_' or '-'")
	}
	if len(rules.Allow) == 0 {
		return profile{}, errors.New(`allows nothing: add allow globs, as in allow: ["public/**"]`)
	}
	allow, err := compileAll("allow", rules.Allow, compile)
	if err != nil {
		return profile{}, err
	}
	deny, err := compileAll("deny", rules.Deny, compileStrict)
	if err != nil {
		return profile{}, err
	}
	return profile{name, allow, deny}, nil
}

func compileAll[G any](key string, sources []string, compile func(string) (G, error)) ([]G, error) {
	all := make([]G, 0, len(sources))
	for _, source := range sources {
		g, err := compile(source)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", key, source, err)
		}
		all = append(all, g)
	}
	return all, nil
}

// Profiles gives the names of all profiles, sorted.
func (p *Policy) Profiles() []string {
	all := make([]string, len(p.profiles))
	for i := range p.profiles {
		all[i] = p.profiles[i].name
	}
	return all
}

// names is a path in the two forms that globs are matched on, cut into parts.
type names struct {
	exact  []string
	folded []string
}

func newNames(path candor.Path) names {
	exact := string(path)
	n := names{exact: split(exact, nil)}
	n.folded = n.exact
	if f := fold(exact); f != exact {
		n.folded = split(f, nil)
	}
	return n
}

// Decide says which profiles may see a path. All that is not plainly allowed is
// denied.
func (p *Policy) Decide(path candor.Path) Permit {
	permit := Permit{path: path, policy: p}
	if !clean(path) {
		return permit
	}
	n := newNames(path)
	if p.inWriteZone(n) || p.tier(n).Tier == candor.T3 {
		return permit
	}
	for i := range p.profiles {
		if p.profiles[i].sees(n) {
			permit.profiles |= 1 << i
		}
	}
	return permit
}

func (p *Policy) inWriteZone(n names) bool {
	return slices.ContainsFunc(p.write, func(s strict) bool { return s.match(n) })
}

func (r *profile) sees(n names) bool {
	allowed := slices.ContainsFunc(r.allow, func(g glob) bool { return g.match(n.exact, false) })
	return allowed && !slices.ContainsFunc(r.deny, func(s strict) bool { return s.match(n) })
}

// Walk reports whether a folder may be entered: whether some profile could see a note
// in it. The root is "".
func (p *Policy) Walk(folder candor.Path) bool {
	if folder != "" && !clean(folder) {
		return false
	}
	n := newNames(folder)
	if slices.ContainsFunc(p.write, func(s strict) bool { return s.covers(n) }) {
		return false
	}
	return slices.ContainsFunc(p.profiles, func(r profile) bool { return r.enters(n) })
}

func (r *profile) enters(n names) bool {
	allowed := slices.ContainsFunc(r.allow, func(g glob) bool { return g.reach(n.exact, false) })
	return allowed && !slices.ContainsFunc(r.deny, func(s strict) bool { return s.covers(n) })
}

// Trust gives the tier of a path, and whether the day until which its rule holds is
// over.
func (p *Policy) Trust(path candor.Path, now time.Time) (tier candor.Tier, overdue bool) {
	rule := p.tier(newNames(path))
	if rule.ReviewBy.IsZero() {
		return rule.Tier, false
	}
	return rule.Tier, !now.Before(rule.ReviewBy.AddDate(0, 0, 1))
}
