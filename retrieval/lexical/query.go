package lexical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a query: bytes before it is normalised, words that are weighed, and
// phrases that are looked for.
const (
	maxQuery   = 4 << 10
	maxWords   = 64
	maxPhrases = 8
)

// noteName finds the ending of a note's file name: notes are indexed without it.
var noteName = regexp.MustCompile(`(?i)([\pL\pN])\.(?:md|mdx|markdown)\b`)

// question is a query taken apart.
type question struct {
	words   []ask      // content words, distinct
	wholes  []ask      // compounds as a whole; they count only where they are found
	avoid   []ask      // words that a hit may not hold
	phrases [][]string // folded words in a row
	key     string     // see analyzer.key
	literal string     // IT in capitals, when it is a stop word otherwise
	// functional holds for a query of nothing but stop words.
	functional bool
}

// ask is one thing to look for.
type ask struct {
	text string   // as typed, lower case
	form string   // folded
	alts []string // terms of which any finds it
	name bool     // written as a name
}

// typed is a word of the query before it is known what it is for.
type typed struct {
	ask
	stop bool
}

// reader takes a query apart.
type reader struct {
	*analyzer
	written func(term string) bool // whether some chunk holds a term
	words   []typed
	out     question
}

// parse takes a query apart. written tells flags, which the vault writes, from words
// to avoid.
func (a *analyzer) parse(text string, written func(term string) bool) question {
	text = noteName.ReplaceAllString(cut(strings.ToValidUTF8(text, " "), maxQuery), "$1")
	r := reader{analyzer: a, written: written}
	r.out.key = a.key(text)
	for text != "" {
		head, phrase, rest := quoted(text)
		r.scan(head, true)
		r.scan(phrase, false)
		if ws := a.sequence(phrase); len(ws) > 0 && len(r.out.phrases) < maxPhrases {
			r.out.phrases = append(r.out.phrases, ws)
		}
		text = rest
	}
	r.choose()
	r.names()
	return r.out
}

// capital reports whether a token begins with a capital letter.
func capital(token string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(token, "#.@-"))
	return unicode.IsUpper(first)
}

// names takes capitals for nothing where most words have one: a heading, or German.
func (r *reader) names() {
	n := 0
	for _, w := range r.out.words {
		if w.name {
			n++
		}
	}
	for i := range r.out.words {
		r.out.words[i].name = r.out.words[i].name && 2*n <= len(r.out.words)
	}
}

const quotes = "\"“”„«»"

// quoted cuts text around its first quoted phrase; a lone quote is nothing.
func quoted(text string) (head, phrase, rest string) {
	i := strings.IndexAny(text, quotes)
	if i < 0 {
		return text, "", ""
	}
	_, n := utf8.DecodeRuneInString(text[i:])
	j := strings.IndexAny(text[i+n:], quotes)
	if j < 0 {
		return text[:i] + " " + text[i+n:], "", ""
	}
	end := i + n + j
	_, m := utf8.DecodeRuneInString(text[end:])
	return text[:i], text[i+n : end], text[end+m:]
}

// scan reads the words of a part of the query.
func (r *reader) scan(part string, syntax bool) {
	s := scanner{text: part}
	for s.next() {
		if s.packed {
			r.run(s.token())
			continue
		}
		c := r.compound(s.token())
		if syntax && excludes(s.token()) && !r.written(c.whole) {
			for _, w := range c.words {
				r.out.avoid = append(r.out.avoid, ask{text: w.text, form: w.form, alts: w.alts})
			}
			continue
		}
		whole := ask{text: cut(lower(s.token()), maxTerm), form: c.whole, alts: append([]string{c.whole}, c.one...)}
		if len(c.words) == 1 && signed(s.token()) && r.written(c.whole) {
			r.words = append(r.words, typed{ask: whole}) // c++ does not ask for c
			continue
		}
		name := len(r.words) > 0 && capital(s.token())
		for _, w := range c.words {
			r.words = append(r.words, typed{ask{w.text, w.form, w.alts, name}, w.stop})
		}
		if c.whole != "" {
			r.out.wholes = append(r.out.wholes, whole)
		}
	}
}

// signed reports whether a sign makes a token another word: c++, f#, .net, -p.
func signed(token string) bool {
	last := token[len(token)-1]
	return last == '+' || last == '#' || token[0] == '.' || token[0] == '-'
}

