package hybrid_test

import (
	"os"
	"path/filepath"
	"testing"

	"candor/evals/hybrid"
)

// FuzzOpen: whatever lies where the verdict should, hybrid stays off.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}\n", "{\"format\":1,\"yes\":true}\n", "{\"format\":1,\"yes\":true}\n" +
			"0000000000000000000000000000000000000000000000000000000000000000\n", "\x00\n\n",
	} {
		f.Add([]byte(seed))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(folder, hybrid.FileName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, why := hybrid.Open(folder, key).Holds(hybrid.Conditions{Vectors: 1}); ok || why == "" {
			t.Errorf("on by %q, %q", data, why)
		}
	})
}
