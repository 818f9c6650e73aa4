package mcpserver

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// keyring is an Authorizer of fixed tokens.
type keyring map[string]string

func (k keyring) Authorize(token string) (string, <-chan struct{}, bool) {
	profile, ok := k[token]
	return profile, nil, ok
}

var testKeys = keyring{"staff-token": "staff", "guest-token": "guest", "gone-token": "gone"}

// httpDoor is a door that listens.
type httpDoor struct {
	addr string
	door *HTTP
	base map[string]*fakeBase
	log  *lockedBuffer
}

// startHTTP serves a base for each profile on loopback until the test ends.
func startHTTP(t *testing.T, change func(*HTTPOptions, *pace)) httpDoor {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	d := httpDoor{addr: addr, base: map[string]*fakeBase{}, log: &lockedBuffer{}}
	opt := HTTPOptions{
		Profiles: map[string]http.Handler{}, Authorizer: testKeys,
		Origins: []string{"http://" + addr, "http://localhost:" + port},
		Logger:  slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, profile := range []string{"staff", "guest"} {
		d.base[profile] = newFakeBase()
		d.base[profile].hits[0].Text = "canary of " + profile
		opt.Profiles[profile] = newTestServer(t, d.base[profile]).HTTP()
	}
	p := usualPace
	if change != nil {
		change(&opt, &p)
	}
	if d.door, err = NewHTTP(opt); err != nil {
		t.Fatal(err)
	}
	d.door.pace = p
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.door.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the door does not close")
		}
	})
	return d
}

// direct obeys no proxy.
var direct = &http.Client{Transport: &http.Transport{}}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// post sends a message of staff with headers; "Name: -" leaves a usual one out.
func (d httpDoor) post(t *testing.T, body string, headers ...string) answer {
	t.Helper()
	return d.do(t, http.MethodPost, httpPath, body, headers...)
}

