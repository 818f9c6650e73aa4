package mcpserver

import "testing"

// BenchmarkSearch is what the door adds to a search.
func BenchmarkSearch(b *testing.B) {
	s, err := New(Options{Base: newFakeBase()})
	if err != nil {
		b.Fatal(err)
	}
	line := []byte(searchLine("1", "how long is parental leave"))
	b.ReportAllocs()
	for b.Loop() {
		m, bad := parseMessage(line)
		if bad != nil {
			b.Fatal(bad.Message)
		}
		s.handle(b.Context(), m)
	}
}
