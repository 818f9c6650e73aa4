package provenance

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// measure is what a number counts.
type measure uint8

// The measures that rule each other out by value.
const (
	plain   measure = iota // a bare number, or a number of things without a unit
	ordinal                // "third", "10th"
	clock                  // a time of day, in minutes
	weekday                // 1 is Monday
	seconds                // spans of time that convert into seconds
	monthly                // months and years
	metres
	kilograms
	percent
	euros
	pounds
	yen
	dollars
	celsius
	watts
	volts
	amperes
	hertz
	data
	newtons
	degrees
	watthours
	litres
	decibels
	bars
	date
)

// currency reports whether a measure is money: amounts in two currencies are rivals.
func (m measure) currency() bool { return m >= euros && m <= dollars }

// bound is how a number is bounded by the words before it.
type bound int8

// The bounds: "at least" and "more than" are over, "at most" and "within" are under.
const (
	under bound = -1
	exact bound = 0
	over  bound = 1
)

// quantity is a number, date or time with what it counts.
type quantity struct {
	of      measure
	value   float64 // in the measure's base unit
	y, m, d int     // of a date; 0 where not said
	bound   bound
	noun    bool // a plain number directly before a noun
	ranged  bool // a range begins with it: "4-20"
	text    string
}

// unit is what a unit's word or sign measures, and how much of the base unit it is.
type unit struct {
	of     measure
	factor float64
}

// units are by word or sign, folded.
var units = map[string]unit{
	"ms": {seconds, 0.001}, "s": {seconds, 1}, "sec": {seconds, 1}, "second": {seconds, 1}, "seconds": {seconds, 1}, "sekunden": {seconds, 1},
	"min": {seconds, 60}, "minute": {seconds, 60}, "minutes": {seconds, 60}, "minuten": {seconds, 60},
	"h": {seconds, 3600}, "hour": {seconds, 3600}, "hours": {seconds, 3600}, "stunde": {seconds, 3600}, "stunden": {seconds, 3600},
	"day": {seconds, 86400}, "days": {seconds, 86400}, "tag": {seconds, 86400}, "tage": {seconds, 86400}, "tagen": {seconds, 86400},
	"week": {seconds, 604800}, "weeks": {seconds, 604800}, "woche": {seconds, 604800}, "wochen": {seconds, 604800},
	"month": {monthly, 1}, "months": {monthly, 1}, "monat": {monthly, 1}, "monate": {monthly, 1}, "monaten": {monthly, 1},
	"year": {monthly, 12}, "years": {monthly, 12}, "jahr": {monthly, 12}, "jahre": {monthly, 12}, "jahren": {monthly, 12},
	"mm": {metres, 0.001}, "millimetre": {metres, 0.001}, "millimetres": {metres, 0.001}, "millimeters": {metres, 0.001},
	"cm": {metres, 0.01}, "centimetres": {metres, 0.01}, "centimeters": {metres, 0.01},
	"m": {metres, 1}, "metre": {metres, 1}, "metres": {metres, 1}, "meter": {metres, 1}, "meters": {metres, 1},
	"km": {metres, 1000}, "kilometre": {metres, 1000}, "kilometres": {metres, 1000}, "kilometer": {metres, 1000}, "kilometers": {metres, 1000},
	"mg": {kilograms, 1e-6}, "g": {kilograms, 0.001}, "kg": {kilograms, 1}, "t": {kilograms, 1000}, "tonnes": {kilograms, 1000}, "tonne": {kilograms, 1000},
	"%": {percent, 1}, "percent": {percent, 1}, "prozent": {percent, 1},
	"eur": {euros, 1}, "euro": {euros, 1}, "euros": {euros, 1}, "€": {euros, 1},
	"gbp": {pounds, 1}, "£": {pounds, 1}, "pounds": {pounds, 1}, "jpy": {yen, 1}, "yen": {yen, 1}, "¥": {yen, 1},
	"usd": {dollars, 1}, "$": {dollars, 1}, "dollars": {dollars, 1},
	"°c": {celsius, 1}, "mw": {watts, 0.001}, "w": {watts, 1}, "kw": {watts, 1000}, "v": {volts, 1}, "mv": {volts, 0.001},
	"ma": {amperes, 0.001}, "a": {amperes, 1}, "ah": {amperes, 3600}, "hz": {hertz, 1}, "khz": {hertz, 1e3}, "mhz": {hertz, 1e6}, "ghz": {hertz, 1e9},
	"byte": {data, 1}, "bytes": {data, 1}, "kb": {data, 1e3}, "mb": {data, 1e6}, "gb": {data, 1e9}, "tb": {data, 1e12},
	"n": {newtons, 1}, "nm": {newtons, 1}, "degree": {degrees, 1}, "degrees": {degrees, 1}, "°": {degrees, 1}, "grad": {degrees, 1},
	"kwh": {watthours, 1e3}, "mwh": {watthours, 1e6}, "l": {litres, 1}, "litres": {litres, 1}, "liters": {litres, 1}, "ml": {litres, 0.001},
	"db": {decibels, 1}, "bar": {bars, 1}, "hpa": {bars, 0.001},
}

