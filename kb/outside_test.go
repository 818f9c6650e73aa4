package kb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor/internal/vaulttest"
	"candor/kb"
)

// All that leads out of a passage is listed, however it is written, and nothing else.
func TestTargetsThatLeadOutAreListed(t *testing.T) {
	dir := vaulttest.WriteMap(t, map[string]string{
		"public/out.md": strings.Join([]string{
			"# Otters", "", "otter [a](https://a.test/x) [b][r] ![c](https://c.test/i.png) ![d][s] <https://e.test/> https://f.test/y.",
			"[g](javascript:alert(1)) [h](java&#115;cript:x) ![i](data:image/png;base64,AAAA) <img src='//j.test/p'> <a href=\"https://k.test\">k</a>",
			"[again](https://a.test/x) [inside](other.md) ![in](img/a.png) [[wiki]] [part](#part) [l](\\\\\\\\l.test\\x)",
			"", "# Elsewhere", "", "heron", "", "[r]: https://r.test/?d=1", "[s]: <https://s.test/i.png>",
		}, "\n"),
		"public/none.md": "# Herons\n\nkestrel [a](other.md)\n",
		"public/many.md": "# Many\n\nstork " + func() (s string) {
			for i := range 60 {
				s += fmt.Sprintf("<https://m%d.test/> ", i)
			}
			return s
		}() + "\n",
	})
	b := open(t, dir, kb.Options{Profile: "guest"})
	search := func(query string) kb.SearchHit {
		t.Helper()
		a, err := b.Search(t.Context(), kb.SearchRequest{Query: query})
		if err != nil || len(a.Hits) == 0 {
			t.Fatal(a, err)
		}
		return a.Hits[0]
	}
	hit := search("otter")
	want := []string{
		"https://a.test/x", "https://r.test/?d=1", "https://c.test/i.png", "https://s.test/i.png", "javascript:alert(1)", "javascript:x",
		"data:image/png;base64,AAAA", `\\l.test\x`, "//j.test/p", "https://k.test", "https://e.test/", "https://f.test/y",
	}
	if diff := cmp.Diff(want, hit.Links); diff != "" {
		t.Error(diff)
	}
	read, err := b.Read(t.Context(), kb.ReadRequest{Citation: hit.Citation.ID})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, read.Links); diff != "" {
		t.Error(diff)
	}
	if hit := search("kestrel"); hit.Links != nil {
		t.Errorf("inside the vault: %v", hit.Links)
	}
	if hit := search("stork"); len(hit.Links) != 32 || hit.LinksLeft != 28 {
		t.Errorf("%d are listed, %d left off", len(hit.Links), hit.LinksLeft)
	}
}
