package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/kb"
)

func TestArguments(t *testing.T) {
	params := searchTool(50).params
	long := strings.Repeat("é", 2049) // 4098 bytes
	tests := []struct {
		raw  string
		want kb.SearchRequest
		err  string // beginning of it; "" if there is none
	}{
		{raw: `{"query":"a"}`, want: kb.SearchRequest{Query: "a"}},
		{raw: `{"query":"a","limit":"5"}`, want: kb.SearchRequest{Query: "a", Limit: 5}},
		{raw: `{"query":"a","limit":" 5 "}`, want: kb.SearchRequest{Query: "a", Limit: 5}},
		{raw: `{"query":"a","limit":5.0}`, want: kb.SearchRequest{Query: "a", Limit: 5}},
		{raw: `{"query":"a","limit":"5.0"}`, want: kb.SearchRequest{Query: "a", Limit: 5}},
		{raw: `{"query":"a","limit":5e0}`, want: kb.SearchRequest{Query: "a", Limit: 5}},
		{raw: `{"query":"a","limit":null}`, want: kb.SearchRequest{Query: "a"}},
		{raw: `{"query":"a","limit":1}`, want: kb.SearchRequest{Query: "a", Limit: 1}},
		{raw: `{"query":"a","limit":50}`, want: kb.SearchRequest{Query: "a", Limit: 50}},
		{raw: `{"query":"a","tags":["x","y"]}`, want: kb.SearchRequest{Query: "a", Tags: []string{"x", "y"}}},
		{raw: `{"query":"a","tags":"[\"x\",\"y\"]"}`, want: kb.SearchRequest{Query: "a", Tags: []string{"x", "y"}}},
		{raw: `{"query":"a","tags":[]}`, want: kb.SearchRequest{Query: "a", Tags: []string{}}},
		{raw: `{"query":"a","paths":"[\"a.md\"]"}`, want: kb.SearchRequest{Query: "a", Paths: "a.md"}},
		{raw: `{"query":"a","paths":["a.md"]}`, want: kb.SearchRequest{Query: "a", Paths: "a.md"}},
		{raw: `{"query":"a","paths":"[ab].md"}`, want: kb.SearchRequest{Query: "a", Paths: "[ab].md"}},
		{raw: `{"query":"a","paths":""}`, want: kb.SearchRequest{Query: "a"}},
		{raw: `{"query":"a","explain":"true"}`, want: kb.SearchRequest{Query: "a", Explain: true}},
		{raw: `{"query":"a","mode":"lexical","updated_after":"2024-02-29"}`, want: kb.SearchRequest{Query: "a", Mode: candor.ModeLexical, UpdatedAfter: "2024-02-29"}},

		{raw: ``, err: "query: must be a string of 1 to 4096 bytes. Hint: "},
		{raw: `null`, err: "query: must be"},
		{raw: `{}`, err: "query: must be"},
		{raw: `{"query":null}`, err: "query: must be"},
		{raw: `{"query":""}`, err: "query: must be"},
		{raw: `{"query":" \n "}`, err: "query: must be"},
		{raw: `{"query":7}`, err: "query: must be"},
		{raw: `{"query":["a"]}`, err: "query: must be"},
		{raw: `{"query":"` + long + `"}`, err: "query: must be a string of 1 to 4096 bytes"},
		{raw: `[]`, err: "arguments: must be an object"},
		{raw: `"{}"`, err: "arguments: must be an object"},
		{raw: `7`, err: "arguments: must be an object"},
		{raw: `{"query":"a","Limit":5}`, err: "unknown argument: search takes only query, limit, "},
		{raw: `{"query":"a","profile":"admin"}`, err: "unknown argument: "},
		{raw: `{"query":"a","paths":["a","b"]}`, err: "paths: must be a string of at most 1024 bytes"},
		{raw: `{"query":"a","paths":"` + strings.Repeat("a", 1025) + `"}`, err: "paths: must be"},
		{raw: `{"query":"a","tags":"x"}`, err: "tags: must be a list of at most 32 strings of 1 to 256 bytes"},
		{raw: `{"query":"a","tags":[""]}`, err: "tags: must be"},
		{raw: `{"query":"a","tags":[null]}`, err: "tags: must be"},
		{raw: `{"query":"a","tags":"[1]"}`, err: "tags: must be"},
		{raw: `{"query":"a","tags":"[\"x\"] and"}`, err: "tags: must be"},
		{raw: `{"query":"a","tags":[` + strings.Repeat(`"t",`, 32) + `"t"]}`, err: "tags: must be"},
		{raw: `{"query":"a","updated_after":"2026-02-30"}`, err: "updated_after: must be a date written YYYY-MM-DD"},
		{raw: `{"query":"a","updated_after":"yesterday"}`, err: "updated_after: must be"},
		{raw: `{"query":"a","mode":"hybrid"}`, err: "mode: must be auto or lexical"},
		{raw: `{"query":"a","explain":1}`, err: "explain: must be true or false"},
		{raw: `{"query":"a","explain":"yes"}`, err: "explain: must be"},
		{raw: `{"query":"a","cursor":"` + strings.Repeat("c", 1<<19) + `"}`, err: "cursor: must be a string of at most 2048 bytes"},
	}
	for _, limit := range []string{`-1`, `0`, `51`, `100000`, `1e9`, `1.5`, `9223372036854775808`, `1e400`, `-1e400`, `"ten"`, `"5x"`, `"0x5"`, `"1e1"`, `""`, `true`, `[5]`, `{}`} {
		tests = append(tests, struct {
			raw  string
			want kb.SearchRequest
			err  string
		}{raw: `{"query":"a","limit":` + limit + `}`, err: "limit: must be a whole number from 1 to 50"})
	}
	for _, tt := range tests {
		got, err := arguments[kb.SearchRequest]("search", params, json.RawMessage(tt.raw))
		var input *candor.InputError
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%.60s: %v", tt.raw, err)
		case tt.err == "":
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%.60s (-want +got):\n%s", tt.raw, diff)
			}
		case !errors.As(err, &input) || !strings.HasPrefix(err.Error(), tt.err):
			t.Errorf("%.60s: error %v, want %q", tt.raw, err, tt.err)
		}
	}
}

