// Command conflicts counts how often passages of an answer are said to disagree: over the
// demo's topics, over new wordings for its planted pairs, and over collections in the BEIR
// layout. With -v it prints each pair, to be judged by eye.
//
//	go run ./scripts/long/conflicts -v
//	go run ./scripts/long/conflicts -data DIR -n 1000 claude-docs-qa datatalks-faq
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"candor"
	"candor/config"
	"candor/corpus"
	"candor/demo"
	"candor/evals"
	"candor/evidence"
	"candor/kb"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

var (
	data  = flag.String("data", "", "folder of unpacked collections")
	count = flag.Int("n", 1000, "questions of a collection, evenly spread")
	show  = flag.Bool("v", false, "print the passages that disagree")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	dir := must(os.MkdirTemp("", "candor-conflicts-"))
	defer os.RemoveAll(dir)
	if flag.NArg() == 0 {
		topics(filepath.Join(dir, "demo"))
		pairs(filepath.Join(dir, "planted"))
	}
	for _, name := range flag.Args() {
		collection(name, filepath.Join(dir, filepath.Base(name)))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// tally is how many questions were asked, answered, and answered by passages that disagree.
type tally struct{ asked, answered, conflicts int }

func (t tally) print(name string) {
	fmt.Printf("%-20s %5d asked %5d answered %3d with a conflict\n", name, t.asked, t.answered, t.conflicts)
}

// ask asks one question.
func (t *tally) ask(b *kb.Base, question string) {
	a := must(b.Search(context.Background(), kb.SearchRequest{Query: question}))
	t.asked++
	if a.Abstained {
		return
	}
	t.answered++
	i := slices.IndexFunc(a.Hits, func(h kb.SearchHit) bool { return len(h.ConflictsWith) > 0 })
	if i < 0 {
		return
	}
	t.conflicts++
	if !*show {
		return
	}
	fmt.Printf("\nQ: %s\n", question)
	for _, h := range a.Hits[i:] {
		if len(h.ConflictsWith) > 0 {
			fmt.Printf("%s %s, against %s\n%s\n", h.Tier, h.Citation.ID, strings.Join(h.ConflictsWith, ", "), h.Text)
		}
	}
}

// topics asks the demo's questions, both halves.
func topics(dir string) {
	if err := demo.WriteTo(dir); err != nil {
		log.Fatal(err)
	}
	all := bases(must(config.Load(filepath.Join(dir, demo.ConfigName))))
	for _, half := range []string{"train", "test"} {
		var t tally
		for _, kind := range []string{"answerable", "denied", "superseded", "secret", "unsupported"} {
			for _, topic := range must(evals.ReadTopics(demo.Topics(), half+"-"+kind+".yaml")) {
				t.ask(all[topic.Profile], topic.Question)
			}
		}
		t.print("demo, " + half)
	}
}

// collection writes the documents as notes and asks questions.
func collection(name, dir string) {
	col := must(evals.OpenBEIR(filepath.Join(*data, name), ""))
	if err := os.Mkdir(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	for i, d := range col.Documents {
		text := "# " + strings.Join(strings.Fields(d.Title), " ") + "\n\n" + d.Text
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("d%06d.md", i+1)), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	cfg := must(config.Default(dir))
	base := bases(cfg)[cfg.DefaultProfile]
	var t tally
	n := min(*count, len(col.Queries))
	for i := range n {
		t.ask(base, col.Queries[i*len(col.Queries)/n].Text)
	}
	t.print(name)
}

// bases makes a Base for each profile of a configuration with one vault.
func bases(cfg *config.Config) map[string]*kb.Base {
	opt := policy.Options{TrustDefault: candor.Tier(cfg.TrustDefault)}
	for name, r := range cfg.Profiles {
		if opt.Profiles == nil {
			opt.Profiles = map[string]policy.Rules{}
		}
		opt.Profiles[name] = policy.Rules{Allow: r.Allow, Deny: r.Deny}
	}
	for _, t := range cfg.Trust {
		opt.Trust = append(opt.Trust, policy.TrustRule{Paths: t.Paths, Tier: candor.Tier(t.Tier), ReviewBy: t.ReviewBy})
	}
	p := must(policy.New(opt))
	r := must(redact.New(redact.Options{Flags: cfg.Redact.Flags}))
	root := must(vault.Open(cfg.Vaults[0].Name, cfg.Vaults[0].Root, vault.Options{}))
	c := corpus.New(corpus.Options{Roots: []*vault.Root{root}, Policy: p, Redactor: r})
	if err := c.Load(context.Background()); err != nil {
		log.Fatal(err)
	}
	out := map[string]*kb.Base{}
	for _, name := range p.Profiles() {
		out[name] = kb.New(kb.Options{
			Profile: name, Corpus: c, Redactor: r, Lexical: lexical.New(lexical.Options{Languages: cfg.Language}),
			Gates: evidence.Default(), PerNote: kb.DefaultPerNote, CursorKey: make([]byte, 32),
		})
		out[name].Sync()
	}
	return out
}
