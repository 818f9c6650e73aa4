package semantic

import (
	"strings"
	"unicode/utf8"

	"candor"
	"candor/cache"
)

// form is the version of what Compose makes of a chunk; it is part of a vector's name.
const form = "1"

// maxHeader is the most of title and headings that is embedded, in bytes: they say what
// a passage is about and must not crowd it out.
const maxHeader = 300

// Compose is what is embedded of a chunk: under its title and heading path, what the
// lexical leg sees too.
func Compose(c *candor.Chunk) Document {
	words := []string{c.Title}
	for _, h := range c.Heading {
		if h != words[len(words)-1] {
			words = append(words, h)
		}
	}
	header := strings.TrimSpace(strings.Join(words, " > "))
	for len(header) > maxHeader {
		_, size := utf8.DecodeLastRuneInString(header[:maxHeader+1])
		header = header[:maxHeader+1-size]
	}
	body := c.Indexed()
	if c.Context != "" {
		body = c.Context + "\n" + body
	}
	return Document{Header: header, Body: body}
}

// names gives vectors their names in the cache.
type names struct {
	key     cache.Key
	chunker string // version of what cut the chunks
}

// chunk names a text, whatever the model.
func (n names) chunk(text string) cache.Chunk { return n.key.Chunk(n.chunker, form, text) }

// space names the vectors of a model for documents with a prefix.
func (n names) space(m Model, prefix string) cache.Space {
	return n.key.Space("documents", m.Fingerprint, prefix)
}

// model names the i-th model that was met, in the list of them.
func (n names) model(i int) cache.ID {
	return cache.ID{Space: n.key.Space("models"), Chunk: n.key.Chunk("model", string(rune('0'+i)))}
}

// maxModels bounds the list of models.
const maxModels = 64
