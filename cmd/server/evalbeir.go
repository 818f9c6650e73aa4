package main

import (
	"context"
	"os"
	"time"

	"candor"
	"candor/config"
	"candor/evals"
)

// collectionFlags name a judged collection.
type collectionFlags struct {
	BEIR    string `name:"beir" placeholder:"DIR" xor:"suite" help:"A collection in the layout of BEIR; needs no configuration."`
	Split   string `placeholder:"NAME" help:"The collection's split; else its main one."`
	Off     string `placeholder:"DIR" help:"Ask 300 questions of this other collection too, which should be refused."`
	Near    string `placeholder:"SPLIT" help:"Ask this split too, whose questions the collection does not answer."`
	Model   string `default:"all-minilm" placeholder:"NAME" help:"The embedding model, with --beir."`
	Vectors string `placeholder:"DIR" help:"Keep the vectors of a --beir collection, sealed, in this folder."`
}

// offTopic is how many questions of another collection are asked.
const offTopic = 300

// openBEIR writes a collection as a temporary vault and opens that.
func (a *app) openBEIR(ctx context.Context, c *collectionFlags, mode candor.Mode) (*measured, evals.Suite, error) {
	none := evals.Suite{}
	col, err := evals.OpenBEIR(c.BEIR, c.Split)
	if err != nil {
		return nil, none, err
	}
	dir, err := os.MkdirTemp("", "candor-beir-")
	if err != nil {
		return nil, none, err
	}
	s := &site{closers: []func(){func() { os.RemoveAll(dir) }}}
	s.vectors = c.Vectors
	m, suite, err := a.openCollection(ctx, s, col, collectionOptions{dir: dir, mode: mode, model: c.Model})
	if err == nil && c.Off != "" {
		var other *evals.Collection
		if other, err = evals.OpenBEIR(c.Off, ""); err == nil {
			suite = suite.OffTopic(other.Suite(nil), offTopic)
		}
	}
	if err == nil && c.Near != "" {
		var near *evals.Collection
		if near, err = evals.OpenBEIR(c.BEIR, c.Near); err == nil {
			suite = suite.Unanswered(near.Suite(nil), "near")
		}
	}
	if err != nil {
		s.close()
		return nil, none, err
	}
	return m, suite, nil
}

// collectionOptions say how a collection is opened.
type collectionOptions struct {
	dir   string // an empty folder for its vault
	mode  candor.Mode
	model string
}

// openCollection fills a site with a collection's vault.
func (a *app) openCollection(ctx context.Context, s *site, col *evals.Collection, opt collectionOptions) (*measured, evals.Suite, error) {
	docs, err := col.WriteVault(opt.dir)
	if err != nil {
		return nil, evals.Suite{}, err
	}
	if s.cfg, err = config.Default(opt.dir); err != nil {
		return nil, evals.Suite{}, err
	}
	s.profile = s.cfg.DefaultProfile
	// A temporary vault has no vectors of an earlier time, unless a folder is named.
	s.cfg.Cache = s.vectors != ""
	if opt.mode != candor.ModeLexical {
		url, err := config.OllamaURL(a.Getenv("OLLAMA_HOST"))
		if err != nil {
			return nil, evals.Suite{}, err
		}
		s.cfg.Ollama = &config.Ollama{URL: url, Model: opt.model, KeepAlive: 30 * time.Minute}
	}
	if err := s.assemble(a); err != nil {
		return nil, evals.Suite{}, err
	}
	if err := s.load(ctx); err != nil {
		return nil, evals.Suite{}, err
	}
	if err := s.force(a, opt.mode); err != nil {
		return nil, evals.Suite{}, err
	}
	return a.measure(s), col.Suite(docs), nil
}
