package provenance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
)

var testKey = bytes.Repeat([]byte{7}, 32)

func openJournal(t *testing.T, opt JournalOptions) *Journal {
	t.Helper()
	if opt.Key == nil {
		opt.Key = testKey
	}
	j, err := OpenJournal(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// record is one of a call with the given nonce digit, serving text.
func record(request string, digit byte, text string) Record {
	p := Passage{Citation: candor.Citation{ID: "a.md#L1-L1@00000000", Path: "a.md", Heading: []string{"A"}, StartLine: 1, EndLine: 1}, Title: "A", Text: text}
	return Record{
		Stamp:  Stamp{CallID: request + ":" + strings.Repeat(string(digit), 32), Server: Own, Tool: "search", FetchedAt: time.Unix(0, 0).UTC()},
		Served: []Served{{Passage: p, Digest: "d"}},
	}
}

func appendAll(t *testing.T, j *Journal, records ...Record) {
	t.Helper()
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJournalSharesAFolder holds that processes see each other's records, also after
// they ended, and that commands one after another go on with one file.
func TestJournalSharesAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	a, b := openJournal(t, JournalOptions{Dir: dir}), openJournal(t, JournalOptions{Dir: dir})
	ra, rb := record("7", 'a', "alpha"), record("7", 'b', "beta")
	appendAll(t, a, ra)
	appendAll(t, b, rb)
	for _, want := range []Record{ra, rb} {
		for _, j := range []*Journal{a, b} {
			if got, ok := j.Find(want.Stamp.CallID); !ok || cmp.Diff(want, got) != "" {
				t.Errorf("found %v, %+v; want %+v", ok, got, want)
			}
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got, ok := b.Find(ra.Stamp.CallID); !ok || got.Served[0].Text != "alpha" {
		t.Errorf("a record is lost with its process: %v", ok)
	}
	for i := range byte(5) {
		one := openJournal(t, JournalOptions{Dir: dir})
		appendAll(t, one, record("cli", '0'+i, "x"))
		_ = one.Close()
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files, want 2", len(files))
	}
	for i := range byte(5) {
		if _, ok := b.Find("cli:" + strings.Repeat(string('0'+i), 32)); !ok {
			t.Errorf("record %d is not found", i)
		}
	}
}

// TestJournalSpellings holds that a call is found however a model writes its id.
func TestJournalSpellings(t *testing.T) {
	j := openJournal(t, JournalOptions{})
	nonce := "0123456789abcdef0123456789abcdef"
	r := record("req-7", 'a', "alpha")
	r.Stamp.CallID = "req-7:" + nonce
	appendAll(t, j, r)
	for spelling, want := range map[string]bool{
		"req-7:" + nonce:                      true,
		nonce:                                 true,
		strings.ToUpper("req-7:" + nonce):     true,
		"[candor call req-7:" + nonce + "]":   true,
		" candor call req-7: " + nonce + ".":  true,
		"call_id: " + nonce:                   true,
		"`req-7:" + nonce + "`":               true,
		nonce + " and again " + nonce:         true,
		"req-8:" + nonce:                      false,
		"7:" + nonce:                          false,
		nonce[:31]:                            false,
		nonce + "0":                           false,
		nonce + " " + strings.Repeat("b", 32): false,
		"req-7":                               false,
		"":                                    false,
	} {
		if _, ok := j.Find(spelling); ok != want {
			t.Errorf("Find(%q) = %v, want %v", spelling, ok, want)
		}
	}
}

// TestJournalIsSealed holds that a file tells nothing of notes, and nothing at all under
// another key.
func TestJournalIsSealed(t *testing.T) {
	for _, mode := range []Mode{Sealed, Digests} {
		dir := t.TempDir()
		j := openJournal(t, JournalOptions{Dir: dir, Mode: mode})
		r := record("7", 'a', "the canary sings")
		appendAll(t, j, r)
		for _, name := range journalFiles(t, dir) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, plain := range []string{"canary", "a.md", "search"} {
				if bytes.Contains(data, []byte(plain)) {
					t.Errorf("mode %d: %q stands in the file", mode, plain)
				}
			}
		}
		got, ok := j.Find(r.Stamp.CallID)
		if kept := got.Served[0].Text != ""; !ok || kept != (mode == Sealed) || got.Served[0].Digest != "d" {
			t.Errorf("mode %d: %v, %+v", mode, ok, got)
		}
		other := openJournal(t, JournalOptions{Dir: dir, Key: bytes.Repeat([]byte{8}, 32)})
		if _, ok := other.Find(r.Stamp.CallID); ok {
			t.Error("a record opens under another key")
		}
	}
}

func journalFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.journal*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	return files
}

// TestJournalDamage holds that what is torn, flipped or foreign costs its own record at
// most, never the journal.
func TestJournalDamage(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"torn":     func(b []byte) []byte { return b[:len(b)-5] },
		"flipped":  func(b []byte) []byte { b[len(b)-5] ^= 1; return b },
		"renamed":  func(b []byte) []byte { b[len(fileHead)+10] ^= 1; return b },
		"foreign":  func([]byte) []byte { return []byte("something else entirely") },
		"empty":    func([]byte) []byte { return nil },
		"no end":   func(b []byte) []byte { return append(b, 0xff, 0xff, 0xff, 0xff, 1, 2, 3) },
		"all head": func(b []byte) []byte { return b[:len(fileHead)] },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := openJournal(t, JournalOptions{Dir: dir})
			appendAll(t, j, record("1", 'a', "alpha"))
			_ = j.Close()
			file := journalFiles(t, dir)[0]
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, harm(data), 0o600); err != nil {
				t.Fatal(err)
			}
			again := openJournal(t, JournalOptions{Dir: dir})
			if _, ok := again.Find(strings.Repeat("a", 32)); ok != (name == "no end") {
				t.Errorf("found: %v", ok)
			}
			appendAll(t, again, record("2", 'b', "beta"))
			_ = again.Close()
			last := openJournal(t, JournalOptions{Dir: dir})
			if got, ok := last.Find(strings.Repeat("b", 32)); !ok || got.Served[0].Text != "beta" {
				t.Errorf("a record written after the damage is not found: %v", ok)
			}
		})
	}
}

