package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"candor"
	"candor/policy"
)

// DefaultPoll is how often the vault is listed where the system tells of no changes.
const DefaultPoll = 2 * time.Second

// Watch calls changed with the paths of notes that may have come, changed or gone, each
// once, sorted, until ctx ends. Nil paths mean that anything may have changed, and the
// vault is to be listed anew; so is the first call, made as soon as watching has begun,
// so that nothing is missed between a listing and the watch. Calls come one at a time,
// and while one runs changes are gathered for the next. Paths that nobody may see are
// never told.
func (r *Root) Watch(ctx context.Context, p *policy.Policy, changed func(paths []candor.Path)) error {
	pending := newPending()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pending.deliver(ctx, changed)
	}()
	defer func() {
		cancel()
		<-done
	}()
	if r.poll <= 0 && tellsChanges {
		if r.watch(ctx, p, pending) == nil {
			return nil
		}
	}
	r.follow(ctx, p, pending)
	return nil
}

// tellsChanges is false where a watch on a folder would open every file in it, denied
// ones too, as kqueue does.
const tellsChanges = runtime.GOOS == "linux" || runtime.GOOS == "windows"

// errNoWatch says that the system gives no more watches.
var errNoWatch = errors.New("no watches left")

// watch follows the events of the system. Its error says that it cannot.
func (r *Root) watch(ctx context.Context, p *policy.Policy, pending *pending) error {
	system, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		return errNoWatch
	}
	defer system.Close()
	w := watcher{root: r, policy: p, pending: pending, system: system, folders: map[string]bool{}}
	return w.run(ctx)
}

// watcher is a watch under way. The system watches folders one by one.
type watcher struct {
	root    *Root
	policy  *policy.Policy
	pending *pending
	system  *fsnotify.Watcher
	folders map[string]bool // watched, by name on the disk
	err     error           // why watching cannot go on
	again   <-chan time.Time
	wait    time.Duration // the last time until again, 0 when all is well
}

func (w *watcher) run(ctx context.Context) error {
	w.restart(ctx)
	for w.err == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-w.again:
			w.again = nil
			w.restart(ctx)
		case event, ok := <-w.system.Events:
			if !ok {
				return errNoWatch
			}
			w.event(ctx, event)
		case _, ok := <-w.system.Errors: // events were lost
			if !ok {
				return errNoWatch
			}
			w.restart(ctx)
		}
	}
	return w.err
}

// restart watches what is there, whatever was known before.
func (w *watcher) restart(ctx context.Context) {
	w.enter(ctx, "")
	if w.again == nil {
		w.wait = 0
	}
	w.pending.addAll()
}

// The first and the longest time until what failed is tried again.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// later restarts after a while: a folder that could not be read may be without a watch.
func (w *watcher) later() {
	if w.again == nil {
		w.wait = min(max(2*w.wait, firstRetry), lastRetry)
		w.again = time.After(w.wait)
	}
}

// enter watches a folder and all below, each before its names are read, so that a note
// is either in the list or told by an event; and tells the notes in the list.
func (w *watcher) enter(ctx context.Context, folder string) {
	entries, skips, err := w.root.list(ctx, walk{policy: w.policy, folders: []string{folder}, entering: w.add})
	if err != nil || slices.ContainsFunc(skips, func(s Skip) bool { return s.Fault }) {
		w.later()
	}
	for _, e := range entries {
		w.pending.add(e.Path())
	}
}

func (w *watcher) add(folder string) {
	err := w.system.Add(filepath.Join(w.root.dir, filepath.FromSlash(folder)))
	switch {
	case err == nil:
		w.folders[folder] = true
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		// gone again, or none of ours: the listing says so
	default:
		w.err = errNoWatch
	}
}

func (w *watcher) event(ctx context.Context, event fsnotify.Event) {
	name, err := filepath.Rel(w.root.dir, event.Name)
	if err != nil {
		return
	}
	disk := filepath.ToSlash(name)
	if disk == "." {
		disk = ""
	}
	gone := event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)
	if gone && w.folders[disk] {
		w.leave(disk)
		w.pending.addAll()
		return
	}
	if key := w.root.path(disk); isNote(path.Base(disk)) && w.policy.Decide(key).Allowed() {
		w.pending.add(key)
	}
	if event.Has(fsnotify.Create) || event.Has(fsnotify.Chmod) {
		w.appeared(ctx, disk)
	}
}

// appeared looks at what is new, or may be open to us only now.
func (w *watcher) appeared(ctx context.Context, disk string) {
	switch info, err := w.root.root.Lstat(disk); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
	case err != nil:
		w.later()
	case info.IsDir():
		w.enter(ctx, disk)
	case identify(info).links > 1:
		w.pending.addAll() // the other name, untold, is no longer that of a note
	}
}

// leave ends the watches on a folder that has gone and on those that were in it: where
// it was only renamed they would tell of notes by their old names.
func (w *watcher) leave(folder string) {
	for f := range w.folders {
		if f == folder || folder == "" || strings.HasPrefix(f, folder+"/") {
			delete(w.folders, f)
			// An error only says that the watch has gone with the folder.
			_ = w.system.Remove(filepath.Join(w.root.dir, filepath.FromSlash(f)))
		}
	}
}

// follow lists the vault again and again and tells what differs.
func (r *Root) follow(ctx context.Context, p *policy.Policy, pending *pending) {
	every := r.poll
	if every <= 0 {
		every = DefaultPoll
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	last, _ := r.stamps(ctx, p)
	pending.addAll()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := r.stamps(ctx, p)
		if err != nil {
			continue // the vault is away; what differs shows when it is back
		}
		for key, stamp := range now {
			if last[key] != stamp {
				pending.add(key)
			}
			delete(last, key)
		}
		for key := range last {
			pending.add(key)
		}
		last = now
	}
}

func (r *Root) stamps(ctx context.Context, p *policy.Policy) (map[candor.Path]Stamp, error) {
	entries, _, err := r.List(ctx, p)
	all := make(map[candor.Path]Stamp, len(entries))
	for _, e := range entries {
		all[e.Path()] = e.Stamp
	}
	return all, err
}
