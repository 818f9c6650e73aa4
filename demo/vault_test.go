package demo_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"candor/demo"
)

// deadLinks are links that lead nowhere on purpose, as "note -> target".
var deadLinks = []string{"internal/wiki/seagulls.md -> gull-report-2025"}

// deadSuccessors are notes whose superseded_by names no note, on purpose.
var deadSuccessors = []string{"internal/wiki/fax.md"}

// withoutHeader are the notes that are meant to have no front matter.
var withoutHeader = []string{"internal/wiki/seagulls.md"}

// header is what this test reads of a note's front matter.
type header struct {
	Title        string
	Tags         any
	Aliases      any
	Updated      string
	SupersededBy string `yaml:"superseded_by"`
	Supersedes   any
}

// parse gives the front matter and the body of a note.
func parse(t *testing.T, name, text string) (header, string) {
	t.Helper()
	var h header
	rest, ok := strings.CutPrefix(text, "---\n")
	front, body, closed := strings.Cut(rest, "\n---\n")
	if ok != !slices.Contains(withoutHeader, name) || ok != closed {
		t.Errorf("%s: front matter %v, closed %v", name, ok, closed)
	}
	if !ok {
		return h, text
	}
	if err := yaml.Unmarshal([]byte(front), &h); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return h, body
}

// resolver finds notes as wikilinks name them: by path, file name, title or alias.
type resolver map[string][]string

func newResolver(t *testing.T, vault map[string]string) resolver {
	t.Helper()
	r := resolver{}
	add := func(key, name string) {
		if !slices.Contains(r[key], name) {
			r[key] = append(r[key], name)
		}
	}
	for name, text := range vault {
		h, _ := parse(t, name, text)
		add(name, name)
		add(strings.TrimSuffix(name, ".md"), name)
		add(strings.TrimSuffix(path.Base(name), ".md"), name)
		if aliases, ok := h.Aliases.([]any); ok {
			for _, alias := range aliases {
				add(alias.(string), name)
			}
		}
	}
	return r
}

// find gives the one note of that name, or "".
func (r resolver) find(name string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]")
	if found := r[name]; len(found) == 1 {
		return found[0]
	}
	return ""
}

func TestZonesHoldTheirNotes(t *testing.T) {
	got := map[string]int{}
	words, substantial := 0, 0
	for name, text := range notes(t) {
		zone, _, _ := strings.Cut(name, "/")
		got[zone]++
		n := len(strings.Fields(text))
		words += n
		if n >= 150 {
			substantial++
		}
	}
	want := map[string]int{"public": 49, "internal": 98, "restricted": 9, "drafts": 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes by zone (-want +got):\n%s", diff)
	}
	if substantial < 65 {
		t.Errorf("%d notes of 150 words or more, 65 are promised", substantial)
	}
	if mean := words / len(notes(t)); mean < 150 || mean > 900 {
		t.Errorf("a note has %d words on average", mean)
	}
}

