package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"candor"
	"candor/corpus"
	"candor/demo"
	"candor/evals"
	"candor/evals/baseline"
	"candor/evidence"
	"candor/internal/vaulttest"
	"candor/kb"
	"candor/policy"
	"candor/redact"
	"candor/retrieval/lexical"
	"candor/vault"
)

// sabotage is one fault of the pipeline. Each function breaks one stage of it; nil
// leaves the stage as it is.
type sabotage struct {
	name   string
	red    string                   // begins a reason of the gate; "" for a change that is no fault
	notes  func(text string) string // what the vault takes a file for
	linked bool                     // notes is given hard links too
	site   func(*testing.T, *site)  // policy and masker
	chunk  func(*candor.Chunk)      // after it was cut
	index  func(*site) candor.Index // the lexical leg
}

// sabotages are what the gate of the evals must see, and the same changes without their
// fault, to which it must not object.
var sabotages = []sabotage{
	{name: "nothing"},
	{name: "a copy of the vault", notes: func(text string) string { return text }},
	{name: "a filtered index of nobody else's notes", index: func(s *site) candor.Index {
		chunks := s.corpus.Snapshot("staff").Chunks
		all := lexical.New(lexical.Options{}).Update(chunks)
		return sharedIndex{all: &all, chunk: chunks}
	}},
	{name: "word statistics shared between profiles", red: "interference: ", index: func(s *site) candor.Index {
		chunks := s.corpus.Snapshot("admin").Chunks
		all := lexical.New(lexical.Options{}).Update(chunks)
		return sharedIndex{all: &all, chunk: chunks}
	}},
	{name: "redaction off", red: "secret: ", site: func(t *testing.T, s *site) {
		blind, err := redact.New(redact.Options{Allow: []string{plantedSecret}})
		if err != nil {
			t.Fatal(err)
		}
		s.redact = blind
	}},
	{name: "supersession off", red: "superseded: ", notes: func(text string) string {
		return strings.ReplaceAll(text, "superseded_by:", "see_too:")
	}},
	{name: "denied notes indexed", red: "leak: ", site: func(t *testing.T, s *site) {
		all := map[string]policy.Rules{}
		for _, profile := range s.policy.Profiles() {
			all[profile] = policy.Rules{Allow: []string{"**"}}
		}
		s.policy = vaulttest.Policy(t, all)
	}},
	{name: "links of the file system followed", red: "secret: ", notes: func(text string) string { return text }, linked: true},
	{name: "embedded notes followed", red: "secret: ", notes: func(text string) string {
		return strings.ReplaceAll(text, "![[pay]]", "The director earns the walrus figure.")
	}},
	{name: "spans of passages off by one", red: "citation: ", chunk: func(ch *candor.Chunk) {
		ch.Lines.Start++
		ch.Lines.End++
	}},
	{name: "all lines off by one", red: "citation: ", notes: func(text string) string {
		if strings.HasPrefix(text, "---") {
			return text
		}
		return "\n" + text
	}},
	{name: "gate inverted", red: "plain unsupported questions: ", index: func(*site) candor.Index {
		return inverted{lexical.New(lexical.Options{})}
	}},
	{name: "ties by map order", red: "unstable: ", index: func(*site) candor.Index {
		return unordered{lexical.New(lexical.Options{}), new(atomic.Int64)}
	}},
}

// inject builds the parts of a site again, with the fault among them.
func (x sabotage) inject(t *testing.T, m *measured) {
	t.Helper()
	s := m.site
	if x.notes != nil {
		s.roots = []*vault.Root{x.misread(t, s)}
	}
	if x.site != nil {
		x.site(t, s)
	}
	s.corpus = corpus.New(corpus.Options{Roots: s.roots, Policy: s.policy, Redactor: s.redact})
	if err := s.corpus.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if x.chunk != nil {
		seen := map[*candor.Chunk]bool{nil: true}
		for _, profile := range s.policy.Profiles() {
			for _, ch := range s.corpus.Snapshot(profile).Chunks {
				if !seen[ch] {
					x.chunk(ch)
				}
				seen[ch] = true
			}
		}
	}
	for _, profile := range s.policy.Profiles() {
		opt := s.baseOptions(profile)
		if x.index != nil {
			opt.Lexical = x.index(s)
		}
		s.bases[profile] = kb.New(opt)
		opt.Gates, opt.PerNote, opt.Limits = evidence.Gates{}, 0, unbounded
		m.bare[profile] = kb.New(opt)
		s.bases[profile].Sync()
		m.bare[profile].Sync()
	}
}

