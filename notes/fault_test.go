package notes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"candor/redact"
)

var masker = func() *redact.Redactor {
	r, err := redact.New(redact.Options{})
	if err != nil {
		panic(err)
	}
	return r
}()

// world is a zone over two model disks, and what it has acknowledged.
type world struct {
	drafts, ledger *modelDisk
	faults         *faults
	zone           *Zone
	notes          map[string]string // name to body
	entries        []string          // ids, in order
	tried          int
}

func newWorld(f *faults) *world {
	w := &world{faults: f, drafts: newModelDisk(f), ledger: newModelDisk(f), notes: map[string]string{}}
	w.start()
	return w
}

// start is a process that begins: what was kept in memory is gone.
func (w *world) start() {
	opt := Options{Secret: masker.Finds, Rate: 1 << 20}.withDefaults()
	w.zone = &Zone{opt: opt, drafts: &place{folder: w.drafts}, ledger: newLedger(&place{folder: w.ledger}, "ledger.jsonl")}
}

// write tries one draft and one entry, twice.
func (w *world) write(ctx context.Context) (errs []error) {
	writer := w.zone.Writer("staff", func(_ context.Context, id string) (string, error) { return id, nil })
	for range 2 {
		w.tried++
		body := fmt.Sprintf("body %d %s", w.tried, strings.Repeat("word ", 60))
		a, err := writer.CreateNote(ctx, NoteRequest{Title: "draft", Body: body})
		if errs = append(errs, err); err == nil {
			w.notes[string(a.Path)] = body
		}
		e, err := writer.AppendLedger(ctx, EntryRequest{Subject: "s", Lesson: body, Evidence: "e"})
		if errs = append(errs, err); err == nil {
			w.entries = append(w.entries, e.ID)
		}
	}
	return errs
}

// check starts anew and holds that nothing acknowledged is lost and nothing is torn.
func (w *world) check(t *testing.T, when string) {
	t.Helper()
	w.faults.at, w.faults.dead = 0, false
	w.start()
	if err := w.zone.Recover(t.Context()); err != nil {
		t.Fatalf("%s: recover: %v", when, err)
	}
	for name, body := range w.notes {
		if f := w.drafts.now[name]; f == nil || !strings.HasSuffix(string(f.data), "\n\n"+strings.TrimSpace(body)+" \n") {
			t.Fatalf("%s: the draft %s is lost", when, name)
		}
	}
	for name, f := range w.drafts.now {
		if strings.HasPrefix(name, ".") || !bytes.HasPrefix(f.data, []byte("---\ntitle:")) || !bytes.HasSuffix(f.data, []byte("word \n")) {
			t.Fatalf("%s: %s holds %q", when, name, f.data)
		}
	}
	r, err := w.zone.Verify(t.Context())
	if err != nil || r.BadLine != 0 {
		t.Fatalf("%s: the ledger: %+v, %v", when, r, err)
	}
	var text []byte
	if f := w.ledger.now["ledger.jsonl"]; f != nil {
		text = f.data
	}
	at := 0
	for _, id := range w.entries {
		i := bytes.Index(text[at:], []byte(id))
		if i < 0 {
			t.Fatalf("%s: the entry %s is lost, or out of order", when, id)
		}
		at += i
	}
	if errs := w.write(t.Context()); errors.Join(errs...) != nil {
		t.Fatalf("%s: after it: %v", when, errs)
	}
}

// Case 151: each operation on the disk fails once, in each way, until a run passes clean.
func TestEveryOperationFails(t *testing.T) {
	for _, kind := range faultKinds {
		runs := 0
		for at := 1; ; at++ {
			f := &faults{at: at, kind: kind}
			w := newWorld(f)
			for _, err := range w.write(t.Context()) {
				if err != nil && (!errors.Is(err, ErrUnavailable) || !strings.HasPrefix(err.Error(), ErrUnavailable.Error())) {
					t.Fatalf("%s at %d: %v", kind.name, at, err)
				}
			}
			clean := f.done < at
			for name := range w.ledger.now {
				if !kind.kill && strings.Contains(name, aside) {
					t.Errorf("%s at %d: a failed write was not taken back", kind.name, at)
				}
			}
			w.check(t, fmt.Sprintf("%s at %d", kind.name, at))
			if clean {
				break
			}
			runs++
		}
		if runs < 30 {
			t.Errorf("%s: only %d operations failed", kind.name, runs)
		}
	}
}

// Case 152: the power goes at any operation. Of what was not synced any part may be there.
func TestPowerLoss(t *testing.T) {
	kill := faultKinds[len(faultKinds)-2]
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		for at := 1; ; at++ {
			f := &faults{at: at, kind: kill}
			w := newWorld(f)
			w.write(t.Context())
			clean := f.done < at
			f.dead = true
			w.drafts.cut(r)
			w.ledger.cut(r)
			w.check(t, fmt.Sprintf("seed %d, cut at %d", seed, at))
			if clean {
				break
			}
		}
	}
}

// Case 153: after a sync that failed the disk may hold anything, so nothing more is
// written, also when the next sync would work, until the next start.
func TestFailedSync(t *testing.T) {
	for at := 1; ; at++ {
		f := &faults{at: at, kind: faultKinds[0]}
		w := newWorld(f)
		syncs := &syncs{}
		w.zone.drafts.folder, w.zone.ledger.folder = watched{w.drafts, syncs, "drafts"}, watched{w.ledger, syncs, "ledger"}
		w.write(t.Context())
		if f.done < at {
			break
		}
		if syncs.failed == "" {
			continue
		}
		f.at = 0
		refused := map[string]error{"drafts": w.zone.drafts.lost, "ledger": w.zone.ledger.lost}
		if refused[syncs.failed] == nil {
			t.Errorf("operation %d, a sync of %s, failed and it goes on", at, syncs.failed)
		}
		before := []int{len(w.drafts.now), len(w.ledger.now["ledger.jsonl"].bytes())}
		w.write(t.Context())
		after := []int{len(w.drafts.now), len(w.ledger.now["ledger.jsonl"].bytes())}
		i := slices.Index([]string{"drafts", "ledger"}, syncs.failed)
		if before[i] != after[i] || before[1-i] == after[1-i] {
			t.Errorf("after a failed sync of %s: %v, then %v", syncs.failed, before, after)
		}
		w.check(t, fmt.Sprintf("a sync failed at %d", at))
	}
}

func (f *modelFile) bytes() []byte {
	if f == nil {
		return nil
	}
	return f.data
}

// syncs remembers of which place a sync failed.
type syncs struct{ failed string }

// watched notes which syncs fail.
type watched struct {
	folder
	syncs *syncs
	name  string
}

func (w watched) sync() error { return w.note(w.folder.sync()) }

func (w watched) note(err error) error {
	if err != nil {
		w.syncs.failed = w.name
	}
	return err
}

func (w watched) create(name string) (file, error) { return w.file(w.folder.create(name)) }

func (w watched) open(name string, flags int) (file, error) {
	return w.file(w.folder.open(name, flags))
}

func (w watched) file(f file, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return watchedFile{f, w}, nil
}

type watchedFile struct {
	file
	w watched
}

func (f watchedFile) Sync() error { return f.w.note(f.file.Sync()) }
