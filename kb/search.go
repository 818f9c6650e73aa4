package kb

import (
	"context"
	"slices"
	"strings"
	"time"

	"candor"
	"candor/corpus"
	"candor/evidence"
	"candor/policy"
	"candor/retrieval"
)

// The bounds and defaults of a search.
const (
	DefaultLimit   = 5
	DefaultPerNote = 3
	maxList        = 100 // tags, or citations to leave out
)

// Search gives passages that answer a question, or abstains.
func (b *Base) Search(ctx context.Context, req SearchRequest) (SearchAnswer, error) {
	s, err := b.newSearch(req)
	if err != nil {
		return SearchAnswer{}, err
	}
	var a SearchAnswer
	err = b.settled(ctx, func(v *view) (shown []candor.Path, err error) {
		a, err = s.run(ctx, v)
		for _, h := range a.Hits {
			shown = append(append(shown, h.Citation.Path), h.Duplicates...)
			for _, d := range h.Disagrees {
				shown = append(shown, d.Citation.Path)
			}
		}
		return shown, err
	})
	if err != nil {
		return SearchAnswer{}, err
	}
	return a, nil
}

// search is one checked request.
type search struct {
	base    *Base
	req     SearchRequest // without its cursor, defaults filled in
	offset  int
	match   func(candor.Path) bool
	after   time.Time
	exclude map[candor.Path][]candor.Citation
}

// newSearch checks a request.
func (b *Base) newSearch(req SearchRequest) (*search, error) {
	switch {
	case strings.TrimSpace(req.Query) == "":
		return nil, &candor.InputError{Field: "query", Why: "must hold a word to look for"}
	case len(req.Query) > b.opt.Limits.QueryBytes:
		return nil, inputError("query", "must be at most %d bytes; ask one question at a time", b.opt.Limits.QueryBytes)
	case req.Limit < 0 || req.Limit > b.opt.Limits.Results:
		return nil, inputError("limit", "must be 1 to %d", b.opt.Limits.Results)
	case len(req.Tags) > maxList:
		return nil, inputError("tags", "must be at most %d", maxList)
	case len(req.Exclude) > maxList:
		return nil, inputError("exclude", "must be at most %d", maxList)
	case req.Mode != "" && req.Mode != candor.ModeAuto && req.Mode != candor.ModeLexical:
		return nil, &candor.InputError{Field: "mode", Why: "must be auto or lexical"}
	case b.opt.Redactor.Finds(req.Query):
		return nil, &candor.InputError{Field: "query", Why: "seems to hold a secret; ask without it"}
	}
	s := &search{base: b, req: req, exclude: map[candor.Path][]candor.Citation{}}
	s.req.Cursor = ""
	s.req.Limit = orDefault(req.Limit, min(DefaultLimit, b.opt.Limits.Results))
	var err error
	if s.match, err = pathFilter(req.Paths); err != nil {
		return nil, err
	}
	if req.UpdatedAfter != "" {
		if s.after, err = time.Parse(time.DateOnly, req.UpdatedAfter); err != nil {
			return nil, &candor.InputError{Field: "updated_after", Why: "must be a date: YYYY-MM-DD"}
		}
	}
	for _, id := range req.Exclude {
		p, span, digest, ok := candor.ParseCitationID(id)
		if !ok {
			return nil, &candor.InputError{Field: "exclude", Why: "must hold citation ids: path#L1-L2@digest"}
		}
		p = policy.CleanPath(string(p))
		s.exclude[p] = append(s.exclude[p], candor.Citation{ID: digest, StartLine: span.Start, EndLine: span.End})
	}
	s.offset, err = b.offset(req.Cursor, "search", s.bound())
	return s, err
}

// bound is what a cursor is bound to: the request but for the length of its pages.
func (s *search) bound() SearchRequest {
	req := s.req
	req.Limit = 0
	return req
}

// run answers from one view.
func (s *search) run(ctx context.Context, v *view) (SearchAnswer, error) {
	engine, gates := s.engine(v)
	q := candor.Query{Text: s.req.Query, Explain: s.req.Explain, Keep: s.keep(v.snap)}
	found, err := engine.Search(ctx, q, depth)
	if err != nil {
		return SearchAnswer{}, err
	}
	if found.Mode == candor.ModeLexical {
		gates = s.base.opt.Gates // a leg that failed leaves the answer of lexical mode
	}
	verdict := gates.Assess(found.Lexical, found.Semantic)
	a := SearchAnswer{
		Abstained: verdict.Abstained, Reason: verdict.Reason, Mode: found.Mode, ModeReason: found.ModeReason,
		Hits: []SearchHit{}, Warning: Warning, Margin: verdict.Margin,
	}
	if a.Abstained {
		a.Reason = s.reason(v.snap, a.Reason, len(found.Hits))
	}
	if s.req.Explain {
		a.Ended = verdict.Ended
	}
	if !verdict.Abstained {
		r := rankings{v.snap, found}
		s.page(&a, s.gather(s.order(v.snap, found.Hits, verdict), r), r)
	}
	return a, nil
}