// excludes reports whether a token has the form of an exclusion: -draft, not -p or
// --force or -3.
func excludes(token string) bool {
	return len(token) > 2 && token[0] == '-' && letters(lower(token[1:3]))
}

// run reads a run of a packed script: its pairs, or its one character. What only asks
// is left out, unless there is nothing else.
func (r *reader) run(run string) {
	parts := strings.Fields(asking.Replace(run))
	if len(parts) == 0 {
		parts = []string{run}
	}
	for _, part := range parts {
		single := utf8.RuneCountInString(lower(part)) == 1
		pairs(part, func(gram string, pair bool) {
			if pair || single {
				r.words = append(r.words, typed{ask: ask{text: gram, form: gram, alts: []string{gram}}})
			}
		})
	}
}

// choose keeps the words that say what is asked for. Without other words, what was to
// be avoided is asked for, and stop words are words.
func (r *reader) choose() {
	if len(r.words) == 0 {
		for _, w := range r.out.avoid {
			r.words = append(r.words, typed{ask: w})
		}
		r.out.avoid = nil
	}
	r.foreign()
	content := func(w typed) bool { return !w.stop }
	if !slices.ContainsFunc(r.words, content) {
		r.functional()
		content = func(typed) bool { return true }
	}
	rest := r.words[r.frame():]
	if !slices.ContainsFunc(rest, content) {
		rest = r.words
	}
	for _, w := range rest {
		if content(w) && !slices.ContainsFunc(r.out.words, func(o ask) bool { return o.alts[0] == w.alts[0] }) {
			r.out.words = append(r.out.words, w.ask)
		}
	}
}

// functional makes the best of a query of stop words: several are a phrase, and one is
// a name in capitals.
func (r *reader) functional() {
	var phrase []string
	for _, w := range r.words {
		phrase = append(phrase, w.form)
	}
	switch {
	case len(phrase) > 1:
		r.out.phrases = append(r.out.phrases, phrase)
	case len(phrase) == 1:
		r.out.literal = strings.ToUpper(r.words[0].text)
	}
	r.out.functional = true
}

// foreign takes the stop words of another language out too when the query is plainly
// written in it.
func (r *reader) foreign() {
	best, most, own := "", 1, 0
	for language, list := range stopWords {
		n := 0
		for _, w := range r.words {
			if list[w.form] {
				n++
			}
		}
		switch {
		case slices.Contains(r.languages, language):
			own = max(own, n)
		case n > most || n == most && best != "" && language < best:
			best, most = language, n
		}
	}
	if most <= own {
		return
	}
	for i, w := range r.words {
		r.words[i].stop = w.stop || stopWords[best][w.form]
	}
}

// frame gives how many words at the head of a question only frame it: stop words,
// scaffolding beside one, and what is measured: how long, wie oft.
func (r *reader) frame() int {
	n := 0
	for n < len(r.words) && (r.words[n].stop || scaffolding[r.words[n].form] || r.measure(n)) {
		n++
	}
	if n == 1 && !r.words[0].stop {
		return 0
	}
	return n
}

// measure reports whether word n asks how much of something.
func (r *reader) measure(n int) bool {
	return n > 0 && (r.words[n-1].form == "how" || r.words[n-1].form == "wie") && measures[r.words[n].form]
}

// sequence gives the folded words of a text in a row, stop words too.
func (a *analyzer) sequence(text string) []string {
	return a.appendWords(nil, text)
}

// appendWords appends what sequence gives.
func (a *analyzer) appendWords(forms []string, text string) []string {
	s := scanner{text: text}
	for s.next() {
		if s.packed {
			pairs(s.token(), func(gram string, pair bool) {
				if !pair {
					forms = append(forms, gram)
				}
			})
			continue
		}
		token := s.token()
		if plain(token) {
			forms = append(forms, strings.ToLower(token))
			continue
		}
		forms = append(forms, a.rows.recall(token, row)...)
	}
	return forms
}

// row gives the folded words of a compound.
func row(token string) (forms []string) {
	for _, p := range split(token) {
		if f := fold(lower(p)); f != "" {
			forms = append(forms, f)
		}
	}
	return forms
}

// Longer names than this are never typed whole.
const maxName = 200

// key is the term under which a chunk is found by a query equal to its note's name: the
// words in a row without case, accents and signs. "" names nothing.
func (a *analyzer) key(name string) string {
	if len(name) > maxName {
		return ""
	}
	forms := a.sequence(name)
	if len(forms) == 0 {
		return ""
	}
	return "= " + strings.Join(forms, " ")
}
