package baseline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"candor"
	"candor/evals"
)

// faults are what the fake does wrong; the zero value does nothing wrong.
type faults struct {
	gateOff, gateInverted, gateShut         bool
	deniedIndexed, deniedRead, deniedTold   bool
	deniedListed, linkLeaks, linkFollowed   bool
	unmasked, unmaskedOutline               bool
	supersessionOff, staleUnsaid, staleGone bool
	pointerLeaks, readDiffers               bool
	spansOff, digestOff, sharedIDF, ties    bool
	strangeTool, transport, searchDies      bool
}

// note is one note of the fake's vault.
type note struct {
	path   candor.Path
	text   string
	staff  bool        // only the profile staff may see it
	newer  candor.Path // the note that replaces it
	masked string
}

const (
	planted = "XKEY-1234567890"
	canary  = "nine thousand doubloons"
)

var notes = []note{
	{path: "public/deploy.md", text: "# Deploy\nUse the deploy key " + planted + " daily.", masked: planted},
	{path: "public/leave.md", text: "# Parental leave\nNew parents may stay away for sixteen weeks."},
	{path: "public/limit-2019.md", text: "# Old expense limit\nThe expense limit is twenty.", newer: "public/limit.md"},
	{path: "public/limit.md", text: "# New expense limit\nThe expense limit is fifty."},
	{path: "public/oven.md", text: "# Oven\nThe oven is cleaned on friday."},
	{path: "public/oven2.md", text: "# Oven\nThe oven is cleaned on friday. "},
	{path: "staff/pay.md", text: "# Pay bands\nDirectors earn " + canary + " a year.", staff: true},
	{path: "staff/parents.md", text: "# Parents\nParents among the staff, parents, parents.", staff: true},
}

// fake is a small search engine over the notes, with the faults.
type fake struct {
	faults
	alone bool // holds only what the profile may see
}

func (f *fake) Fingerprint(context.Context) (evals.Fingerprint, error) {
	gates := "0.5"
	if f.gateOff {
		gates = "0"
	}
	return evals.Fingerprint{Mode: candor.ModeLexical, Gates: gates}, nil
}

func (f *fake) sees(profile string, n note) bool {
	return !n.staff || profile == "staff"
}

// finds reports whether a search gives a note. Indexed by mistake, a denied one is
// held back by the gates and seen with the gates off.
func (f *fake) finds(q evals.Question, n note) bool {
	return f.sees(q.Profile, n) || f.deniedIndexed && !f.alone && q.GatesOff
}

func (f *fake) shown(n note) string {
	if n.masked == "" || f.unmasked {
		return n.text
	}
	return strings.ReplaceAll(n.text, n.masked, "[masked: key]")
}

func (f *fake) flags(n note) (out []candor.Flag) {
	if n.masked != "" {
		out = append(out, candor.FlagMasked)
	}
	if n.newer != "" {
		out = append(out, candor.FlagSuperseded)
	}
	return out
}

// weights gives each word of a question its idf over what the profile may see.
func (f *fake) weights(q evals.Question) map[string]float64 {
	out := map[string]float64{}
	for _, word := range strings.Fields(strings.ToLower(q.Text)) {
		found, all := 0, 0
		for _, n := range notes {
			if f.sees(q.Profile, n) || f.sharedIDF && !f.alone {
				all++
				if strings.Contains(strings.ToLower(n.text), word) {
					found++
				}
			}
		}
		out[word] = math.Log(1 + float64(all)/float64(found+1))
	}
	return out
}

func (f *fake) Search(_ context.Context, q evals.Question) (evals.Answer, error) {
	switch {
	case f.searchDies:
		return evals.Answer{}, context.DeadlineExceeded
	case q.GatesOff && f.transport:
		return evals.Answer{}, evals.ErrNotOffered
	case strings.Contains(q.Text, planted):
		return evals.Answer{}, &candor.InputError{Field: "query", Why: "holds a secret"}
	}
	weights, a := f.weights(q), evals.Answer{}
	most := 0.0
	for _, w := range weights {
		most += w
	}
	for _, n := range notes {
		score := 0.0
		for _, word := range strings.Fields(strings.ToLower(q.Text)) {
			if strings.Contains(strings.ToLower(f.shown(n)), word) {
				score += weights[word]
			}
		}
		if f.finds(q, n) && score > 0 {
			a.Hits = append(a.Hits, f.hit(n, math.Round(1000*score/most)/1000))
		}
	}
	f.rank(&a)
	f.gate(&a, q)
	return a, nil
}

