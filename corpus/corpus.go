package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"candor"
	"candor/policy"
	"candor/redact"
	"candor/vault"
)

// Options are what a corpus is made of. All fields but the numbers are needed.
type Options struct {
	Roots      []*vault.Root
	Policy     *policy.Policy
	Redactor   *redact.Redactor
	ChunkWords int   // most words of a chunk; 0 is markdown's default
	IndexBytes int64 // most bytes of notes in a snapshot; 0 is no bound
}

// Corpus keeps the snapshots. It is safe for concurrent use.
type Corpus struct {
	opt   Options
	read  atomic.Int64                         // files read so far
	snaps atomic.Pointer[map[string]*Snapshot] // by profile; nil before the first Load has ended

	mu      sync.Mutex // held while the notes or the policy change
	policy  atomic.Pointer[policy.Policy]
	notes   map[candor.Path]*Note  // by path on disk, so by unmasked path
	absent  map[candor.Path]source // opened, and their own front matter leaves no reader
	skipped []vault.Skip
	loaded  bool

	failed chan struct{} // holds one token while something is to be tried again
}

// New makes an empty corpus; Load reads the vaults.
func New(opt Options) *Corpus {
	c := &Corpus{opt: opt, notes: map[candor.Path]*Note{}, absent: map[candor.Path]source{}, failed: make(chan struct{}, 1)}
	c.policy.Store(opt.Policy)
	none := map[string]*Snapshot{}
	for _, p := range opt.Policy.Profiles() {
		none[p] = nil
	}
	c.snaps.Store(&none)
	return c
}

// Snapshot is the profile's notes as last read; nil before the first Load has ended
// and for an unknown profile.
func (c *Corpus) Snapshot(profile string) *Snapshot {
	return (*c.snaps.Load())[profile]
}

// Policy is the policy in force.
func (c *Corpus) Policy() *policy.Policy { return c.policy.Load() }

// FilesRead counts the files read since New: the cost of following changes.
func (c *Corpus) FilesRead() int64 { return c.read.Load() }

// Load lists the vaults, reads what is new or changed and swaps the snapshots. A vault
// that cannot be listed is told in the report and keeps the notes that it had; it is an
// error only where none can be.
func (c *Corpus) Load(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []source
	var skipped []vault.Skip
	failed := map[*vault.Root]error{}
	for _, root := range c.opt.Roots {
		entries, skips, err := root.List(ctx, c.Policy())
		if ctx.Err() != nil {
			return fmt.Errorf("list the vault: %w", ctx.Err())
		}
		if err != nil {
			failed[root] = err
			skipped = append(skipped, c.unlisted(root, err)...)
			continue
		}
		skipped = append(skipped, skips...)
		for _, e := range entries {
			found = append(found, source{root: root, entry: e})
		}
	}
	if len(failed) > 0 && len(failed) == len(c.opt.Roots) {
		c.tryAgain()
		return fmt.Errorf("list the vault: %w", failed[c.opt.Roots[0]])
	}
	return c.apply(ctx, found, skipped, c.gone(found, failed))
}

// unlisted are the skips of a vault that cannot be listed: itself, and those it had.
func (c *Corpus) unlisted(root *vault.Root, err error) []vault.Skip {
	name := candor.Path(strings.TrimSuffix(root.Prefix(), "/"))
	skips := []vault.Skip{{Path: name, Reason: "its notes are as they were last read: " + err.Error(), Fault: true}}
	for _, s := range c.skipped {
		if root.Prefix() != "" && strings.HasPrefix(string(s.Path), root.Prefix()) {
			skips = append(skips, s)
		}
	}
	return skips
}

// Refresh reads these paths again, each once, and nothing else, and swaps the snapshots
// where something changed.
func (c *Corpus) Refresh(ctx context.Context, paths []candor.Path) error {
	paths = unique(paths)
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []source
	var skipped []vault.Skip
	gone := map[candor.Path]bool{}
	for _, p := range paths {
		src, err := c.lookup(p)
		if err == nil {
			found = append(found, src)
			continue
		}
		gone[p] = true
		if skip := (vault.Skip{}); errors.As(err, &skip) {
			skipped = append(skipped, skip)
		}
	}
	keep := slices.DeleteFunc(slices.Clone(c.skipped), func(s vault.Skip) bool { return slices.Contains(paths, s.Path) })
	return c.apply(ctx, found, append(keep, skipped...), gone)
}

