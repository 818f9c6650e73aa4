package notes

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"candor"
)

// ErrUnavailable is a write that may not have become durable. The client learns no more;
// what is wrapped beside it is for the owner.
var ErrUnavailable = errors.New("the write zone is not available")

// ErrNoLedger says that the zone has no ledger.
var ErrNoLedger = errors.New("there is no ledger")

// The refusals. Their words are constant, so that they tell nothing of what was refused
// or of what others have written.
var (
	ErrSecret = &candor.InputError{Why: "nothing was written: this holds what looks like a credential or a challenge flag. Hint: say where it is kept instead"}
	ErrRate   = &candor.InputError{Why: "nothing was written: too many writes in a short time. Hint: go on later"}
	ErrQuota  = &candor.InputError{Why: "nothing was written: there is no room for more writes. Hint: a person has to review what is there"}
	ErrStale  = &candor.InputError{Field: "evidence", Why: "the cited text is gone. Hint: search again and cite what is there now"}
)

// Options say where clients may write and how much. The zero value of a bound is its
// default.
type Options struct {
	Drafts string // absolute path of the folder of drafts; "": no drafts
	Ledger string // absolute path of the ledger; "": no ledger
	// Where tells of a draft by its file's name: its path in answers, and whether some
	// profile could read it there. It is asked each time. nil: outside of every vault.
	Where func(name string) (path candor.Path, indexed bool)

	// Secret reports what may not be written: what the masker would mask. Needed.
	Secret func(text string) bool

	Bytes   int    // largest body of a draft or lesson of an entry; 0 is 64 KiB
	Rate    int    // most writes of one profile in a minute, and at once; 0 is 60
	Waiting int    // most drafts of one profile that wait for review; 0 is 500
	Entries int64  // most bytes of one profile's lines in the ledger; 0 is 64 MiB
	Floor   uint64 // bytes of the disk that are left free; 0 is 256 MiB

	Now    func() time.Time // nil: the clock
	Random io.Reader        // of names and ids; nil: the system's
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	o.Bytes = cmp.Or(o.Bytes, 64<<10)
	o.Rate = cmp.Or(o.Rate, 60)
	o.Waiting = cmp.Or(o.Waiting, 500)
	o.Entries = cmp.Or(o.Entries, 64<<20)
	o.Floor = cmp.Or(o.Floor, 256<<20)
	if o.Where == nil {
		o.Where = func(name string) (candor.Path, bool) { return candor.Path(name), false }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o
}

// Zone is the write zone. It is safe for concurrent use, and several processes may have
// one over the same places.
type Zone struct {
	opt    Options
	drafts *place  // nil without drafts
	ledger *ledger // nil without a ledger
}

// Open opens the zone and writes nothing.
func Open(opt Options) (*Zone, error) {
	z := &Zone{opt: opt.withDefaults()}
	if err := z.open(); err != nil {
		_ = z.Close()
		return nil, err
	}
	return z, nil
}

func (z *Zone) open() error {
	opt := z.opt
	if opt.Secret == nil {
		return errors.New("notes: Options lack Secret")
	}
	if opt.Drafts != "" {
		if _, indexed := z.opt.Where("x.md"); indexed {
			return errors.New("write.drafts: some profile could read it; hint: name a folder of its own")
		}
		d, err := openDisk(opt.Drafts, draftsLock, true)
		if err != nil {
			return fmt.Errorf("write.drafts: %w", err)
		}
		z.drafts = &place{folder: d, floor: opt.Floor}
	}
	if opt.Ledger != "" {
		d, name, err := openLedgerDisk(opt.Ledger)
		if err != nil {
			return fmt.Errorf("write.ledger: %w", err)
		}
		z.ledger = newLedger(&place{folder: d, floor: opt.Floor}, name)
	}
	return nil
}

// Close waits for what is being written and lets go of the folders; nothing is written
// after it.
func (z *Zone) Close() error {
	var errs []error
	if z.drafts != nil {
		errs = append(errs, z.drafts.shut())
	}
	if z.ledger != nil {
		errs = append(errs, z.ledger.shut())
	}
	return errors.Join(errs...)
}

// Recover clears away what a crash has left: temporary files of drafts, and a torn tail of
// the ledger, which is set aside. It makes nothing that is not there.
func (z *Zone) Recover(ctx context.Context) error {
	var errs []error
	if z.drafts != nil {
		errs = append(errs, z.drafts.guard(ctx, existing, func() error {
			_, err := z.sweep("")
			return err
		}))
	}
	if z.ledger != nil {
		errs = append(errs, z.ledger.guard(ctx, existing, z.ledger.recover))
	}
	for i, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// Writer writes for one profile.
type Writer struct {
	zone    *Zone
	profile string
	resolve Resolve
	rate    bucket
}

// Resolve gives the id that a citation has now, as the profile may read it: an error that
// is [candor.ErrNotFound] for what it may not, [ErrStale] when the text is gone.
type Resolve func(ctx context.Context, id string) (string, error)

// Writer gives the one writer of a profile: its bound of rate is kept in it.
func (z *Zone) Writer(profile string, resolve Resolve) *Writer {
	return &Writer{zone: z, profile: profile, resolve: resolve}
}

// bucket holds what is left of a profile's writes.
type bucket struct {
	mu   sync.Mutex
	left float64
	at   time.Time
}

// take takes one write out, if one is there. A minute fills the bucket.
func (b *bucket) take(now time.Time, most int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.IsZero() {
		b.left = float64(most)
	} else if passed := now.Sub(b.at); passed > 0 {
		b.left = min(float64(most), b.left+passed.Minutes()*float64(most))
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
