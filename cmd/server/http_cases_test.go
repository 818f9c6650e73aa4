package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/internal/fakeollama"
	"candor/internal/vaulttest"
	"candor/tokens"
)

// webClient asks over HTTP with one token, over connections of its own.
type webClient struct {
	t     *testing.T
	door  webDoor
	token string
	http  *http.Client
}

var _ asker = webClient{}

// client makes a client with a new token of a profile.
func (d webDoor) client(t *testing.T, profile string) webClient {
	t.Helper()
	token, _ := d.token(t, profile)
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return webClient{t, d, token, &http.Client{Transport: own}}
}

func (c webClient) ask(method string, params any) string {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "id", "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	resp, said := c.door.post(c.t, c.http, c.token, string(body))
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		c.t.Fatalf("%s: %d %.400s", method, resp.StatusCode, said)
	}
	return said
}

func (c webClient) call(tool string, args map[string]any) answer {
	c.t.Helper()
	return toolAnswer(c.t, c.ask("tools/call", map[string]any{"name": tool, "arguments": args}))
}

func (c webClient) found(query string) []string {
	c.t.Helper()
	return c.call("search", map[string]any{"query": query, "limit": 50}).paths()
}

func (c webClient) until(what string, holds func() bool) {
	c.t.Helper()
	if !comesTrue(holds) {
		c.t.Fatal("never: " + what)
	}
}

// quiet ends the server and holds that it has said nothing more than where it listens.
func (d webDoor) quiet(t *testing.T) {
	t.Helper()
	if code := d.stop(); code != exitAnswered || d.stdout.String() != "" {
		t.Errorf("status %d, on stdout %q", code, d.stdout)
	}
	for line := range d.said {
		t.Errorf("on stderr: %s", line)
	}
}

// Public reports 6, 7, 8, 10 and 11 over HTTP: results fit the schemas that are declared and
// each half is enough, a message that is too long is refused and the next one answered, no
// version is made up, polling leaves no trace.
func TestReportedResultsOverHTTP(t *testing.T) {
	files := map[string]string{"candor.yaml": "vaults: [{name: v, root: ./v}]\nprofiles: {all: {allow: [\"**\"]}}\n"}
	for name, text := range longNotes() {
		files["v/"+name] = text
	}
	d := serveWebOf(t, "all", files)
	c := d.client(t, "all")
	holdResults(t, c)
	long := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"` + strings.Repeat("heron ", 50_000) + `"}}}`
	if resp, said := d.post(t, c.http, c.token, long); resp.StatusCode != http.StatusRequestEntityTooLarge || len(said) > 100 {
		t.Errorf("a message of 300 KB: %d %.200s", resp.StatusCode, said)
	}
	if got := c.found("heron lantern"); len(got) == 0 {
		t.Error("nothing is found after a message that was too long")
	}
	for asked, want := range map[string]string{
		`"2024-11-05",`: "2024-11-05", `"2025-06-18",`: "2025-06-18", `"2025-11-25",`: "2025-11-25",
		`"2099-01-01",`: "2025-11-25", `"",`: "2025-11-25", "": "2025-11-25",
	} {
		if asked != "" {
			asked = `"protocolVersion":` + asked
		}
		resp, said := d.post(t, c.http, c.token, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+asked+`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if resp.StatusCode != http.StatusOK || !strings.Contains(said, `"protocolVersion":"`+want+`"`) {
			t.Errorf("version %s: %d %s", asked, resp.StatusCode, said)
		}
	}
	d.quiet(t)
}

