package provenance

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// The lists below are short on purpose: what stands in one is a rule that a reader can
// check. They are English with the commonest German forms; a language without a list
// is still judged by its words, numbers, names and codes.

// fillers carry nothing by themselves: they neither cover a claim nor leave a gap.
var fillers = set(`
	a about after all also an and any anybody anyone are as at be because been before being between both but
	by can could did do does done during each either else every everybody everyone everything few
	for from further get gets given got had has have having he her here him his how however i if in into is it its itself
	just least less let like many may me might mine more most much must my nobody none nor no not
	nothing now of off on once one only or other our out over own per please provided rather same shall she
	should since so some somebody someone something such than that the their them then there these they
	this those through thus to too under until up upon us very via was we were what when where whether which
	while who whoever whom whose why will with within without would yes yet you your
	aber als am an auch auf aus bei beim bis da damit das dass dem den der des die dies diese dieser doch
	du durch ein eine einem einen einer eines er es fur für gibt hat haben ich ihr im in ist ja je jede jeder kann man
	mit muss nach nicht noch nur ob oder ohne sein sich sie sind so soll uber über um und unter vom von vor war
	was wenn wer werden wie wird wo zu zum zur
`)

// weak words say little about what a sentence is about.
var weak = set(`
	actual always apply case certain come count different follow general give go include keep known make mean
	need new number part people person possible put receive require say set state take thing time use
	want way work year good enough
`)

// negators turn a clause around. "no more than" and its like are comparators and are
// taken out before.
var negators = set(`
	no not never none nobody nothing neither nor nowhere without cannot cant dont doesnt didnt isnt arent wasnt werent
	wont wouldnt shouldnt couldnt mustnt hasnt havent hadnt refused refuse refuses forbidden forbid forbids
	prohibited prohibits banned declined unable unlikely
	nicht kein keine keinen keinem keiner keines nie niemals ohne weder niemand nichts
`)

// breaks begin a new clause for negation.
var breaks = set(`without but while whereas although though unless because so if when which who where however except
	aber sondern weil wenn obwohl`)

// months by their names, English and German, whole or cut to three letters.
var months = names(`january jan januar|february feb februar|march mar märz|april apr|may mai|june jun juni|
	july jul juli|august aug|september sep sept|october oct oktober okt|november nov|december dec dezember dez`)

// weekdays rule each other out as numbers do.
var weekdays = names(`monday mondays montag|tuesday tuesdays dienstag|wednesday wednesdays mittwoch|
	thursday thursdays donnerstag|friday fridays freitag|saturday saturdays samstag|sunday sundays sonntag`)

var cardinals = names(`two zwei|three drei|four vier|five fünf|six sechs|seven sieben|eight acht|nine neun|ten zehn|
	eleven elf|twelve zwölf|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty zwanzig`)

var tens = map[string]int{"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100}

var ordinals = names(`first erste ersten erster|second zweite zweiten|third dritte dritten|fourth vierte vierten|
	fifth fünfte fünften|sixth sechste sechsten|seventh|eighth|ninth|tenth|eleventh|twelfth`)

// directions are words of opposite sense. A claim that has the one where its passage
// has the other, about the same thing, is contradicted.
var directions = opposites(
	`increase rise raise grow growth higher enhance elevate upregulate induce promote stimulate accelerate encourage
	 strengthen expand longer larger greater bigger exceed faster improve warmer widen more most heavier`,
	`decrease reduce reduction fall lower drop decline diminish downregulate inhibit suppress prevent impair attenuate weaken
	 lose shorter smaller fewer block slow slower delay limit deplete impede discourage hinder colder narrow less least lighter`,
	`exacerbate aggravate worsen damage harm`, `ameliorate alleviate protect mitigate rescue`,
	`effective efficacious beneficial benefit helpful`, `ineffective useless harmful`,
	`necessary essential indispensable`, `unnecessary dispensable redundant`,
	`overestimate`, `underestimate`,
	`before prior`, `after following`,
	`open`, `close shut`,
	`start begin`, `stop end`,
	`allow permit`, `forbid prohibit ban`,
	`accept`, `reject refuse`,
	`include`, `exclude`,
	`maximum highest`, `minimum lowest`,
	`early earlier`, `late later`,
	`positive`, `negative`, `internal`, `external`, `optional`, `mandatory`,
	`free`, `chargeable`, `paid`, `unpaid`, `sensitive`, `resistant`,
)

// turning are the beginnings that make a word its own opposite.
var turning = []string{"un", "non", "in", "im", "dis"}

// alike are words that say the same in prose of this kind.
var alike = groups(`
	employee staff worker colleague|
	trip journey travel|
	allow permit can|
	require need must want demand|
	pay reimburse refund cover|
	cost price charge fee|
	ill sick sickness|
	annual yearly year|
	monthly month|
	daily day|
	weekly week|
	buy purchase order|
	begin start commence|
	end stop finish expire lapse|
	big large great|
	fast quick rapid|
	try attempt retry|
	keep store retain|
	delete remove erase|
	get receive obtain|
	single one|
	consent approval permission approve agree|
	answer reply respond|
	tell report notify inform|
	send deliver transmit|
	aboard board|
	last run|
	lend loan|
	old former|
	drop remove|
	forbid prohibit ban|
	replace change renew|
	valid hold|
	maker manufacturer|
	mend repair fix|
	own belong|
	simultaneous once|
	similar like alike|
	fire alarm|
	dismiss sack|
	photo photograph picture|
	phone telephone|
	mail email|
	death dead die|
	child children kid|
	percent percentage|
	patient subject|
	lack absence deficiency deficient loss without|
	cause induce lead|
	associate link correlate relate|
	risk likelihood probability|
	mortality death`)

// set makes a set of the words of a text.
func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// names numbers the alternatives of a list, from 1 on; of cardinals the first is two.
func names(list string) map[string]int {
	out := map[string]int{}
	for i, same := range strings.Split(list, "|") {
		for _, w := range strings.Fields(same) {
			out[w] = i + 1
		}
	}
	return out
}

// direction is a side of a pair of opposites: equal pairs, other signs.
type direction struct {
	pair int
	sign int8
}

// opposites takes pairs of lists: each word of the first is opposed to the second.
func opposites(lists ...string) map[string]direction {
	out := map[string]direction{}
	for i, words := range lists {
		sign := int8(1)
		if i%2 == 1 {
			sign = -1
		}
		for _, w := range strings.Fields(words) {
			if _, ok := out[wordStem(w)]; !ok {
				out[wordStem(w)] = direction{pair: i/2 + 1, sign: sign}
			}
		}
	}
	return out
}

// groups maps the stem of each word of a line to the stems of all of them.
func groups(list string) map[string][]string {
	out := map[string][]string{}
	for _, line := range strings.Split(list, "|") {
		var stems []string
		for _, w := range strings.Fields(line) {
			stems = append(stems, wordStem(w))
		}
		for _, s := range stems {
			out[s] = append(out[s], stems...)
		}
	}
	return out
}

// wordStem gives what a folded word is compared by. Words of other alphabets, and words
// too short or too long to have an ending, are compared whole.
func wordStem(word string) string {
	if len(word) < 3 || len(word) > 40 {
		return word
	}
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return word
		}
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}