func (d httpDoor) do(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+d.addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer staff-token")
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case value == "-":
			r.Header.Del(name)
		case name == "Host":
			r.Host = value
		case strings.HasPrefix(value, "+"):
			r.Header.Add(name, value[1:])
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := direct.Do(r)
	if err != nil {
		t.Fatalf("%.100s %v: %v", body, headers, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Header.Del("Date")
	return answer{resp.StatusCode, resp.Header, string(data)}
}

const searchCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave"}}}`

// modernCall is a call of protocol 2026-07-28 with changes to its body.
func modernCall(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
}

// modernHeaders are those that a modern client sends with it, and more after them.
func modernHeaders(more ...string) []string {
	return append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: search"}, more...)
}

// TestHTTPDoor: what the head of a request decides. (Cases 24, 71 to 73, 76, 78 and 79 of the
// attacks; fault 8 of qmd and 3 of markdown-vault-mcp: tokens are asked for, and Host and
// Origin looked at, without being told to.)
func TestHTTPDoor(t *testing.T) {
	d := startHTTP(t, nil)
	_, port, _ := net.SplitHostPort(d.addr)
	tests := []struct {
		name    string
		headers []string
		status  int
	}{
		{"as it should be", nil, 200},
		{"by name", []string{"Host: localhost:" + port}, 200},
		{"own origin", []string{"Origin: http://" + d.addr}, 200},
		{"own origin by name", []string{"Origin: http://localhost:" + port}, 200},
		{"charset", []string{"Content-Type: application/json; charset=UTF-8"}, 200},

		{"compression", []string{"Accept-Encoding: gzip, br, zstd"}, 200},

		{"evil origin", []string{"Origin: http://evil.test"}, 403},
		{"null origin", []string{"Origin: null"}, 403},
		{"empty origin", []string{"Origin: "}, 403},
		{"other port", []string{"Origin: http://localhost:9999"}, 403},
		{"no port", []string{"Origin: http://127.0.0.1"}, 403},
		{"longer name", []string{"Origin: http://127.0.0.1.evil.test:" + port}, 403},
		{"other scheme", []string{"Origin: https://" + d.addr}, 403},
		{"slash", []string{"Origin: http://" + d.addr + "/"}, 403},
		{"upper case origin", []string{"Origin: HTTP://LOCALHOST:" + port}, 403},
		{"two origins", []string{"Origin: http://" + d.addr, "Origin: +http://" + d.addr}, 403},

		{"evil host", []string{"Host: evil.test"}, 403},
		{"evil host, right port", []string{"Host: evil.test:" + port}, 403},
		{"localhost of evil", []string{"Host: localhost.evil.test:" + port}, 403},
		{"dot at the end", []string{"Host: 127.0.0.1.:" + port}, 403},
		{"all interfaces", []string{"Host: 0.0.0.0:" + port}, 403},
		{"mapped", []string{"Host: [::ffff:127.0.0.1]:" + port}, 403},
		{"upper case", []string{"Host: LOCALHOST:" + port}, 403},
		{"another port", []string{"Host: 127.0.0.1:1"}, 403},
		{"without a port", []string{"Host: 127.0.0.1"}, 403},

		{"text", []string{"Content-Type: text/plain"}, 415},
		{"no type", []string{"Content-Type: -"}, 415},
		{"utf-16", []string{"Content-Type: application/json;charset=utf-16"}, 415},
		{"form", []string{"Content-Type: application/x-www-form-urlencoded"}, 415},
		{"two types", []string{"Content-Type: application/json", "Content-Type: +application/json"}, 415},
		{"JSON of another kind", []string{"Content-Type: application/json-rpc"}, 415},
		{"gzip", []string{"Content-Encoding: gzip"}, 415},
		{"identity", []string{"Content-Encoding: identity"}, 415},

		{"no token", []string{"Authorization: -"}, 401},
		{"empty", []string{"Authorization: "}, 401},
		{"bearer alone", []string{"Authorization: Bearer"}, 401},
		{"bearer and a space", []string{"Authorization: Bearer "}, 401},
		{"basic", []string{"Authorization: Basic staff-token"}, 401},
		{"lower case", []string{"Authorization: bearer staff-token"}, 401},
		{"two words", []string{"Authorization: Bearer staff-token y"}, 401},
		{"two spaces", []string{"Authorization: Bearer  staff-token"}, 401},
		{"a longer token", []string{"Authorization: Bearer staff-tokenx"}, 401},
		{"a shorter token", []string{"Authorization: Bearer staff-toke"}, 401},
		{"two tokens", []string{"Authorization: Bearer staff-token", "Authorization: +Bearer guest-token"}, 401},
		{"the same token twice", []string{"Authorization: Bearer staff-token", "Authorization: +Bearer staff-token"}, 401},
		{"profile that is not served", []string{"Authorization: Bearer gone-token"}, 401},
		{"a cookie", []string{"Authorization: -", "Cookie: token=staff-token; access_token=staff-token"}, 401},
		{"another header", []string{"Authorization: -", "X-Api-Key: staff-token", "Proxy-Authorization: Bearer staff-token"}, 401},
	}
	var refused answer
	for _, tt := range tests {
		a := d.post(t, searchCall, tt.headers...)
		if a.status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.name, a.status, a.body, tt.status)
		}
		if got := a.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q", tt.name, got)
		}
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control-") || name == "Mcp-Session-Id" || name == "Content-Encoding" || name == "Set-Cookie" {
				t.Errorf("%s: header %s", tt.name, name)
			}
		}
		if strings.Contains(a.body, "canary") != (tt.status == 200) || strings.Contains(a.body, "evil") || strings.Contains(a.body, "guest") {
			t.Errorf("%s: %s", tt.name, a.body)
		}
		if tt.status != 401 {
			continue
		}
		if refused.status == 0 {
			refused = a
			want := `Bearer resource_metadata="http://` + d.addr + `/.well-known/oauth-protected-resource/mcp"`
			if got := a.header.Get("WWW-Authenticate"); got != want {
				t.Errorf("WWW-Authenticate %q, want %q", got, want)
			}
		}
		if diff := cmp.Diff(refused, a, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("%s: not the same refusal: %s", tt.name, diff)
		}
	}
	// A token in the address or in the message opens nothing.
	for _, path := range []string{"/mcp?access_token=staff-token", "/mcp?token=staff-token"} {
		if a := d.do(t, "POST", path, searchCall, "Authorization: -"); a.status != 401 {
			t.Errorf("%s: %+v", path, a)
		}
	}
	inside := strings.Replace(searchCall, `"params":{`, `"params":{"_meta":{"token":"staff-token","authorization":"Bearer staff-token"},`, 1)
	if a := d.post(t, inside, "Authorization: -"); a.status != 401 {
		t.Errorf("token in _meta: %+v", a)
	}
	if said := d.log.take(); strings.Contains(said, "-token") || !strings.Contains(said, "answered over HTTP") {
		t.Errorf("log:\n%s", said)
	}
}

