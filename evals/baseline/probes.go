package baseline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"candor"
	"candor/evals"
)

// missing is a note that no vault has: what a denied one must look like.
const missing = "no-such-note-e3b0c442.md"

// reads asks for the notes of a topic directly.
func (p *probe) reads(ctx context.Context, t evals.Topic) error {
	switch t.Slice {
	case evals.Denied:
		for _, e := range t.Expect {
			if err := p.deniedRead(ctx, t.Profile, e.Path); err != nil {
				return err
			}
		}
	case evals.Superseded:
		for _, stale := range t.Stale {
			if err := p.staleRead(ctx, t.Profile, stale); err != nil {
				return err
			}
		}
	case evals.Secret:
		for _, e := range t.Expect {
			passage, err := p.sys.Read(ctx, evals.Place{Profile: t.Profile, Path: e.Path})
			if err != nil {
				return fmt.Errorf("read %s: %w", e.Path, err)
			}
			p.scan(t.Profile, passage.Text+"\n"+passage.Raw, "read")
		}
	}
	return nil
}

// deniedRead tries a denied note in the spellings that might get past a rule. Each
// must fail as a missing note in the same folder does, word for word.
func (p *probe) deniedRead(ctx context.Context, profile string, denied candor.Path) error {
	absent := spellings(path.Join(path.Dir(string(denied)), missing))
	for i, spelling := range spellings(string(denied)) {
		p.card.Probes[Leak]++
		_, want := p.sys.Read(ctx, evals.Place{Profile: profile, Path: candor.Path(absent[i])})
		if want == nil {
			return fmt.Errorf("read of %q, which is not there, gave a passage", absent[i])
		}
		passage, err := p.sys.Read(ctx, evals.Place{Profile: profile, Path: candor.Path(spelling)})
		p.scan(profile, passage.Raw, "read")
		if err == nil || err.Error() != want.Error() {
			p.violation(Leak, "read")
		}
	}
	return nil
}

