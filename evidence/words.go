package evidence

import "strings"

// unit is a dimension and how much of its base one unit is.
type unit struct {
	dim    string
	factor float64
}

// units are those that are written behind a number, English and German.
var units = func() map[string]unit {
	out := map[string]unit{}
	for _, u := range []struct {
		dim    string
		factor float64
		names  string
	}{
		{"time", 0.001, "ms millisecond milliseconds millisekunden"},
		{"time", 1, "s sec secs second seconds sekunde sekunden"},
		{"time", 60, "min mins minute minutes minuten"},
		{"time", 3600, "h hr hrs hour hours stunde stunden"},
		{"time", 86400, "d day days tag tage tagen kalendertage"},
		{"time", 7 * 86400, "week weeks woche wochen"},
		{"time", 365.25 / 12 * 86400, "month months monat monate monaten"},
		{"time", 365.25 * 86400, "year years jahr jahre jahren"},
		{"workday", 1, "workdays arbeitstage werktage arbeitstagen werktagen"},
		{"money EUR", 1, "€ eur euro euros"},
		{"money GBP", 1, "£ gbp pound pounds pfund"},
		{"money USD", 1, "$ usd dollar dollars"},
		{"money JPY", 1, "¥ jpy yen"},
		{"money CHF", 1, "chf francs franken"},
		{"length", 0.001, "mm millimetre millimetres millimeter millimeters millimetern"},
		{"length", 0.01, "cm centimetre centimetres centimeter centimeters zentimeter"},
		{"length", 1, "m metre metres meter meters metern"},
		{"length", 1000, "km kilometre kilometres kilometer kilometers kilometern"},
		{"length", 0.0254, "inch inches"},
		{"length", 0.3048, "ft feet"},
		{"mass", 0.001, "g gram grams gramm"},
		{"mass", 1, "kg kilogram kilograms kilogramm"},
		{"mass", 1000, "tonne tonnes tonnen"},
		{"volume", 0.001, "ml millilitre millilitres"},
		{"volume", 1, "l litre litres liter liters litern"},
		{"percent", 1, "% percent prozent"},
		{"data", 1, "byte bytes"},
		{"data", 1 << 10, "kb kib kilobytes"},
		{"data", 1 << 20, "mb mib megabytes"},
		{"data", 1 << 30, "gb gib gigabytes"},
		{"data", 1 << 40, "tb tib terabytes"},
		{"voltage", 1, "v volt volts"},
		{"power", 1, "w watt watts"},
		{"current", 0.001, "ma milliamps"},
		{"current", 1, "amp amps ampere"},
		{"frequency", 1, "hz"},
		{"frequency", 1e3, "khz"},
		{"frequency", 1e6, "mhz"},
		{"frequency", 1e9, "ghz"},
	} {
		for name := range strings.FieldsSeq(u.names) {
			out[name] = unit{u.dim, u.factor}
		}
	}
	return out
}()

// words gives each word of the lists the number of its list, from 1.
func words(lists ...string) map[string]int {
	out := map[string]int{}
	for i, list := range lists {
		for word := range strings.FieldsSeq(list) {
			out[word] = i + 1
		}
	}
	return out
}

var (
	numbers = words("one eins", "two zwei", "three drei", "four vier", "five fünf",
		"six sechs", "seven sieben", "eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf")
	months = words("january januar jan", "february februar feb", "march märz mar", "april apr", "may mai", "june juni jun",
		"july juli jul", "august aug", "september sep sept", "october oktober oct", "november nov", "december dezember dec")
	atLeast = words("least minimum min mindestens wenigstens")
	atMost  = words("most maximum max höchstens maximal up within binnen innerhalb")
	roughly = words("about around roughly approximately ca circa etwa ungefähr nearly almost rund")
	people  = words("person persons people personen leute crew hands")
	tries   = words("times tries try attempt attempts retry retries mal male versuche versuchen")
	each    = words("a an per each every pro je")
	solo    = words("alone allein alleine solo")
	through = words("to until bis and und through")
	adverbs = words("full more further whole consecutive calendar volle weitere")
	ended   = words("removed deprecated discontinued withdrawn retired abolished entfernt abgeschafft eingestellt abgelöst")
	// uncounted are words behind a number that it does not count.
	uncounted = words(`the of in on at to and or for from with by as is are was were be it its a an that this
		der die das des dem den im am auf und oder für von mit zu bis ist sind war waren ein eine als`)
	permits  = words("may can could allowed permitted fine darf dürfen kann können erlaubt")
	forbids  = words("forbidden prohibited banned cannot can't mustn't verboten untersagt unzulässig never nie")
	requires = words("must required mandatory obligatory muss müssen pflicht vorgeschrieben")
	optional = words("optional unnecessary freiwillig needn't")
	negates  = words("not no never nicht kein keine keinen nie")
)
