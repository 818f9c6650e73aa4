package provenance_test

import (
	"strings"
	"testing"

	"candor"
	"candor/provenance"
)

const leave = `## Annual leave

Full-time staff have 27 days of annual leave a year, beside public holidays. From the
sixth year of service there are two more days. Up to 5 days may be carried over; they lapse on 30 June.
No proof is asked for.
`

const roster = `## Roster

| Week from | First | Second | Pay in EUR |
|---|---|---|---:|
| 2026-12-01 | Yuna Park | Bram Eskild | 320 |
| 2026-12-08 | Bram Eskild | Lior Amsel | 1,160 |

The phone of the VPN desk may not be used at sea. Roll back to 1.17.2; versions 1.17.3 and 1.17.4 leak.
Rail comes before air where the journey takes under six hours. The unit is heated between 2 and 8 °C.
`

const plans = `## Plans

| | Mooring | Harbour | Estuary |
|---|---|---|---|
| Mail answered | 2 days | 4 hours | 1 hour |
| Named contact | no | no | yes |
| Loan gauge | 60 EUR | 60 EUR | free |
`

// TestRulesOfSupport holds each rule of the documentation to an example.
func TestRulesOfSupport(t *testing.T) {
	const yes, no, unclear = provenance.Supported, provenance.Contradicted, provenance.Unclear
	for _, c := range []struct {
		rule, text, claim string
		want              provenance.Verdict
	}{
		{"the same in other words", leave, "Somebody who works full-time gets 27 days of annual leave per year.", yes},
		{"number words are numbers", leave, "At most five days may be carried over.", yes},
		{"a number differs", leave, "Full-time staff have 28 days of annual leave a year.", no},
		{"a unit differs", leave, "Full-time staff have 27 weeks of annual leave a year.", no},
		{"units convert", "The cable is 0.8 km long.", "The cable is 800 metres long.", yes},
		{"hours are days", "Reports are due within 24 hours.", "Reports are due within a day.", yes},
		{"currencies are rivals", "A night costs 98 EUR.", "A night costs 98 GBP.", no},
		{"a sign is a currency", "The allowance is 42 EUR.", "The allowance is €42.", yes},
		{"a date differs", leave, "Days carried over lapse on 31 March.", no},
		{"a date in another form", roster, "In the week from 8 December 2026 Bram Eskild is first.", yes},
		{"a weekday differs", "The canteen serves soup on Tuesday.", "The canteen serves soup on Monday.", no},
		{"a bound is turned round", roster, "Rail comes before air where the journey takes more than six hours.", no},
		{"negation is missing", roster, "The phone of the VPN desk may be used at sea.", no},
		{"negation is added", leave, "Days may not be carried over.", no},
		{"negated in both", leave, "Nobody asks for proof.", yes},
		{"the opposite direction", "The filter reduces the noise of the gauge.", "The filter increases the noise of the gauge.", no},
		{"the word turned round", "The link to the server is encrypted.", "The link to the server is unencrypted.", no},
		{"a name is not there", leave, "Josephine Achebe gets 27 days of annual leave a year.", unclear},
		{"the name of another row", roster, "In the week from 1 December 2026 Lior Amsel is second.", no},
		{"another column", roster, "In the week from 8 December 2026 Lior Amsel is first.", no},
		{"a number under its header", roster, "The week from 8 December 2026 is paid with 1,160 EUR.", yes},
		{"the number of another row", roster, "The week from 1 December 2026 is paid with 1,160 EUR.", no},
		{"no in a cell", plans, "Customers on the Mooring plan have a named contact.", no},
		{"no in a cell, denied", plans, "The Mooring plan does not have a named contact.", yes},
		{"the column that is named", plans, "On the Harbour plan mail is answered within 1 hour.", no},
		{"another row is named", plans, "The loan gauge of the Estuary plan is answered within 1 hour.", unclear},
		{"a heading answered with no", "## May I paint the housing?\n\nNo. Paint changes its temperature.", "You may paint the housing.", no},
		{"a list under a denial", "Not paid: fines, alcohol, upgrades.", "Upgrades are paid.", no},
		{"a number goes with its name", "The R40 followed in 2018, the R60 in 2022.", "The R40 followed in 2022.", no},
		{"the author needs no name", "Spare parts fitted by us are covered for 6 months.", "Spare parts fitted by Ebbmark are covered for six months.", yes},
		{"without negates what follows alone", "Reception calls at once and does not wait for a manager.", "Reception calls at once without waiting for a manager.", yes},
		{"a code is not there", roster, "Roll back to `1.17.9`.", unclear},
		{"a quotation word for word", leave, `The note says "beside public holidays".`, yes},
		{"a quotation that is not there", leave, `Leave is "27 days of annual rest a year".`, unclear},
		{"half is not there", leave, "Staff have 27 days of annual leave and a free parking space.", unclear},
		{"another subject", leave, "Contractors work under the frame contract.", unclear},
		{"nothing", leave, "", unclear},
		{"a beginning alone", leave, "Full-time staff have 27 days of annual leave a year. " + strings.Repeat("and ", 512) + "Bladderwrack is free.", unclear},
		{"one word that is not there", "Annual leave is 25 days.", "Annual leave is 25 days; unpaid.", unclear},
		{"a negative number", "The bath is kept at -20 °C.", "The bath is kept at 20 °C.", no},
		{"a minus sign", "The bath is kept at −20 °C.", "The bath is kept at -20 °C.", yes},
		{"minus as a word", "The bath is kept at minus 20 °C.", "The bath is kept at 20 °C.", no},
		{"minus in both forms", "The bath is kept at minus 20 °C.", "The bath is kept at -20 °C.", yes},
		{"a range is not negative", "The bath is kept at 5-7 °C.", "The bath is kept at 7 °C.", yes},
		{"negative ranges", "The bath is kept at -20--10 °C.", "The bath is kept at 10 °C.", no},
		{"a sign is a bound", "Reports are due in ≥5 days.", "Reports are due in ≤5 days.", no},
		{"signs and words are bounds", "Reports are due in ≤5 days.", "Reports are due in at most 5 days.", yes},
		{"other signs", "Reports are due in <5 days.", "Reports are due in >5 days.", no},
		{"signs of two", "Reports are due in <= 5 days.", "Reports are due in >=5 days.", no},
		{"a sign apart", "Reports are due in > 5 days.", "Reports are due in at most 5 days.", no},
		{"a sign keeps its bound", "Reports are due in at most 5 days.", "Reports are due by ≥5 days.", no},
		{"a mark of quotation is no bound", "> 5 days is the limit of reports.", "The limit of reports is up to 5 days.", yes},
		{"a year is invented", "The canteen opens again on 8 December.", "The canteen opens again on 8 December 2031.", unclear},
		{"a year differs", "The canteen opens again on 8 December 2030.", "The canteen opens again on 8 December 2031.", no},
		{"the year of the heading", "# Canteen in 2026\n\nIt opens again on 8 December.", "The canteen opens again on 8 December 2026.", yes},
		{"another year than the heading's", "# Canteen in 2026\n\nIt opens again on 8 December.", "The canteen opens again on 8 December 2031.", no},
		{"the year of a range", "The canteen is shut from 8 December to 10 December 2026.", "The canteen is shut from 8 December 2026.", yes},
		{"milli is not mega", "The gauge draws 5 mW.", "The gauge draws 5 MW.", no},
		{"mega is not milli", "The plant gives 5MW.", "The plant gives 5mW.", no},
		{"mega in a header", "| Plant | Power in MW |\n|---|---|\n| Ness | 5 |", "The Ness plant has a power of 5 mW.", no},
		{"megahertz in small letters", "The radio works at 868 mhz.", "The radio works at 868 MHz.", yes},
		{"no passage", "", "Staff have 27 days of annual leave.", unclear},
		{"German", "Ab dem sechsten Jahr hat man 29 Tage Urlaub.", "Im sechsten Jahr hat man 29 Tage Urlaub.", yes},
		{"German number", "Ab dem sechsten Jahr hat man 29 Tage Urlaub.", "Ab dem sechsten Jahr hat man 30 Tage Urlaub.", no},
		{"Japanese", "校正水槽の水温は二十度です。", "校正水槽の水温は二十度です。", yes},
		{"Japanese, another subject", "校正水槽の水温は二十度です。", "勤務時間は九時からです。", unclear},
	} {
		var rules provenance.Rules
		got := rules.CheckText(c.claim, c.text)
		if got.Verdict != c.want {
			t.Errorf("%s: %q: %s (%s), want %s", c.rule, c.claim, got.Verdict, got.Why, c.want)
		}
		if got.Score < 0 || got.Score > 1 || got.Why == "" {
			t.Errorf("%s: score %v, why %q", c.rule, got.Score, got.Why)
		}
	}
}

