package vault_test

import (
	"testing"

	"candor/internal/vaulttest"
	"candor/vault"
)

func benchVault(b *testing.B) (*vault.Root, []vault.Entry) {
	r := open(b, vaulttest.WriteMap(b, vaulttest.Random(1, 2000)), vault.Options{})
	entries, _, err := r.List(b.Context(), all(b))
	if err != nil || len(entries) != 2000 {
		b.Fatal(len(entries), err)
	}
	return r, entries
}

func BenchmarkList2000(b *testing.B) {
	r, _ := benchVault(b)
	p := all(b)
	for b.Loop() {
		if _, _, err := r.List(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	r, entries := benchVault(b)
	for i := 0; b.Loop(); i++ {
		if _, err := r.Read(entries[i%len(entries)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStat(b *testing.B) {
	r, entries := benchVault(b)
	for i := 0; b.Loop(); i++ {
		if _, err := r.Stat(entries[i%len(entries)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	r, entries := benchVault(b)
	p := all(b)
	for i := 0; b.Loop(); i++ {
		if _, err := r.Lookup(entries[i%len(entries)].Path(), p); err != nil {
			b.Fatal("not found")
		}
	}
}