// Public reports 9 and 14 over HTTP, with all logging on and nobody at the embedder's
// address: odd line ends and a BOM are taken, half a message costs that message alone, and
// what is answered is JSON; nothing is on stdout, and no word of a note or token in the log.
func TestReportedFramesOverHTTP(t *testing.T) {
	d := serveWebOf(t, "staff", map[string]string{
		"candor.yaml": webConfig + "ollama: {url: \"http://127.0.0.1:1\"}\n", "v/public/tea.md": "# Tea\n\nThe canary is heron.\n",
	}, "--debug")
	c := d.client(t, "staff")
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tt := range []struct {
		text   string
		status int
		says   string
	}{
		{"\ufeff" + ping + "\r\n", 200, `"result":{}`},
		{"\r\n" + strings.ReplaceAll(ping, ",", ",\r\n"), 200, `"result":{}`},
		{`{"jsonrpc":`, 400, "-32700"},
		{"", 400, "-32700"},
		{"\ufeff\ufeff" + ping, 400, "-32700"},
		{ping, 200, `"result":{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"canary"}}}`, 200, "heron"},
	} {
		resp, said := d.post(t, c.http, c.token, tt.text)
		if resp.StatusCode != tt.status || !strings.Contains(said, tt.says) || !json.Valid([]byte(said)) || strings.Contains(said, "\r") {
			t.Errorf("%q: %d %q, want %d and %s", tt.text, resp.StatusCode, said, tt.status, tt.says)
		}
	}
	if d.stop(); d.stdout.String() != "" {
		t.Errorf("on stdout: %s", d.stdout)
	}
	logged := 0
	for line := range d.said {
		logged++
		if strings.Contains(line, "canary") || strings.Contains(line, "heron") || strings.Contains(line, c.token) {
			t.Errorf("logged: %s", line)
		}
	}
	if logged == 0 {
		t.Error("nothing was logged: the test proves nothing")
	}
}

// Public report 23 over HTTP: the windows of many clients need one server, and where two
// servers run over one vault and one cache all the same, all windows are answered while
// notes change, each text is embedded once between them, and the cache is sound.
func TestWindowsShareTheWork(t *testing.T) {
	fake := fakeollama.New()
	_, a := hybridHome(t, fake, zones, noteEach(60), false)
	before := len(fake.Texts())
	dir := filepath.Dir(a.Config)
	d := webDoor{dir: dir, tokens: tokens.File(filepath.Join(dir, "tokens", "t.json"))}
	d.token(t, "staff")
	flags := []string{"--config", a.Config, "--tokens", string(d.tokens)}
	doors := []webDoor{d.start(t, flags), d.start(t, flags)}
	var asking sync.WaitGroup
	for i := range 8 {
		c := doors[i%2].client(t, "staff")
		asking.Go(func() {
			c.until("hybrid", func() bool {
				got := c.call("search", map[string]any{"query": "words of the note 7"})
				if got.isError || len(got.paths()) == 0 {
					t.Errorf("no answer: %s", got.raw)
				}
				return strings.Contains(got.raw, `"mode":"hybrid"`)
			})
		})
	}
	for i := range 20 {
		vaulttest.Save(t, filepath.Join(dir, "vault"), fmt.Sprintf("internal/new%d.md", i), fmt.Sprintf("# New %d\n\nwords of the new note %[1]d alone\n", i))
		time.Sleep(10 * time.Millisecond)
	}
	asking.Wait()
	for _, d := range doors {
		d.quiet(t)
	}
	count := map[string]int{}
	for _, text := range fake.Texts()[before:] {
		if strings.Contains(text, "alone") {
			count[text]++
		}
	}
	for text, n := range count {
		if n > 1 {
			t.Errorf("embedded %d times: %.60q", n, text)
		}
	}
	if len(count) < 60 {
		t.Errorf("%d texts were embedded", len(count))
	}
	a.run(t, exitAnswered, "cache", "verify")
}

