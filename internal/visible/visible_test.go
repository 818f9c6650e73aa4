package visible

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	tests := []struct {
		in, want string
		dropped  int
	}{
		{"plain\ttext\nover lines", "plain\ttext\nover lines", 0},
		{"Grüße, 世界, ‘quoted’ – ½", "Grüße, 世界, ‘quoted’ – ½", 0},
		{"sec\u200bret", "secret", 1},
		{"soft\u00adhyphen\ufeff\u2060", "softhyphen", 3},
		{"a\U000e0049\U000e0067\U000e006eb", "ab", 3},
		{"x\ufe0f\ufe0f\ufe01y", "xy", 3},
		{"\u3164\u115f\uffa0\u034f", "", 4},
		{"❤\ufe0f and 👩\u200d💻 and 🏳\ufe0f\u200d🌈 and 👍🏽", "❤\ufe0f and 👩\u200d💻 and 🏳\ufe0f\u200d🌈 and 👍🏽", 0},
		{"👩\u200dx \u200d💻", "👩x 💻", 2},
		{"❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f", 2},
		{"abc\u202edef\u2066", `abc\u{202E}def\u{2066}`, 0},
		{"\u200e\u200f\u061c", `\u{200E}\u{200F}\u{61C}`, 0},
		{"\x1b[2J\x1b]8;;\x07\x7f\u0085", `\u{1B}[2J\u{1B}]8;;\u{7}\u{7F}\u{85}`, 0},
		{"one\u2028two\rthree", `one\u{2028}two\u{D}three`, 0},
	}
	for _, tt := range tests {
		got, dropped := Text(tt.in)
		if got != tt.want || dropped != tt.dropped {
			t.Errorf("Text(%+q) = %+q, %d; want %+q, %d", tt.in, got, dropped, tt.want, tt.dropped)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\u200b❤\ufe0f\u202e![x](//e)<img src=//e>\x1b")
	f.Add("\xff![\n\n<IMG")
	f.Fuzz(func(t *testing.T, s string) {
		got, dropped := Text(s)
		if again, more := Text(got); again != got || more != 0 {
			t.Fatalf("%+q is shown as %+q, and that as %+q", s, got, again)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%+q is shown as %+q", s, got)
			}
		}
		if utf8.ValidString(s) && dropped == 0 && isPlain(s) && got != s {
			t.Fatalf("plain text %q became %q", s, got)
		}
	})
}