// TestHTTPPaths: one path takes messages, by POST alone; the rest says next to nothing.
// (Cases 74 and 82 of the attacks, fault 16 of grounded-mcp: there is a health endpoint.)
func TestHTTPPaths(t *testing.T) {
	ready := &atomic.Bool{}
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) { o.Ready = ready.Load })
	resource := fmt.Sprintf(`{"resource":"http://%s/mcp","bearer_methods_supported":["header"],"resource_name":"candor"}`+"\n", d.addr)
	tests := []struct {
		method, path string
		headers      []string
		status       int
		body         string
	}{
		{"GET", "/mcp", nil, 405, "Method Not Allowed\n"},
		{"DELETE", "/mcp", nil, 405, "Method Not Allowed\n"},
		{"PUT", "/mcp", nil, 405, "Method Not Allowed\n"},
		{"HEAD", "/mcp", nil, 405, ""},
		{"GET", "/mcp", []string{"Mcp-Session-Id: admin-session", "Last-Event-ID: 1"}, 405, "Method Not Allowed\n"},
		{"OPTIONS", "/mcp", []string{"Access-Control-Request-Headers: authorization", "Access-Control-Request-Method: POST"}, 405, "Method Not Allowed\n"},
		{"OPTIONS", "/mcp", []string{"Origin: http://evil.test"}, 403, "Forbidden\n"},
		{"POST", "/", nil, 404, "Not Found\n"},
		{"POST", "/mcp/", nil, 404, "Not Found\n"},
		{"POST", "//mcp", nil, 404, "Not Found\n"},
		{"POST", "/mcp/staff", nil, 404, "Not Found\n"},
		{"GET", "/healthz", nil, 200, "OK\n"},
		{"GET", "/readyz", nil, 503, "Service Unavailable\n"},
		{"GET", "/healthz", []string{"Host: evil.test"}, 403, "Forbidden\n"},
		{"GET", metadataPath, nil, 200, resource},
		{"GET", metadataPath + "/mcp", nil, 200, resource},
		{"GET", metadataPath, []string{"Host: evil.test"}, 403, "Forbidden\n"},
		{"POST", metadataPath, nil, 405, "Method Not Allowed\n"},
		{"GET", metadataPath + "/other", nil, 404, "Not Found\n"},
		{"GET", "/debug/pprof/", nil, 404, "Not Found\n"},
	}
	for _, tt := range tests {
		a := d.do(t, tt.method, tt.path, "", tt.headers...)
		if a.status != tt.status || a.body != tt.body {
			t.Errorf("%s %s %v: %d %q, want %d %q", tt.method, tt.path, tt.headers, a.status, a.body, tt.status, tt.body)
		}
		if a.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", tt.method, tt.path)
		}
	}
	ready.Store(true)
	if a := d.do(t, "GET", "/readyz", ""); a.status != 200 || a.body != "OK\n" {
		t.Errorf("ready: %+v", a)
	}
}

