package vault

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"

	"candor"
	"candor/policy"
)

// When the system loses events, everything is looked at anew, and folders whose
// creation was among them are watched.
func TestLostEvents(t *testing.T) {
	if !tellsChanges {
		t.Skip("this system is polled")
	}
	dir := t.TempDir()
	r, err := Open("v", dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := policy.New(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	system, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	ctx, cancel := context.WithCancel(t.Context())
	w := watcher{root: r, policy: p, pending: newPending(), system: system, folders: map[string]bool{}}
	calls := make(chan []candor.Path, 10)
	go w.pending.deliver(ctx, func(paths []candor.Path) { calls <- paths })
	done := make(chan error)
	go func() { done <- w.run(ctx) }()

	if first := <-calls; first != nil {
		t.Errorf("the first call tells %v", first)
	}
	system.Errors <- fsnotify.ErrEventOverflow
	if again := <-calls; again != nil {
		t.Errorf("lost events are told as %v", again)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if told := <-calls; len(told) != 1 || told[0] != "a.md" {
		t.Errorf("then a note is told as %v", told)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
