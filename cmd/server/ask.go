package main

import (
	"context"
	"fmt"
	"strings"

	"candor"
	"candor/kb"
)

// searchCmd finds passages.
type searchCmd struct {
	Question []string `arg:"" help:"The question; quotes around it are not needed."`
	Limit    int      `short:"n" default:"5" help:"Passages in a page."`
	Paths    string   `placeholder:"GLOB" help:"Only notes whose path matches."`
	Tag      []string `placeholder:"TAG" help:"Only notes with the tag; repeat for several."`
	After    string   `placeholder:"YYYY-MM-DD" help:"Only notes updated on that day or later."`
	Mode     string   `enum:"auto,lexical" default:"auto" help:"auto or lexical."`
	Explain  bool     `help:"Say why each passage ranks where it does and why the list ended."`
	Exclude  []string `placeholder:"CITATION" help:"Leave out a citation; repeat for several."`
	Cursor   string   `help:"Go on after the page that printed it."`
}

// Run prints an answer or an abstention.
func (c *searchCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	req := kb.SearchRequest{
		Query: strings.Join(c.Question, " "), Limit: c.Limit, Paths: c.Paths, Tags: c.Tag,
		UpdatedAfter: c.After, Mode: candor.Mode(c.Mode), Explain: c.Explain, Exclude: c.Exclude, Cursor: c.Cursor,
	}
	ans, err := s.base().Search(ctx, req)
	if err != nil {
		return err
	}
	if err := a.answer(s, asked{"search", req, ans}, func() { a.out.search(ans, s.locate) }); err != nil {
		return err
	}
	if ans.Abstained {
		return errNo
	}
	return nil
}

// readCmd prints lines.
type readCmd struct {
	Target string `arg:"" help:"A citation id, or the path or file name of a note, with :LINE, :FIRST-LAST or #heading if need be."`
	Start  int    `help:"First line of a note to print."`
	End    int    `help:"Last line of a note to print."`
}

// Run prints the lines of a citation or of a note.
func (c *readCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	req := s.readRequest(c)
	ans, err := s.base().Read(ctx, req)
	if err != nil {
		return err
	}
	return a.answer(s, asked{"read", req, ans}, func() { a.out.read(ans, s.locate) })
}

// outlineCmd lists notes.
type outlineCmd struct {
	Paths      string `arg:"" optional:"" help:"Only notes whose path matches this glob."`
	Depth      int    `default:"2" help:"Deepest heading level."`
	Superseded bool   `help:"List superseded notes too."`
	Cursor     string `help:"Go on after the page that printed it."`
}

// Run prints the table of contents.
func (c *outlineCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	req := kb.OutlineRequest{Paths: c.Paths, Depth: c.Depth, Superseded: c.Superseded, Cursor: c.Cursor}
	ans, err := s.base().Outline(ctx, req)
	if err != nil {
		return err
	}
	if len(ans.Notes) == 0 && !a.JSON {
		fmt.Fprintln(a.Stderr, "candor: no note matches")
	}
	return a.answer(s, asked{"outline", req, ans}, func() { a.out.outline(ans) })
}

// linksCmd lists links.
type linksCmd struct {
	Target string `arg:"" help:"The path of a note, or a citation id."`
	Cursor string `help:"Go on after the page that printed it."`
}

// Run prints the links of a note in both directions.
func (c *linksCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	req := kb.LinksRequest{Path: c.Target, Cursor: c.Cursor}
	if p, ok := s.noteNamed(c.Target); ok {
		req.Path = string(p)
	}
	if _, _, _, ok := candor.ParseCitationID(c.Target); ok {
		req = kb.LinksRequest{Citation: c.Target, Cursor: c.Cursor}
	}
	ans, err := s.base().Links(ctx, req)
	if err != nil {
		return err
	}
	return a.answer(s, asked{"links", req, ans}, func() { a.out.linkList(ans, s.locate) })
}

// show prints the structured form or the one for people.
func (a *app) show(ans any, human func()) error {
	if a.JSON {
		return a.out.json(ans)
	}
	human()
	return a.out.err()
}
