package draft

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"candor"
)

// phrases are one language's patterns.
type phrases struct {
	common  []string       // words that tell the language
	vague   []string       // first words that point elsewhere
	defines *regexp.Regexp // the beginning of a definition, around what is defined
	about   string         // asks about a heading
	what    string         // asks what a thing is
	howMany string         // asks for a number, inside the sentence
}

// term is what is defined, up to the words that define it.
const term = `([^,.;:()]{3,50}?)`

// languages have the patterns. The questions are of function words and the passage's own,
// so that nothing but those has to be found.
var languages = map[string]phrases{
	"en": {
		strings.Fields("the and of to is are in for with that not"),
		strings.Fields("it this that these those they he she we you there here which what who such so"),
		regexp.MustCompile(`^(?:(?:The|An?) )?` + term + ` (?:is|are|means) (?:an?|the) `),
		"What about %s?", "What is %s?", "how many",
	},
	"de": {
		strings.Fields("der die das und ist sind nicht mit für ein eine auf den"),
		strings.Fields("er sie es dies diese dieser dieses das wir ihr hier dort da so was wer"),
		regexp.MustCompile(`^(?:(?:Der|Die|Das|Eine?) )?` + term + ` (?:ist|sind|bedeutet) (?:eine?|der|die|das) `),
		"Was ist mit %s?", "Was ist %s?", "wie viele",
	},
	"es": {
		strings.Fields("el la los las de que y en es un una por con para"),
		strings.Fields("esto este esta estos estas ese esa eso hay aquí que lo"),
		regexp.MustCompile(`^(?:(?:El|La|Los|Las|Una?) )?` + term + ` (?:es|son|significa) (?:una?|el|la) `),
		"¿Qué hay de %s?", "¿Qué es %s?", "cuántos",
	},
	"fr": {
		strings.Fields("le la les des et est dans un une pour que qui avec sur"),
		strings.Fields("il elle ce cela c'est ceci ces cette nous vous on ici qui"),
		regexp.MustCompile(`^(?:(?:Le|La|Les|Une?) |L['’])?` + term + ` (?:est|sont|signifie) (?:une? |le |la |l['’])`),
		"Qu'en est-il de %s ?", "Qu'est-ce que %s ?", "combien de",
	},
	"hu": {
		strings.Fields("a az és hogy nem egy is meg van ez"),
		strings.Fields("ez az ezek azok itt ott ő mi ti így"),
		regexp.MustCompile(`^(?:Az? )?` + term + ` egy `),
		"Mi a helyzet ezzel: %s?", "Mi az, hogy %s?", "hány",
	},
	"no": {
		strings.Fields("og er det en et på for med til av ikke som"),
		strings.Fields("det den dette disse de vi du han hun her der så"),
		regexp.MustCompile(`^` + term + ` (?:er|betyr) (?:en|et|ei|den|det) `),
		"Hva med %s?", "Hva er %s?", "hvor mange",
	},
	"ru": {
		strings.Fields("и в на не что с для это по как из"),
		strings.Fields("это этот эта эти он она оно они мы вы здесь там так"),
		regexp.MustCompile(`^` + term + ` [—–-] это `),
		"Что насчёт %s?", "Что такое %s?", "сколько",
	},
	"sv": {
		strings.Fields("och är det en ett på för med till av inte som att"),
		strings.Fields("det den detta dessa de vi du han hon här där så"),
		regexp.MustCompile(`^` + term + ` (?:är|betyder) (?:en|ett|den|det) `),
		"Hur är det med %s?", "Vad är %s?", "hur många",
	},
}

// phrasesFor gives the patterns of a passage's language: of those that the vault has, the
// one whose common words it has most of. None is English.
func phrasesFor(ch *candor.Chunk, among []string) (best phrases, ok bool) {
	if len(among) == 0 {
		among = []string{"en"}
	}
	words := strings.FieldsFunc(strings.ToLower(ch.Text), func(r rune) bool { return !unicode.IsLetter(r) })
	most := 0
	for _, name := range among {
		p, known := languages[name]
		n := 0
		for _, w := range words {
			if known && slices.Contains(p.common, w) {
				n++
			}
		}
		if n > most {
			best, most, ok = p, n, true
		}
	}
	return best, ok
}
