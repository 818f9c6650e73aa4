package mcpserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// dial opens a connection that the test reads and writes by hand.
func (d httpDoor) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second)) // far beyond what is tested
	return c
}

// raw sends bytes and gives all that comes until the server closes.
func (d httpDoor) raw(t *testing.T, text string) string {
	t.Helper()
	c := d.dial(t)
	go func() { _, _ = io.WriteString(c, text) }() // the server may stop reading
	said, err := io.ReadAll(c)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Errorf("%.60q: the connection stays open", text)
	}
	return string(said)
}

// statuses are those of the answers in what a server said.
func statuses(said string) (out []string) {
	for line := range strings.Lines(said) {
		if rest, ok := strings.CutPrefix(line, "HTTP/1."); ok && len(rest) > 5 {
			out = append(out, rest[2:5])
		}
	}
	return out
}

// TestSmuggling: requests whose length can be read in two ways, and ones whose name can.
// What comes after such a request is never answered as another's. (Cases 72, 89, 90 and 91 of
// the attacks.)
func TestSmuggling(t *testing.T) {
	d := startHTTP(t, func(_ *HTTPOptions, p *pace) { p.body, p.idle = time.Second, time.Second })
	head := "POST /mcp HTTP/1.1\r\nHost: " + d.addr + "\r\nContent-Type: application/json\r\n"
	const staff = "Authorization: Bearer staff-token\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len(searchCall))
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(searchCall), searchCall)
	chunked := "Transfer-Encoding: chunked\r\n"
	hidden := head + length + "\r\n" + searchCall // has no token
	tests := []struct{ name, text, want string }{
		{"as it should be", head + staff + length + "Connection: close\r\n\r\n" + searchCall, "200"},
		{"chunked", head + staff + chunked + "Connection: close\r\n\r\n" + chunk, "200"},
		{"length and chunks", head + staff + length + chunked + "\r\n" + chunk + hidden, "400 200,401 200"},
		{"two lengths", head + staff + length + "Content-Length: 3\r\n\r\n" + searchCall, "400"},
		{"two equal lengths", head + staff + length + length + "Connection: close\r\n\r\n" + searchCall, "400 200"},
		{"a list of lengths", head + staff + fmt.Sprintf("Content-Length: %d, 3\r\n\r\n", len(searchCall)) + searchCall, "400"},
		{"negative length", head + staff + "Content-Length: -1\r\n\r\n" + searchCall, "400"},
		{"plus length", head + staff + fmt.Sprintf("Content-Length: +%d\r\n\r\n", len(searchCall)) + searchCall, "400"},
		{"chunks ended by LF", head + staff + chunked + "\r\n" + strings.ReplaceAll(chunk, "\r\n", "\n"), "400"},
		{"chunk of nonsense", head + staff + chunked + "\r\nzz\r\n" + searchCall, "400"},
		{"xchunked", head + staff + "Transfer-Encoding: xchunked\r\n\r\n" + chunk, "400 501"},
		{"identity, chunked", head + staff + "Transfer-Encoding: identity, chunked\r\n\r\n" + chunk, "400 501"},
		{"two encodings", head + staff + chunked + "Transfer-Encoding: gzip\r\n\r\n" + chunk, "400 501"},
		{"a space before the colon", head + staff + "Transfer-Encoding : chunked\r\n\r\n" + chunk, "400"},
		{"a folded header", head + staff + "X: a\r\n Authorization: Bearer guest-token\r\n" + length + "Connection: close\r\n\r\n" + searchCall, "400 200"},
		{"a second without a token", head + staff + length + "\r\n" + searchCall + hidden, "200,401"},
		{"HTTP/1.0 without a host", "POST /mcp HTTP/1.0\r\n" + staff + length + "\r\n" + searchCall, "400 403"},
		{"no host", "POST /mcp HTTP/1.1\r\n" + staff + length + "\r\n" + searchCall, "400 403"},
		{"an empty host", "POST /mcp HTTP/1.1\r\nHost:\r\n" + staff + length + "Connection: close\r\n\r\n" + searchCall, "400 403"},
		{"two hosts", head + "Host: evil.test\r\n" + staff + length + "\r\n" + searchCall, "400 403"},
		{"another host in the line", strings.Replace(head, "/mcp", "http://evil.test/mcp", 1) + staff + length + "Connection: close\r\n\r\n" + searchCall, "403"},
		{"this host in the line", strings.Replace(head, "/mcp", "http://"+d.addr+"/mcp", 1) + staff + length + "Connection: close\r\n\r\n" + searchCall, "403"},
		{"CONNECT", "CONNECT " + d.addr + " HTTP/1.1\r\nHost: " + d.addr + "\r\nConnection: close\r\n\r\n", "403 404 405"},
		{"HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 403 404 505"},
		{"upgrade to h2c", "GET /healthz HTTP/1.1\r\nHost: " + d.addr + "\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", "200"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"},
		{"2 MB of header", head + "X: " + strings.Repeat("a", 2<<20) + "\r\n\r\n", "431"},
		{"100,000 cookies", head + strings.Repeat("Cookie: a=\r\n", 100_000) + "\r\n", "431"},
		{"an endless line", "GET /" + strings.Repeat("a", 1<<20), "431"},
		{"endless chunks", head + staff + chunked + "\r\n" + strings.Repeat("8000\r\n"+strings.Repeat(" ", 0x8000)+"\r\n", 12), "413"},
		{"endless chunks without a token", head + chunked + "\r\n" + strings.Repeat("8000\r\n"+strings.Repeat(" ", 0x8000)+"\r\n", 12), "401"},
		{"a length beyond the bound", head + staff + "Content-Length: 263169\r\n\r\n", "413"},
		{"more than there is", head + staff + "Content-Length: 1000\r\n\r\n" + searchCall, "400"},
	}
	for _, tt := range tests {
		said := d.raw(t, tt.text)
		got := strings.Join(statuses(said), ",")
		ok := false
		for want := range strings.FieldsSeq(tt.want) {
			ok = ok || got == want
		}
		if !ok || strings.Contains(said, "evil") || strings.Contains(said, "canary of guest") {
			t.Errorf("%s: %q, want one of %q:\n%.400s", tt.name, got, tt.want, said)
		}
	}
}

