package draft

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor"
	"candor/evals"
)

// kind is what a question was made of.
type kind int

const (
	ofHeading kind = iota
	ofDefinition
	ofNumber
	kinds
)

// Rule drafts topics by rule, without end but that of the passages. Kinds of questions
// take turns where a passage has several.
func Rule(chunks []*candor.Chunk, opt Options) iter.Seq[evals.Topic] {
	seen := headings(chunks)
	return func(yield func(evals.Topic) bool) {
		var used [kinds]int
		asked := map[string]bool{}
		for ch := range Passages(chunks, opt) {
			p, ok := phrasesFor(ch, opt.Languages)
			if !ok {
				continue
			}
			questions := p.questions(ch, seen)
			best, found := kind(0), false
			for k := range kinds {
				q := questions[k]
				if q != "" && !asked[q] && !opt.asks(q) && (!found || used[k] < used[best]) {
					best, found = k, true
				}
			}
			if !found {
				continue
			}
			used[best]++
			asked[questions[best]] = true
			if !yield(Topic(ch, questions[best], evals.ByRule, opt)) {
				return
			}
		}
	}
}

// generic is in how many notes a heading may stand and still say what a passage is about.
const generic = 2

// headings counts the notes in which a heading stands.
func headings(chunks []*candor.Chunk) map[string]int {
	notes := map[string]map[candor.Path]bool{}
	for _, ch := range chunks {
		if ch == nil || len(ch.Heading) == 0 {
			continue
		}
		h := strings.ToLower(ch.Heading[len(ch.Heading)-1])
		if notes[h] == nil {
			notes[h] = map[candor.Path]bool{}
		}
		notes[h][ch.Path] = true
	}
	out := make(map[string]int, len(notes))
	for h, in := range notes {
		out[h] = len(in)
	}
	return out
}

// questions are those that a passage gives, by kind, "" where it gives none.
func (p phrases) questions(ch *candor.Chunk, seen map[string]int) (out [kinds]string) {
	out[ofHeading] = p.fromHeading(ch, seen)
	for _, s := range sentences(ch.Text) {
		if out[ofDefinition] == "" {
			out[ofDefinition] = p.fromDefinition(s)
		}
		if out[ofNumber] == "" {
			out[ofNumber] = p.fromNumber(s)
		}
	}
	return out
}

// fromHeading asks about a heading that stands in few notes; one that is a question is it.
func (p phrases) fromHeading(ch *candor.Chunk, seen map[string]int) string {
	if len(ch.Heading) == 0 {
		return ""
	}
	h := ch.Heading[len(ch.Heading)-1]
	n := len(strings.Fields(h))
	text := clean(h)
	switch {
	case seen[strings.ToLower(h)] > generic, n == 0 || n > 10, letters(text) < 5:
		return ""
	case strings.HasSuffix(text, "?"):
		return text
	case n == 1 && !strings.EqualFold(h, ch.Title):
		text += " (" + clean(ch.Title) + ")"
	}
	return fmt.Sprintf(p.about, text)
}

// bold is a list of terms, as markdown is written by hand.
var bold = regexp.MustCompile(`^(?:\*\*|__)([^*_]{3,50}?):?(?:\*\*|__) *(?:[:–—]|- )`)

// fromDefinition asks what a thing is that a sentence begins by defining.
func (p phrases) fromDefinition(sentence string) string {
	m := bold.FindStringSubmatch(sentence)
	if m == nil {
		m = p.defines.FindStringSubmatch(clean(sentence))
	}
	if m == nil {
		return ""
	}
	term := strings.TrimSpace(clean(m[1]))
	words := strings.Fields(term)
	if len(words) == 0 || len(words) > 5 || letters(term) < 3 || slices.Contains(p.vague, strings.ToLower(words[0])) {
		return ""
	}
	return fmt.Sprintf(p.what, term)
}

// counted is a number of things; its groups are what stands before, the number and the
// thing.
var counted = regexp.MustCompile(`^(.*?(?:^|[\s(]))(\d{1,3}(?:[.,]\d{1,3})?)\s+(\p{L}{3,}.*)$`)

// months are how names of months begin, which follow a number that counts nothing.
var months = strings.Fields("jan feb mar apr may mai maj jun jul aug sep oct okt nov dec dez déc fév avr ene abr ago dic " +
	"янв фев мар апр мая июн июл авг сен окт ноя дек")

// fromNumber asks for the number in a short sentence.
func (p phrases) fromNumber(sentence string) string {
	s := clean(sentence)
	words := strings.Fields(s)
	m := counted.FindStringSubmatch(s)
	if m == nil || len(words) < 5 || len(words) > 20 || slices.Contains(p.vague, strings.ToLower(words[0])) {
		return ""
	}
	thing := strings.ToLower(string([]rune(m[3])[:3]))
	if slices.Contains(months, thing) {
		return ""
	}
	how := p.howMany
	if strings.TrimSpace(m[1]) == "" {
		r, size := utf8.DecodeRuneInString(how)
		how = string(unicode.ToUpper(r)) + how[size:]
	}
	return strings.TrimRight(m[1]+how+" "+m[3], ".:;!, ") + "?"
}

var (
	marks   = regexp.MustCompile(`!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)]*\)`)
	strip   = strings.NewReplacer("**", "", "__", "", "`", "", "*", "")
	listed  = regexp.MustCompile(`^(?:[-*+]|\d+[.)]|>)\s+(?:\[[ xX]\]\s+)?`)
	fullEnd = regexp.MustCompile(`[.!?]\s+`)
)

// clean takes the marks out of a line of markdown.
func clean(s string) string {
	return strings.Join(strings.Fields(strip.Replace(marks.ReplaceAllString(s, "$1$2"))), " ")
}

// sentences are those of paragraphs and lists: no code, tables or headings.
func sentences(text string) (out []string) {
	fenced, open := false, "" // the paragraph that goes on
	flush := func() {
		at := 0
		for _, m := range fullEnd.FindAllStringIndex(open, -1) {
			out = append(out, open[at:m[0]+1])
			at = m[1]
		}
		if at < len(open) {
			out = append(out, open[at:])
		}
		open = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		item := listed.FindString(line)
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fenced = !fenced
			flush()
		case fenced:
		case line == "", line[0] == '#', line[0] == '|', line[0] == '<':
			flush()
		case item != "":
			flush()
			open = line[len(item):]
		case open == "":
			open = line
		default:
			open += " " + line
		}
	}
	flush()
	return out
}

// letters counts the letters of a text.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
