package notes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"candor"
	"candor/notes"
	"candor/redact"
)

// day is the clock of the tests.
var day = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// cited is the one citation that resolves.
const cited = "hr/leave.md#L12-L19@1a2b3c4d"

func resolve(_ context.Context, id string) (string, error) {
	switch id {
	case cited:
		return cited, nil
	case "old.md#L1-L2@00000000":
		return "", notes.ErrStale
	}
	return "", candor.ErrNotFound
}

// masker is built once: it loads its rules.
var masker = func() *redact.Redactor {
	r, err := redact.New(redact.Options{Flags: []string{"HTB"}})
	if err != nil {
		panic(err)
	}
	return r
}()

// zone opens a zone with both kinds of writes in a new folder. At its end nothing in it is
// half written and the ledger is whole.
func zone(t *testing.T, change func(*notes.Options)) (*notes.Zone, string) {
	t.Helper()
	dir := t.TempDir()
	return reopen(t, dir, change), dir
}

func reopen(t *testing.T, dir string, change func(*notes.Options)) *notes.Zone {
	t.Helper()
	opt := notes.Options{
		Drafts: filepath.Join(dir, "drafts"), Ledger: filepath.Join(dir, "ledger.jsonl"),
		Secret: masker.Finds, Floor: 1, Now: func() time.Time { return day },
	}
	if change != nil {
		change(&opt)
	}
	z, err := notes.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	})
	return z
}

// files are the names in the folder of drafts, the lock aside.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "drafts"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		if e.Name() != ".lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, text string, parts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(parts...), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// whole holds that the ledger verifies and has so many entries.
func whole(t *testing.T, z *notes.Zone, entries int) {
	t.Helper()
	r, err := z.Verify(t.Context())
	if err != nil || r.BadLine != 0 || r.Entries != entries {
		t.Errorf("%+v, %v; want %d good entries", r, err, entries)
	}
}

func lesson(text string) notes.EntryRequest {
	return notes.EntryRequest{Subject: "subject", Lesson: text, Evidence: cited}
}

// same is a source of random bytes that are always alike, so that names collide.
type same struct{}

func (same) Read(p []byte) (int, error) {
	return copy(p, slices.Repeat([]byte{7}, len(p))), nil
}
