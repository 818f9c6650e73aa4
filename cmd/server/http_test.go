package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/internal/vaulttest"
	"candor/tokens"
)

// webDoor is candor serve --http in this process.
type webDoor struct {
	dir    string
	url    string
	tokens tokens.File
	said   <-chan string // lines of stderr
	stdout *lockedBuffer
	stop   func() int // gives the exit status
}

const webConfig = "vaults: [{name: v, root: ./v}]\nprofiles: {guest: {allow: [\"public/**\"]}, staff: {allow: [\"**\"]}}\ndefault_profile: staff\n"

// serveWeb starts the command on a vault where staff sees internal/ and guest does not.
func serveWeb(t *testing.T, flags ...string) webDoor {
	t.Helper()
	return serveWebOf(t, "guest", map[string]string{
		"candor.yaml":     webConfig,
		"v/public/tea.md": "# Tea\n\nTea is made at four. The canary of guests is heron.\n", "v/internal/tea.md": "# Tea\n\nTea is paid by the company. The canary of staff is osprey.\n",
	}, flags...)
}

// serveWebOf starts the command on files, candor.yaml among them, with a token for one of
// its profiles.
func serveWebOf(t *testing.T, profile string, files map[string]string, flags ...string) webDoor {
	t.Helper()
	d := webDoor{dir: t.TempDir()}
	t.Setenv("HOME", filepath.Join(d.dir, "home"))
	for name, text := range files {
		vaulttest.Put(t, d.dir, name, text)
	}
	d.tokens = tokens.File(filepath.Join(d.dir, "tokens", "t.json"))
	d.token(t, profile)
	return d.start(t, append(flags, "--config", filepath.Join(d.dir, "candor.yaml"), "--tokens", string(d.tokens)))
}

// start runs the command until the test ends.
func (d webDoor) start(t *testing.T, flags []string) webDoor {
	t.Helper()
	r, w := io.Pipe()
	d.stdout = &lockedBuffer{}
	m := Main{Stdin: strings.NewReader(""), Stdout: d.stdout, Stderr: w, Getenv: os.Getenv}
	ctx, cancel := context.WithCancel(context.Background())
	status := make(chan int, 1)
	go func() {
		status <- m.Run(ctx, append([]string{"serve", "--http", "127.0.0.1:0"}, flags...))
		w.Close()
	}()
	d.stop = func() int {
		cancel()
		code := <-status
		status <- code
		return code
	}
	t.Cleanup(func() { d.stop() })
	said := make(chan string, 100)
	d.said = said
	go func() {
		var b bytes.Buffer
		buf := make([]byte, 4096)
		for {
			n, err := r.Read(buf)
			b.Write(buf[:n])
			for line, rest, ok := bytes.Cut(b.Bytes(), []byte("\n")); ok; line, rest, ok = bytes.Cut(b.Bytes(), []byte("\n")) {
				said <- string(line)
				b = *bytes.NewBuffer(bytes.Clone(rest))
			}
			if err != nil {
				close(said)
				return
			}
		}
	}()
	d.url = d.hear(t, "candor: listening on ")
	return d
}

// hear waits for a line that begins so and gives its rest.
func (d webDoor) hear(t *testing.T, beginning string) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-d.said:
			if rest, found := strings.CutPrefix(line, beginning); found {
				return rest
			}
			if !ok {
				t.Fatalf("ended without saying %q", beginning)
			}
			t.Log(line)
		case <-late:
			t.Fatalf("does not say %q", beginning)
		}
	}
}

