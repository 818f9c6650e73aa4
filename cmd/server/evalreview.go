package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"candor"
	"candor/evals"
	"candor/evals/hybrid"
)

// evalReviewCmd goes through proposals.
type evalReviewCmd struct {
	Topics string `placeholder:"FILE" help:"The file to go through; else evals.topics of the configuration."`
}

// Run shows each proposal with its passage and does what the owner says. Each answer is
// written at once, so that a review goes on where it was left.
func (c *evalReviewCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	file, err := s.draftFile(a, c.Topics)
	if err != nil {
		return err
	}
	topics, err := evals.LoadTopics(file)
	if errors.Is(err, fs.ErrNotExist) {
		return withHint(err, "candor eval draft proposes topics")
	}
	if err != nil {
		return err
	}
	r := &reviewer{app: a, site: s, file: file, lines: readLines(ctx, a), done: map[string]int{}}
	open := slices.DeleteFunc(topics, func(t evals.Topic) bool { return t.Drafted == "" || t.Reviewed })
	if len(open) > 0 {
		fmt.Fprintf(a.Stdout, "%s\n", reviewHelp)
	}
	for i, t := range open {
		fmt.Fprintf(a.Stdout, "\n%s ", a.out.bold(fmt.Sprintf("%d of %d", i+1, len(open))))
		r.show(t)
		if on, err := r.one(ctx, t); err != nil || !on {
			return errors.Join(err, r.summary())
		}
	}
	return r.summary()
}

// reviewHelp is what may be answered.
const reviewHelp = `k keep          r WORDS  reword          d drop          s skip
u unanswerable: the notes do not say; u WORDS rewords it too          q quit
A question that a rule worded has the passage's words, which favours word matching: kept as it
is, it is shown apart and does not count. In your own words it does.`

// readLines reads what is typed, or piped in, without holding up an interrupt.
func readLines(ctx context.Context, a *app) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(a.Stdin)
		for in.Scan() {
			select {
			case lines <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// reviewer is a review under way.
type reviewer struct {
	app   *app
	site  *site
	file  string
	lines <-chan string
	done  map[string]int // what was done, how often
}

// shown is how many lines of a passage are shown, and how long they may be.
const (
	shown     = 14
	shownWide = 160
)

// show prints a proposal and the passage that it was made from.
func (r *reviewer) show(t evals.Topic) {
	w := r.app.Stdout
	ch := r.passage(t)
	if ch == nil {
		fmt.Fprintln(w, "its passage is gone")
	} else {
		c := ch.Citation()
		fmt.Fprintf(w, "%s\n", r.app.out.place(c, func(candor.Path) string { return "" }))
		lines := strings.Split(ch.Text, "\n")
		for _, line := range lines[:min(shown, len(lines))] {
			if long := []rune(line); len(long) > shownWide {
				line = string(long[:shownWide]) + "…"
			}
			fmt.Fprintf(w, "  | %s\n", plain(line))
		}
		if more := len(lines) - shown; more > 0 {
			fmt.Fprintf(w, "  | … %d lines more\n", more)
		}
	}
	fmt.Fprintf(w, "by %s: %s\n", t.Drafted, r.app.out.bold(plain(t.Question)))
}

// passage is the first that a topic expects, nil where it is gone.
func (r *reviewer) passage(t evals.Topic) *candor.Chunk {
	profile := t.Profile
	if profile == "" {
		profile = r.site.profile
	}
	snap := r.site.corpus.Snapshot(profile)
	if snap == nil {
		return nil
	}
	for _, ch := range snap.Chunks {
		if ch != nil && slices.ContainsFunc(t.Expect, func(e evals.Expected) bool { return e.Met(ch.Citation()) }) {
			return ch
		}
	}
	return nil
}

// one asks until there is an answer, and writes it; on is false where the review ends.
func (r *reviewer) one(ctx context.Context, t evals.Topic) (on bool, err error) {
	for {
		fmt.Fprint(r.app.Stdout, "> ")
		var line string
		select {
		case said, open := <-r.lines:
			if !open {
				fmt.Fprintln(r.app.Stdout)
				return false, nil
			}
			line = said
		case <-ctx.Done():
			return false, ctx.Err()
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.Join(strings.Fields(rest), " ")
		if strings.ContainsFunc(rest, func(c rune) bool { return !unicode.IsGraphic(c) }) {
			word = ""
		}
		switch word {
		case "k":
			t.Reviewed = true
			return true, r.write("kept", t)
		case "r":
			if rest != "" {
				return true, r.write("reworded", t.Reworded(rest))
			}
		case "u":
			if t = t.Unanswered(); rest != "" {
				return true, r.write("unanswerable", t.Reworded(rest))
			}
			t.Reviewed = true
			return true, r.write("unanswerable", t)
		case "d":
			r.done["dropped"]++
			return true, evals.DropTopic(r.file, t.ID)
		case "s":
			r.done["skipped"]++
			return true, nil
		case "q":
			return false, nil
		}
		fmt.Fprintln(r.app.Stdout, "k, r WORDS, d, s, u, u WORDS or q")
	}
}

// write puts a reviewed topic in its place in the file.
func (r *reviewer) write(what string, t evals.Topic) error {
	r.done[what]++
	return evals.ChangeTopic(r.file, t)
}

// summary says what was done and what there is now.
func (r *reviewer) summary() error {
	var did []string
	for _, what := range []string{"kept", "reworded", "unanswerable", "dropped", "skipped"} {
		if n := r.done[what]; n > 0 {
			did = append(did, fmt.Sprintf("%d %s", n, what))
		}
	}
	if len(did) == 0 {
		did = []string{"nothing done"}
	}
	topics, err := evals.LoadTopics(r.file)
	if err != nil && len(topics) > 0 {
		return err
	}
	kept, left := evals.Reviewed(topics)
	count, none := 0, 0
	for _, t := range kept {
		switch {
		case evals.IsDrafted(t.Sub):
		case t.Slice == evals.Unsupported:
			none++
		case t.Slice == evals.Answerable || t.Slice == evals.Superseded:
			count++
		}
	}
	fmt.Fprintf(r.app.Stdout, "\n%s; %d left to review\n", strings.Join(did, ", "), left)
	fmt.Fprintf(r.app.Stdout, "%d questions with an answer count (a verdict needs %d), %d without one\n", count, hybrid.MinTopics, none)
	return nil
}