// Public report 83 over HTTP, and fault 8 of qmd: nothing inside a denied folder is allowed
// again, whatever its spelling; all that is denied is missing in the same bytes; nothing is
// writable; no answer names a place on the disk.
func TestReportedPolicyOverHTTP(t *testing.T) {
	d := serveWebOf(t, "team", map[string]string{
		"candor.yaml":    "vaults: [{name: v, root: ./v}]\nprofiles: {team: {allow: [\"work/**\", work/salaries/public.md], deny: [\"work/salaries/**\"]}}\n",
		"v/work/plan.md": "# Plan\n\nThe heron is planned. [pay](salaries/public.md)\n", "v/work/salaries/public.md": "# Pay\n\nThe osprey is paid.\n",
		"v/work/salaries/all.md": "# All\n\nThe osprey again.\n", "v/home.md": "# Home\n\nThe osprey at home.\n",
	})
	c := d.client(t, "team")
	before := allFiles(t, d.dir)
	if got := c.found("heron"); len(got) != 1 || got[0] != "work/plan.md" {
		t.Errorf("found %v", got)
	}
	all := ""
	miss := maskNonce(c.call("read", map[string]any{"path": "work/none.md"}).raw)
	for _, path := range []string{
		"work/salaries/public.md", "Work/Salaries/public.md", "work/SALARIES/all.md", "work/salaries/all.md", "home.md",
		"work/../home.md", "work//salaries/public.md", `work\salaries\public.md`,
	} {
		got := maskNonce(c.call("read", map[string]any{"path": path}).raw)
		if all += got; got != miss {
			t.Errorf("%s: %s, want %s", path, got, miss)
		}
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		all += c.ask(method, map[string]any{})
	}
	for tool, args := range map[string]map[string]any{
		"status": nil, "outline": {}, "links": {"path": "work/plan.md"}, "search": {"query": "the home is paid again", "explain": true},
	} {
		got := c.call(tool, args)
		for _, h := range got.paths() {
			if h != "work/plan.md" {
				t.Errorf("%s: %s", tool, h)
			}
		}
		all += got.raw
	}
	for _, word := range []string{"osprey", d.dir, "home.md", "create_note", "append_ledger", "salaries/all"} {
		if strings.Contains(all, word) {
			t.Errorf("an answer holds %q: %s", word, all)
		}
	}
	for _, tool := range []string{"create_note", "append_ledger", "write", "delete"} {
		if got := c.ask("tools/call", map[string]any{"name": tool, "arguments": map[string]any{"title": "t", "body": "b", "path": "work/x.md"}}); !strings.Contains(got, "-32602") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	if after := allFiles(t, d.dir); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	d.quiet(t)
}

// allFiles are every file of a vault with its text.
func allFiles(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	vault := os.DirFS(filepath.Join(dir, "v"))
	if err := fs.WalkDir(vault, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			fmt.Fprintln(&b, path)
			return err
		}
		text, err := fs.ReadFile(vault, path)
		fmt.Fprintf(&b, "%s %q\n", path, text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Public report 91 over HTTP: two vaults with the same file stay apart for two tokens.
func TestReportedVaultsOverHTTP(t *testing.T) {
	d := serveWebOf(t, "both", twoVaults())
	holdVaults(t, d.dir, d.client(t, "both"), d.client(t, "left"))
	d.quiet(t)
}

// Case 14 of the attacks over HTTP: once the program says that a tighter policy is in force,
// no answer to clients who ask all the while tells what it denies.
func TestTightenedOverHTTP(t *testing.T) {
	d := serveWeb(t)
	c := d.client(t, "staff")
	cite := c.call("search", map[string]any{"query": "osprey"}).data["hits"].([]any)[0].(map[string]any)["citation"].(map[string]any)["id"]
	stop := make(chan struct{})
	tight := make(chan struct{})
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			for denied := false; ; {
				select {
				case <-stop:
					return
				case <-tight:
					denied = true
				default:
				}
				said := c.call("search", map[string]any{"query": "company"}).raw + c.call("read", map[string]any{"citation": cite}).raw +
					c.call("read", map[string]any{"path": "internal/tea.md"}).raw
				if denied && strings.Contains(said, "osprey") {
					t.Errorf("told: %s", said)
					return
				}
			}
		})
	}
	vaulttest.Save(t, d.dir, "candor.yaml", strings.Replace(webConfig, `staff: {allow: ["**"]}`, `staff: {allow: ["**"], deny: ["internal/**"]}`, 1))
	d.hear(t, "candor: candor.yaml was read again and is in force")
	close(tight)
	for range 20 {
		if said := c.call("read", map[string]any{"citation": cite}).raw; strings.Contains(said, "osprey") {
			t.Errorf("told: %s", said)
		}
	}
	close(stop)
	asking.Wait()
}