// TestHTTPBodies: bodies that are too long, unsound or not JSON-RPC. (Cases 86 and 91 of the
// attacks, public reports 8 and 14.)
func TestHTTPBodies(t *testing.T) {
	d := startHTTP(t, nil)
	padded := func(n int) string {
		return strings.Replace(searchCall, `"leave"`, `"leave`+strings.Repeat(" ", n-len(searchCall))+`"`, 1)
	}
	tests := []struct {
		name, body string
		status     int
		says       string
	}{
		{"256 KiB", padded(maxBody), 200, "query"},
		{"one more", padded(maxBody + 1), 413, "Request Entity Too Large"},
		{"nothing", "", 400, `"code":-32700`},
		{"hello", "hello", 400, `"code":-32700`},
		{"cut", searchCall[:50], 400, `"code":-32700`},
		{"two", searchCall + searchCall, 400, `"code":-32700`},
		{"batch", "[" + searchCall + "]", 400, `"code":-32600`},
		{"invalid UTF-8", strings.Replace(searchCall, "leave", "\xff", 1), 400, `"code":-32700`},
		{"a name twice", strings.Replace(searchCall, `"id":1`, `"id":1,"id":2`, 1), 400, `"id":null`},
		{"deep", strings.Replace(searchCall, `"leave"`, strings.Repeat("[", 100)+strings.Repeat("]", 100), 1), 400, `"code":-32600`},
		{"many", strings.Replace(searchCall, `"leave"`, "["+strings.Repeat("1,", 30_000)+"1]", 1), 400, `"code":-32600`},
		{"over several lines", strings.ReplaceAll(searchCall, ",", ",\n"), 200, "canary of staff"},
		{"id that a float loses", strings.Replace(searchCall, `"id":1`, `"id":9007199254740993`, 1), 200, `"id":9007199254740993,`},
		{"id of letters", strings.Replace(searchCall, `"id":1`, `"id":"\u0061<"`, 1), 200, `"id":"\u0061<",`},
		{"no such method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, 200, `"code":-32601`},
		{"no such tool", strings.Replace(searchCall, "search", "rm", 1), 200, `"code":-32602`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, ""},
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"panic", strings.Replace(searchCall, "leave", "!panic", 1), 200, "internal error"},
		{"type in clientInfo", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":5}}}`, 200, "they do not fit"},
		{"missing note", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"candor://note/none.md"}}`, 200, `"code":-32002`},
	}
	for _, tt := range tests {
		a := d.post(t, tt.body)
		if a.status != tt.status || !strings.Contains(a.body, tt.says) || strings.Contains(a.body, "/srv") || strings.Contains(a.body, "Go ") {
			t.Errorf("%s: %d %.300s, want %d and %s", tt.name, a.status, a.body, tt.status, tt.says)
		}
	}
}

// TestHTTPEras: both protocols on one path; headers that say other than the body are
// refused before anything is done. (Cases 82, 84 and 85 of the attacks.)
func TestHTTPEras(t *testing.T) {
	d := startHTTP(t, nil)
	const version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",`
	const abilities = `,"io.modelcontextprotocol/clientCapabilities":{}`
	tests := []struct {
		name, body string
		headers    []string
		status     int
		says       string
	}{
		{"modern", modernCall(), modernHeaders(), 200, "canary of staff"},
		{"name in base64", modernCall(), modernHeaders("Mcp-Name: =?base64?c2VhcmNo?="), 200, "canary of staff"},
		{"old version", searchCall, []string{"MCP-Protocol-Version: 2025-06-18"}, 200, "canary of staff"},
		{"last of the old", searchCall, []string{"MCP-Protocol-Version: 2025-11-25"}, 200, "canary of staff"},
		{"session and event are ignored", searchCall, []string{"Mcp-Session-Id: admin-session", "Last-Event-ID: 1"}, 200, "canary of staff"},
		{"also in the modern", modernCall(), modernHeaders("Mcp-Session-Id: admin-session", "Last-Event-ID: 1"), 200, "canary of staff"},

		{"another tool", modernCall(), modernHeaders("Mcp-Name: read"), 400, "-32020"},
		{"another tool in base64", modernCall(), modernHeaders("Mcp-Name: =?base64?cmVhZA==?="), 400, "-32020"},
		{"broken base64", modernCall(), modernHeaders("Mcp-Name: =?base64?c2Vh!?="), 400, "-32020"},
		{"name in upper case", modernCall(), modernHeaders("Mcp-Name: SEARCH"), 400, "-32020"},
		{"no name", modernCall(), modernHeaders("Mcp-Name: -"), 400, "-32020"},
		{"two names", modernCall(), modernHeaders("Mcp-Name: +search"), 400, "-32020"},
		{"no method", modernCall(), modernHeaders("Mcp-Method: -"), 400, "-32020"},
		{"another method", modernCall(), modernHeaders("Mcp-Method: tools/list"), 400, "-32020"},
		{"two methods", modernCall(), modernHeaders("Mcp-Method: +tools/call"), 400, "-32020"},
		{"no version in the head", modernCall(), modernHeaders("MCP-Protocol-Version: -"), 400, "-32020"},
		{"old version in the head", modernCall(), modernHeaders("MCP-Protocol-Version: 2025-11-25"), 400, "-32020"},
		{"two versions", modernCall(), modernHeaders("MCP-Protocol-Version: +2025-11-25"), 400, "-32020"},
		{"old version in the body", modernCall("2026-07-28", "2025-11-25"), modernHeaders(), 400, "-32020"},
		{"a version to come", modernCall("2026-07-28", "2099-01-01"), modernHeaders("MCP-Protocol-Version: 2099-01-01"), 400, `-32022,"message":"unsupported protocol version","data":{"requested":"2099-01-01","supported":["2026-07-28"`},
		{"a version to come in the head", searchCall, []string{"MCP-Protocol-Version: 2099-01-01"}, 400, "-32022"},
		{"a version to come in the body", modernCall("2026-07-28", "2099-01-01"), modernHeaders(), 400, "-32020"},
		{"no version in the body", modernCall(version, ""), modernHeaders(), 400, "-32602"},
		{"no capabilities", modernCall(abilities, ""), modernHeaders(), 400, "-32602"},
		{"capabilities no object", modernCall("{}}}", "7}}"), modernHeaders(), 400, "-32602"},
		{"no _meta", searchCall, modernHeaders(), 400, "-32602"},
		{"no such method", modernCall("tools/call", "no/such"), modernHeaders("Mcp-Method: no/such", "Mcp-Name: -"), 404, "-32601"},
		{"ping is gone", modernCall("tools/call", "ping"), modernHeaders("Mcp-Method: ping", "Mcp-Name: -"), 404, "-32601"},
		{"no such tool", modernCall("search", "rm"), modernHeaders("Mcp-Name: rm"), 400, "-32602"},
		{
			"missing note", modernCall("tools/call", "resources/read", `"name":"search"`, `"uri":"candor://note/none.md"`),
			modernHeaders("Mcp-Method: resources/read", "Mcp-Name: candor://note/none.md"), 400, "-32602",
		},
		{
			"another note", modernCall("tools/call", "resources/read", `"name":"search"`, `"uri":"candor://note/none.md"`),
			modernHeaders("Mcp-Method: resources/read", "Mcp-Name: candor://note/hr/leave.md"), 400, "-32020",
		},
		{"cancel", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: notifications/cancelled"}, 202, ""},
	}
	for _, tt := range tests {
		asked := d.base["staff"].asked.Load()
		a := d.post(t, tt.body, tt.headers...)
		if a.status != tt.status || !strings.Contains(a.body, tt.says) {
			t.Errorf("%s: %d %.300s, want %d and %s", tt.name, a.status, a.body, tt.status, tt.says)
		}
		if done := d.base["staff"].asked.Load() != asked; done != (tt.status == 200) {
			t.Errorf("%s: executed: %v", tt.name, done)
		}
		if a.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session was made", tt.name)
		}
	}
}

// TestHTTPSaysWhatStdioSays: the same bytes come through both doors, in both protocols: what
// public reports 6, 7, 10, 12 and 13 ask of tools and their arguments holds here too.
func TestHTTPSaysWhatStdioSays(t *testing.T) {
	d := startHTTP(t, nil)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, body := range []string{
		searchCall, modernCall(),
		`{"jsonrpc":"2.0","id":"é","method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{},"clientInfo":{"name":"../../x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":-3,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read","arguments":{"path":"none.md"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"query":"zebra <&>"}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"search"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"search","arguments":null}}`,
		`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","limit":"5"}}}`,
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","limit":100000}}}`,
		`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","limit":true}}}`,
		`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","paths":"[\"hr/**\"]"}}}`,
		`{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"search","arguments":{"query":"leave","extra":1}}}`,
	} {
		// Boundaries count up, so both sides begin anew.
		stdio, web := newTestServer(t, newFakeBase()), newTestServer(t, newFakeBase())
		m, bad := parseMessage([]byte(body))
		if bad != nil {
			t.Fatal(body, bad)
		}
		lines := stdio.handle(t.Context(), m)
		d.door.SetProfiles(map[string]http.Handler{"staff": web.HTTP()})
		var headers []string
		if strings.Contains(body, "2026-07-28") {
			headers = []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + m.method, "Mcp-Name: search"}
		}
		a := d.post(t, body, headers...)
		unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
		if diff := cmp.Diff(unescaped.Replace(string(lines[len(lines)-1])), unescaped.Replace(a.body)); a.status != 200 || diff != "" {
			t.Errorf("%s: %d, stdio against HTTP:\n%s", body, a.status, diff)
		}
		if strings.Contains(a.body, `"cacheScope":"public"`) {
			t.Errorf("%s: others may keep the answer", body)
		}
	}
}

