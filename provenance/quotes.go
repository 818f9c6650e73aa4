package provenance

import (
	"strings"
	"unicode"
)

// Quotes is the plainest Checker: a passage supports a claim whose words it has in a
// row, and of anything else it cannot be told.
type Quotes struct{}

var _ Checker = Quotes{}

// Check implements Checker.
func (Quotes) Check(claim string, p Passage) Support {
	words := strings.Join(strings.FieldsFunc(strings.ToLower(claim), noWord), " ")
	text := strings.Join(strings.FieldsFunc(strings.ToLower(p.Text), noWord), " ")
	if words != "" && strings.Contains(" "+text+" ", " "+words+" ") {
		return Support{Supported, "it has the words of the claim in a row", 1}
	}
	return Support{Unclear, "it does not have the words of the claim in a row", 0}
}

func noWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Mn, r)
}
