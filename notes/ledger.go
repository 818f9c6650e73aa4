package notes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// aside is the name of a torn tail, behind the ledger's and before random letters.
const aside = ".torn-"

// extending is how the ledger is opened to be written.
const extending = os.O_RDWR | os.O_APPEND

// ledger is the append-only file.
type ledger struct {
	*place
	name  string
	chain chain
	sure  bool // its name is known to be durable
}

func newLedger(p *place, name string) *ledger {
	return &ledger{place: p, name: name, chain: newChain()}
}

// append adds one entry of a profile. It is called under the guard.
func (l *ledger) append(profile, entry string, most int64) error {
	f, err := l.file()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := l.catchUp(f); err != nil {
		return err
	}
	line, sum := frame(l.chain.head, entry)
	if l.chain.held[profile]+int64(len(line)) > most {
		return ErrQuota
	}
	n, err := io.WriteString(f, line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		if undone := l.truncate(l.name, l.chain.size); undone != nil {
			return &lostError{errors.Join(err, undone)}
		}
		return err
	}
	if err := f.Sync(); err != nil {
		_ = l.truncate(l.name, l.chain.size) // other processes must not build on it
		return &lostError{err}
	}
	l.chain.size += int64(len(line))
	l.chain.lines++
	l.chain.head = sum
	l.chain.held[profile] += int64(len(line))
	return nil
}

// file opens the ledger, making it where there is none. Its name is durable before
// anything in it is acknowledged, whoever has made it.
func (l *ledger) file() (file, error) {
	f, err := l.open(l.name, extending)
	if errors.Is(err, fs.ErrNotExist) {
		l.sure = false
		var fresh file
		if fresh, err = l.create(l.name); err != nil {
			return nil, err
		}
		if err = fresh.Close(); err != nil {
			return nil, err
		}
		f, err = l.open(l.name, extending)
	}
	if err != nil || l.sure {
		return f, err
	}
	if err := l.settle(); err != nil {
		_ = f.Close()
		return nil, err
	}
	l.sure = true
	return f, nil
}

// catchUp reads what others have added, and all anew when that does not follow. A torn
// tail is set aside; any other flaw is for a person.
func (l *ledger) catchUp(f file) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	known := l.chain.size
	if size < known {
		l.chain, known = newChain(), 0
	}
	bad, err := l.chain.read(io.NewSectionReader(f, known, size-known))
	if bad != nil && known > 0 {
		l.chain = newChain()
		bad, err = l.chain.read(io.NewSectionReader(f, 0, size))
	}
	switch {
	case err != nil:
		l.chain = newChain()
		return err
	case bad == nil:
		return nil
	case !bad.torn:
		return fmt.Errorf("line %d of the ledger %s; hint: candor ledger verify", bad.line, bad.why)
	}
	return l.setAside(io.NewSectionReader(f, l.chain.size, size-l.chain.size))
}

// setAside moves a torn tail to a file of its own.
func (l *ledger) setAside(tail io.Reader) error {
	if err := l.store(l.name+aside+strings.ToLower(rand.Text()[:8]), tail); err != nil {
		return err
	}
	if err := l.settle(); err != nil {
		return err
	}
	if err := l.truncate(l.name, l.chain.size); err != nil {
		return &lostError{err}
	}
	return nil
}

// recover sets a torn tail aside. It is called under the guard.
func (l *ledger) recover() error {
	f, err := l.open(l.name, extending)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.catchUp(f)
}

// Report is what Verify finds.
type Report struct {
	Entries int      `json:"entries"`  // good ones, up to the first bad line
	Head    string   `json:"head"`     // sum of the last of them; the owner may keep it elsewhere
	BadLine int      `json:"bad_line"` // the first that does not follow; 0: none
	Why     string   `json:"why"`      // what is wrong with it
	Aside   []string `json:"aside"`    // files of torn tails, which were never acknowledged
}

// Verify reads the whole ledger and changes nothing. Writers wait meanwhile; of a copy
// that cannot be locked there are none.
func (z *Zone) Verify(ctx context.Context) (Report, error) {
	r := Report{Head: origin, Aside: []string{}}
	l := z.ledger
	if l == nil {
		return r, ErrNoLedger
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(existing); err != nil {
		return r, err
	}
	if release, err := l.lock(ctx); err == nil {
		defer release()
	}
	names, err := l.names()
	if err != nil {
		return r, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, l.name+aside) {
			r.Aside = append(r.Aside, name)
		}
	}
	slices.Sort(r.Aside)
	c, bad, err := l.survey()
	r.Entries, r.Head = c.lines, c.head
	if bad != nil {
		r.BadLine, r.Why = bad.line, bad.why
	}
	return r, err
}

// survey reads the file from its beginning; without a file there are no lines.
func (l *ledger) survey() (chain, *flaw, error) {
	c := newChain()
	f, err := l.open(l.name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil, nil
	}
	if err != nil {
		return c, nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return c, nil, err
	}
	bad, err := c.read(io.NewSectionReader(f, 0, size))
	return c, bad, err
}