// TestNobodyElseMayKeepAnswers: whatever differs between profiles, and all the rest, says in
// the protocol that has a word for it that no shared cache may keep it. (Case 23 of the
// attacks.)
func TestNobodyElseMayKeepAnswers(t *testing.T) {
	d := startHTTP(t, nil)
	for method, params := range map[string]string{
		"server/discover": "", "tools/list": "", "resources/list": "", "resources/templates/list": "", "prompts/list": "",
		"resources/read": `"uri":"candor://note/hr/leave.md",`,
	} {
		body := modernCall("tools/call", method, `"name":"search","arguments":{"query":"leave"},`, params)
		headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
		if params != "" {
			headers = append(headers, "Mcp-Name: candor://note/hr/leave.md")
		}
		for _, profile := range []string{"staff", "guest"} {
			a := d.post(t, body, append(headers, "Authorization: Bearer "+profile+"-token")...)
			if a.status != 200 || !strings.Contains(a.body, `"cacheScope":"private"`) || strings.Contains(a.body, "public") || a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s as %s: %+v", method, profile, a)
			}
		}
	}
}

// TestHTTPListens: a subscription is acknowledged and ends, since nothing is notified.
func TestHTTPListens(t *testing.T) {
	d := startHTTP(t, nil)
	body := modernCall("tools/call", "subscriptions/listen", `"name":"search","arguments":{"query":"leave"}`, `"notifications":{"resourcesListChanged":true}`)
	a := d.post(t, body, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	if a.status != 200 || a.header.Get("Content-Type") != "text/event-stream" || a.header.Get("Cache-Control") != "no-store" ||
		strings.Count(a.body, "data: ") != 2 || !strings.Contains(a.body, "subscriptions/acknowledged") {
		t.Errorf("%+v", a)
	}
}

// TestTwoTokensAtOnce: calls of two profiles under the same ids, at one time and over the
// same connections, get each its own answer. (Case 22 of the attacks.)
func TestTwoTokensAtOnce(t *testing.T) {
	d := startHTTP(t, nil)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 40 {
				profile, other := "staff", "guest"
				if (worker+i)%2 == 1 {
					profile, other = other, profile
				}
				a := d.post(t, searchCall, "Authorization: Bearer "+profile+"-token")
				if a.status != 200 || !strings.Contains(a.body, "canary of "+profile) || strings.Contains(a.body, "canary of "+other) {
					t.Errorf("%s: %+v", profile, a)
				}
			}
		})
	}
	all.Wait()
}