// cased are units whose m or M is another one when folded: milli and mega.
var cased = map[string]unit{
	"MW": {watts, 1e6}, "MV": {volts, 1e6}, "MA": {amperes, 1e6}, "mHz": {hertz, 0.001}, "mWh": {watthours, 0.001},
	"Mg": {kilograms, 1000}, "ML": {litres, 1e6}, "Ml": {litres, 1e6},
}

// unitOf gives the unit of a word, as written and folded.
func unitOf(written, folded string) (unit, bool) {
	if u, ok := cased[written]; ok {
		return u, true
	}
	u, ok := units[folded]
	return u, ok
}

// scales are words that multiply the number before them.
var scales = map[string]float64{"thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9}

// overs and unders are the words that bound a number from below and from above; the
// longer ones are tried first.
var (
	unders = []string{
		"no more than", "not more than", "no longer than", "no later than", "less than", "fewer than", "shorter than", "smaller than",
		"lower than", "colder than", "younger than", "earlier than", "under", "below", "up to", "at most", "within", "maximum of", "until", "till", "before", "by",
		"weniger als", "unter", "bis zu", "höchstens", "innerhalb von",
	}
	overs = []string{
		"not less than", "no less than", "no fewer than", "more than", "longer than", "larger than", "greater than", "higher than",
		"older than", "later than", "warmer than", "bigger than", "at least", "over", "above", "exceeding", "exceed", "exceeds", "beyond", "minimum of",
		"since", "after", "from", "mehr als", "über", "mindestens", "seit",
	}
)

// boundOf reads the bound off the words before a number, and how many words it took.
func boundOf(before string) (b bound, length int) {
	for _, list := range []struct {
		words []string
		bound bound
	}{{unders, under}, {overs, over}} {
		for _, w := range list.words {
			if rest, ok := strings.CutSuffix(before, w); ok && (rest == "" || rest[len(rest)-1] == ' ') {
				return list.bound, strings.Count(w, " ") + 1
			}
		}
	}
	return exact, 0
}

// parseNumber reads the number that a word begins with, and what follows it.
func parseNumber(s string) (value float64, rest string, ok bool) {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end > 0 && (s[end] == ',' || s[end] == '.')) {
		end++
	}
	digits := strings.TrimRight(s[:end], ".,")
	if digits == "" || len(digits) > 24 {
		return 0, s, false
	}
	rest = s[len(digits):]
	if strings.Count(digits, ".") > 1 { // a version or an address
		return 0, s, false
	}
	if i := strings.LastIndexByte(digits, ','); i >= 0 {
		if len(digits)-i-1 == 3 || strings.Contains(digits, ".") {
			digits = strings.ReplaceAll(digits, ",", "")
		} else if strings.Count(digits, ",") == 1 { // a decimal comma
			digits = strings.Replace(digits, ",", ".", 1)
		}
	}
	value, err := strconv.ParseFloat(digits, 64)
	return value, rest, err == nil
}

// same reports whether the passage's quantity states the claim's.
func (c quantity) same(p quantity) bool {
	switch {
	case c.of == date || p.of == date:
		return c.sameDate(p)
	case c.of == p.of:
		return near(c.value, p.value)
	case c.of == plain && !c.noun && p.of > weekday, p.of == plain && !p.noun && c.of > weekday:
		return near(c.raw(), p.raw())
	case c.of == plain && p.of == ordinal || c.of == ordinal && p.of == plain:
		return c.text == p.text
	default:
		return false
	}
}

// raw is the number as written, before its unit was reckoned in.
func (c quantity) raw() float64 {
	digits, negative := strings.CutPrefix(c.text, "-")
	v, _, ok := parseNumber(digits)
	switch {
	case ok && negative:
		return -v
	case ok:
		return v
	}
	return c.value
}

