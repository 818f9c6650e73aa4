package semantic

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minPart is the shortest text that is worth halving further, in bytes.
const minPart = 16

// borders are where a text may be cut, best first: between blocks, lines, sentences,
// words. The cut is after the mark.
var borders = [][]string{{"\n\n"}, {"\n"}, {". ", "! ", "? ", "。", "！", "？"}, {" ", "\t"}}

// halve cuts a text in two at the best border in its middle half, else between two
// characters. ok is false for a text too short to be cut.
func halve(text string) (left, right string, ok bool) {
	if len(text) < 2*minPart {
		return text, "", false
	}
	from, to := len(text)/4, len(text)-len(text)/4
	at := 0
	for _, marks := range borders {
		for _, mark := range marks {
			if cut := nearest(text, mark, from, to); closer(cut, at, len(text)/2) {
				at = cut
			}
		}
		if at > 0 {
			break
		}
	}
	if at == 0 {
		at = len(text) / 2
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
	}
	left, right = strings.TrimSpace(text[:at]), strings.TrimSpace(text[at:])
	return left, right, left != "" && right != ""
}

// nearest is the end of the mark in text[from:to] that is nearest to the middle, 0 for
// none.
func nearest(text, mark string, from, to int) int {
	middle, best := len(text)/2, 0
	if i := strings.LastIndex(text[from:middle], mark); i >= 0 {
		best = from + i + len(mark)
	}
	if i := strings.Index(text[middle:to], mark); i >= 0 {
		if cut := middle + i + len(mark); closer(cut, best, middle) {
			best = cut
		}
	}
	return best
}

// closer reports whether cut a is nearer to the middle than b; 0 is no cut.
func closer(a, b, middle int) bool {
	return a > 0 && (b == 0 || abs(a-middle) < abs(b-middle))
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// atLeast is a number of tokens that no tokenizer in use goes below: each word is one.
func atLeast(text string) int { return len(strings.Fields(text)) }

// about guesses the tokens of a text: words in pieces of four letters, digits in pairs,
// and every other sign and ideograph alone.
func about(text string) int {
	quarters := 0
	for _, c := range text {
		switch {
		case unicode.IsSpace(c):
		case unicode.IsDigit(c):
			quarters += 2
		case unicode.IsLetter(c) && c < 0x2e80:
			quarters++
		default:
			quarters += 4
		}
	}
	return quarters/4 + 1
}
