package provenance

import (
	"fmt"
	"strings"
)

// Rules judge whether a passage supports a claim, by what stands in both. A claim is
// never assumed to be right: what no rule can show is unknown.
//
//   - A quotation, in quotation marks or as code, stands in the passage word for word.
//   - A claim is judged statement by statement: "A and B" needs A and needs B.
//   - Each statement is held against the sentence, or the row of a table, that covers
//     most of it. Common words weigh less; of a statement MinPart must be covered there, in
//     the sentences beside it or in the headings, and of the whole claim MinCoverage.
//   - Numbers, dates, times and weekdays agree with that sentence, in value, sign, unit
//     and bound ("at least", "up to", ≤). Units are converted; a number in a table is read under
//     its column's header.
//   - Names and codes stand there, and a number goes with the name beside it.
//   - In a table a value counts in its own row and under the column that the claim names.
//   - Words that stand in both are negated in both or in neither, and have the same
//     direction: increase or decrease, before or after.
//   - If the sentence is about the claim's subject, its words being covered but for MaxGap,
//     and a number, date, negation or direction differs, the claim is contradicted.
//
// The zero value is ready to use, by any number of goroutines.
type Rules struct {
	MinCoverage float64 // of the whole claim; 0 is 0.5
	MinPart     float64 // of each statement; 0 is 0.45
	MaxGap      float64 // of a statement that is contradicted; 0 is 0.5
}

// Check judges a claim by one passage under its title and headings.
func (r *Rules) Check(claim string, p Passage) Support {
	var b strings.Builder
	for _, h := range append([]string{p.Title}, p.Citation.Heading...) {
		b.WriteString("# " + flat(h) + "\n\n")
	}
	if p.Context != "" {
		b.WriteString(p.Context + "\n")
	}
	return r.CheckText(claim, b.String()+p.Text)
}

// CheckText judges a claim by a text in markdown.
func (r *Rules) CheckText(claim, text string) Support {
	if len(claim) > maxClaim { // its beginning alone would not be the claim
		return Support{Verdict: Unclear, Why: "the claim is too long"}
	}
	if quote := missingQuote(claim, text); quote != "" {
		return Support{Verdict: Unclear, Why: fmt.Sprintf("the quotation %q does not stand there", quote)}
	}
	j := judge{rules: r.withDefaults(), p: read(text)}
	parts := statementsOf(claim)
	if len(parts) == 0 || len(j.p.statements) == 0 {
		return Support{Verdict: Unclear, Why: "there is nothing to compare"}
	}
	return j.whole(parts)
}

func (r *Rules) withDefaults() Rules {
	var out Rules
	if r != nil {
		out = *r
	}
	for _, v := range []struct {
		field *float64
		value float64
	}{{&out.MinCoverage, 0.5}, {&out.MinPart, 0.45}, {&out.MaxGap, 0.5}} {
		if *v.field == 0 {
			*v.field = v.value
		}
	}
	return out
}

// weight is how much a term of a claim tells.
func weight(t term) float64 {
	switch {
	case t.filler:
		return 0
	case t.kind == quantityTerm:
		return 0
	case weak[t.stem] || weak[t.text]:
		return 0.4
	default:
		return 1
	}
}

// missingQuote gives the first quotation of the claim that the text does not hold:
// three words or more in quotation marks, anything between back quotes.
func missingQuote(claim, text string) string {
	held := flat(text)
	for _, marks := range []struct {
		open, close string
		words       int
	}{{`"`, `"`, 3}, {"“", "”", 3}, {"„", "“", 3}, {"`", "`", 1}} {
		rest := claim
		for {
			_, after, ok := strings.Cut(rest, marks.open)
			if !ok {
				break
			}
			quote, next, ok := strings.Cut(after, marks.close)
			if !ok {
				break
			}
			rest = next
			folded := strings.TrimRight(flat(quote), ".,")
			if len(strings.Fields(folded)) >= marks.words && !strings.Contains(held, folded) {
				return quote
			}
		}
	}
	return ""
}

// statementsOf splits a claim where a new statement begins: at "and", "but", "which" or
// a semicolon with two words that tell something on both sides.
func statementsOf(claim string) []sentence {
	var out []sentence
	words := strings.Fields(claim)
	start := 0
	for i := range words {
		if i+1 < len(words) && !ends(words[i], words[i+1]) {
			continue
		}
		s := lex(words[start : i+1])
		start = i + 1
		from := 0
		for k := range s.terms {
			if s.terms[k].joint && telling(s.terms[from:k]) >= 2 && telling(s.terms[k:]) >= 2 {
				out = append(out, sentenceOf(s.terms[from:k]))
				from = k
			}
		}
		if telling(s.terms[from:]) > 0 {
			out = append(out, sentenceOf(s.terms[from:]))
		}
	}
	return out
}

// telling counts the terms that a statement could be judged by.
func telling(terms []term) (n int) {
	for _, t := range terms {
		if !t.filler {
			n++
		}
	}
	return n
}

// subject is true of a statement that enough of is covered to be about the same thing.
func (j *judge) subject(f finding) bool { return 1-f.subject <= j.rules.MaxGap }

// whole judges all statements of a claim and puts them together.
func (j *judge) whole(parts []sentence) Support {
	var covered, all float64
	out := Support{Verdict: Supported}
	worst := func(v Verdict, why string) {
		if out.Verdict == Supported || out.Verdict == Unclear && v == Contradicted {
			out.Verdict, out.Why = v, why
		}
	}
	for _, part := range parts {
		f := j.statement(part)
		covered += f.covered
		all += f.all
		switch {
		case f.conflict != "" && j.subject(f):
			worst(Contradicted, f.conflict)
		case f.conflict != "":
			worst(Unclear, f.conflict)
		case f.missing != "":
			worst(Unclear, f.missing)
		case f.coverage < j.rules.MinPart && (f.words >= 2 || f.covered == 0):
			worst(Unclear, fmt.Sprintf("the passage covers %.0f%% of one statement, %.0f%% is wanted", 100*f.coverage, 100*j.rules.MinPart))
		}
	}
	out.Score = 1
	if all > 0 {
		out.Score = covered / all
	}
	if out.Verdict == Supported && out.Score < j.rules.MinCoverage {
		worst(Unclear, fmt.Sprintf("the passage covers %.0f%% of the claim, %.0f%% is wanted", 100*out.Score, 100*j.rules.MinCoverage))
	}
	if out.Verdict == Supported {
		out.Why = fmt.Sprintf("the passage covers %.0f%% of the claim, and numbers, names and negation agree", 100*out.Score)
	}
	return out
}
