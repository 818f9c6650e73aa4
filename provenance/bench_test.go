package provenance

import (
	"strings"
	"testing"

	"candor"
)

func benchCall() Call {
	c := Call{RequestID: "7", Tool: "search", Profile: "staff", Arguments: []byte(`{"query":"how long is parental leave","limit":5}`)}
	for i := range 5 {
		c.Passages = append(c.Passages, Passage{
			Citation: candor.Citation{ID: "hr/leave.md#L12-L19@1a2b3c4d", Path: "hr/leave.md", Heading: []string{"Leave", "Parental"}, StartLine: 12 + i, EndLine: 19},
			Title:    "Leave", Text: strings.Repeat("Parental leave is \"16 weeks\" for each of the parents.\n", 14), Tier: candor.T1,
		})
	}
	return c
}

// BenchmarkStamp is what a stamp with its record adds to an answer of five passages.
func BenchmarkStamp(b *testing.B) {
	for _, dir := range []string{"", b.TempDir()} {
		name := "disk"
		if dir == "" {
			name = "memory"
		}
		b.Run(name, func(b *testing.B) {
			j, err := OpenJournal(JournalOptions{Dir: dir, Key: testKey})
			if err != nil {
				b.Fatal(err)
			}
			defer j.Close()
			issuer, err := New(Options{Key: testKey, Journal: j})
			if err != nil {
				b.Fatal(err)
			}
			c := benchCall()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := issuer.Stamp(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