// TestCancelReachesNobody: a cancellation under another token, or under the same one,
// stops no call; hanging up does.
func TestCancelReachesNobody(t *testing.T) {
	d := startHTTP(t, nil)
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r, _ := http.NewRequestWithContext(ctx, "POST", "http://"+d.addr+httpPath, strings.NewReader(strings.Replace(searchCall, "leave", "!wait", 1)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer staff-token"}}
		if resp, err := direct.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	<-d.base["staff"].entered
	for _, token := range []string{"staff", "guest"} {
		a := d.post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Authorization: Bearer "+token+"-token")
		if a.status != 202 || a.body != "" {
			t.Errorf("cancel: %+v", a)
		}
	}
	select {
	case <-d.base["staff"].stopped:
		t.Fatal("a cancellation stopped a call")
	default:
	}
	hangUp()
	<-d.base["staff"].stopped
	<-gone
}

// revocable is an Authorizer of one token that can be revoked.
type revocable struct{ ends chan struct{} }

func (k revocable) Authorize(token string) (string, <-chan struct{}, bool) {
	select {
	case <-k.ends:
		return "", nil, false
	default:
		return "staff", k.ends, token == "staff-token"
	}
}

// TestRevokedWhileAnswering: what was begun under a token ends with it.
func TestRevokedWhileAnswering(t *testing.T) {
	key := revocable{make(chan struct{})}
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) { o.Authorizer = key })
	got := make(chan answer, 1)
	go func() { got <- d.post(t, strings.Replace(searchCall, "leave", "!wait", 1)) }()
	<-d.base["staff"].entered
	close(key.ends)
	<-d.base["staff"].stopped
	if a := <-got; a.status != 401 || strings.Contains(a.body, "result") {
		t.Errorf("%+v", a)
	}
	if a := d.post(t, searchCall); a.status != 401 {
		t.Errorf("after it: %+v", a)
	}
}

