package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"candor/internal/vaulttest"
)

// fault is one way to spoil a request, and the statuses that are right for it.
type fault struct {
	name  string
	spoil func(q *query, r *rand.Rand)
	right []int
}

// query is a request in parts.
type query struct {
	line, host, token, kind, body string
	more                          []string
	length                        string // of the body; "" is the true one
}

func (q query) String() string {
	head := q.line + "\r\n"
	if q.host != "" {
		head += "Host: " + q.host + "\r\n"
	}
	if q.token != "" {
		head += "Authorization: " + q.token + "\r\n"
	}
	if q.kind != "" {
		head += "Content-Type: " + q.kind + "\r\n"
	}
	for _, h := range q.more {
		head += h + "\r\n"
	}
	if q.length == "" {
		q.length = fmt.Sprint(len(q.body))
	}
	return head + "Content-Length: " + q.length + "\r\n\r\n" + q.body
}

func one(of ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return of[r.IntN(len(of))] }
}

var (
	badHosts   = one("evil.test", "localhost.evil.test:80", "127.0.0.1", "0.0.0.0:1", "[::ffff:127.0.0.1]:1", "127.0.0.1.:8080", "LOCALHOST")
	badOrigins = one("http://evil.test", "null", "http://localhost:9999", "https://localhost", "", "file://")
	badTokens  = one("", "Bearer", "Bearer ", "Basic x", "Bearer candor_"+strings.Repeat("A", 43), "bearer x", "Bearer a b", "Token x")
	badKinds   = one("", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "application/jsonx", ";", "multipart/form-data; boundary=x")
	badLines   = one("GET /mcp HTTP/1.1", "PUT /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1", "PATCH /mcp HTTP/1.1", "OPTIONS /mcp HTTP/1.1", "HEAD /mcp HTTP/1.1")
	badPaths   = one("POST / HTTP/1.1", "POST /mcp/ HTTP/1.1", "POST /mcp/../mcp HTTP/1.1", "POST /%6dcp2 HTTP/1.1", "POST //mcp HTTP/1.1", "POST /mcp;a HTTP/1.1")
	badLengths = one("-1", "+5", "0x10", "1,2", "1e3", "99999999999999999999", "a")
	badModern  = one("Mcp-Method: tools/list", "Mcp-Name: read", "MCP-Protocol-Version: 2025-11-25", "Mcp-Name: =?base64?!?=")
)

// unsound are the statuses of what is no HTTP of ours.
var unsound = []int{0, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 417, 429, 431, 501, 505}