// unique are the paths in order, each once.
func unique(paths []candor.Path) []candor.Path {
	return slices.Compact(slices.Sorted(slices.Values(paths)))
}

// lookup finds a path on disk, under the same checks as a listing.
func (c *Corpus) lookup(p candor.Path) (source, error) {
	why := error(fs.ErrNotExist)
	for _, root := range c.opt.Roots {
		e, err := root.Lookup(p, c.Policy())
		if err == nil {
			return source{root: root, entry: e}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			why = err
		}
	}
	return source{}, why
}

// gone are the notes that a listing no longer has, but for those of vaults that could
// not be listed.
func (c *Corpus) gone(found []source, failed map[*vault.Root]error) map[candor.Path]bool {
	gone := map[candor.Path]bool{}
	add := func(p candor.Path, root *vault.Root) {
		if failed[root] == nil {
			gone[p] = true
		}
	}
	for p, n := range c.notes {
		add(p, n.entry.root)
	}
	for p, src := range c.absent {
		add(p, src.root)
	}
	for _, s := range found {
		delete(gone, s.entry.Path())
	}
	return gone
}

// apply reads the changed files, drops those gone and swaps the snapshots.
func (c *Corpus) apply(ctx context.Context, found []source, skipped []vault.Skip, gone map[candor.Path]bool) error {
	changed := slices.DeleteFunc(found, c.unchanged)
	built, errs, err := c.readAll(ctx, changed)
	if err != nil {
		return err
	}
	skipped = c.store(changed, built, errs, skipped)
	for p := range gone {
		delete(c.notes, p)
		delete(c.absent, p)
	}
	c.skipped = skipped
	if slices.ContainsFunc(skipped, func(s vault.Skip) bool { return s.Fault }) {
		c.tryAgain()
	}
	if len(changed) > 0 || len(gone) > 0 || !c.loaded {
		c.loaded = true
		c.swap()
	}
	return nil
}

// batch is how many notes, neighbours in the vault, one processor reads at a time.
const batch = 8

// readAll reads notes and builds them on all processors. For each it gives the note, nil
// where its own front matter leaves it no reader, or the error of reading it.
func (c *Corpus) readAll(ctx context.Context, srcs []source) ([]*Note, []error, error) {
	built, errs := make([]*Note, len(srcs)), make([]error, len(srcs))
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), (len(srcs)+batch-1)/batch) {
		g.Go(func() error {
			var r reader
			defer r.close()
			for {
				end := int(next.Add(batch))
				for i := end - batch; i < min(end, len(srcs)); i++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					built[i], errs[i] = c.readOne(&r, &srcs[i])
				}
				if end >= len(srcs) {
					return nil
				}
			}
		})
	}
	return built, errs, g.Wait()
}

// readOne reads one note and builds it.
func (c *Corpus) readOne(r *reader, src *source) (*Note, error) {
	file, err := r.of(src.root).Read(src.entry)
	if err != nil {
		return nil, err
	}
	c.read.Add(1)
	n, ok := c.build(*src, file)
	if !ok {
		src.stamp = file.Stamp
		return nil, nil
	}
	return n, nil
}

// reader is the vault.Reader of the vault in hand.
type reader struct {
	root *vault.Root
	at   *vault.Reader
}

func (r *reader) of(root *vault.Root) *vault.Reader {
	if r.root != root {
		r.close()
		r.root, r.at = root, root.Reader()
	}
	return r.at
}

func (r *reader) close() {
	if r.at != nil {
		r.at.Close()
	}
}

// unchanged reports whether a file is still the version that was read.
func (c *Corpus) unchanged(s source) bool {
	p := s.entry.Path()
	if n, ok := c.notes[p]; ok {
		return n.entry.stamp == s.entry.Stamp
	}
	at, ok := c.absent[p]
	return ok && at.stamp == s.entry.Stamp
}

// store puts the results of reading in place and gives the skips, one more for each
// file that could not be read.
func (c *Corpus) store(srcs []source, built []*Note, errs []error, skipped []vault.Skip) []vault.Skip {
	for i, src := range srcs {
		p := src.entry.Path()
		before := c.notes[p]
		delete(c.notes, p)
		delete(c.absent, p)
		switch {
		case errors.Is(errs[i], fs.ErrNotExist): // gone since it was listed
		case errs[i] != nil:
			skipped = append(skipped, asSkip(p, errs[i]))
		case built[i] == nil:
			c.absent[p] = src
		default:
			built[i].remember(before)
			c.notes[p] = built[i]
		}
	}
	return skipped
}

