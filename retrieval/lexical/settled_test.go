package lexical

import "testing"

// What counts as settled is what lower leaves alone, character by character.
func TestSettled(t *testing.T) {
	for r := rune(0); r < 0x30000; r++ {
		if s := string(r); settled(s) && lower(s) != s {
			t.Errorf("%U: lower gives %q", r, lower(s))
		}
	}
	for _, s := range []string{"\uFF76\uFF9E", "\u3131", "가\u11A8", "\u30AB\u3099", "\uF900", "中\u200B文"} {
		if settled(s) {
			t.Errorf("%+q is not settled", s)
		}
	}
}