// TestTitleAndHeadingsSpeakForThePassage holds that a claim may name its subject by the
// note's title alone.
func TestTitleAndHeadingsSpeakForThePassage(t *testing.T) {
	p := provenance.Passage{
		Title: "Heron R40", Text: "Recalibration costs 340 EUR.",
		Citation: candor.Citation{Heading: []string{"Heron R40", "Calibration"}},
	}
	var rules *provenance.Rules
	if got := rules.Check("Recalibrating the Heron R40 costs 340 EUR.", p); got.Verdict != provenance.Supported {
		t.Errorf("under its title: %+v", got)
	}
	p.Title, p.Citation.Heading = "Limpet P8", nil
	if got := rules.Check("Recalibrating the Heron R40 costs 340 EUR.", p); got.Verdict != provenance.Unclear {
		t.Errorf("under another title: %+v", got)
	}
}

// TestReasonsQuoteNoPassage holds that a reason may repeat the claim, never the note.
func TestReasonsQuoteNoPassage(t *testing.T) {
	var rules provenance.Rules
	for _, claim := range []string{"The code is 1111.", "The code is not 4711.", "The code of Ann is 4711."} {
		got := rules.CheckText(claim, "The code is 4711 bladderwrack.")
		if strings.Contains(strings.ReplaceAll(got.Why, claim, ""), "bladderwrack") {
			t.Errorf("%q: %s", claim, got.Why)
		}
	}
}

