package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// good are whole messages that pass the guard.
var good = []string{
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"search","arguments":{"query":"leave \u00e9 😀"}}}`,
	`{"method":"tools/call","params":{"name":"status","arguments":null},"jsonrpc":"2.0","id":-3}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","id":1,"result":{}}`,
	` {"jsonrpc":"2.0", "id" : 0 , "method":"tools/list","params":{"a":[1,-0,1.5e+3,true,null,{"b":[]}]}} `,
}

// TestSyntax judges arguments, and whole messages, as RFC 8259 does.
func TestSyntax(t *testing.T) {
	valid := []string{
		`[]`, `[ ]`, `{}`, `[[]]`, `[1]`, `[-0]`, `[0.1e1]`, `[1E+2]`, `[1e-2]`, `[123.456]`, `[true,false,null]`, `""`, `"\u0000"`,
		`"\"\\\/\b\f\n\r\t"`, `"\ud83d\ude00"`, `"é"`, `"\u2028"`, `{"":0}`, `{"a":{"a":1}}`, `[1e400]`, `[-9223372036854775809]`, `"` + "\u007f" + `"`,
	}
	broken := []string{
		``, `[`, `]`, `{`, `}`, `[1,]`, `[,1]`, `[1 2]`, `[1,,2]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:2}`, `{a:1}`, `{'a':1}`, `[01]`,
		`[-01]`, `[1.]`, `[.1]`, `[-]`, `[+1]`, `[1e]`, `[1e+]`, `[0x1]`, `[NaN]`, `[Infinity]`, `[tru]`, `[TRUE]`, `[nulll]`, `"`, `"\`, `"\x"`,
		`"\u12"`, `"\u12G4"`, `"\uD800\u0041"`, `"\uDC00"`, `["a` + "\t" + `"]`, `["` + "\x00" + `"]`, `["` + "\xff" + `"]`, `["` + "\xe2\x82" + `"]`,
		`[1]]`, `[1]x`, `{} {}`, `[}`, `{]`, `{"a":1]`, `[1}`, `// x`, `[1]//`, `[` + "\u00a0" + `1]`, `[` + "\f" + `1]`, `{"a" 1}`, `{"a"::1}`, `*`, `"a"b`,
	}
	wrap := func(v string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":` + v + `}}`
	}
	for _, v := range valid {
		if m, err := parseMessage([]byte(wrap(v))); err != nil || m.method != "tools/call" {
			t.Errorf("%s as arguments: %+v", v, err)
		}
		if _, err := parseMessage([]byte(v)); err == nil || err.Code != -32600 {
			t.Errorf("%s as a message: %+v, want an invalid request", v, err)
		}
	}
	for _, v := range broken {
		if m, err := parseMessage([]byte(wrap(v))); err == nil || err.Code != -32700 || m.id != nil {
			t.Errorf("%q as arguments: %+v, want a parse error without an id", v, err)
		}
		if _, err := parseMessage([]byte(v)); err == nil || err.Code != -32700 {
			t.Errorf("%q as a message: %+v, want a parse error", v, err)
		}
	}
}

// TestWrongParams: every method with params of every form gets a result or a constant
// error of its kind, and the server lives.
func TestWrongParams(t *testing.T) {
	s := newTestServer(t, newFakeBase())
	methods := []string{
		"initialize", "ping", "server/discover", "subscriptions/listen", "tools/list", "tools/call", "resources/list", "resources/templates/list",
		"resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
		"tasks/get", "tasks/list", "tasks/cancel", "tasks/result", "sampling/createMessage", "roots/list", "no/such", "__proto__", `\u0000`,
	}
	forms := []string{
		"", "null", "[]", "{}", "7", `"x"`, "true", `{"name":[],"uri":{},"cursor":[],"_meta":[]}`, `{"name":"","uri":"","cursor":"","arguments":[]}`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":7}}`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":7,"progressToken":{}},"name":"status","arguments":7,"task":7,"inputResponses":7}`,
		`{"protocolVersion":"x","capabilities":{"roots":7},"clientInfo":{"name":{}},"notifications":{"toolsListChanged":7}}`,
	}
	for _, method := range methods {
		for _, form := range forms {
			text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `"`
			if form != "" {
				text += `,"params":` + form
			}
			m, bad := parseMessage([]byte(text + "}"))
			if bad != nil {
				t.Fatal(text, bad.Message)
			}
			lines := s.handle(t.Context(), m)
			var answer struct{ Error *rpcError }
			mustDecode(t, lines[len(lines)-1], &answer)
			if e := answer.Error; e != nil && e.Code != -32601 && e.Code != -32602 && e.Code != -32002 {
				t.Errorf("%s}: %+v", text, e)
			}
		}
	}
}