// TestJournalIsBounded holds that the oldest goes first, on disk and in memory.
func TestJournalIsBounded(t *testing.T) {
	const most = 64 << 10
	for _, dir := range []string{"", t.TempDir()} {
		j := openJournal(t, JournalOptions{Dir: dir, MaxBytes: most})
		id := func(i int) string { return fmt.Sprintf("%032x", i) }
		const n = 200
		for i := range n {
			r := record("1", 'a', strings.Repeat("x", 1000))
			r.Stamp.CallID = "1:" + id(i)
			appendAll(t, j, r)
		}
		if _, ok := j.Find(id(0)); ok {
			t.Error("the oldest record is still there")
		}
		if _, ok := j.Find(id(n - 1)); !ok {
			t.Error("the newest record is gone")
		}
		if dir == "" {
			continue
		}
		size := int64(0)
		for _, f := range j.files() {
			size += f.Size()
		}
		if size > most || size < most/2 {
			t.Errorf("%d bytes, want up to %d", size, most)
		}
		if len(j.index) > n/2 {
			t.Errorf("%d places are remembered of records that are gone", len(j.index))
		}
	}
}

// TestJournalForgets holds that a file untouched for its time goes.
func TestJournalForgets(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	clock := func() time.Time { return now }
	j := openJournal(t, JournalOptions{Dir: dir, Keep: time.Hour, Now: clock})
	appendAll(t, j, record("1", 'a', "alpha"))
	_ = j.Close()
	now = now.Add(2 * time.Hour)
	appendAll(t, j, record("2", 'b', "beta"))
	if _, ok := j.Find(strings.Repeat("a", 32)); ok {
		t.Error("a record outlived its time")
	}
	if _, ok := j.Find(strings.Repeat("b", 32)); !ok {
		t.Error("the new record is gone")
	}
}