// TestRevokedStream: a stream that would go on for ever ends with its token.
func TestRevokedStream(t *testing.T) {
	key := revocable{make(chan struct{})}
	began := make(chan struct{})
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) {
		o.Authorizer = key
		o.Profiles["staff"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ": open\n\n")
			w.(http.Flusher).Flush()
			close(began)
			<-r.Context().Done()
		})
	})
	got := make(chan answer, 1)
	body := modernCall("tools/call", "subscriptions/listen", `"name":"search","arguments":{"query":"leave"}`, `"notifications":{}`)
	go func() {
		got <- d.post(t, body, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	}()
	<-began
	close(key.ends)
	if a := <-got; a.status != 200 || a.body != ": open\n\n" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%+v", a)
	}
}

// TestStreamsAreCounted: a profile's streams leave room for calls and for the others.
func TestStreamsAreCounted(t *testing.T) {
	began := make(chan struct{}, 2)
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) {
		o.Conns = 2 * len(o.Profiles) // one stream for each
		o.Profiles["staff"] = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			began <- struct{}{}
			<-r.Context().Done()
		})
	})
	listen := modernCall("tools/call", "subscriptions/listen", `"name":"search","arguments":{"query":"leave"}`, `"notifications":{}`)
	headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.addr+"/mcp", strings.NewReader(listen))
		if err != nil {
			return
		}
		for _, h := range append(headers, "Authorization: Bearer staff-token", "Content-Type: application/json", "Accept: application/json, text/event-stream") {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		if res, err := (&http.Client{Transport: &http.Transport{}}).Do(r); err == nil {
			res.Body.Close()
		}
	}()
	<-began
	if a := d.post(t, listen, headers...); a.status != 429 {
		t.Errorf("a stream too many: %+v", a)
	}
	if a := d.post(t, searchCall, "Authorization: Bearer guest-token"); a.status != 200 {
		t.Errorf("another profile: %+v", a)
	}
}