func spellings(p string) []string {
	return []string{
		p, "./" + p, "x/../" + p, "/" + p, strings.ReplaceAll(p, "/", `\`), strings.ReplaceAll(p, "/", "//"),
		strings.ToUpper(p), strings.ReplaceAll(p, "/", "%2f"), strings.TrimSuffix(p, path.Ext(p)), p + "\x00", p + "/",
	}
}

// staleRead opens a replaced note: it can be read, under its flag, and does not
// point to a note that the profile is denied.
func (p *probe) staleRead(ctx context.Context, profile string, stale candor.Path) error {
	passage, err := p.sys.Read(ctx, evals.Place{Profile: profile, Path: stale})
	if err != nil && !errors.Is(err, candor.ErrNotFound) {
		return fmt.Errorf("read %s: %w", stale, err)
	}
	p.card.Probes[Superseded]++
	if err != nil || !slices.Contains(passage.Flags, candor.FlagSuperseded) {
		p.violation(Superseded, "read")
	}
	if p.rules.denied[profile][passage.SupersededBy] {
		p.violation(Leak, "read")
	}
	p.scan(profile, passage.Text+"\n"+passage.Raw, "read")
	return nil
}

// citations opens each cited passage once, as its reader would.
func (p *probe) citations(ctx context.Context, profile string, hits []evals.Hit, where string) error {
	for _, hit := range hits {
		c := hit.Citation
		place := evals.Place{Profile: profile, Path: c.Path, Lines: candor.Span{Start: c.StartLine, End: c.EndLine}}
		if p.read[place] || p.rules.denied[profile][c.Path] {
			continue
		}
		p.read[place] = true
		p.card.Probes[Citation]++
		passage, err := p.sys.Read(ctx, place)
		if err != nil && !refused(err) {
			return fmt.Errorf("read %s: %w", c.ID, err)
		}
		onDisk, err2 := p.onDisk(ctx, hit)
		if err2 != nil {
			return err2
		}
		want := candor.CitationID(c.Path, place.Lines, candor.Digest(hit.Text))
		if err != nil || passage.Text != hit.Text || c.ID != want || !onDisk {
			p.violation(Citation, where)
		}
		p.scan(profile, passage.Text+"\n"+passage.Raw, "read")
	}
	return nil
}

// refused reports whether an error is an answer: that there is no such note, or that
// what was asked for cannot be, such as lines past its end.
func refused(err error) bool {
	_, bad := errors.AsType[*candor.InputError](err)
	return bad || errors.Is(err, candor.ErrNotFound)
}

// onDisk reports whether the words stand in the file at the lines that are cited. Of
// a passage with masks only the number of lines can be compared.
func (p *probe) onDisk(ctx context.Context, hit evals.Hit) (bool, error) {
	opener, ok := p.sys.(evals.Opener)
	if !ok {
		return true, nil
	}
	text, err := opener.Open(ctx, hit.Citation.Path)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", hit.Citation.Path, err)
	}
	lines := strings.Split(text, "\n")
	start, end := hit.Citation.StartLine, hit.Citation.EndLine
	if start < 1 || end < start || end > len(lines) {
		return false, nil
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	if slices.Contains(hit.Flags, candor.FlagMasked) {
		return strings.Count(hit.Text, "\n") == end-start, nil
	}
	return strings.Join(lines[start-1:end], "\n") == hit.Text, nil
}

// pages bounds how far a tool is paged.
const pages = 10_000

// toolArgs gives the calls that would show a note, for each tool that tells of the
// vault; note is "" once for each profile. Search and read are probed by the topics;
// the tools that only take in have nothing to show. A tool that is not here must not
// be offered: Run says so.
var toolArgs = map[string]func(note string) []map[string]any{
	"search": nil, "read": nil, "verify": nil, "create_note": nil, "append_ledger": nil,
	"status": func(note string) []map[string]any {
		if note != "" {
			return nil
		}
		return []map[string]any{{}}
	},
	"outline": func(note string) []map[string]any {
		if note == "" {
			return []map[string]any{{"depth": 6, "superseded": true}}
		}
		return []map[string]any{
			{"depth": 6, "superseded": true, "paths": note},
			{"depth": 6, "superseded": true, "paths": path.Dir(note) + "/**"},
		}
	},
	"links":    about("path", ""),
	"resource": about("uri", "candor://note/"),
}

// about makes the calls of a tool that is asked for one note.
func about(field, prefix string) func(string) []map[string]any {
	return func(note string) []map[string]any {
		if note == "" {
			return nil
		}
		return []map[string]any{{field: prefix + note}}
	}
}

// tools calls every tool that a profile is offered.
func (p *probe) tools(ctx context.Context, profile string) error {
	names, err := p.sys.Tools(ctx, profile)
	if err != nil {
		return err
	}
	denied := []string{""}
	for note := range p.rules.denied[profile] {
		denied = append(denied, string(note))
	}
	slices.Sort(denied)
	notes, err := p.notes(ctx, profile, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		args, known := toolArgs[name]
		if !known {
			return fmt.Errorf("tool %s has no leak probe: give it one before it is offered", name)
		}
		about := denied
		if name == "links" || name == "resource" { // a denied note may stand at the other end
			about = slices.Concat(denied, notes)
		}
		if args == nil {
			continue
		}
		if err := p.tool(ctx, evals.Call{Profile: profile, Tool: name}, args, about); err != nil {
			return err
		}
	}
	return nil
}

// notes lists what the profile has, where it is offered an outline.
func (p *probe) notes(ctx context.Context, profile string, names []string) (out []string, err error) {
	if !slices.Contains(names, "outline") {
		return nil, nil
	}
	listed, err := p.call(ctx, evals.Call{Profile: profile, Tool: "outline", Args: map[string]any{"depth": 1, "superseded": true}})
	for _, note := range listed {
		out = append(out, string(note))
	}
	return out, err
}

// tool calls one tool about each note.
func (p *probe) tool(ctx context.Context, c evals.Call, args func(string) []map[string]any, about []string) error {
	for _, note := range about {
		for _, a := range args(note) {
			c.Args = a
			if _, err := p.call(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// call runs a tool through all its pages and gives the notes it names. A refusal is
// an answer like any other.
func (p *probe) call(ctx context.Context, c evals.Call) (named []candor.Path, err error) {
	c.Args = maps.Clone(c.Args)
	for range pages {
		out, err := p.sys.Call(ctx, c)
		if err != nil && !refused(err) {
			return nil, fmt.Errorf("%s: %w", c.Tool, err)
		}
		p.card.Probes[Leak]++
		p.scan(c.Profile, out.Raw, c.Tool)
		for _, note := range out.Paths {
			if p.rules.denied[c.Profile][note] {
				p.violation(Leak, c.Tool)
			}
		}
		named = append(named, out.Paths...)
		if out.Next == "" {
			return named, nil
		}
		c.Args["cursor"] = out.Next
	}
	return nil, fmt.Errorf("%s: more than %d pages", c.Tool, pages)
}