var faults = []fault{
	{"host", func(q *query, r *rand.Rand) { q.host = badHosts(r) }, []int{403}},
	{"no host", func(q *query, _ *rand.Rand) { q.host = "" }, []int{400}},
	{"origin", func(q *query, r *rand.Rand) { q.more = append(q.more, "Origin: "+badOrigins(r)) }, []int{403}},
	{"token", func(q *query, r *rand.Rand) { q.token = badTokens(r) }, []int{401, 429}},
	{"two tokens", func(q *query, _ *rand.Rand) { q.more = append(q.more, "Authorization: "+q.token) }, []int{401, 429}},
	{"type", func(q *query, r *rand.Rand) { q.kind = badKinds(r) }, []int{415}},
	{"encoding", func(q *query, r *rand.Rand) {
		q.more = append(q.more, "Content-Encoding: "+one("gzip", "br", "zstd", "deflate")(r))
	}, []int{415}},
	{"method", func(q *query, r *rand.Rand) { q.line = badLines(r) }, []int{405}},
	{"path", func(q *query, r *rand.Rand) { q.line = badPaths(r) }, []int{404}},
	{"length", func(q *query, r *rand.Rand) { q.length = badLengths(r) }, []int{400}},
	{"much too long", func(q *query, _ *rand.Rand) { q.length = "300000" }, []int{413}},
	{"shorter than it says", func(q *query, r *rand.Rand) { q.length = fmt.Sprint(len(q.body) + 1 + r.IntN(100)) }, []int{400}},
	{"cut", func(q *query, r *rand.Rand) { q.length = fmt.Sprint(r.IntN(len(q.body))) }, []int{400}},
	{"encoded in chunks that are none", func(q *query, _ *rand.Rand) { q.more = append(q.more, "Transfer-Encoding: chunked") }, []int{400}},
	{"transfer", func(q *query, r *rand.Rand) {
		q.more = append(q.more, "Transfer-Encoding: "+one("xchunked", "gzip", "identity, chunked")(r))
	}, []int{400, 501}},
	{"head", func(q *query, r *rand.Rand) {
		q.more = append(q.more, "X: "+strings.Repeat("a", 21<<10+r.IntN(100_000)))
	}, []int{431}},
	{"name", func(q *query, r *rand.Rand) {
		q.more = append(q.more, one("X Y: z", ": z", "X\x00: z", "no colon", "X : z")(r))
	}, []int{400}},
	{"message", func(q *query, r *rand.Rand) { q.body, _ = vaulttest.Malformed(r, "x") }, []int{200, 202, 400}},
	{"version", func(q *query, r *rand.Rand) {
		q.more = append(q.more, "MCP-Protocol-Version: "+one("2099-01-01", "x", "2026-07-29", "1.0")(r))
	}, []int{400}},
	{"modern", func(q *query, r *rand.Rand) {
		q.body = strings.Replace(q.body, `"params":{`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
		q.more = append(q.more, badModern(r))
	}, []int{400}},
}

// garbled is a sound request with some of its bytes changed.
func garbled(text string, r *rand.Rand) string {
	b := []byte(text)
	for range 1 + r.IntN(6) {
		switch at := r.IntN(len(b)); r.IntN(4) {
		case 0:
			b[at] = byte(r.IntN(256))
		case 1:
			b = append(b[:at], b[min(len(b), at+1+r.IntN(20)):]...)
		case 2:
			b = append(b[:at:at], append([]byte(one("\r\n", "\n", "\x00", ":", "\xff", "  ", "\r\n\r\n")(r)), b[at:]...)...)
		default:
			b = b[:at]
		}
		if len(b) == 0 {
			return "\r\n"
		}
	}
	return string(b)
}

// badWeb sends malformed requests. Each must get a right status in time, and a good one
// must be answered all the while.
func badWeb(ctx context.Context, _ string) error {
	w, done, err := serveWeb(ctx, "")
	if err != nil {
		return err
	}
	defer done()
	total := cmp.Or(*count, 100_000)
	before, start := w.memory(), time.Now()
	var mu sync.Mutex
	seen := map[int]int{}
	var all sync.WaitGroup
	const workers = 16
	for worker := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(*seed, uint64(worker)))
			for n := range total / workers {
				text, name, right := w.spoiled(r)
				status := w.raw(text)
				mu.Lock()
				seen[status]++
				if !slices.Contains(right, status) {
					fail("%s: status %d, want one of %v: %.200q", name, status, right, text)
				}
				mu.Unlock()
				if n%200 != 0 {
					continue
				}
				if status, said := w.call("heron", search(n, "canary of this profile")); status != 200 || !strings.Contains(said, "heron") {
					mu.Lock()
					fail("a good request: %d %.200s", status, said)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	fmt.Printf("%d malformed requests in %.1f s; resident %d KiB before, %d after\n", total, time.Since(start).Seconds(), before, w.memory())
	for _, status := range slices.Sorted(maps.Keys(seen)) {
		fmt.Printf("  status %3d: %d\n", status, seen[status])
	}
	if n := seen[-1]; n > 0 {
		fail("%d requests got no answer in time", n)
	}
	return nil
}

// spoiled is a malformed request and what may be said to it.
func (w *web) spoiled(r *rand.Rand) (text, name string, right []int) {
	q := query{
		line: "POST /mcp HTTP/1.1", host: w.addr, token: "Bearer " + w.tokens["heron"], kind: "application/json",
		body: search(r.IntN(1000), "canary"),
	}
	if r.IntN(4) == 0 {
		return garbled(q.String(), r), "garbled", append([]int{200, 202}, unsound...)
	}
	f := faults[r.IntN(len(faults))]
	f.spoil(&q, r)
	return q.String(), f.name, f.right
}