// factor is what the number as written was multiplied by.
func (c quantity) factor() float64 {
	if raw := c.raw(); raw != 0 {
		return c.value / raw
	}
	return 1
}

// sameDate reports whether the passage's date has all that the claim's has; a bare year
// is a date's year.
func (c quantity) sameDate(p quantity) bool {
	if c.of == plain {
		return p.y != 0 && c.value == float64(p.y)
	}
	if p.of == plain {
		return c.m == 0 && float64(c.y) == p.value
	}
	return c.agrees(p) && (c.d == 0 || p.d != 0) && (c.y == 0 || p.y != 0)
}

// agrees reports whether two dates could be the same day: nothing that both say differs.
func (c quantity) agrees(p quantity) bool {
	both := false
	for _, v := range [][2]int{{c.y, p.y}, {c.m, p.m}, {c.d, p.d}} {
		if v[0] != 0 && v[1] != 0 {
			if v[0] != v[1] {
				return false
			}
			both = true
		}
	}
	return both
}

// rivals reports whether the two could stand in the same place of one sentence, so
// that if they differ one of them is wrong.
func (c quantity) rivals(p quantity) bool {
	if c.of == date && p.of == date {
		return !c.agrees(p)
	}
	return c.of == p.of && (c.of != plain || c.noun == p.noun) || c.of.currency() && p.of.currency() ||
		c.of == seconds && p.of == monthly || c.of == monthly && p.of == seconds
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

// isoDate reads 2026-06-30.
func isoDate(s string) (quantity, bool) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return quantity{}, false
	}
	y, errY := strconv.Atoi(s[:4])
	m, errM := strconv.Atoi(s[5:7])
	d, errD := strconv.Atoi(s[8:])
	ok := errY == nil && errM == nil && errD == nil && m >= 1 && m <= 12 && d >= 1 && d <= 31
	return quantity{of: date, y: y, m: m, d: d, text: s}, ok
}

// clockTime reads 9:30 and 09:30.
func clockTime(s string) (quantity, bool) {
	h, m, found := strings.Cut(s, ":")
	if !found || len(m) != 2 || len(h) < 1 || len(h) > 2 {
		return quantity{}, false
	}
	hours, errH := strconv.Atoi(h)
	minutes, errM := strconv.Atoi(m)
	ok := errH == nil && errM == nil && hours >= 0 && hours <= 24 && minutes >= 0 && minutes < 60
	return quantity{of: clock, value: float64(60*hours + minutes), text: s}, ok
}

// numberWord reads "twelve", "third", "Tuesday", "twenty-four".
func numberWord(w string) (quantity, bool) {
	if n, ok := cardinals[w]; ok {
		return quantity{value: float64(n + 1), text: strconv.Itoa(n + 1)}, true
	}
	if n, ok := tens[w]; ok {
		return quantity{value: float64(n), text: strconv.Itoa(n)}, true
	}
	if n, ok := ordinals[w]; ok {
		return quantity{of: ordinal, value: float64(n), text: strconv.Itoa(n)}, true
	}
	if n, ok := weekdays[w]; ok {
		return quantity{of: weekday, value: float64(n), text: w}, true
	}
	return quantity{}, false
}

// signs takes what stands before a number off it: a minus, a bound, and what says
// nothing of its value. An arrow is neither.
func signs(s string) (rest string, negative bool, b bound) {
	s = strings.TrimPrefix(s, "->")
	for i, r := range s {
		switch r {
		case '-', '−':
			negative = true
		case '≤', '<':
			b = under
		case '≥', '>':
			b = over
		case '±', '+', '~', '≈':
		case '=':
			if b == exact {
				return s[i:], negative, b
			}
		default:
			return s[i:], negative, b
		}
	}
	return "", negative, b
}

// signed reads a number with the signs and the currency before it.
func signed(s string) (q quantity, rest string, ok bool) {
	s, negative, b := signs(s)
	sign, size := utf8.DecodeRuneInString(s)
	u, isUnit := units[string(sign)]
	if isUnit && u.of.currency() {
		s = s[size:]
	}
	v, rest, ok := parseNumber(s)
	if !ok {
		return q, s, false
	}
	q = quantity{value: v, text: strings.TrimSuffix(s, rest), bound: b}
	if negative {
		q.negate()
	}
	if isUnit && u.of.currency() {
		q.of = u.of
	}
	return q, rest, true
}

// negate makes a number its negative.
func (c *quantity) negate() { c.value, c.text = -c.value, "-"+c.text }
