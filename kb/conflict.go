package kb

import (
	"cmp"
	"slices"

	"candor"
	"candor/corpus"
)

// compared is how many of an answer's passages are compared with one another. It does not
// depend on the page, so that the order of an answer is the same on all of its pages.
const compared = 6

// gather finds passages that say otherwise than others and puts each next to the best one
// that it disagrees with, the more trusted before the less.
func (s *search) gather(all []candidate, r rankings) []candidate {
	head := all[:min(compared, len(all))]
	passages := make([]*candor.Chunk, len(head))
	for i, c := range head {
		passages[i] = c.chunk
	}
	pairs := s.base.compare.Conflicts(s.req.Query, r.found.Lexical.Terms, passages)
	if len(pairs) == 0 {
		return all
	}
	group := make([]int, len(head)) // by the first of each
	for i := range group {
		group[i] = i
	}
	for _, p := range pairs {
		head[p[0]].against = append(head[p[0]].against, passages[p[1]])
		head[p[1]].against = append(head[p[1]].against, passages[p[0]])
		from, to := max(group[p[0]], group[p[1]]), min(group[p[0]], group[p[1]])
		for i, g := range group {
			if g == from {
				group[i] = to
			}
		}
	}
	place := make(map[*candor.Chunk]int, len(head))
	for i, ch := range passages {
		place[ch] = group[i]
	}
	slices.SortStableFunc(head, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(place[a.chunk], place[b.chunk]), cmp.Compare(s.tier(r.snap, a.chunk), s.tier(r.snap, b.chunk)))
	})
	return all
}

// tier is how far a passage is trusted now.
func (s *search) tier(snap *corpus.Snapshot, ch *candor.Chunk) candor.Tier {
	tier, _ := snap.Note(ch.Path).Flags(s.base.opt.Now())
	return tier
}

// trusted says how far one tier is trusted beside another.
func trusted(tier, than candor.Tier) string {
	switch {
	case tier < than:
		return "more"
	case tier > than:
		return "less"
	}
	return "as much"
}

// Standing says in words what the flags about trust mean for whoever answers from a
// passage; nothing for other flags.
func Standing(flags []candor.Flag) []string {
	var out []string
	for _, f := range flags {
		switch f {
		case candor.FlagAttributed:
			out = append(out, "attributed: name the source; it never backs a definitive claim")
		case candor.FlagReviewDue:
			out = append(out, "review due: past its date, so trusted one tier less (T2 at the least) until it is reviewed")
		}
	}
	return out
}
