package policy

import (
	"slices"

	"candor"
)

// Permit says who may see one path. Only a [Policy] makes one that allows anybody; the
// zero value allows nobody. Permits can be compared with ==.
type Permit struct {
	path     candor.Path
	policy   *Policy
	profiles uint64 // bit i: policy.profiles[i] may see the path
}

// Path is the path that was decided about.
func (p Permit) Path() candor.Path { return p.path }

// Allowed reports whether any profile may see the path.
func (p Permit) Allowed() bool { return p.profiles != 0 }

// Allows reports whether the profile may see the path. An unknown profile may not.
func (p Permit) Allows(profile string) bool {
	return p.profiles&p.bit(profile) != 0
}

// Narrow gives a permit for those of the named profiles that p allows; no names,
// nobody.
func (p Permit) Narrow(profiles []string) Permit {
	var keep uint64
	for _, name := range profiles {
		keep |= p.bit(name)
	}
	p.profiles &= keep
	return p
}

// Profiles gives the names of the profiles that may see the path, sorted.
func (p Permit) Profiles() []string {
	var all []string
	for i := 0; p.policy != nil && i < len(p.policy.profiles); i++ {
		if p.profiles&(1<<i) != 0 {
			all = append(all, p.policy.profiles[i].name)
		}
	}
	return all
}

func (p Permit) bit(name string) uint64 {
	if p.policy == nil {
		return 0
	}
	i := slices.IndexFunc(p.policy.profiles, func(r profile) bool { return r.name == name })
	if i < 0 {
		return 0
	}
	return 1 << i
}