// asSkip is an error of reading as the owner's report lists it: the path apart.
func asSkip(p candor.Path, err error) vault.Skip {
	var skip vault.Skip
	if errors.As(err, &skip) {
		return skip
	}
	return vault.Skip{Path: p, Reason: err.Error()}
}

// swap makes the snapshot of each profile, and publishes them together. A profile that
// the policy no longer has sees nothing.
func (c *Corpus) swap() {
	paths := slices.Sorted(maps.Keys(c.notes))
	now := maps.Clone(*c.snaps.Load())
	for _, profile := range c.Policy().Profiles() {
		if _, known := now[profile]; !known {
			now[profile] = nil
		}
	}
	for profile, before := range now {
		visible, left := c.visible(profile, paths)
		snap := newSnapshot(profile, visible, before)
		snap.left, snap.policy = left, c.Policy()
		now[profile] = snap
	}
	c.snaps.Store(&now)
}

// visible are the notes that a profile may see, and the paths of those that the bound
// on bytes leaves out. The bound is kept for each profile by itself: what one may see
// must not push out a note of another.
func (c *Corpus) visible(profile string, paths []candor.Path) (notes []*Note, left []candor.Path) {
	room := c.opt.IndexBytes
	for _, p := range paths {
		n := c.notes[p]
		if !n.permit.Allows(profile) {
			continue
		}
		if room -= int64(len(n.head) + len(n.body)); c.opt.IndexBytes > 0 && room < 0 {
			left = append(left, n.Path)
			continue
		}
		notes = append(notes, n)
	}
	return notes, left
}

// Adopt puts another policy in force before it returns. Every note is decided about
// anew: what is denied now is in no snapshot, and in no answer made from now on; a
// profile that is no more sees nothing. What is newly allowed is read by the next Load.
// A Watch under way still follows the policy of its beginning: begin it anew.
func (c *Corpus) Adopt(p *policy.Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, n := range c.notes {
		if n = n.under(p); n != nil {
			c.notes[path] = n
		} else {
			delete(c.notes, path)
		}
	}
	for path, src := range c.absent { // the profiles that they name may exist now
		src.stamp = vault.Stamp{}
		c.absent[path] = src
	}
	c.policy.Store(p)
	if c.loaded {
		c.swap()
	}
}

// Fresh reports whether a snapshot was made under the policy in force, and notes of it
// are still the files that were read. Where they are not, it reads those files again
// before it returns.
func (c *Corpus) Fresh(ctx context.Context, s *Snapshot, paths []candor.Path) (bool, error) {
	var stale []candor.Path
	for _, p := range unique(paths) {
		n := s.Note(p)
		if n == nil {
			continue
		}
		stamp, err := n.entry.root.Stat(n.entry.entry)
		if err != nil || stamp != n.entry.stamp {
			stale = append(stale, n.entry.entry.Path())
		}
	}
	if len(stale) == 0 {
		return s.policy == c.Snapshot(s.Profile).policy, nil
	}
	return false, c.Refresh(ctx, stale)
}

// Watch follows the vaults until ctx ends and calls changed after each change that
// was read. It returns when ctx ends, or with the error that stopped the watching.
func (c *Corpus) Watch(ctx context.Context, changed func()) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, root := range c.opt.Roots {
		g.Go(func() error {
			return root.Watch(ctx, c.Policy(), func(paths []candor.Path) {
				if c.follow(ctx, paths) == nil {
					changed()
				}
			})
		})
	}
	g.Go(func() error {
		c.retry(ctx, changed)
		return nil
	})
	return g.Wait()
}

// follow reads what a watcher reports; no paths means that anything may have changed.
func (c *Corpus) follow(ctx context.Context, paths []candor.Path) error {
	if len(paths) == 0 {
		return c.Load(ctx)
	}
	return c.Refresh(ctx, paths)
}

// bySkip is the order of skips in a report.
func bySkip(a, b vault.Skip) int {
	if n := strings.Compare(string(a.Path), string(b.Path)); n != 0 {
		return n
	}
	return strings.Compare(a.Reason, b.Reason)
}
