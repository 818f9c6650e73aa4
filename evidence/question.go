package evidence

import (
	"slices"
	"strings"

	"candor"
)

// question is what is asked for: words that say about what, and kinds of values.
type question struct {
	words  []token
	terms  []candor.Term // the words that say about what
	stems  []token       // likewise
	weight float64       // of all of them
	kinds  []string      // dimensions, or beginnings of them that end in a space
}

// kind is a phrase that asks for kinds of values.
type kind struct {
	phrase string // with a blank behind it
	kinds  []string
}

// kinds are the phrases that ask for kinds of values, by their first words.
var kinds = func() map[string][]kind {
	out := map[string][]kind{}
	for _, k := range []struct{ phrases, kinds string }{
		{"how long|wie lange|wie lang|length", "time|length|workday"},
		{"how soon|how fast|how quickly|how old|wie schnell|deadline|life|lifetime|laufzeit", "time|workday"},
		{"how high|how tall|how deep|how far|how wide|how close|clearance|height|depth|distance|wie weit|wie tief|wie breit", "length"},
		{"wie hoch", "length|money |percent"},
		{"how much money|how much|wie viel|wieviel", "money |percent|mass|volume|data"},
		{"cost|costs|price|pay|paid|fee|amount|sum|compensation|allowance|salary|kostet|kosten", "money |percent"},
		{"how heavy|weigh|weight|wie schwer", "mass"},
		{"how big|how large|wie groß", "length|data|mass|volume"},
		{"when|date|what date|which date|which day|release date|release day|come out|comes out|wann|datum", "date|clock|hours"},
		{"what time|hours|wann|uhr", "clock|hours"},
		{"how often|how many times|wie oft", "count time"},
		{"alone|by myself|allein|alleine|how many people|how many persons|wie viele personen|crew", "count person"},
	} {
		for phrase := range strings.SplitSeq(k.phrases, "|") {
			first, _, _ := strings.Cut(phrase, " ")
			out[first] = append(out[first], kind{phrase + " ", strings.Split(k.kinds, "|")})
		}
	}
	return out
}()

var (
	whether = words("may can could must should darf dürfen kann können muss müssen soll")
	wh      = words("how where when which what who why whose whom wie wo wann welche welcher welches was wer warum")
	ranked  = words("which what many welche welcher welches viele")
	bounds  = words("minimum maximum min max minimal maximal mindestens höchstens")
)

// ask reads a question.
func ask(text string, terms []candor.Term) *question {
	q := &question{words: tokenize(text)}
	asking := q.ask()
	if len(q.kinds) == 0 {
		return q
	}
	for _, t := range terms {
		if slices.Contains(asking, t.Text) || bounds[t.Text] > 0 {
			continue
		}
		q.terms, q.stems = append(q.terms, t), append(q.stems, token{text: t.Text, stem: stem(t.Text)})
		q.weight += t.Weight
	}
	return q
}

// ask finds the kinds of values that are asked for, and gives the words that do so.
func (q *question) ask() (asking []string) {
	want := func(words string, dims ...string) {
		for w := range strings.FieldsSeq(words) {
			asking = append(asking, w)
		}
		q.kinds = append(q.kinds, dims...)
	}
	var text strings.Builder
	for _, t := range q.words {
		text.WriteString(t.text + " ")
	}
	rest := text.String()
	for _, t := range q.words {
		for _, k := range kinds[t.text] {
			if strings.HasPrefix(rest, k.phrase) {
				want(k.phrase, k.kinds...)
			}
		}
		rest = rest[len(t.text)+1:]
	}
	q.numbered(want)
	if q.polar() {
		want("ok okay still", allowed, required)
		for _, t := range q.words {
			if permits[t.text]+forbids[t.text]+requires[t.text] > 0 {
				want(t.text)
			}
		}
	}
	return asking
}

// numbered finds units, and things that are counted or have a number.
func (q *question) numbered(want func(words string, dims ...string)) {
	measured := len(q.kinds) > 0
	for i, t := range q.words {
		before := token{}
		if i > 0 {
			before = q.words[i-1]
		}
		_, isNumber := number(t.text)
		u := units[t.text]
		switch {
		case u.dim != "" && len(t.text) > 2:
			if isAmount(before.text) {
				want(before.text)
			}
			if want(t.text); !measured || ranked[before.text] > 0 {
				want("", u.dim)
			}
		case before.text == "many" || before.text == "viele":
			want(t.text, counted(t))
		case ranked[before.text] > 0:
			want("", labelled+t.stem)
		case isNumber && !before.name && before.text != "" && uncounted[before.text] == 0:
			want("", labelled+before.stem)
		}
	}
}

// isAmount reports whether a word is a number: with a unit behind it, it is a case that is
// asked about, which no answer repeats.
func isAmount(word string) bool {
	_, ok := number(word)
	return ok
}

// polar reports whether a question wants yes or no.
func (q *question) polar() bool {
	if len(q.words) == 0 || slices.ContainsFunc(q.words, func(t token) bool { return wh[t.text] > 0 }) {
		return false
	}
	return whether[q.words[0].text] > 0 || slices.ContainsFunc(q.words, func(t token) bool {
		return permits[t.text] > 0 && t.text != "can" || forbids[t.text] > 0
	})
}

// wants reports whether a dimension is asked for.
func (q *question) wants(dim string) bool {
	return slices.ContainsFunc(q.kinds, func(k string) bool {
		return k == dim || strings.HasSuffix(k, " ") && strings.HasPrefix(dim, k)
	})
}

// wanted are the dimensions of values that the question wants.
func (q *question) wanted(list []value) []string {
	var out []string
	for _, v := range list {
		if v.dim == dated {
			v.dim = dayOfYear
		}
		if q.wants(v.dim) {
			out = append(out, v.dim)
		}
	}
	return out
}
