package notes

import (
	"context"
	"encoding/hex"
	"io"
	"time"
)

// EntryRequest is a lesson as a client gives it.
type EntryRequest struct {
	Subject  string `json:"subject"`
	Lesson   string `json:"lesson"`
	Evidence string `json:"evidence"` // the id of a citation
}

// EntryAnswer names the line that was added.
type EntryAnswer struct {
	ID       string `json:"entry_id"` // random: it tells nothing of other entries
	Evidence string `json:"evidence"` // the id of the citation as it is now
}

// Entry is what one line of the ledger says.
type Entry struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Profile  string    `json:"profile"`
	Subject  string    `json:"subject"`
	Lesson   string    `json:"lesson"`
	Evidence string    `json:"evidence"`
}

// AppendLedger adds a line to the ledger. Its evidence is a citation that the profile can
// read now.
func (w *Writer) AppendLedger(ctx context.Context, q EntryRequest) (EntryAnswer, error) {
	z := w.zone
	if z.ledger == nil {
		return EntryAnswer{}, ErrUnavailable
	}
	now := z.opt.Now().UTC()
	if !w.rate.take(now, z.opt.Rate) {
		return EntryAnswer{}, ErrRate
	}
	clean, err := q.clean(z.opt.Bytes)
	if err != nil {
		return EntryAnswer{}, err
	}
	if z.holdsSecret(q.Subject, q.Lesson, clean.Subject+"\n"+clean.Lesson) {
		return EntryAnswer{}, ErrSecret
	}
	evidence, err := w.resolve(ctx, q.Evidence)
	if err != nil {
		return EntryAnswer{}, err
	}
	var draw [16]byte
	if _, err := io.ReadFull(z.opt.Random, draw[:]); err != nil {
		return EntryAnswer{}, err
	}
	e := Entry{
		ID: hex.EncodeToString(draw[:]), At: now.Truncate(time.Second), Profile: w.profile,
		Subject: clean.Subject, Lesson: clean.Lesson, Evidence: evidence,
	}
	text, err := encode(e)
	if err != nil {
		return EntryAnswer{}, err
	}
	err = z.ledger.guard(ctx, made, func() error { return z.ledger.append(w.profile, text, z.opt.Entries) })
	if err != nil {
		return EntryAnswer{}, err
	}
	return EntryAnswer{ID: e.ID, Evidence: evidence}, nil
}
