package notes

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"candor"
)

// NoteRequest is a draft as a client gives it.
type NoteRequest struct {
	Title   string   `json:"title"`
	Summary string   `json:"summary"`
	Body    string   `json:"body"`
	Tags    []string `json:"tags"`
}

// NoteAnswer says what became of it.
type NoteAnswer struct {
	Path    candor.Path `json:"path"`   // of the draft; nobody's search or read knows it
	Status  string      `json:"status"` // draft
	Tier    string      `json:"tier"`   // T2
	Warning string      `json:"warning"`
}

// Review is the warning of every draft.
const Review = "A draft is in no answer until a person has reviewed and moved it."

// What every draft is.
const (
	draftStatus = "draft"
	draftTier   = candor.T2
)

// The names in the folder of drafts.
const (
	draftsLock = ".lock"
	temporary  = ".tmp" // behind the name of a draft that is being written
	longest    = 48     // bytes of a name's words
)

// CreateNote writes a draft. It never changes one.
func (w *Writer) CreateNote(ctx context.Context, q NoteRequest) (NoteAnswer, error) {
	z := w.zone
	if z.drafts == nil {
		return NoteAnswer{}, ErrUnavailable
	}
	now := z.opt.Now().UTC()
	if !w.rate.take(now, z.opt.Rate) {
		return NoteAnswer{}, ErrRate
	}
	clean, err := q.clean(z.opt.Bytes)
	if err != nil {
		return NoteAnswer{}, err
	}
	text, err := clean.render(w.profile, now)
	if err != nil {
		return NoteAnswer{}, err
	}
	if z.holdsSecret(q.Title, q.Summary, q.Body, strings.Join(q.Tags, "\n"), text) {
		return NoteAnswer{}, ErrSecret
	}
	var path candor.Path
	err = z.drafts.guard(ctx, made, func() error {
		path, err = z.publish(w.profile, slug(clean.Title), text)
		return err
	})
	if err != nil {
		return NoteAnswer{}, err
	}
	return NoteAnswer{Path: path, Status: draftStatus, Tier: draftTier.String(), Warning: Review}, nil
}

// render gives the file of a draft. JSON strings are YAML too, on one line each.
func (q NoteRequest) render(profile string, now time.Time) (string, error) {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range []struct {
		key   string
		value any
	}{{"title", q.Title}, {"summary", q.Summary}, {"tags", q.Tags}, {"author", profile}} {
		value, err := encode(f.value)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s: %s\n", f.key, value)
	}
	fmt.Fprintf(&b, "created: %s\ntier: %s\nstatus: %s\n---\n\n%s\n", now.Format(time.RFC3339), draftTier, draftStatus, q.Body)
	return b.String(), nil
}

// encode gives the JSON of a value with its characters as they are.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// publish writes a draft under a name that nothing has. It is called under the guard.
func (z *Zone) publish(profile, words, text string) (candor.Path, error) {
	mark := authorMark(profile)
	waiting, err := z.sweep(mark)
	switch {
	case err != nil:
		return "", err
	case waiting >= z.opt.Waiting:
		return "", ErrQuota
	}
	for range 4 {
		var draw [10]byte
		if _, err := io.ReadFull(z.opt.Random, draw[:]); err != nil {
			return "", err
		}
		name := words + mark + alphabet.EncodeToString(draw[:]) + ".md"
		path, indexed := z.opt.Where(name)
		if indexed {
			return "", unfit("the folder of drafts is in some profile's index")
		}
		if err = z.drafts.publish(name, text); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
	return "", err
}

// publish makes a new file, whole or not at all.
func (p *place) publish(name, text string) error {
	hidden := "." + name + temporary
	if err := p.store(hidden, strings.NewReader(text)); err != nil {
		return err
	}
	err := p.link(hidden, name)
	_ = p.remove(hidden) // the next sweep, at the latest
	if err != nil {
		return err
	}
	return p.settle()
}

// sweep removes what writers that ended have left, and counts the drafts with a mark.
// Under the guard no other writer is at work, so every temporary file is left over.
func (z *Zone) sweep(mark string) (waiting int, err error) {
	names, err := z.drafts.names()
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".md"+temporary):
			_ = z.drafts.remove(name)
		case mark != "" && strings.HasSuffix(name[:max(0, len(name)-drawn)], mark): // a title may hold any mark
			waiting++
		}
	}
	return waiting, err
}

// alphabet is what names are made of: digits and small letters without those that are
// taken for others.
var alphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// drawn is the length of what stands behind a mark: ten random bytes and ".md".
const drawn = 16 + len(".md")

// authorMark is the part of a name by which the drafts of one profile are counted.
func authorMark(profile string) string {
	sum := sha256.Sum256([]byte(profile))
	return "-" + alphabet.EncodeToString(sum[:5]) + "-"
}

// slug makes words of a title that are part of a file name on every system: ASCII letters
// and digits, joined by '-'. No name is a device's, since more follows.
func slug(title string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(title) {
		switch r = unicode.ToLower(r); {
		case b.Len() == longest:
			return strings.TrimSuffix(b.String(), "-")
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // an accent belongs to its letter
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if words := strings.TrimSuffix(b.String(), "-"); words != "" {
		return words
	}
	return "note"
}

// Waiting are the names of the drafts that wait for review, sorted.
func (z *Zone) Waiting() ([]string, error) {
	if z.drafts == nil {
		return nil, nil
	}
	z.drafts.mu.Lock()
	defer z.drafts.mu.Unlock()
	if err := z.drafts.ready(existing); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	names, err := z.drafts.names()
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") })
	slices.Sort(names)
	return names, err
}
