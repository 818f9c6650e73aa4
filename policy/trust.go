package policy

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"candor"
)

// TrustRule says how far the notes that match one of its globs are trusted.
type TrustRule struct {
	Paths []string
	Tier  candor.Tier
	// ReviewBy is the last day on which the rule holds unreviewed; zero is for ever.
	ReviewBy time.Time
}

// trustRule is a compiled TrustRule: raises for T0 and T1, lowers for T2 and T3.
type trustRule struct {
	TrustRule
	raises []glob
	lowers []strict
}

func newTrustRule(rule TrustRule) (trustRule, error) {
	one := trustRule{TrustRule: rule}
	if len(rule.Paths) == 0 {
		return one, errors.New("has no paths: write ** for all")
	}
	if rule.Tier > candor.T3 {
		return one, fmt.Errorf("tier %s: write T0 to T3", rule.Tier)
	}
	var err error
	if rule.Tier <= candor.T1 {
		one.raises, err = compileAll("paths", rule.Paths, compile)
	} else {
		one.lowers, err = compileAll("paths", rule.Paths, compileStrict)
	}
	return one, err
}

// tier gives the rule that decides about a path.
func (p *Policy) tier(n names) TrustRule {
	for i := range p.trust {
		if p.trust[i].matches(n) {
			return p.trust[i].TrustRule
		}
	}
	return TrustRule{Tier: p.trustDefault}
}

func (r *trustRule) matches(n names) bool {
	return slices.ContainsFunc(r.raises, func(g glob) bool { return g.match(n.exact, true) }) ||
		slices.ContainsFunc(r.lowers, func(s strict) bool { return s.match(n) })
}
