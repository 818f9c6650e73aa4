// Command markdown cuts every note of real vaults and holds the pieces against the
// files: each piece is the lines that it cites, each line with text is in exactly one
// piece, and the places that odd.tsv names are read as they should be. It prints the
// sizes of pieces and the speed.
//
//	go run ./scripts/long/markdown [-odd odd-markdown.tsv] [-words 160] VAULTS
//	go run ./scripts/long/markdown -beir COLLECTION
//
// VAULTS is a folder of vaults. The exit status is 1 when anything is wrong. With a
// judged collection it prints instead what pieces of several lengths reach.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"candor/frontmatter"
	"candor/markdown"
	"candor/redact"
)

// note is one file on its way.
type note struct {
	vault, path string
	lines       []string // of the whole file, as sed counts
	header      frontmatter.Header
	body        string
	clean       redact.Text
	doc         markdown.Doc
}

var failures int

func fail(format string, args ...any) {
	failures++
	fmt.Printf("WRONG "+format+"\n", args...)
}

func main() {
	odd := flag.String("odd", "", "table of odd places: feature, vault, path, line")
	words := flag.Int("words", 0, "most words in a piece")
	beir := flag.Bool("beir", false, "the folder is a judged collection")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	masker, err := redact.New(redact.Options{})
	switch {
	case err != nil:
	case *beir:
		err = sizes(flag.Arg(0), masker)
	default:
		err = run(masker, flag.Arg(0), *odd, *words)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failures > 0 {
		os.Exit(1)
	}
}

func run(masker *redact.Redactor, root, odd string, words int) error {
	vaults, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "vault\tnotes\tMB\tpieces\tmedian\tp95\tmost\tsections\tlinks\tSplit MB/s\tParse MB/s\t")
	byPlace := map[string]*note{}
	var all []*note
	for _, v := range vaults {
		if !v.IsDir() {
			continue
		}
		notes, err := read(root, v.Name(), masker)
		if err != nil {
			return err
		}
		all = append(all, notes...)
		report(w, v.Name(), notes, words)
		for _, n := range notes {
			byPlace[n.vault+"/"+n.path] = n
			verify(n)
		}
	}
	report(w, "all", all, words)
	if err := w.Flush(); err != nil {
		return err
	}
	if odd == "" {
		return nil
	}
	return oddPlaces(odd, byPlace)
}

// read takes the notes of a vault as far as masking.
func read(root, vault string, masker *redact.Redactor) ([]*note, error) {
	var notes []*note
	dir := filepath.Join(root, vault)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(p)
		if err != nil || !d.Type().IsRegular() || ext != ".md" && ext != ".mdx" {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil || len(data) > 1 && data[0]|data[1] == 0xff { // UTF-16
			return err
		}
		text := string(data)
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		n := &note{vault: vault, body: text}
		n.path, err = filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		n.header, n.body = frontmatter.Split(text)
		n.clean = masker.Clean(n.body)
		head := strings.Split(strings.TrimSuffix(text, n.body), "\n")[:n.header.Lines]
		n.lines = append(head, strings.Split(n.clean.String(), "\n")...)
		notes = append(notes, n)
		return nil
	})
	return notes, err
}

// report parses the notes and prints a line about them.
func report(w *tabwriter.Writer, name string, notes []*note, words int) {
	bytes, sections, links := 0, 0, 0
	var sizes []int
	parse := fastest(func() {
		for _, n := range notes {
			n.doc = markdown.Parse(n.clean, markdown.Options{FirstLine: n.header.Lines + 1, Words: words})
		}
	})
	split := fastest(func() {
		for _, n := range notes {
			frontmatter.Split(strings.Join(n.lines[:n.header.Lines], "\n") + "\n" + n.body)
		}
	})
	for _, n := range notes {
		bytes += len(n.body)
		sections += len(n.doc.Sections)
		links += len(n.doc.Links)
		for _, p := range n.doc.Pieces {
			sizes = append(sizes, p.Words)
		}
	}
	slices.Sort(sizes)
	if len(sizes) == 0 {
		return
	}
	mb := float64(bytes) / 1e6
	fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t%.0f\t\n", name, len(notes), mb, len(sizes),
		sizes[len(sizes)/2], sizes[len(sizes)*95/100], sizes[len(sizes)-1], sections, links,
		mb/split.Seconds(), mb/parse.Seconds())
}

// fastest is the least time of five runs: others share the machine.
func fastest(f func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 5 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// verify holds the pieces of a note against its lines.
func verify(n *note) {
	next := n.header.Lines + 1
	gap := func(to int) {
		for ; next < to; next++ {
			if strings.TrimSpace(n.lines[next-1]) != "" {
				fail("%s/%s:%d is in no piece", n.vault, n.path, next)
			}
		}
	}
	for _, p := range n.doc.Pieces {
		if p.Lines.Start < next || p.Lines.End > len(n.lines) || p.Lines.End < p.Lines.Start {
			fail("%s/%s: lines %v after line %d of %d", n.vault, n.path, p.Lines, next-1, len(n.lines))
			return
		}
		gap(p.Lines.Start)
		next = p.Lines.End + 1
		for i, got := range strings.Split(p.Text, "\n") {
			want := n.lines[p.Lines.Start-1+i]
			if p.Lines.Start+i < len(n.lines) {
				want = strings.TrimSuffix(want, "\r")
			}
			if got != want && !folded(got, want) {
				fail("%s/%s:%d is %q in the file, %q in the piece", n.vault, n.path, p.Lines.Start+i, want, got)
			}
		}
		if strings.TrimSpace(p.Text) == "" {
			fail("%s/%s: an empty piece at line %d", n.vault, n.path, p.Lines.Start)
		}
	}
	gap(len(n.lines) + 1)
}

// folded reports whether a line differs by the payload of a data URI only.
func folded(got, want string) bool {
	head, tail, ok := strings.Cut(got, ",…")
	return ok && strings.HasPrefix(want, head) && strings.HasSuffix(want, tail[strings.LastIndex(tail, "…")+1:])
}
