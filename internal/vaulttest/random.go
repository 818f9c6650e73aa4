package vaulttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random gives n notes, path to text, that depend on the seed alone: front matter,
// headings, paragraphs, lists, fences, tables, links, in folders of the three zones
// public/, internal/ and restricted/. The words are invented and differ in frequency as
// those of a language do.
func Random(seed uint64, n int) map[string]string {
	g := generator{rand.New(rand.NewPCG(seed, 0x6e6f7465))}
	files := make(map[string]string, n)
	zones := []string{"public", "internal", "restricted"}
	for i := range n {
		path := fmt.Sprintf("%s/%s/%s-%d.md", zones[g.IntN(3)], g.word(40), g.word(400), i)
		files[path] = g.note()
	}
	return files
}

type generator struct{ *rand.Rand }

// word gives one of n words, the early ones more often.
func (g generator) word(n int) string {
	k := int(float64(n) * g.Float64() * g.Float64() * g.Float64())
	syllables := []string{"ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "zu"}
	word := ""
	for k += 10; k > 0; k /= 10 {
		word += syllables[k%10]
	}
	return word
}

func (g generator) words(most int) string {
	words := make([]string, 1+g.IntN(most))
	for i := range words {
		words[i] = g.word(5000)
	}
	return strings.Join(words, " ")
}

func (g generator) note() string {
	var b strings.Builder
	if g.IntN(3) == 0 {
		fmt.Fprintf(&b, "---\ntitle: %s\ntags: [%s, %s]\n---\n", g.words(4), g.word(30), g.word(30))
	}
	fmt.Fprintf(&b, "# %s\n\n%s.\n", g.words(5), g.words(40))
	for range g.IntN(5) {
		fmt.Fprintf(&b, "\n%s %s\n\n", strings.Repeat("#", 2+g.IntN(3)), g.words(5))
		b.WriteString(g.block())
	}
	return b.String()
}

func (g generator) block() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("- %s\n- %s\n", g.words(12), g.words(12))
	case 1:
		return fmt.Sprintf("```\n# %s\n```\n", g.words(8))
	case 2:
		return fmt.Sprintf("| %s | %s |\n|---|---|\n| %s | %s |\n", g.word(50), g.word(50), g.words(4), g.words(4))
	case 3:
		return fmt.Sprintf("%s [[%s]] %s.\n", g.words(20), g.word(400), g.words(20))
	}
	return g.words(120) + ".\n"
}
