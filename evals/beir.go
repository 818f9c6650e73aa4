package evals

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"candor"
)

// Document is one document of a judged collection.
type Document struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Collection is a judged collection in the layout of BEIR (Thakur et al., "BEIR: a
// heterogeneous benchmark for zero-shot evaluation of information retrieval
// models", NeurIPS 2021).
type Collection struct {
	Name      string
	Split     string
	Documents []Document
	Queries   []BEIRQuery
	Qrels     Qrels // empty: the split's queries have no answer here
}

// BEIRQuery is one query of a collection.
type BEIRQuery struct {
	ID   string `json:"_id"`
	Text string `json:"text"`
}

// OpenBEIR reads a collection: corpus.jsonl, queries.jsonl and qrels.tsv. A split
// other than "" reads queries.SPLIT.jsonl and qrels.SPLIT.tsv where they are; BEIR's
// own qrels/SPLIT.tsv (for "" test) over the common queries is taken too. Queries
// without judgement are dropped, unless their split has a query file and no qrels
// at all: those are questions that the collection does not answer.
func OpenBEIR(dir, split string) (*Collection, error) {
	c := &Collection{Name: filepath.Base(filepath.Clean(dir)), Split: split}
	fsys := os.DirFS(dir)
	var err error
	if c.Documents, err = readJSONLines[Document](fsys, "corpus.jsonl"); err != nil {
		return nil, fmt.Errorf("collection %s: %w", dir, err)
	}
	queries, own := "queries.jsonl", false
	if name := "queries." + split + ".jsonl"; split != "" && exists(fsys, name) {
		queries, own = name, true
	}
	if c.Queries, err = readJSONLines[BEIRQuery](fsys, queries); err != nil {
		return nil, fmt.Errorf("collection %s: %w", dir, err)
	}
	if c.Qrels, err = splitQrels(fsys, split); err != nil && (!own || !errors.Is(err, fs.ErrNotExist)) {
		return nil, fmt.Errorf("collection %s: %w", dir, err)
	}
	if len(c.Qrels) > 0 {
		c.keepJudged()
	}
	return c, c.check(dir)
}

func splitQrels(fsys fs.FS, split string) (Qrels, error) {
	names := []string{"qrels.tsv", "qrels/test.tsv"}
	if split != "" {
		names = []string{"qrels." + split + ".tsv", "qrels/" + split + ".tsv"}
	}
	for _, name := range names {
		f, err := fsys.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return ReadQrels(f, name)
	}
	return nil, fmt.Errorf("neither %s: %w", strings.Join(names, " nor "), fs.ErrNotExist)
}

func (c *Collection) keepJudged() {
	kept := c.Queries[:0]
	for _, q := range c.Queries {
		if len(c.Qrels[q.ID]) > 0 {
			kept = append(kept, q)
		}
	}
	c.Queries = kept
}

func (c *Collection) check(dir string) error {
	seen := make(map[string]bool, len(c.Documents))
	for _, d := range c.Documents {
		if d.ID == "" || seen[d.ID] {
			return fmt.Errorf("collection %s: document id %q is empty or stands twice", dir, d.ID)
		}
		seen[d.ID] = true
	}
	asked := make(map[string]bool, len(c.Queries))
	for _, q := range c.Queries {
		if q.ID == "" || asked[q.ID] {
			return fmt.Errorf("collection %s: query id %q is empty or stands twice", dir, q.ID)
		}
		asked[q.ID] = true
	}
	if len(c.Queries) == 0 {
		return fmt.Errorf("collection %s: no query has a judgement: do queries and qrels belong together?", dir)
	}
	return nil
}

// Suite gives the collection's queries, judged by document. docs maps the notes of
// the vault that WriteVault made to document ids; a document ranks where its best
// passage does.
func (c *Collection) Suite(docs map[candor.Path]string) Suite {
	s := Suite{Name: c.Name, Qrels: c.Qrels}
	for _, q := range c.Queries {
		slice := Answerable
		if len(c.Qrels) == 0 {
			slice = Unsupported
		}
		s.Topics = append(s.Topics, Topic{ID: q.ID, Question: q.Text, Slice: slice})
	}
	s.Digest = digest(s.Topics, s.Qrels)
	s.label = func(_ Topic, hits []Hit) []Scored {
		out, seen := make([]Scored, 0, len(hits)), map[string]bool{}
		for _, hit := range hits {
			id, ok := docs[hit.Citation.Path]
			if ok && !seen[id] {
				seen[id] = true
				out = append(out, Scored{id, hit.Score})
			}
		}
		return out
	}
	return s
}

// WriteVault writes each document as one note into an empty folder, so that the
// real pipeline is measured: a name that holds no word, the title in front matter,
// the text as it is. A document that brings front matter of its own keeps it. It
// gives the document of each note.
func (c *Collection) WriteVault(dir string) (map[candor.Path]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("vault of collection %s: %w", c.Name, err)
	}
	defer root.Close()
	docs := make(map[candor.Path]string, len(c.Documents))
	for i, d := range c.Documents {
		name := fmt.Sprintf("d%06d.md", i+1)
		if err := root.WriteFile(name, []byte(d.note()), 0o600); err != nil {
			return nil, fmt.Errorf("vault of collection %s: %w", c.Name, err)
		}
		docs[candor.Path(name)] = d.ID
	}
	return docs, nil
}

// note is the document as a markdown note.
func (d Document) note() string {
	first, rest, _ := strings.Cut(d.Text, "\n")
	if strings.TrimRight(first, "\r ") == "---" && strings.Contains("\n"+rest, "\n---") {
		return d.Text
	}
	title, err := json.Marshal(d.Title) // a JSON string is a YAML string
	if err != nil {
		return d.Text
	}
	return "---\ntitle: " + string(title) + "\n---\n" + d.Text + "\n"
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, path.Clean(name))
	return err == nil
}

func readJSONLines[T any](fsys fs.FS, name string) ([]T, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	err = eachLine(f, name, func(line string) error {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}
