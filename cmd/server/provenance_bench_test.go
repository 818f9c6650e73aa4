package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"candor/kb"
	"candor/mcpserver"
	"candor/provenance"
)

// benchVault is for vaults of another size than the demo's.
var benchVault = flag.String("vault", "", "a folder of notes for BenchmarkProvenance, instead of the demo")

// BenchmarkProvenance puts what stamps and claims cost beside searches of the same
// questions, on the demo or on -vault, where headings are the questions. Each round is
// twenty.
func BenchmarkProvenance(b *testing.B) {
	m := &Main{Stdin: os.Stdin, Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}
	a := &app{Main: m, global: global{Demo: true, Profile: "staff"}}
	if *benchVault != "" {
		a.global = global{Vault: *benchVault}
	}
	s, err := a.open(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	questions := []string{"how long is parental leave", "warranty of a painted housing", "who may use the VPN", "days of annual leave", "core time of the office"}
	if *benchVault != "" {
		questions = headings(s, 20)
	}
	var answers []kb.SearchAnswer
	search := func(i int) kb.SearchAnswer {
		got, err := s.base().Search(context.Background(), kb.SearchRequest{Query: questions[i%len(questions)]})
		if err != nil || len(got.Hits) == 0 {
			b.Fatal(err, questions[i%len(questions)])
		}
		return got
	}
	var claims []provenance.Claim
	for i := range 20 {
		got := search(i)
		answers = append(answers, got)
		stamp := stampOf(b, s, got)
		hit := got.Hits[i%len(got.Hits)]
		claims = append(claims, provenance.Claim{
			ID: fmt.Sprint(i), Text: sentence(hit.Text), Origin: []provenance.Origin{{CallID: stamp.CallID}},
			Spans: []provenance.Span{{Block: hit.Citation.ID}},
		})
	}
	b.Run("searches", func(b *testing.B) {
		for b.Loop() {
			for i := range 20 {
				search(i)
			}
		}
	})
	b.Run("stamps", func(b *testing.B) {
		for b.Loop() {
			for i := range 20 {
				stampOf(b, s, answers[i])
			}
		}
	})
	v := s.verifier(s.base())
	b.Run("claims", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := v.Verify(context.Background(), s.profile, claims); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// headings are questions that a vault answers.
func headings(s *site, n int) (out []string) {
	chunks := s.corpus.Snapshot(s.profile).Chunks
	for i := 0; i < len(chunks) && len(out) < n; i += max(len(chunks)/(4*n), 1) {
		if c := chunks[i]; c != nil && len(c.Heading) > 0 {
			q := "how long is " + c.Title + " " + c.Heading[len(c.Heading)-1]
			if a, err := s.base().Search(context.Background(), kb.SearchRequest{Query: q}); err == nil && len(a.Hits) > 2 {
				out = append(out, q)
			}
		}
	}
	return out
}

func stampOf(b *testing.B, s *site, a kb.SearchAnswer) provenance.Stamp {
	arguments, err := json.Marshal(kb.SearchRequest{Query: "q"})
	if err != nil {
		b.Fatal(err)
	}
	stamp, err := s.issuer.Stamp(provenance.Call{
		RequestID: "1", Tool: "search", Profile: s.profile, Arguments: arguments, Passages: mcpserver.Served(a),
	})
	if err != nil {
		b.Fatal(err)
	}
	return stamp
}

// sentence is the first line of a passage that is no heading.
func sentence(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if len(line) > 20 && line[0] != '#' && line[0] != '|' {
			return line
		}
	}
	return text
}