// token makes a token for a profile.
func (d webDoor) token(t *testing.T, profile string) (token, id string) {
	t.Helper()
	token, r, err := d.tokens.New(profile, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token, r.ID
}

// ask posts a search and gives the status and the answer.
func (d webDoor) ask(t *testing.T, client *http.Client, token string) (int, string) {
	t.Helper()
	resp, said := d.post(t, client, token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"tea canary"}}}`)
	return resp.StatusCode, said
}

// post sends a message.
func (d webDoor) post(t *testing.T, client *http.Client, token, message string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestServeHTTP: one process answers every profile by its token, takes a revocation and
// a new token without a restart, and ends in peace.
func TestServeHTTP(t *testing.T) {
	d := serveWeb(t)
	guest, _ := d.token(t, "guest")
	staff, id := d.token(t, "staff")
	if status, said := d.ask(t, toServers, guest); status != 200 || !strings.Contains(said, "heron") || strings.Contains(said, "osprey") {
		t.Errorf("guest: %d %s", status, said)
	}
	if status, said := d.ask(t, toServers, staff); status != 200 || !strings.Contains(said, "osprey") {
		t.Errorf("staff: %d %s", status, said)
	}
	if status, _ := d.ask(t, toServers, "none"); status != 401 {
		t.Errorf("without a token: %d, although there is a default profile", status)
	}
	if err := d.tokens.Revoke(id); err != nil {
		t.Fatal(err)
	}
	if status, _ := d.ask(t, toServers, staff); status != 401 {
		t.Errorf("a revoked token: %d", status)
	}
	if err := os.WriteFile(string(d.tokens), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _ := d.ask(t, toServers, guest); status != 401 {
		t.Errorf("with a broken token file: %d", status)
	}
	d.hear(t, "candor: no token is taken: ")
	if code := d.stop(); code != exitAnswered {
		t.Errorf("exit status %d", code)
	}
}

// save writes another candor.yaml and waits until it is in force.
func (d webDoor) save(t *testing.T, yaml string) {
	t.Helper()
	vaulttest.Put(t, d.dir, "candor.yaml", yaml)
	d.hear(t, "candor: candor.yaml was read again and is in force")
}

// TestProfilesWhileServing: a profile that is added to candor.yaml is let in without a
// restart, one that is removed is not, and the others go on.
func TestProfilesWhileServing(t *testing.T) {
	d := serveWeb(t)
	guest, _ := d.token(t, "guest")
	staff, _ := d.token(t, "staff")
	team, _ := d.token(t, "team")
	if status, _ := d.ask(t, toServers, team); status != 401 {
		t.Errorf("a profile that is not there: %d", status)
	}
	for _, rest := range []string{"", "language: [de]\n"} { // another policy, and another index
		d.save(t, "vaults: [{name: v, root: ./v}]\nprofiles: {team: {allow: [\"public/**\"]}, staff: {allow: [\"**\"]}}\ndefault_profile: staff\n"+rest)
		if status, said := d.ask(t, toServers, team); status != 200 || !strings.Contains(said, "heron") || strings.Contains(said, "osprey") {
			t.Errorf("the new profile: %d %s", status, said)
		}
		if status, said := d.ask(t, toServers, guest); status != 401 {
			t.Errorf("the former one: %d %s", status, said)
		}
		if status, said := d.ask(t, toServers, staff); status != 200 || !strings.Contains(said, "osprey") {
			t.Errorf("one that stays: %d %s", status, said)
		}
		d.save(t, webConfig+rest)
		if status, said := d.ask(t, toServers, guest); status != 200 || !strings.Contains(said, "heron") {
			t.Errorf("one that is there again: %d %s", status, said)
		}
		if status, _ := d.ask(t, toServers, team); status != 401 {
			t.Errorf("one that is gone: %d", status)
		}
	}
}

// TestDeniedIsMissingOverHTTP: a denied note and one that is not there give the same bytes,
// status and headers, through every way to name a note.
func TestDeniedIsMissingOverHTTP(t *testing.T) {
	d := serveWeb(t)
	token, _ := d.token(t, "guest")
	for _, form := range []string{
		`"tools/call","params":{"name":"read","arguments":{"path":"PATH"}}`,
		`"tools/call","params":{"name":"read","arguments":{"citation":"PATH#L1-L3@00000000"}}`,
		`"tools/call","params":{"name":"links","arguments":{"path":"PATH"}}`,
		`"resources/read","params":{"uri":"candor://note/PATH"}`,
	} {
		var first string
		for _, path := range []string{"internal/tea.md", "internal/tee.md"} {
			resp, said := d.post(t, toServers, token, `{"jsonrpc":"2.0","id":1,"method":`+strings.ReplaceAll(form, "PATH", path)+`}`)
			resp.Header.Del("Date")
			said = fmt.Sprint(resp.StatusCode, resp.Header, said)
			if first == "" {
				first = said
			}
			if said != first || !strings.Contains(said, "not found") {
				t.Errorf("%s: %s, and not as the denied one: %s", form, said, first)
			}
		}
	}
}

// TestServeHTTPS: with a certificate a client that trusts it is answered, and one that
// speaks plain HTTP is not.
func TestServeHTTPS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := selfSigned(t, cert, key)
	d := serveWeb(t, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(d.url, "https://127.0.0.1:") {
		t.Fatalf("listens on %s", d.url)
	}
	token, _ := d.token(t, "staff")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	if status, said := d.ask(t, client, token); status != 200 || !strings.Contains(said, "osprey") {
		t.Errorf("%d %s", status, said)
	}
	d.url = strings.Replace(d.url, "https", "http", 1)
	if status, said := d.ask(t, toServers, token); status != 400 || strings.Contains(said, "osprey") {
		t.Errorf("plain HTTP: %d %s", status, said)
	}
}

// selfSigned writes a certificate for loopback and gives a pool that trusts it.
func selfSigned(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "candor test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool.AppendCertsFromPEM(certPEM)
	for file, text := range map[string][]byte{
		certFile: certPEM, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

// TestOrigins: by which names a server may be meant.
func TestOrigins(t *testing.T) {
	tests := []struct {
		addr  string
		flags httpFlags
		want  string
	}{
		{"127.0.0.1:8080", httpFlags{}, "http://127.0.0.1:8080 http://localhost:8080 http://[::1]:8080"},
		{"[::1]:80", httpFlags{}, "http://[::1] http://localhost http://127.0.0.1"},
		{"127.0.0.1:443", httpFlags{TLSCert: "c"}, "https://127.0.0.1 https://localhost https://[::1]"},
		{"127.0.0.1:8080", httpFlags{Expose: "kb.example.com"}, "https://kb.example.com http://127.0.0.1:8080 http://localhost:8080 http://[::1]:8080"},
		{"0.0.0.0:8443", httpFlags{Expose: "kb.example.com:8443", TLSCert: "c"}, "https://kb.example.com:8443"},
		{"0.0.0.0:443", httpFlags{Expose: "kb.example.com:443", TLSCert: "c"}, "https://kb.example.com"},
	}
	for _, tt := range tests {
		if got := strings.Join(tt.flags.origins(netip.MustParseAddrPort(tt.addr)), " "); got != tt.want {
			t.Errorf("%s %+v: %s, want %s", tt.addr, tt.flags, got, tt.want)
		}
	}
}

// TestNames: what may be given as the name by which other machines reach a server. One that
// no client would send in its Host could only refuse all.
func TestNames(t *testing.T) {
	for _, name := range []string{"kb.example.com", "kb", "kb.example.com:8443", "kb.example.com:443", "192.0.2.7", "[2001:db8::1]:8443", "xn--kb-eka.example"} {
		if !isName(name) {
			t.Errorf("%s is refused", name)
		}
	}
	for _, name := range []string{
		"*.example.com", "https://kb.example.com", "kb.example.com/", "kb.example.com/mcp", "kb.example.com:", "kb.example.com:0", "kb.example.com:70000",
		"kb.example.com:08443", "kb.example.com:https", "KB.example.com", "k\u00fcb.example.com", "kb.example.com.", "me@kb.example.com", "a b", "a,b", "?", "#", ":8443",
		"2001:db8::1", "kb.example.com?x", "\u212a.example",
	} {
		if isName(name) {
			t.Errorf("%q is taken", name)
		}
	}
}