func (f *fake) hit(n note, score float64) evals.Hit {
	lines := candor.Span{Start: 1, End: 2}
	text := f.shown(n)
	digest := candor.Digest(text)
	if f.digestOff {
		digest = "00000000"
	}
	if f.spansOff {
		lines = candor.Span{Start: 2, End: 3}
	}
	flags := f.flags(n)
	if f.supersessionOff && n.newer != "" {
		flags = nil
	}
	return evals.Hit{
		Citation: candor.Citation{
			ID: candor.CitationID(n.path, lines, digest), Path: n.path, StartLine: lines.Start, EndLine: lines.End,
			Heading: []string{strings.TrimPrefix(strings.Split(n.text, "\n")[0], "# ")},
		},
		Text: text, Score: score, Flags: flags,
	}
}

func (f *fake) rank(a *evals.Answer) {
	if f.ties {
		rand.Shuffle(len(a.Hits), func(i, j int) { a.Hits[i], a.Hits[j] = a.Hits[j], a.Hits[i] })
	}
	slices.SortStableFunc(a.Hits, func(x, y evals.Hit) int {
		if stale := slices.Contains(x.Flags, candor.FlagSuperseded); stale != slices.Contains(y.Flags, candor.FlagSuperseded) {
			if stale {
				return 1
			}
			return -1
		}
		return int(1e6 * (y.Score - x.Score))
	})
	for i := range a.Hits {
		a.Raw += fmt.Sprintf("%d %s %q\n", i, a.Hits[i].Citation.ID, a.Hits[i].Text)
	}
	if len(a.Hits) > 0 {
		a.Confidence = a.Hits[0].Score
	}
}

func (f *fake) gate(a *evals.Answer, q evals.Question) {
	shut := a.Confidence < 0.5
	switch {
	case f.gateInverted:
		shut = !shut
	case f.gateOff:
		shut = a.Confidence == 0
	case f.gateShut:
		shut = true
	}
	if shut && !q.GatesOff || len(a.Hits) == 0 {
		*a = evals.Answer{Abstained: true, Reason: "too little", Confidence: a.Confidence}
		return
	}
	a.Hits = a.Hits[:min(q.Limit, len(a.Hits))]
}

func (f *fake) Read(_ context.Context, at evals.Place) (evals.Passage, error) {
	for _, n := range notes {
		if at.Path != n.path || n.newer != "" && f.staleGone {
			continue
		}
		switch {
		case f.sees(at.Profile, n) || f.deniedRead:
			p := evals.Passage{Text: f.shown(n), Flags: f.flags(n), SupersededBy: n.newer}
			if f.staleUnsaid && n.newer != "" {
				p.Flags = nil
			}
			if f.readDiffers {
				p.Text += "\nand more"
			}
			if f.pointerLeaks && n.newer != "" {
				p.SupersededBy = "staff/pay.md"
			}
			return p, nil
		case f.deniedTold:
			return evals.Passage{}, fmt.Errorf("forbidden: %w", candor.ErrNotFound)
		}
	}
	return evals.Passage{}, candor.ErrNotFound
}

func (f *fake) Tools(context.Context, string) ([]string, error) {
	tools := []string{"search", "read", "outline", "links", "status", "create_note"}
	if f.strangeTool {
		tools = append(tools, "dump")
	}
	return tools, nil
}

func (f *fake) Call(_ context.Context, c evals.Call) (evals.Output, error) {
	var out evals.Output
	switch c.Tool {
	case "outline":
		page := 0
		fmt.Sscan(fmt.Sprint(c.Args["cursor"]), &page)
		for _, n := range notes[page : page+4] {
			if f.sees(c.Profile, n) || f.deniedListed {
				out.Paths = append(out.Paths, n.path)
			}
			if f.unmaskedOutline {
				out.Raw += n.text
			}
		}
		if page+4 < len(notes) {
			out.Next = fmt.Sprint(page + 4)
		}
	case "links":
		if f.linkLeaks && c.Args["path"] == "public/oven.md" {
			out.Paths = []candor.Path{"staff/pay.md"}
		}
		if f.linkFollowed && c.Args["path"] == "public/oven.md" {
			out.Raw = "Directors earn " + canary
		}
	}
	return out, nil
}

func (f *fake) Alone(context.Context, string) (evals.System, error) {
	return &fake{faults: f.faults, alone: true}, nil
}

func (f *fake) Open(_ context.Context, path candor.Path) (string, error) {
	for _, n := range notes {
		if n.path == path {
			return strings.ReplaceAll(n.text, "\n", "\r\n") + "\r\nmore\r\n", nil
		}
	}
	return "", candor.ErrNotFound
}
