package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"candor/evals"
	"candor/evals/draft"
	"candor/retrieval/semantic"
)

// evalDraftCmd proposes topics.
type evalDraftCmd struct {
	Count  int    `default:"30" placeholder:"N" help:"How many to propose."`
	By     string `enum:"auto,rule,model" default:"auto" help:"Who words them: rule, model, or auto: a language model of the configured Ollama if it has one, else rules."`
	Model  string `placeholder:"NAME" help:"The language model; else the newest that this machine runs."`
	Topics string `placeholder:"FILE" help:"The file to add to; else evals.topics of the configuration."`
}

// Run adds proposals to the topics, one by one, so that a stop loses none.
func (c *evalDraftCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	file, err := s.draftFile(a, c.Topics)
	if err != nil {
		return err
	}
	have, err := evals.LoadTopics(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && len(have) > 0 {
		return err
	}
	opt := draft.Options{Profile: s.profile, Languages: s.cfg.Language, Have: have}
	d, err := c.drafter(ctx, s, opt)
	if err != nil {
		return err
	}
	defer d.close()
	opener, show := &measured{app: a, site: s}, a.progress("proposed")
	n := 0
	for t := range d.topics {
		if evals.CheckTopics(ctx, opener, []evals.Topic{t}) != nil {
			continue // a heading that cannot be named
		}
		if _, err := evals.AddTopic(file, t); err != nil {
			return err
		}
		if n++; show != nil {
			show(n, c.Count)
		}
		if n == c.Count {
			break
		}
	}
	if n == 0 {
		if err := d.err(); err != nil {
			return embedderHint(err)
		}
		return withHint(errors.New("the notes give nothing to propose"), "candor eval add takes a question of your own")
	}
	fmt.Fprintf(a.Stdout, "%d topics, worded by %s, added to %s; go through them with candor eval review\n", n, d.author, file)
	return embedderHint(d.err())
}

// drafter is where proposals come from.
type drafter struct {
	author string
	topics iter.Seq[evals.Topic]
	err    func() error // why there are no more, nil if the notes are at their end
	close  func()
}

// drafter chooses who words the questions.
func (c *evalDraftCmd) drafter(ctx context.Context, s *site, opt draft.Options) (drafter, error) {
	chunks := s.corpus.Snapshot(s.profile).Chunks
	byRule := drafter{"rules", draft.Rule(chunks, opt), func() error { return nil }, func() {}}
	if c.By == "rule" || c.By == "auto" && s.cfg.Ollama == nil {
		return byRule, nil
	}
	if s.cfg.Ollama == nil {
		return byRule, withHint(errors.New("no ollama section in the configuration"), "add to candor.yaml: ollama: {model: all-minilm}")
	}
	chat, err := semantic.NewChat(semantic.ChatOptions{URL: s.cfg.Ollama.URL, Model: c.Model})
	if err != nil {
		return byRule, embedderHint(err)
	}
	name, err := chat.Find(ctx)
	if err != nil {
		chat.Close()
		if c.By == "auto" && c.Model == "" {
			return byRule, ctx.Err()
		}
		if errors.Is(err, semantic.ErrNoChat) {
			return byRule, withHint(errors.New("this Ollama has no model that writes text"), "ollama pull llama3.2:1b, or --by rule")
		}
		return byRule, embedderHint(err)
	}
	var stopped error
	return drafter{plain(name), func(yield func(evals.Topic) bool) {
		stopped = byModel(ctx, chat, s, opt, yield)
	}, func() error { return stopped }, chat.Close}, nil
}

// uselessInARow is how many answers in a row may be useless.
const uselessInARow = 5

// byModel lets a language model word a question about each passage.
func byModel(ctx context.Context, chat *semantic.Chat, s *site, opt draft.Options, yield func(evals.Topic) bool) error {
	useless := 0
	for ch := range draft.Passages(s.corpus.Snapshot(s.profile).Chunks, opt) {
		said, err := chat.Ask(ctx, draft.System, draft.Prompt(ch), draft.Field)
		question, ok := draft.Question(said)
		if err != nil || !ok {
			if useless++; err != nil && useless == uselessInARow || ctx.Err() != nil {
				return err
			}
			continue
		}
		useless = 0
		if !yield(draft.Topic(ch, question, evals.ByModel, opt)) {
			return nil
		}
	}
	return nil
}

// draftFile is the file that proposals stand in; of a folder of topics one by that name.
func (s *site) draftFile(a *app, flag string) (string, error) {
	file, err := s.topicsFile(a, flag)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "drafted.yaml")
	}
	return file, nil
}
