package kb_test

import (
	"fmt"
	"strings"
	"testing"

	"candor/internal/vaulttest"
	"candor/kb"
)

// TestARowComesWithItsHeader: a later piece of a long table says what its columns are,
// and its lines are those of the row alone.
func TestARowComesWithItsHeader(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Ports\n\n| Port | Service | Owner |\n|---|---|---|\n")
	for i := range 200 {
		fmt.Fprintf(&b, "| %d | service-%d | team-%d |\n", 8300+i, i, i%9)
	}
	base := open(t, vaulttest.WriteMap(t, map[string]string{"public/ports.md": b.String()}), kb.Options{})
	a := search(t, base, kb.SearchRequest{Query: "owner of 8443", Limit: 1})
	if len(a.Hits) != 1 {
		t.Fatal(a.Reason)
	}
	h := a.Hits[0]
	if !strings.Contains(h.Text, "| 8443 | service-143 |") || !strings.Contains(h.Context, "Owner") {
		t.Errorf("the hit says %q under %q", h.Text, h.Context)
	}
	if line := 5 + 143; h.Citation.StartLine > line || h.Citation.EndLine < line {
		t.Errorf("lines %d-%d do not hold line %d", h.Citation.StartLine, h.Citation.EndLine, line)
	}
}