// TestRecordsOutliveARemovedFile: when another process makes room by removing the file
// that this one writes, the next record goes where it is found.
func TestRecordsOutliveARemovedFile(t *testing.T) {
	dir, key := t.TempDir(), bytes.Repeat([]byte("k"), keySize)
	j, err := OpenJournal(JournalOptions{Dir: dir, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	issuer, err := New(Options{Key: key, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	stamp := func() Stamp {
		s, err := issuer.Stamp(Call{RequestID: "1", Tool: "search", Profile: "staff"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	stamp()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Skip("a file that is open cannot be removed here")
	}
	s := stamp()
	if _, ok := j.Find(s.CallID); !ok {
		t.Error("a record behind a removed file is lost")
	}
}

// TestRecordKeepsEveryField: whatever a record has comes back, also a field that is added
// one day, and nil is not empty.
func TestRecordKeepsEveryField(t *testing.T) {
	r := Record{Served: make([]Served, 2)}
	n := 0
	fill(reflect.ValueOf(&r).Elem(), &n)
	r.Stamp.FetchedAt = time.Unix(1_800_000_000, 7).UTC()
	r.Served = append(r.Served, Served{Passage: Passage{Flags: []candor.Flag{}}})
	data := r.encode(nil)
	got, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	for i := range data {
		if _, err := decode(data[:i]); err == nil {
			t.Errorf("%d of %d bytes are a record", i, len(data))
		}
	}
}

// fill gives every field a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	default:
		panic(v.Kind())
	}
}

// FuzzDecode: no bytes stop it, and what it reads is written again as it was.
func FuzzDecode(f *testing.F) {
	f.Add(record("7", 'a', "alpha").encode(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			return
		}
		again, err := decode(r.encode(nil))
		if diff := cmp.Diff(r, again); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}

// TestPrunedFilesAreForgotten: what another process removed takes up no memory here.
func TestPrunedFilesAreForgotten(t *testing.T) {
	dir := t.TempDir()
	a, b := openJournal(t, JournalOptions{Dir: dir}), openJournal(t, JournalOptions{Dir: dir})
	appendAll(t, a, record("1", 'a', "alpha"))
	appendAll(t, b, record("2", 'b', "beta"))
	if _, ok := b.Find(strings.Repeat("a", 32)); !ok {
		t.Fatal("not found")
	}
	_ = a.Close()
	if err := os.Remove(a.path(a.stem, freeExt)); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Find(strings.Repeat("c", 32)); ok { // a call that nobody knows
		t.Fatal("found")
	}
	if len(b.index) != 1 || len(b.read) != 1 {
		t.Errorf("%d places and %d files are remembered, want those of its own", len(b.index), len(b.read))
	}
	if _, ok := b.Find(strings.Repeat("b", 32)); !ok {
		t.Error("its own record is forgotten")
	}
}

// TestTakeAfterAnother: a process that takes over a file which another has used since it
// was listed goes on behind what that one wrote, and leaves one that has become full to others.
func TestTakeAfterAnother(t *testing.T) {
	for name, most := range map[string]int64{"room": 64 << 10, "full": 16 << 10} {
		t.Run(name, func(t *testing.T) {
			opt := JournalOptions{Dir: t.TempDir(), MaxBytes: most}
			first, late := openJournal(t, opt), openJournal(t, opt)
			appendAll(t, first, record("1", 'a', "alpha"))
			_ = first.Close()
			listed := late.files()
			appendAll(t, first, record("2", 'b', strings.Repeat("beta", 400)))
			_ = first.Close()
			if got, want := late.take(listed[0], 500), name == "room"; got != want {
				t.Fatalf("taken: %v, want %v", got, want)
			}
			appendAll(t, late, record("3", 'c', "gamma"))
			_ = late.Close()
			for _, file := range journalFiles(t, opt.Dir) {
				if strings.HasSuffix(file, ownedExt) {
					t.Errorf("%s: a file that nobody writes is left as if somebody did", filepath.Base(file))
				}
			}
			for _, digit := range "abc" {
				if _, ok := openJournal(t, opt).Find(strings.Repeat(string(digit), 32)); !ok {
					t.Errorf("record %c is lost", digit)
				}
			}
		})
	}
}
