package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longer terms are cut: they are keys and digests, told apart long before.
const maxTerm = 64

// analyzer turns tokens into words: text and queries get the same.
type analyzer struct {
	languages []string
	stop      map[string]bool
	compounds memo[compound]
	rows      memo[[]string] // their folded words
}

// word is one word of a text or query.
type word struct {
	text string   // lower case, accents kept
	form string   // folded
	alts []string // what finds it: stems, and spellings without umlauts
	stop bool
}

// compound is what was written without a space.
type compound struct {
	whole string   // "" if it is just its one word
	one   []string // what finds it typed as one word: e-mail as email
	words []word
}

func newAnalyzer(languages []string) *analyzer {
	a := &analyzer{stop: map[string]bool{}}
	for _, l := range languages {
		if stemmers[l] == nil || slices.Contains(a.languages, l) {
			continue
		}
		a.languages = append(a.languages, l)
		for w := range stopWords[l] {
			a.stop[w] = true
		}
	}
	if len(a.languages) == 0 {
		return newAnalyzer([]string{"en"})
	}
	return a
}

// compound takes one scanned token apart. Runs of packed scripts go to pairs.
func (a *analyzer) compound(token string) compound {
	var c compound
	if plain(token) {
		if w, ok := a.word(token); ok {
			c.words = []word{w}
		}
		return c
	}
	for _, p := range split(token) {
		if w, ok := a.word(p); ok {
			c.words = append(c.words, w)
		}
	}
	whole := cut(fold(canonical(token)), maxTerm)
	if len(c.words) != 1 || c.words[0].form != whole {
		c.whole = whole
		c.one = a.one(c)
	}
	return c
}

// one gives the terms of a compound of two words, or of words that only their case tells
// apart, as it may be typed in one.
func (a *analyzer) one(c compound) (terms []string) {
	text := c.whole
	if len(c.words) == 2 {
		text = strings.Replace(text, "-", "", 1)
	}
	if len(c.words) < 2 || !letters(text) {
		return nil
	}
	for _, alt := range a.alternatives(text, text) {
		if alt != c.whole {
			terms = append(terms, alt)
		}
	}
	return terms
}

// plain reports whether a token is one word of ASCII letters and digits, as most are.
func plain(token string) bool {
	for i := 0; i < len(token); i++ {
		c := token[i]
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || i == 0 && c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return len(token) <= maxTerm
}

// canonical is a whole token as it is compared.
func canonical(token string) string {
	t := apostrophe(strings.Trim(lower(token), "_"))
	return strings.ReplaceAll(t, `\`, "/")
}

// word analyses one part of a compound.
func (a *analyzer) word(part string) (word, bool) {
	text := cut(lower(singular(part)), maxTerm)
	w := word{text: text, form: fold(text)}
	if w.form == "" {
		return w, false
	}
	if a.stop[w.form] {
		w.stop, w.alts = true, []string{w.form}
		return w, true
	}
	w.alts = a.alternatives(text, w.form)
	return w, true
}

// alternatives gives the terms of which any finds the word.
func (a *analyzer) alternatives(text, form string) []string {
	alts := make([]string, 0, 1)
	add := func(s string) {
		if !slices.Contains(alts, s) {
			alts = append(alts, s)
		}
	}
	other := spelled(text)
	for _, l := range a.languages {
		add(stem(l, text))
		if form != text {
			add(stem(l, form)) // as typed without accents
		}
		if other != "" {
			add(stem(l, other))
		}
	}
	return alts
}

// singular takes the plural off an abbreviation in capitals, which no stemmer does: PDFs.
func singular(part string) string {
	n := len(part) - 1
	if n < 2 || part[n] != 's' || strings.ToUpper(part[:n]) != part[:n] || !letters(part) {
		return part
	}
	return part[:n]
}

// split gives the parts of a compound: between binders, and inside them where case or
// the kind of character changes as in HTTPServerError and iOS17Build.
func split(token string) []string {
	parts := make([]string, 0, 1)
	start := -1
	end := func(i int) {
		if start >= 0 {
			parts = append(parts, camel(apostrophe(token[start:i]))...)
		}
		start = -1
	}
	for i := 0; i < len(token); {
		c, n := classify(token[i:])
		switch {
		case c == letter, c == silent && start >= 0, quoteInside(token, i, n):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
		i += n
	}
	end(len(token))
	return parts
}

// quoteInside holds at an apostrophe or a comma inside a number, which do not split.
func quoteInside(token string, i, n int) bool {
	if i == 0 || i+n >= len(token) {
		return false
	}
	return token[i] == ',' || token[i] == '\'' || token[i:i+n] == "’"
}

// apostrophe takes off what stands before or after one: l'été, Anna's. Others are
// dropped: can't is cant. Commas of numbers are dropped too.
func apostrophe(s string) string {
	if strings.IndexByte(s, ',') >= 0 {
		s = strings.ReplaceAll(s, ",", "")
	}
	if !strings.ContainsAny(s, "'’") {
		return s
	}
	s = strings.ReplaceAll(s, "’", "'")
	s = strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "'S")
	if head, rest, ok := strings.Cut(s, "'"); ok && len(head) <= 2 && len(rest) > 2 {
		s = rest
	}
	return strings.ReplaceAll(s, "'", "")
}

// camel splits a part where its letter case says that words meet.
func camel(s string) []string {
	if !mixed(s) {
		return []string{s}
	}
	rs := []rune(s)
	var parts []string
	start := 0
	for i := 1; i < len(rs); i++ {
		if meets(rs, start, i) {
			parts = append(parts, string(rs[start:i]))
			start = i
		}
	}
	return append(parts, string(rs[start:]))
}

// mixed reports whether an upper-case letter follows a lower-case one, or two upper
// ones come before a lower one.
func mixed(s string) bool {
	upper, low := 0, false
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			if low {
				return true
			}
			upper++
		case unicode.IsLower(r):
			if upper >= 2 {
				return len(s) > 4 // PDFs, IDs and the like stay whole
			}
			low = true
		default:
			upper, low = 0, false
		}
	}
	return false
}

// meets reports whether a word ends before rs[i] in a mixed part that begins at start.
func meets(rs []rune, start, i int) bool {
	p, r := rs[i-1], rs[i]
	switch {
	case unicode.IsDigit(r) != unicode.IsDigit(p):
		return true
	case unicode.IsLower(p) && unicode.IsUpper(r):
		return i-start > 1 || utf8.RuneLen(p) > 1 // iOS, eBay
	case unicode.IsUpper(p) && unicode.IsUpper(r) && i+1 < len(rs):
		return unicode.IsLower(rs[i+1]) && i-start > 1
	}
	return false
}

// pairs calls yield with each character of a packed run and each pair of neighbours.
func pairs(run string, yield func(gram string, pair bool)) {
	if !settled(run) {
		run = lower(run)
	}
	run = simplify(run)
	prev := -1
	for i, r := range run {
		n := utf8.RuneLen(r)
		if r == utf8.RuneError && !strings.HasPrefix(run[i:], "\uFFFD") {
			n = 1
		}
		yield(run[i:i+n], false)
		if prev >= 0 {
			yield(run[prev:i+n], true)
		}
		prev = i
	}
}

// settled reports whether lower would change nothing, as for most runs: plain kana, the
// unified ideographs of the first block, and Hangul syllables.
func settled(run string) bool {
	for _, r := range run {
		switch {
		case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA,
			r == 0x30FC, r >= 0xAC00 && r <= 0xD7A3:
		default:
			return false
		}
	}
	return true
}
