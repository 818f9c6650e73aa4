package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"candor"
	"candor/demo"
	"candor/kb"
)

// demoCmd shows what candor does, on the embedded vault.
type demoCmd struct{}

// tour is what the demo shows, as --json prints it.
type tour struct {
	Answered  kb.SearchAnswer `json:"answered"`
	Abstained kb.SearchAnswer `json:"abstained"`
	Denied    string          `json:"denied"`  // the error of reading a denied note
	Missing   string          `json:"missing"` // the error of reading a note that is not there
	Right     bool            `json:"right"`   // all three came out as they should
}

// Run asks one question that the vault answers and one that it does not, and reads one
// note that is denied beside one that is not there.
func (c *demoCmd) Run(ctx context.Context, a *app) error {
	if a.Config != "" || a.Vault != "" {
		return withHint(errors.New("demo has a vault of its own"), "leave out --config and --vault")
	}
	a.Demo = true
	show := demo.Tour()
	if a.Profile == "" {
		a.Profile = show.Profile
	}
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	t, err := take(ctx, s.base(), show)
	if err != nil {
		return err
	}
	if err := a.show(t, func() { a.out.tour(show, t, s.locate) }); err != nil {
		return err
	}
	if !t.Right {
		return errNo
	}
	return nil
}

// take asks the questions of the tour.
func take(ctx context.Context, b *kb.Base, show demo.Show) (tour, error) {
	var t tour
	var err error
	if t.Answered, err = b.Search(ctx, kb.SearchRequest{Query: show.Answered.Text, Limit: 1}); err != nil {
		return t, err
	}
	if t.Abstained, err = b.Search(ctx, kb.SearchRequest{Query: show.Abstained.Text, Limit: 1}); err != nil {
		return t, err
	}
	_, denied := b.Read(ctx, kb.ReadRequest{Path: show.Denied})
	_, missing := b.Read(ctx, kb.ReadRequest{Path: show.Missing})
	if denied == nil || missing == nil {
		return t, errors.New("a note that must not be found was found")
	}
	t.Denied, t.Missing = denied.Error(), missing.Error()
	t.Right = t.rightly(show) && errors.Is(denied, candor.ErrNotFound)
	return t, nil
}

// rightly reports whether the tour came out as the demo vault says it must.
func (t tour) rightly(show demo.Show) bool {
	return len(t.Answered.Hits) > 0 &&
		t.Answered.Hits[0].Citation.Path == candor.Path(show.Answered.Path) &&
		strings.Contains(t.Answered.Hits[0].Text, show.Answered.Says) &&
		t.Abstained.Abstained && len(t.Abstained.Hits) == 0 && t.Denied == t.Missing
}

// tour prints the three results.
func (p printer) tour(show demo.Show, t tour, files locator) {
	fmt.Fprintf(p.w, "%s %s\n", p.bold("1. a question that the notes answer:"), show.Answered.Text)
	p.search(t.Answered, files)
	fmt.Fprintf(p.w, "\n%s %s\n", p.bold("2. one that they do not answer:"), show.Abstained.Text)
	p.search(t.Abstained, files)
	fmt.Fprintf(p.w, "\n%s\n", p.bold("3. a note that this profile may not see, and one that does not exist:"))
	fmt.Fprintf(p.w, "candor read %s\n   %s\ncandor read %s\n   %s\n", show.Denied, t.Denied, show.Missing, t.Missing)
	if t.Right {
		fmt.Fprintf(p.w, "\n%s\n", p.dim("next: candor search --vault DIR \"your question\", or candor init DIR"))
	} else {
		fmt.Fprintln(p.w, "\nThis is not what the demo should show.")
	}
}