// reason names a simpler cause of an abstention where there is one: nothing to search.
func (s *search) reason(snap *corpus.Snapshot, reason string, hits int) string {
	if hits > 0 {
		return reason
	}
	if _, chunks := snap.Size(); chunks == 0 {
		return "there are no notes to search"
	}
	keep := s.keep(snap)
	if keep == nil {
		return reason
	}
	for slot, ch := range snap.Chunks {
		if ch != nil && keep(slot) {
			return reason
		}
	}
	return "no note passes the filters: paths (a folder is hr/**), tags, updated_after, exclude"
}

// engine is the legs to ask, and the gates over them.
func (s *search) engine(v *view) (retrieval.Engine, evidence.Gates) {
	t, gates := s.base.opt.Tuning(), s.base.opt.Gates
	if s.req.Mode == candor.ModeLexical && t.Mode != candor.ModeLexical {
		t.Mode, t.Reason = candor.ModeLexical, "the request asks for lexical"
	}
	engine := retrieval.Engine{Lexical: v.lexical, Why: t.Reason, Fusion: t.Fusion, Pin: t.Pin, Deadline: t.Deadline}
	if t.Mode != candor.ModeLexical && v.semantic != nil {
		engine.Semantic = v.semantic
		if t.Gates != nil && gates != (evidence.Gates{}) { // off stays off
			gates = *t.Gates
		}
	}
	if engine.Semantic != nil && t.Mode == candor.ModeSemantic {
		engine.Lexical = nil
	}
	return engine, gates
}

// keep is the filter of the request over the slots of a snapshot; nil keeps all.
func (s *search) keep(snap *corpus.Snapshot) func(int) bool {
	if s.req.Paths == "" && s.after.IsZero() && len(s.req.Tags) == 0 && len(s.exclude) == 0 {
		return nil
	}
	return func(slot int) bool {
		ch := snap.Chunks[slot]
		return s.match(ch.Path) && !ch.Modified.Before(s.after) && hasTags(ch.Tags, s.req.Tags) && !s.excluded(ch)
	}
}

// excluded reports whether the request leaves a chunk out.
func (s *search) excluded(ch *candor.Chunk) bool {
	for _, c := range s.exclude[ch.Path] {
		if c.ID == ch.Digest && c.StartLine == ch.Lines.Start && c.EndLine == ch.Lines.End {
			return true
		}
	}
	return false
}

// hasTags reports whether a note has every wanted tag; ops/db counts as ops too.
func hasTags(have, want []string) bool {
	for _, w := range want {
		w = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(w)), "#")
		found := false
		for _, h := range have {
			found = found || h == w || strings.HasPrefix(h, w+"/")
		}
		if !found {
			return false
		}
	}
	return true
}

// candidate is a hit with the other notes that hold the same passage, and the passages
// that say otherwise.
type candidate struct {
	retrieval.Hit
	chunk   *candor.Chunk
	copies  []candor.Path
	against []*candor.Chunk
}

// order takes the hits that stand, folds equal passages into the best of them, and
// puts passages of one note beyond the cap behind those of other notes.
func (s *search) order(snap *corpus.Snapshot, hits []retrieval.Hit, verdict evidence.Verdict) []candidate {
	var first, later []candidate
	at := map[string]*candidate{} // by text
	var kept []*candidate
	for _, h := range hits {
		if !verdict.Stands(h.Slot) {
			continue
		}
		ch := snap.Chunks[h.Slot]
		same := at[ch.Text]
		if same != nil && same.chunk.Path != ch.Path {
			if !slices.Contains(same.copies, ch.Path) {
				same.copies = append(same.copies, ch.Path)
			}
			continue
		}
		c := &candidate{Hit: h, chunk: ch}
		if same == nil {
			at[ch.Text] = c
		}
		kept = append(kept, c)
	}
	count := map[candor.Path]int{}
	for _, c := range kept {
		count[c.chunk.Path]++
		if limit := s.base.opt.PerNote; limit > 0 && count[c.chunk.Path] > limit {
			later = append(later, *c)
		} else {
			first = append(first, *c)
		}
	}
	return append(first, later...)
}

// page fills an answer with as many hits from the offset on as the request wants and
// the budget allows.
func (s *search) page(a *SearchAnswer, all []candidate, r rankings) {
	offset := min(s.offset, len(all))
	room := s.base.budget()
	for i, c := range all[offset:] {
		if len(a.Hits) == s.req.Limit {
			break
		}
		h := s.hit(c, r)
		h.Rank = offset + i + 1
		if !room.take(h) {
			if len(a.Hits) > 0 {
				break
			}
			fit, _ := fitLines(h.Text, room.left/2)
			h.Text, h.Cut = fit, true
			a.Hits = append(a.Hits, h)
			break
		}
		a.Hits = append(a.Hits, h)
	}
	if a.More = len(all) - offset - len(a.Hits); a.More > 0 {
		a.NextCursor = s.base.cursor("search", s.bound(), offset+len(a.Hits))
	}
}