// TestLimits: the id is read although a limit is passed before it.
func TestLimits(t *testing.T) {
	msg := func(params string) string {
		return `{"jsonrpc":"2.0","method":"ping","params":` + params + `,"id":"k"}`
	}
	nested := func(open, shut string, n int) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(shut, n)
	}
	list := func(n int) string { return `{"l":[1` + strings.Repeat(",1", n-1) + `]}` }
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":1`, i)
		}
		return `{` + b.String()[1:] + `}`
	}
	tests := []struct {
		name, text string
		want       *rpcError
	}{
		{"depth 64", msg(`{"a":` + nested("[", "]", 62) + `}`), nil},
		{"depth 65", msg(`{"a":` + nested("[", "]", 63) + `}`), errTooDeep},
		{"depth of objects", msg(nested(`{"a":`, "}", 100_000)), errTooDeep},
		{"depth 400000", msg(nested("[", "]", 400_000)), errTooDeep},
		{"values", msg(list(19_990)), nil},
		{"too many values", msg(list(20_001)), errTooMany},
		{"far too many values", msg(list(500_000)), errTooMany},
		{"too many names", msg(keys(90_000)), errTooMany},
		{"many names outside", `{"jsonrpc":"2.0","method":"ping",` + keys(90_000)[1:len(keys(90_000))-1] + `,"id":"k"}`, errTooMany},
		{"stray names outside", `{"jsonrpc":"2.0","method":"ping",` + keys(100)[1:len(keys(100))-1] + `,"id":"k"}`, errMember},
	}
	for _, tt := range tests {
		m, err := parseMessage([]byte(tt.text))
		if err != tt.want || string(m.id) != `"k"` {
			t.Errorf("%s: id %s, error %+v, want %+v", tt.name, m.id, err, tt.want)
		}
	}
	if _, err := parseMessage(bytes.Repeat([]byte(" "), maxMessage+1)); err != errTooLong {
		t.Errorf("too long: %+v", err)
	}
}

// TestRefusalCostsLittle: what a limit refuses is refused before it is decoded.
func TestRefusalCostsLittle(t *testing.T) {
	for _, params := range []string{
		`{"l":[1` + strings.Repeat(",1", 500_000) + `]}`,
		strings.Repeat(`{"a":`, 150_000) + `1` + strings.Repeat(`}`, 150_000),
		`{"l":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 110_000), ",") + `]}`,
	} {
		text := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + params + `}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parseMessage(text)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 8<<20 {
			t.Errorf("%.30s…: %d bytes allocated for %d, error %+v", params, n, len(text), err)
		}
	}
}

// broken makes a message that is bad in some way, or perhaps still good.
func broken(r *rand.Rand, id string) string {
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","limit":2}}}`, id)
	pieces := []string{
		`"`, `{`, `}`, `[`, `]`, `,`, `:`, `\`, `\u`, `\ud800`, "\xff", "\x00", "\u2028", "\ufeff", "\r", "null", "1e999", `"id":1,`, `"id":null`,
		`"method":"ping",`, `"Method":1,`, `"jsonrpc":"1.0",`, `"params":[],`, `"result":{},`, strings.Repeat("[", 70), " ", "9007199254740993",
		`"name":"read",`, `-0`, `"arguments":"{}",`,
	}
	for range 1 + r.IntN(4)/3 {
		at := r.IntN(len(text) + 1)
		switch r.IntN(4) {
		case 0:
			text = text[:at] + pieces[r.IntN(len(pieces))] + text[at:]
		case 1:
			end := min(len(text), at+r.IntN(12))
			text = text[:at] + text[end:]
		case 2:
			end := min(len(text), at+r.IntN(12))
			text = text[:at] + pieces[r.IntN(len(pieces))] + text[end:]
		default:
			text = text[:at] + text[at:min(len(text), at+r.IntN(30))] + text[at:]
		}
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// TestTenThousandBadMessages: each message gets one answer, under its own id if that can
// be read and under null if not; notifications and blank lines get none.
func TestTenThousandBadMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 14))
	var in strings.Builder
	want := map[string]int{}
	for i := range 10_000 {
		text := broken(r, fmt.Sprintf(`"m%d"`, i))
		in.WriteString(text + "\n")
		if strings.Trim(text, " \t\r") == "" {
			continue
		}
		m, err := parseMessage(bytes.TrimRight([]byte(text), "\r"))
		if err == nil && m.kind != request {
			continue
		}
		id := string(m.id)
		if m.id == nil {
			id = "null"
		}
		want[id]++
	}
	if len(want) < 1000 || want["null"] < 2000 {
		t.Fatalf("the generator is lame: %d readable, %d not", len(want), want["null"])
	}
	in.WriteString(pingLine(`"last"`))
	want[`"last"`]++
	var out lockedBuffer
	if err := newTestServer(t, newFakeBase()).ServeStdio(t.Context(), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids(t, out.take()) {
		want[id]--
	}
	for id, n := range want {
		if n != 0 {
			t.Errorf("id %s: %d answers are missing", id, n)
		}
	}
}

// FuzzFrame holds the guard against encoding/json: what passes is one valid JSON object
// without duplicate names, its id comes back as it was written, and nothing breaks out
// of the answer's line.
func FuzzFrame(f *testing.F) {
	for _, text := range good {
		f.Add([]byte(text))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		f.Add([]byte(broken(r, fmt.Sprint(i))))
	}
	s, err := New(Options{Base: newFakeBase()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, bad := parseMessage(text)
		if bad != nil {
			if bad.Code == -32700 && json.Valid(text) && utf8.Valid(text) && !bytes.Contains(bytes.ToLower(text), []byte(`\u`)) &&
				!bytes.ContainsAny(text, "\ufffe\uffff") {
				t.Fatalf("valid JSON refused: %q", text)
			}
			checkLine(t, errorLine(m.id, bad), m.id)
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("taken: %q", text)
		}
		if m.kind == request {
			lines := s.handle(t.Context(), m)
			checkLine(t, lines[len(lines)-1], m.id)
		}
	})
}

func checkLine(t *testing.T, line []byte, id json.RawMessage) {
	t.Helper()
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(line, &answer); err != nil || bytes.IndexByte(line, '\n') != len(line)-1 {
		t.Fatalf("answer %q: %v", line, err)
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	if !bytes.Equal(answer["id"], id) {
		t.Fatalf("answer to id %s has id %s", id, answer["id"])
	}
	if (answer["result"] == nil) == (answer["error"] == nil) {
		t.Fatalf("answer %s", line)
	}
}