// TestProfileOfEachRequest: on one connection each request has the profile of its own
// token, and none without one. (Case 81 of the attacks.)
func TestProfileOfEachRequest(t *testing.T) {
	d := startHTTP(t, nil)
	c := d.dial(t)
	r := bufio.NewReader(c)
	for _, tt := range []struct{ token, want string }{
		{"staff-token", "canary of staff"},
		{"guest-token", "canary of guest"},
		{"", "Unauthorized"},
		{"guest-token", "canary of guest"},
		{"other", "Unauthorized"},
		{"staff-token", "canary of staff"},
	} {
		text := "POST /mcp HTTP/1.1\r\nHost: " + d.addr + "\r\nContent-Type: application/json\r\n"
		if tt.token != "" {
			text += "Authorization: Bearer " + tt.token + "\r\n"
		}
		if _, err := fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", text, len(searchCall), searchCall); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), tt.want) {
			t.Errorf("%s: %d %s, %v", tt.token, resp.StatusCode, body, err)
		}
	}
}

// TestSlowClientsAreLeft: a client that sends its head or its body a byte at a time, or
// says nothing any more, is let go; one that is slow to ask is not. (Case 87 of the attacks.)
func TestSlowClientsAreLeft(t *testing.T) {
	const short = 400 * time.Millisecond
	d := startHTTP(t, func(_ *HTTPOptions, p *pace) { p.head, p.body, p.idle, p.write = short, 2*short, short, short })
	head := "POST /mcp HTTP/1.1\r\nHost: " + d.addr + "\r\nContent-Type: application/json\r\nAuthorization: Bearer staff-token\r\n"
	body := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(searchCall))
	for name, text := range map[string]string{
		"nothing": "", "half a head": head[:60], "head without an end": head, "head alone": head + body,
		"half a body": head + body + searchCall[:20], "idle after an answer": head + body + searchCall,
		"h2c preface": "PRI * HTTP/2.0\r\n", "body without a token": strings.Replace(head+body, "staff", "x", 1),
	} {
		c := d.dial(t)
		_, _ = io.WriteString(c, text)
		if _, err := io.ReadAll(c); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				t.Errorf("%s: still connected", name)
			}
		}
	}
	// A byte at a time makes no difference.
	c := d.dial(t)
	for i := 0; ; i++ {
		if _, err := io.WriteString(c, head[i%len(head):i%len(head)+1]); err != nil {
			break
		}
		time.Sleep(short / 10)
	}
	// A call that takes longer than a request may come is answered all the same.
	done := make(chan answer, 1)
	go func() { done <- d.post(t, strings.Replace(searchCall, "leave", "!stuck", 1)) }()
	<-d.base["staff"].entered
	time.Sleep(4 * short)
	d.base["staff"].stopped <- struct{}{}
	if a := <-done; a.status != 200 {
		t.Errorf("a long call: %+v", a)
	}
}

// TestTooManyConnections: beyond the bound a connection is closed at once, and those that
// are open are served. (Case 88 of the attacks.)
func TestTooManyConnections(t *testing.T) {
	d := startHTTP(t, func(o *HTTPOptions, _ *pace) { o.Conns = 3 })
	first := d.dial(t)
	var more []net.Conn
	for range 2 {
		more = append(more, d.dial(t))
	}
	ask := "GET /healthz HTTP/1.1\r\nHost: " + d.addr + "\r\n\r\n"
	read := func(c net.Conn) string {
		_, _ = io.WriteString(c, ask)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return "closed"
		}
		return resp.Status
	}
	for _, c := range append(more, first) {
		if got := read(c); got != "200 OK" {
			t.Errorf("within the bound: %s", got)
		}
	}
	if got := read(d.dial(t)); got != "closed" {
		t.Errorf("beyond the bound: %s", got)
	}
	more[0].Close()
	for range 100 {
		if read(d.dial(t)) == "200 OK" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a place that is free again is not given away")
}