// FuzzSupport holds that no text makes the rules fail, answer twice in two ways or find
// support in nothing.
func FuzzSupport(f *testing.F) {
	f.Add("Staff have 27 days.", leave)
	f.Add("`x` \"a b c d\" 5-", roster)
	f.Add("|a|b|", "|a|b|\n|-|-|\n|1|2|3|4|")
	f.Add("5 to", "1,,2 2026-13-99 99:99 5-€ €")
	f.Add("校正水槽", "校正水槽。\xff\xfe")
	f.Fuzz(func(t *testing.T, claim, text string) {
		var rules provenance.Rules
		got := rules.CheckText(claim, text)
		if again := rules.CheckText(claim, text); again != got {
			t.Errorf("%+v, then %+v", got, again)
		}
		if !(got.Score >= 0 && got.Score <= 1) {
			t.Errorf("score %v", got.Score)
		}
		if got.Verdict == provenance.Supported && strings.TrimSpace(text) == "" {
			t.Error("nothing supports a claim")
		}
	})
}

// TestHostileTextIsBounded holds that a passage made to be slow is cut, not read whole.
func TestHostileTextIsBounded(t *testing.T) {
	var rules provenance.Rules
	for _, text := range []string{
		strings.Repeat("a b c 5 days. ", 1<<17), strings.Repeat("|", 1<<20), strings.Repeat("# 5\n", 1<<18),
		strings.Repeat("increase the noise ", 1<<16), strings.Repeat("9", 1<<20), strings.Repeat("(", 1<<20),
	} {
		rules.CheckText(strings.Repeat("increase the noise of 5 days and not a b c ", 47), text)
	}
}

func BenchmarkCheck(b *testing.B) {
	p := provenance.Passage{Title: "Leave policy", Text: strings.Repeat(leave, 3), Citation: candor.Citation{Heading: []string{"Leave policy", "Annual leave"}}}
	var rules provenance.Rules
	for b.Loop() {
		rules.Check("Someone who works full time gets 27 days of annual leave per year, and public holidays come on top.", p)
	}
}
