package vaulttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Malformed gives one line that is no sound request, for a session that never sends the
// id otherwise. A readable one must be answered under the id; any other under null. No
// line is blank or a notification, so each must be answered once.
func Malformed(r *rand.Rand, id string) (line string, readable bool) {
	if r.IntN(3) == 0 {
		return garble(r, id), false
	}
	forms := readableForms
	if readable = r.IntN(3) > 0; !readable {
		forms = unreadableForms
	}
	line = forms[r.IntN(len(forms))]
	return strings.ReplaceAll(line, "ID", `"`+id+`"`), readable
}

// readableForms are wrong in what they ask or in how, and say under which id.
var readableForms = []string{
	`{"jsonrpc":"2.0","id":ID,"method":"no/such"}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":[]}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"rm"}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":7}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"search","arguments":7}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"search","arguments":{"query":{}}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"search","arguments":{"query":"x","query":"y"}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"search","arguments":{"query":"x","limit":1e400}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"search","arguments":{"query":"x","limit":-9223372036854775808}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"read","arguments":{"path":"\u0000"}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"read","arguments":{"citation":"a#L2-L1@00000000"}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"outline","arguments":{"paths":"[","depth":7,"x":1}}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"resources/list","params":{"cursor":"AAAA"}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"prompts/get","params":{"name":"none"}}`,
	`{"jsonrpc":"2.0","id":ID,"Method":"ping"}`,
	`{"jsonrpc":"2.0","id":ID,"method":"ping","method":"ping"}`,
	`{"jsonrpc":"2.0","id":ID,"method":7}`,
	`{"jsonrpc":"2.0","id":ID,"method":"notifications/cancelled"}`,
	`{"jsonrpc":"1.0","id":ID,"method":"ping"}`,
	`{"id":ID,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"a":` + nest(80) + `}}`,
}

// unreadableForms hide their id, or are no message.
var unreadableForms = []string{
	`{"jsonrpc":"2.0","id":ID,"method":"ping"`, `{"jsonrpc":"2.0","id":ID,"method":"ping"}}`, `{"jsonrpc":"2.0","id":ID "method":"ping"}`,
	`[{"jsonrpc":"2.0","id":ID,"method":"ping"}]`, `"ID"`, `hello`, `[]`, `7`, `null`, `{`, `\`, "\x00", "\xff\xfe", `{}`,
	`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, `{"jsonrpc":"2.0","method":"tools/call"}`,
	`{"jsonrpc":"2.0","id":ID,"id":ID,"method":"ping"}`, `{"jsonrpc":"2.0","id":ID,"method":"\ud800"}`,
	`{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"x":"` + "\xc0\xaf" + `"}}`,
	`{"jsonrpc":"2.0","id":ID,"method":"ping"} {"jsonrpc":"2.0","id":ID,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":"` + strings.Repeat("9", 200) + `","method":"ping"}`,
}

// garble cuts a sound request short and puts noise before the cut, so that it cannot
// be JSON.
func garble(r *rand.Rand, id string) string {
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","limit":2}}}`, id)
	cut := 1 + r.IntN(len(text)-1)
	noise := make([]byte, r.IntN(8))
	for i := range noise {
		if noise[i] = byte(r.IntN(256)); noise[i] == '\n' || noise[i] == '}' {
			noise[i] = '?'
		}
	}
	return text[:cut] + string(noise)
}

// nest is an empty list inside lists.
func nest(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