// TestOneProfileCannotFillTheDoor: calls beyond a profile's slots are told to come
// later, and another profile does not notice. (Case 88 of the attacks.)
func TestOneProfileCannotFillTheDoor(t *testing.T) {
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) { o.AtOnce, o.Waiting = 2, 1 })
	stuck := strings.Replace(searchCall, "leave", "!stuck", 1)
	got := make(chan answer, 9)
	post := func() { go func() { got <- d.post(t, stuck) }() }
	post()
	post()
	for range 2 {
		<-d.base["staff"].entered
	}
	post() // waits
	for d.door.profile("staff").limit.waiting.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	a := d.post(t, stuck)
	if a.status != 429 || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, `"code":-32603`) || !strings.Contains(a.body, `"id":1`) {
		t.Errorf("one too many: %+v", a)
	}
	if a := d.post(t, searchCall, "Authorization: Bearer guest-token"); a.status != 200 {
		t.Errorf("another profile: %+v", a)
	}
	for range 3 {
		d.base["staff"].stopped <- struct{}{}
		if a := <-got; a.status != 200 {
			t.Errorf("after waiting: %+v", a)
		}
	}
	slow := startHTTP(t, func(o *HTTPOptions, _ *pace) { o.Rate = 1e-9 })
	if a := slow.post(t, searchCall); a.status != 200 {
		t.Errorf("the first: %+v", a)
	}
	if a := slow.post(t, searchCall); a.status != 429 {
		t.Errorf("too many a second: %+v", a)
	}
}

// TestGuessing: wrong tokens are slowed down, one answer for all of them, and a good
// token is taken all the while. (Case 80 of the attacks.)
func TestGuessing(t *testing.T) {
	d := startHTTP(t, nil)
	seen := map[int]answer{}
	for i := range 200 {
		a := d.post(t, searchCall, fmt.Sprintf("Authorization: Bearer guess-%d", i))
		if first, again := seen[a.status]; again && cmp.Diff(first, a, cmp.AllowUnexported(answer{})) != "" {
			t.Fatalf("guess %d: %+v, not as before %+v", i, a, first)
		}
		seen[a.status] = a
	}
	if len(seen) != 2 || seen[401].status == 0 || seen[429].status == 0 {
		t.Errorf("%+v", seen)
	}
	if a := d.post(t, searchCall); a.status != 200 {
		t.Errorf("a good token: %+v", a)
	}
	if a := d.post(t, searchCall, "Authorization: -"); a.status != 401 {
		t.Errorf("no token: %+v", a)
	}
}

// TestProfilesChange: a profile that is added is let in at once, one that is taken away has
// the answer of a wrong token, and one that stays keeps what it has under way.
func TestProfilesChange(t *testing.T) {
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) { o.AtOnce, o.Waiting = 1, 1 })
	stuck := make(chan answer, 1)
	go func() { stuck <- d.post(t, strings.Replace(searchCall, "leave", "!stuck", 1)) }()
	<-d.base["staff"].entered
	staff, guest := d.door.opt.Profiles["staff"], d.door.opt.Profiles["guest"]
	d.door.SetProfiles(map[string]http.Handler{"staff": staff, "gone": guest})
	if a := d.post(t, searchCall, "Authorization: Bearer gone-token"); a.status != 200 || !strings.Contains(a.body, "canary of guest") {
		t.Errorf("a profile that is new: %+v", a)
	}
	wrong := d.post(t, searchCall, "Authorization: Bearer wrong-token")
	if diff := cmp.Diff(wrong, d.post(t, searchCall, "Authorization: Bearer guest-token"), cmp.AllowUnexported(answer{})); diff != "" || wrong.status != 401 {
		t.Errorf("a profile that is no more: %d %s", wrong.status, diff)
	}
	if n := len(d.door.profile("staff").limit.slots); n != 1 {
		t.Errorf("%d calls of staff are under way", n)
	}
	d.base["staff"].stopped <- struct{}{}
	if a := <-stuck; a.status != 200 {
		t.Errorf("what was begun: %+v", a)
	}
}