// TestEveryArgumentReachesItsField: a param that its request type lacks would make each
// call fail.
func TestEveryArgumentReachesItsField(t *testing.T) {
	sample := map[form]string{text: `"x"`, glob: `"x"`, date: `"2026-01-31"`, whole: `1`, boolean: `true`, list: `["x"]`}
	check := func(of tool, read func(raw json.RawMessage) error) {
		for _, p := range of.params {
			v := sample[p.form]
			if p.form == choice {
				v = fmt.Sprintf("%q", p.choices[0])
			}
			raw := fmt.Sprintf(`{%q:%s}`, p.name, v)
			if p.name != "query" && of.name == "search" {
				raw = fmt.Sprintf(`{"query":"q",%q:%s}`, p.name, v)
			}
			if err := read(json.RawMessage(raw)); err != nil {
				t.Errorf("%s %s: %v", of.name, raw, err)
			}
		}
	}
	search := searchTool(50)
	check(search, func(raw json.RawMessage) error {
		_, err := arguments[kb.SearchRequest]("search", search.params, raw)
		return err
	})
	check(readTool, func(raw json.RawMessage) error {
		_, err := arguments[kb.ReadRequest]("read", readTool.params, raw)
		return err
	})
	check(outlineTool, func(raw json.RawMessage) error {
		_, err := arguments[kb.OutlineRequest]("outline", outlineTool.params, raw)
		return err
	})
	check(linksTool, func(raw json.RawMessage) error {
		_, err := arguments[kb.LinksRequest]("links", linksTool.params, raw)
		return err
	})
}

// TestParamWithoutField: such a param fails aloud; it would be silently without effect.
func TestParamWithoutField(t *testing.T) {
	params := []param{{name: "other", form: boolean}}
	if q, err := arguments[kb.OutlineRequest]("outline", params, json.RawMessage(`{"other":true}`)); err == nil {
		t.Errorf("taken as %+v", q)
	}
}

// FuzzArguments: whatever the arguments are, they are within bounds or refused in words
// that hold none of them.
func FuzzArguments(f *testing.F) {
	for _, raw := range []string{
		`{"query":"a","limit":"5","tags":"[\"x\"]","paths":["a"]}`, `null`, `{"query":"zebra","limit":1e999}`, `{"zebra":1}`, `"zebra"`,
		`{"query":"a","exclude":["zebra",1],"explain":"false","updated_after":"zebra"}`, `{"query":"a","mode":"zebra","cursor":7}`,
	} {
		f.Add([]byte(raw))
	}
	params := searchTool(50).params
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, bad := parseMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":%s}}`, raw))
		if bad != nil || m.kind != request {
			return
		}
		q, err := arguments[kb.SearchRequest]("search", params, raw)
		if err != nil {
			var input *candor.InputError
			if !errors.As(err, &input) || strings.Contains(err.Error(), "zebra") {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if q.Limit < 0 || q.Limit > 50 || len(q.Query) > maxQuery || strings.TrimSpace(q.Query) == "" || len(q.Paths) > maxGlob ||
			len(q.Tags) > 32 || len(q.Exclude) > 200 || len(q.Cursor) > maxCursor || q.Mode != "" && q.Mode != "auto" && q.Mode != "lexical" {
			t.Fatalf("%q: out of bounds: %+v", raw, q)
		}
	})
}

// FuzzNumber: a number is taken only if it is whole and as given.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{`5`, `"5"`, `5.0`, `1e1`, `"1e1"`, `-0`, `2147483648`, `9007199254740993`, `0.5`} {
		f.Add(s)
	}
	p := param{name: "n", form: whole, min: 1, max: 1_000_000_000}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := p.number(json.RawMessage(s))
		if !ok {
			return
		}
		var want float64
		if _, err := fmt.Sscan(strings.Trim(s, "\" \t\n"), &want); err != nil || want != math.Trunc(want) || float64(n) != want {
			t.Fatalf("%q was read as %d", s, n)
		}
	})
}
