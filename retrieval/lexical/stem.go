package lexical

import (
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

var stemmers = map[string]func(*snowballstem.Env) bool{
	"de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fr": french.Stem,
	"hu": hungarian.Stem, "no": norwegian.Stem, "ru": russian.Stem, "sv": swedish.Stem,
}

// Longer or shorter words have no endings worth taking off.
const minStem, maxStem = 3, 40

// stem gives the folded stem of a lower-case word in one language.
func stem(language, word string) string {
	if n := utf8.RuneCountInString(word); n < minStem || n > maxStem || !letters(word) {
		return fold(word)
	}
	env := snowballstem.NewEnv(word)
	stemmers[language](env)
	if s := fold(env.Current()); s != "" {
		return s
	}
	return fold(word)
}

// letters reports whether a word is made of letters and marks only.
func letters(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return true
}
