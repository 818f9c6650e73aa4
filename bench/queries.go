package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// pickQueries samples the questions of the collection, or headings of the vault, always
// the same ones.
func (b *bench) pickQueries() ([]string, error) {
	var all []string
	if b.collection == "" {
		for _, c := range b.chunks {
			if n := len(c.Heading); n > 0 {
				all = append(all, plain(c.Heading[n-1]))
			}
		}
	} else {
		var err error
		if all, err = readQueries(filepath.Join(b.collection, "queries.jsonl")); err != nil {
			return nil, err
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var picked []string
	for _, q := range all {
		if q != "" && len(picked) < b.questions {
			picked = append(picked, q)
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("no questions: give --collection a folder with queries.jsonl")
	}
	return picked, nil
}

func readQueries(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, plain(q.Text))
	}
	return all, lines.Err()
}
