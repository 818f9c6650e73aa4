package draft_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"candor"
	"candor/evals"
	"candor/evals/draft"
)

// filler makes a passage long enough to be asked about.
const filler = " And the rest of the passage is long enough to be asked about, with that and this."

func chunk(path, title, heading, text string) *candor.Chunk {
	ch := &candor.Chunk{Path: candor.Path(path), Title: title, Heading: []string{title}, Text: text, Words: len(strings.Fields(text)), Lines: candor.Span{Start: 1, End: 2}}
	if heading != "" {
		ch.Heading = append(ch.Heading, heading)
	}
	ch.Digest = candor.Digest(text)
	return ch
}

func first(ch *candor.Chunk, opt draft.Options) string {
	for t := range draft.Rule([]*candor.Chunk{ch}, opt) {
		return t.Question
	}
	return ""
}

func TestRule(t *testing.T) {
	for _, c := range []struct{ language, heading, text, want string }{
		{"en", "Parental leave", filler, "What about Parental leave?"},
		{"en", "How long is it?", filler, "How long is it?"},
		{"en", "Scope", filler, "What about Scope (Note)?"},
		{"en", "", "The **wave bench** is a tank for the gauges." + filler, "What is wave bench?"},
		{"en", "", "**Tide gauge**: measures." + filler, "What is Tide gauge?"},
		{"en", "", "Leave is [26](x.md) weeks at full pay." + filler, "Leave is how many weeks at full pay?"},
		{"en", "", "26 weeks of leave are for each." + filler, "How many weeks of leave are for each?"},
		{"en", "", "It is a tank. We met on 30 November in town. See 1.2.3 versions of that." + filler, ""},
		{"en", "", "```\nA thing is a tank.\n```\n| a thing is a tank |\n" + filler, ""},
		{"de", "", "Das Wellenbecken ist ein Becken und es ist für die Pegel." + filler, "Was ist Wellenbecken?"},
		{"es", "Permiso parental", "La política de la empresa es que los padres y las madres descansan por un tiempo.", "¿Qué hay de Permiso parental?"},
		{"fr", "", "Le congé est de 26 semaines pour les parents et pour les autres dans la maison.", "Le congé est de combien de semaines pour les parents et pour les autres dans la maison?"},
		{"hu", "", "A szabadság egy hosszú idő, és a szülők azt mondják, hogy ez nem kevés, az is jó.", "Mi az, hogy szabadság?"},
		{"no", "", "Permisjonen er 26 uker for hver av foreldrene, og det er ikke for lite på en gang.", "Permisjonen er hvor mange uker for hver av foreldrene, og det er ikke for lite på en gang?"},
		{"ru", "", "Отпуск — это время, и для родителей это не работа, а отдых на море и в горах.", "Что такое Отпуск?"},
		{"sv", "", "Ledigheten är en tid för föräldrar, och det är inte lite av det som man får på jobbet.", "Vad är Ledigheten?"},
		{"", "Parental leave", filler, "What about Parental leave?"},
		{"zh", "Parental leave", filler, ""},
	} {
		opt := draft.Options{}
		if c.language != "" {
			opt.Languages = []string{c.language}
		}
		ch := chunk("n.md", "Note", c.heading, c.text)
		if c.heading == "" {
			ch.Heading = nil
		}
		if got := first(ch, opt); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.language, c.heading+" "+c.text, got, c.want)
		}
	}
	mixed := draft.Options{Languages: []string{"en", "de"}}
	if got := first(chunk("n.md", "N", "Elternzeit heute", "Das ist nicht der Text und die Elternzeit ist für die Eltern auf dem Lande."), mixed); got != "Was ist mit Elternzeit heute?" {
		t.Errorf("of two languages: %q", got)
	}
}

// TestSpread: notes take turns, and those that are asked for already come last.
func TestSpread(t *testing.T) {
	var chunks []*candor.Chunk
	for n := range 4 {
		for s := range 3 {
			chunks = append(chunks, nil, chunk(fmt.Sprintf("n%d.md", n), "Note", fmt.Sprintf("Section %d of %d", s, n), filler+fmt.Sprint(s, n)))
		}
	}
	opt := draft.Options{Profile: "p", Have: []evals.Topic{{Question: "what about section 0 of 1?", Expect: []evals.Expected{{Path: "n0.md"}}}}}
	var paths []string
	for topic := range draft.Rule(chunks, opt) {
		if topic.Drafted != evals.ByRule || topic.Reviewed || topic.Profile != "p" || topic.Question == "What about Section 0 of 1?" {
			t.Errorf("%+v", topic)
		}
		paths = append(paths, string(topic.Expect[0].Path))
	}
	if len(paths) != 11 {
		t.Fatalf("%v", paths)
	}
	slices.Sort(paths[:3])
	if want := []string{"n1.md", "n2.md", "n3.md"}; !slices.Equal(paths[:3], want) {
		t.Errorf("first %v", paths[:3])
	}
}

// TestGenericHeading: what stands in many notes says nothing about one.
func TestGenericHeading(t *testing.T) {
	var chunks []*candor.Chunk
	for n := range 3 {
		chunks = append(chunks, chunk(fmt.Sprintf("n%d.md", n), "Note", "Introduction here", filler))
	}
	for topic := range draft.Rule(chunks, draft.Options{}) {
		t.Errorf("%+v", topic)
	}
	if got := first(chunks[0], draft.Options{}); got == "" {
		t.Error("nor in one note")
	}
}

// TestMaskedIsNeverAsked: neither a passage with a mask nor one under a masked name.
func TestMaskedIsNeverAsked(t *testing.T) {
	in := chunk("n.md", "Note", "The key of it", "The key is [REDACTED:token]."+filler)
	in.Masked = true
	for name, ch := range map[string]*candor.Chunk{
		"text":    in,
		"heading": chunk("n.md", "Note", "The key [REDACTED:token]", filler),
		"title":   chunk("n.md", "Note [REDACTED:token]", "The key of it", filler),
		"path":    chunk("[REDACTED:token].md", "Note", "The key of it", filler),
	} {
		if got := first(ch, draft.Options{}); got != "" {
			t.Errorf("%s: %q", name, got)
		}
		for range draft.Passages([]*candor.Chunk{ch}, draft.Options{}) {
			t.Errorf("%s is shown to a model", name)
		}
	}
}

func TestQuestionOfAModel(t *testing.T) {
	for said, want := range map[string]string{
		" How long\nis it? ": "How long is it?", "育休はどのくらいですか": "育休はどのくらいですか",
		"": "", "ok": "", "a \x1b[31m red b": "", "is the key [REDACTED:token] it": "", strings.Repeat("long ", 90): "",
	} {
		if got, ok := draft.Question(said); got != want || ok != (want != "") {
			t.Errorf("%q: %q", said, got)
		}
	}
	long := chunk("n.md", "N", "H", strings.Repeat("ü", 5000))
	if p := draft.Prompt(long); len(p) > 4000 || !strings.HasPrefix(p, "N > N > H\n\nü") || strings.ToValidUTF8(p, "") != p {
		t.Errorf("%d bytes", len(p))
	}
}