func TestEveryNoteParses(t *testing.T) {
	for name, text := range notes(t) {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00\ufeff") {
			t.Errorf("%s is not plain UTF-8 with LF", name)
		}
		h, body := parse(t, name, text)
		if h.Title == "" && h.Tags == nil && !slices.Contains(withoutHeader, name) {
			t.Errorf("%s: front matter says nothing", name)
		}
		if strings.TrimSpace(body) == "" {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestSecretsStandWhereTheListSays(t *testing.T) {
	vault := notes(t)
	for _, s := range demo.Secrets() {
		for name, text := range vault {
			if has := strings.Contains(text, s.Value); has != (name == s.Path) {
				t.Errorf("%s of %s in %s: %v", s.Kind, s.Path, name, has)
			}
		}
		line := lineOf(vault[s.Path], s.Value)
		front, _, _ := strings.Cut(vault[s.Path][3:], "\n---")
		if got := strings.Contains(front, s.Value); got != (s.Place == "front matter") {
			t.Errorf("%s of %s: in front matter %v", s.Kind, s.Path, got)
		}
		if got := strings.HasPrefix(line, "|"); got != (s.Place == "table") {
			t.Errorf("%s of %s: in a table %v", s.Kind, s.Path, got)
		}
		if got := strings.Contains(line, "://") && !strings.Contains(line, "Bearer"); got != (s.Place == "url") {
			t.Errorf("%s of %s: in a URL %v", s.Kind, s.Path, got)
		}
	}
}

// shaped matches what looks like a credential, so that none is planted off the list.
var shaped = regexp.MustCompile(`PIN: \d|(?i:passwort: \S)|AKIA[A-Z2-7]{16}|-----BEGIN|gh[pousr]_\w{20,}|ey[IJ]\w{10,}\.ey|` +
	`(?i:password|api_key|secret|token)["']?\s?[:=]\s*["']?[\w-]{12,}|\w+\{\w+\}|://\w+:[^@/\s]+@|Bearer \w{12,}`)

func TestNoSecretIsOffTheList(t *testing.T) {
	for name, text := range notes(t) {
		for _, s := range demo.Secrets() {
			if s.Path == name {
				text = strings.ReplaceAll(text, s.Value, "")
			}
		}
		text = strings.ReplaceAll(text, "-----BEGIN OPENSSH PRIVATE KEY-----\n\n", "")
		if found := shaped.FindString(text); found != "" {
			t.Errorf("%s: %q looks like a credential and is not listed", name, found)
		}
	}
}

func lineOf(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

func TestSuccessorsExist(t *testing.T) {
	vault := notes(t)
	find, pairs := newResolver(t, vault), 0
	var dead []string
	for name, text := range vault {
		h, _ := parse(t, name, text)
		if h.SupersededBy == "" {
			continue
		}
		pairs++
		if find.find(h.SupersededBy) == "" {
			dead = append(dead, name)
		}
	}
	if diff := cmp.Diff(deadSuccessors, dead); diff != "" {
		t.Errorf("notes whose successor is missing (-meant +found):\n%s", diff)
	}
	if pairs < 10 {
		t.Errorf("%d replaced notes", pairs)
	}
}

var (
	wikilink = regexp.MustCompile(`\[\[([^\]|#]+)[^\]]*\]\]`)
	mdlink   = regexp.MustCompile(`\]\(([^)#:]+\.md)(?:#[^)]*)?\)`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	vault := notes(t)
	find := newResolver(t, vault)
	var dead []string
	for name, text := range vault {
		_, body := parse(t, name, text)
		for _, m := range wikilink.FindAllStringSubmatch(body, -1) {
			if find.find(m[1]) == "" {
				dead = append(dead, name+" -> "+m[1])
			}
		}
		for _, m := range mdlink.FindAllStringSubmatch(body, -1) {
			if _, ok := vault[path.Join(path.Dir(name), m[1])]; !ok {
				dead = append(dead, name+" -> "+m[1])
			}
		}
	}
	slices.Sort(dead)
	if diff := cmp.Diff(deadLinks, dead); diff != "" {
		t.Errorf("links that lead nowhere (-meant +found):\n%s", diff)
	}
}

var (
	mapped = regexp.MustCompile("`([^`\\s]+\\.md)`")
	quoted = regexp.MustCompile("`([^`\\s]+\\.md)`: \"([^\"]+)\"")
)

func TestMapIsTrue(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	vault := notes(t)
	for _, m := range mapped.FindAllStringSubmatch(string(text), -1) {
		if _, ok := vault[m[1]]; !ok {
			t.Errorf("README.md names %s, which is no note", m[1])
		}
	}
	quotes := quoted.FindAllStringSubmatch(string(text), -1)
	for _, m := range quotes {
		if flat := strings.Join(strings.Fields(vault[m[1]]), " "); !strings.Contains(flat, m[2]) {
			t.Errorf("%s does not say %q", m[1], m[2])
		}
	}
	if len(quotes) < 20 {
		t.Errorf("%d quotations, the conflicts have more", len(quotes))
	}
}

func TestMapListsEverySecretAndReplacedNote(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	for _, s := range demo.Secrets() {
		if !strings.Contains(readme, "`"+s.Path+"`") {
			t.Errorf("README.md does not name %s, which holds a %s", s.Path, s.Kind)
		}
		if strings.Contains(readme, s.Value) {
			t.Errorf("README.md shows the %s of %s", s.Kind, s.Path)
		}
	}
	for name, note := range notes(t) {
		if h, _ := parse(t, name, note); h.SupersededBy != "" && !strings.Contains(readme, "| `"+name+"` |") {
			if name != "internal/wiki/canteen-summer.md" { // named as the other half of the cycle
				t.Errorf("README.md does not list %s as replaced", name)
			}
		}
	}
}
