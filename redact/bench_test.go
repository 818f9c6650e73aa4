package redact_test

import (
	"strings"
	"testing"

	"candor/redact"
)

// BenchmarkClean is over prose and settings without a secret, the common case.
func BenchmarkClean(b *testing.B) {
	text := strings.Repeat("## Access to the API\n\nThe **token** of a service account is mounted as a volume; see [access](https://example.org/docs/access#key).\n"+
		"Set `secretName: db-user-pass` in the manifest, and the kubelet asks the API server for the key when the pod starts.\n\n", 400)
	r := mustNew(b, redact.Options{})
	if r.Clean(text).String() != text {
		b.Fatal("masked prose")
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Clean(text)
	}
}

// BenchmarkNew is the cost of a redactor until its first use.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		mustNew(b, redact.Options{}).Finds("x")
	}
}