// misread opens a copy of the vault as a faulty reader would see it. A copy of a hard
// link is a file of its own, so hard links are left out unless the fault is to follow
// them.
func (x sabotage) misread(t *testing.T, s *site) *vault.Root {
	t.Helper()
	from, files := s.cfg.Vaults[0].Root, map[string]string{}
	err := filepath.WalkDir(from, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == shelf && !x.linked {
			return err
		}
		data, err := os.ReadFile(file)
		rel, _ := filepath.Rel(from, file)
		files[filepath.ToSlash(rel)] = x.notes(string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	root, err := vault.Open("v", vaulttest.WriteMap(t, files), vault.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// shelf is the name of the hard link.
const shelf = "shelf.md"

// sabotaged is a system with a fault, which it also has alone.
type sabotaged struct {
	piped
	t     *testing.T
	fault sabotage
}

func (s sabotaged) Alone(ctx context.Context, profile string) (evals.System, error) {
	sys, err := s.piped.Alone(ctx, profile)
	if err != nil {
		return nil, err
	}
	s.fault.inject(s.t, sys.(*measured))
	return sys, nil
}

// inverted is a leg whose good passages reach no bar, and whose poor ones reach all.
type inverted struct{ candor.Index }

func (x inverted) Update(chunks []*candor.Chunk) candor.Index {
	return inverted{x.Index.Update(chunks)}
}

func (x inverted) Retrieve(ctx context.Context, q candor.Query, limit int) (candor.Ranking, error) {
	r, err := x.Index.Retrieve(ctx, q, limit)
	if err != nil || len(r.Hits) == 0 {
		return r, err
	}
	if !evidence.Default().Assess(r, candor.Ranking{}).Abstained {
		r.Ceiling *= 1e6
		return r, nil
	}
	every := make([]int, len(r.Terms))
	for i := range every {
		every[i] = i
	}
	r.Ceiling, r.Hits = r.Hits[0].Score, slices.Clone(r.Hits)
	for i := range r.Hits {
		r.Hits[i].Matched = every
	}
	return r, nil
}

// unordered is a leg that gives hits of one score in another order each time, as the
// iteration of a map does.
type unordered struct {
	candor.Index
	asked *atomic.Int64
}

func (x unordered) Update(chunks []*candor.Chunk) candor.Index {
	return unordered{x.Index.Update(chunks), x.asked}
}

func (x unordered) Retrieve(ctx context.Context, q candor.Query, limit int) (candor.Ranking, error) {
	r, err := x.Index.Retrieve(ctx, q, limit)
	n := int(x.asked.Add(1))
	hits := slices.Clone(r.Hits)
	for start := 0; start < len(hits); {
		end := start + 1
		for end < len(hits) && hits[end].Score == hits[start].Score {
			end++
		}
		for i := range end - start {
			hits[start+i] = r.Hits[start+(i+n)%(end-start)]
		}
		start = end
	}
	r.Hits = hits
	return r, err
}

// TestSabotage takes each control out of the pipeline, once, and holds that the gate of
// the scorecard turns red for the reason that it should.
func TestSabotage(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	files, topics := sabotageVault(t)
	whole := scorecard(t, sabotage{}, files, topics).Baseline()
	for topic, verdict := range whole.Verdicts {
		if verdict != baseline.Pass {
			t.Errorf("without a fault, %s is a %s", topic, verdict)
		}
	}
	for _, x := range sabotages {
		t.Run(x.name, func(t *testing.T) {
			word := scorecard(t, x, files, topics).Gate(&whole)
			if x.red == "" {
				if !word.Pass || len(word.Notes) > 0 {
					t.Errorf("the gate should pass, and says %+v", word)
				}
				return
			}
			if word.Pass || !slices.ContainsFunc(word.Reasons, func(r string) bool { return strings.HasPrefix(r, x.red) }) {
				t.Errorf("the gate should be red for %q, and says %+v", x.red, word)
			}
		})
	}
}

// plantedSecret is the credential of the test's vault.
var plantedSecret = demo.Secrets()[0].Value

// sabotageVault reads the vault and its topics.
func sabotageVault(t *testing.T) (map[string]string, []evals.Topic) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/sabotage.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, other := map[string]string{}, fstest.MapFS{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "vault/"); ok {
			files[name] = strings.ReplaceAll(string(f.Data), "SECRET", plantedSecret)
		} else {
			other[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	topics, err := evals.ReadTopics(other, "topics.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return files, topics
}

// scorecard is that of the vault with a fault.
func scorecard(t *testing.T, x sabotage, files map[string]string, topics []evals.Topic) baseline.Card {
	t.Helper()
	s := openSite(t, files, "staff")
	outside := vaulttest.WriteMap(t, map[string]string{shelf: "# Shelf\n\nThe lever of the gate lies under the mermaid stone.\n"})
	vaulttest.Link(t, s.cfg.Vaults[0].Root, filepath.Join(outside, shelf), "public/"+shelf)
	m := &Main{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}
	sys := sabotaged{piped{(&app{Main: m}).measure(s)}, t, x}
	x.inject(t, sys.measured)
	card, err := baseline.Run(t.Context(), sys, topics, baseline.Options{Never: []string{plantedSecret}})
	if err = errors.Join(err, sys.Close()); err != nil {
		t.Fatal(err)
	}
	return card
}
