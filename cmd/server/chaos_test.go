package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"candor"
	"candor/internal/fakeollama"
	"candor/internal/vaulttest"
	"candor/retrieval/semantic"
)

// The long forms of these tests: -chaos 10m, and -planted 1000 -kills 50.
var (
	chaos       = flag.Duration("chaos", 2*time.Second, "how long TestServersKilled kills servers")
	plantedMany = flag.Int("planted", 24, "words that TestNothingIsWrittenInPlainText plants")
	kills       = flag.Int("kills", 2, "servers that it kills")
)

// Two servers fill one cache while notes change and either is killed at any moment. Both
// always answer; in the end the cache is sound, and what is embedded anew equals what was
// stored. (Case 118.)
func TestServersKilled(t *testing.T) {
	fake := fakeollama.New()
	fake.PerText = time.Millisecond
	home, a := hybridHome(t, fake, zones, noteEach(200), false)
	root := filepath.Join(filepath.Dir(a.Config), "vault")
	rng := rand.New(rand.NewPCG(118, 1))
	launch := func() *served { return startAt(t, home, "--config="+a.Config).greet() }
	servers := []*served{launch(), launch()}
	asked, killed := 0, 0
	for end := time.Now().Add(*chaos); time.Now().Before(end); asked++ {
		n := rng.IntN(200)
		vaulttest.Save(t, root, fmt.Sprintf("internal/n%03d.md", n), fmt.Sprintf("# Note %d\n\nwords of the note %[1]d alone, edition %d\n", n, asked))
		for _, c := range servers {
			got := c.call("search", map[string]any{"query": fmt.Sprintf("words of the note %d", rng.IntN(200))})
			if hits, _ := got.data["hits"].([]any); got.isError || len(hits) == 0 {
				t.Fatalf("no answer after %d kills: %s", killed, got.raw)
			}
		}
		if at := rng.IntN(len(servers)); rng.IntN(20) == 0 {
			if err := servers[at].cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			servers[at].wait()
			servers[at], killed = launch(), killed+1
		}
	}
	for _, c := range servers {
		if code := c.close(); code != 0 {
			t.Errorf("status %d: %s", code, c.stderr)
		}
	}
	t.Logf("%d questions to each of two servers, %d kills", asked, killed)
	a.run(t, exitAnswered, "embed")
	a.run(t, exitAnswered, "cache", "verify")
	anewAsStored(t, a)
}

// anewAsStored embeds texts as questions, which are never looked up in the cache: each
// must meet its own stored vector at a cosine of 1.
func anewAsStored(t *testing.T, a *app) {
	t.Helper()
	s := a.opened(t)
	s.bases["admin"].Sync()
	chunks := s.corpus.Snapshot("admin").Chunks
	index := s.leg.Index("admin").Update(chunks)
	for slot, ch := range chunks[:min(200, len(chunks))] {
		if ch == nil {
			continue
		}
		got, err := index.Retrieve(t.Context(), candor.Query{Text: semantic.Compose(ch).String()}, 5)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(got.Hits, func(h candor.Hit) bool { return h.Slot == slot })
		if at < 0 || got.Hits[at].Score < 1-1e-5 {
			t.Errorf("%s: embedded anew it is not what was stored: %+v", ch.Path, got.Hits)
		}
	}
}

// Words are planted in each place of a note, every tool is run over them, embedding and
// serving are killed at any moment: no byte that is written outside the vault holds one,
// in any form. (Case 111.)
func TestNothingIsWrittenInPlainText(t *testing.T) {
	canaries := vaulttest.Canaries(*plantedMany)
	files := map[string]string{}
	for i := 0; i+7 < len(canaries); i += 8 {
		c := canaries[i : i+8]
		files["internal/"+c[0]+".md"] = fmt.Sprintf("---\ntitle: About %s\ntags: [%s]\nowner: %s\n---\n# Heading %s\n\nleave words %s in the text\n\n"+
			"```\ncode %s\n```\n\n| %s |\n|---|\n| leave |\n\n[link](../public/keep.md \"%[7]s\")\n", c[1], c[2], c[3], c[4], c[5], c[6], c[7])
	}
	files["public/keep.md"] = "# Keep\n\nleave words that everybody reads\n"
	fake := fakeollama.New()
	fake.PerText = time.Millisecond
	home, a := hybridHome(t, fake, zones, files, false)
	t.Setenv("TMPDIR", filepath.Join(home, "tmp"))
	if err := os.Mkdir(filepath.Join(home, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(111, 1))
	var said []string
	for i := range *kills {
		if i%5 == 0 { // from an empty cache
			if err := os.RemoveAll(cached(t, a)); err != nil {
				t.Fatal(err)
			}
		}
		c := startAt(t, home, "--config="+a.Config, "--debug").greet()
		for range 1 + rng.IntN(10) {
			c.call("search", map[string]any{"query": "leave " + pick(rng, canaries)})
		}
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		c.wait()
		said = append(said, c.stderr.String())
	}
	c := startAt(t, home, "--config="+a.Config, "--debug").greet()
	c.until("hybrid", func() bool { return strings.Contains(c.call("status", nil).raw, `"mode":"hybrid"`) })
	everything(c, files, canaries[:min(len(canaries), 60)])
	if code := c.close(); code != 0 {
		t.Errorf("status %d: %s", code, c.stderr)
	}
	if !strings.Contains(strings.Join(c.output(), ""), canaries[5]) {
		t.Fatal("the words are not told to the client: the test proves nothing")
	}
	written := everyByte(t, home)
	if len(written) < 4 {
		t.Fatalf("%d files were written: the test proves nothing", len(written))
	}
	vaulttest.NoLeak(t, canaries, append(append(said, c.stderr.String()), written...)...)
}

// everyByte is the name and the bytes of every file under a folder, as they are and as
// far as anything in them can be decompressed.
func everyByte(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		all = append(all, file+"\n"+string(data)+inflated(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// inflated is what begins anywhere in data as a zstd or a gzip stream.
func inflated(data []byte) string {
	var out bytes.Buffer
	for _, magic := range []string{"\x28\xb5\x2f\xfd", "\x1f\x8b\x08"} {
		for at := 0; ; at++ {
			next := bytes.Index(data[at:], []byte(magic))
			if next < 0 {
				break
			}
			at += next
			var r io.Reader
			if magic[0] == 0x1f {
				if z, err := gzip.NewReader(bytes.NewReader(data[at:])); err == nil {
					r = z
				}
			} else if z, err := zstd.NewReader(bytes.NewReader(data[at:]), zstd.WithDecoderMaxMemory(1<<24)); err == nil {
				defer z.Close()
				r = z
			}
			if r != nil { // an error ends the stream; what came before it counts
				_, _ = io.Copy(&out, io.LimitReader(r, 1<<24))
			}
		}
	}
	return out.String()
}
