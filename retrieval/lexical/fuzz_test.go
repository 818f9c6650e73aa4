package lexical

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"candor"
)

// FuzzQuery holds that no note and no query is an error, that every number is finite and
// that scores stay under the ceiling.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"", " ", "\x00\xff", "a\u200bb", "“half", `"" "x`, "-a -ab", "c++ c# .net -p", "can't l'été 1,000",
		"HTTPServerError iOS17Build", "a/b\\c::d://e__f", "予約は ﾃｽﾄ", "\uFDFA\uFDFA", "\u0301\u0308e\u0301", "ß ẞ ǅ İ ı",
		strings.Repeat("ab-", 200), strings.Repeat("\u202e", 50), "= the name", "\ue000\U000e0041", "#.@-x", "'s 's'", ",1,",
	} {
		f.Add(s, s)
		f.Add("a plain note about leave", s)
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		x := index(Options{Languages: []string{"en", "de"}}, note("a.md", "", text), note("b/c.md", query, "leave"))
		r := ask1(t, x, query)
		for _, h := range r.Hits {
			if math.IsNaN(h.Score) || h.Score <= 0 || h.Score > r.Ceiling*(1+1e-12) || len(h.Matched) == 0 {
				t.Fatalf("hit %+v under a ceiling of %v", h, r.Ceiling)
			}
		}
		for _, w := range r.Terms {
			if w.Text == "" || !(w.Weight > 0) {
				t.Fatalf("term %+v", w)
			}
		}
	})
}

// TestWordsFindThemselves: a note is found by any of its tokens, in any case.
func TestWordsFindThemselves(t *testing.T) {
	part := rapid.StringMatching(`[A-Za-z0-9äÖßéЖйøÅ]{1,6}`)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(part, 1, 4).Draw(t, "parts")
		token := strings.Join(parts, rapid.SampledFrom([]string{"-", "_", ".", "/", "::", "=", "@", ":", "+", "'"}).Draw(t, "binder"))
		x := index(Options{Languages: []string{"en", "de", "ru"}}, note("containing.md", "irrelevant", "before "+token+", after"), note("unrelated.md", "irrelevant", "different"))
		for _, q := range []string{token, strings.ToLower(token), token + "?", "(" + token + ")", `"` + token + `"`} {
			r := retrieve(t, x, q)
			if len(r.Hits) == 0 || r.Hits[0].Slot != 0 {
				t.Fatalf("%q does not find %q: %+v", q, token, r)
			}
		}
	})
}

// TestQueryBombs: the longest and oddest queries are cut before they cost anything.
func TestQueryBombs(t *testing.T) {
	x := index(Options{}, prose(300)...)
	var unique strings.Builder
	for i := range 100_000 {
		unique.WriteString(" w")
		unique.WriteString(strings.Repeat("x", i%7))
		unique.WriteByte(byte('a' + i%26))
	}
	for name, q := range map[string]string{
		"a megabyte":       strings.Repeat("leave ", 1<<20/6),
		"unique words":     unique.String(),
		"growing letters":  strings.Repeat("\uFDFA", 100_000),
		"only stop words":  strings.Repeat("the of and ", 10_000),
		"only signs":       strings.Repeat("?!", 100_000),
		"one endless word": strings.Repeat("a", 1<<20),
		"quotes":           strings.Repeat(`"a b" `, 10_000),
		"exclusions":       "leave" + strings.Repeat(" -ab", 10_000),
	} {
		start := time.Now()
		r := ask1(t, x, q)
		if len(r.Terms) > maxWords {
			t.Errorf("%s: %d terms", name, len(r.Terms))
		}
		t.Logf("%s: %d terms, %v", name, len(r.Terms), time.Since(start))
	}
}

func TestKeepAndLimit(t *testing.T) {
	chunks := []*candor.Chunk{note("b.md", "t", "leave"), nil, note("a.md", "t", "leave"), note("a.md", "t", "leave")}
	x := index(Options{}, chunks...)
	for _, c := range []struct {
		keep  func(int) bool
		limit int
		want  []int
	}{
		{nil, 10, []int{2, 3, 0}},
		{nil, 2, []int{2, 3}},
		{nil, 0, nil},
		{nil, -1, nil},
		{func(slot int) bool { return slot != 2 }, 1, []int{3}},
		{func(int) bool { return false }, 10, nil},
	} {
		r, err := x.Retrieve(t.Context(), candor.Query{Text: "leave", Keep: c.keep}, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, h := range r.Hits {
			got = append(got, h.Slot)
		}
		if len(got) != len(c.want) {
			t.Fatalf("limit %d: slots %v, want %v", c.limit, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Fatalf("limit %d: slots %v, want %v", c.limit, got, c.want)
			}
		}
		if r.Terms[0].Found != 3 {
			t.Errorf("a filter changed the statistics: %+v", r.Terms)
		}
	}
}

func TestEmpty(t *testing.T) {
	for name, x := range map[string]*Index{
		"new": New(Options{}), "no chunks": index(Options{}), "empty chunk": index(Options{}, &candor.Chunk{}), "all gone": index(Options{}, note("a.md", "", "leave")).Update(nil).(*Index),
	} {
		if r := ask1(t, x, "leave"); len(r.Hits) != 0 || r.Ceiling != 0 || len(r.Terms) != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
