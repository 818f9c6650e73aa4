package semantic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"
)

// Unavailable says why the semantic leg can't answer. Its text never repeats what the
// embedder said, so that any client may be shown it.
type Unavailable struct {
	Reason string // in words, with a hint where somebody can do something
	Err    error  // what happened, for an operator; may be nil
}

// Error implements error.
func (u *Unavailable) Error() string {
	if u.Err == nil {
		return u.Reason
	}
	return u.Reason + ": " + u.Err.Error()
}

// Unwrap gives what happened.
func (u *Unavailable) Unwrap() error { return u.Err }

// ModeReason is the reason as an answer's mode_reason gives it.
func (u *Unavailable) ModeReason() string { return u.Reason }

// Why the embedder can't be used, for errors.Is.
var (
	ErrMissing = errors.New("the model is not there")
	ErrRemote  = errors.New("the model runs on another machine")
	ErrChanged = errors.New("the model has changed")
)

// Faults of a request for vectors.
var (
	errShape   = errors.New("the embedder's answer does not fit the request")
	errVector  = errors.New("the embedder's answer holds a vector that can't be used")
	errTooLong = errors.New("the text is longer than the model's context")
)

// verdict sorts faults by what to do about them.
type verdict int

const (
	down    verdict = iota // nobody there, or nobody who answers in time
	busy                   // there, but overloaded
	tooLong                // one of the texts is over the context
	bad                    // one of the texts, or all, can't be embedded
	missing                // the model isn't there, or mustn't be used
	changed                // the model is another than before
	stopped                // the caller gave up
)

// judge sorts a fault of a request for vectors.
func judge(ctx context.Context, err error) verdict {
	var status api.StatusError
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return stopped
	case errors.Is(err, ErrMissing), errors.Is(err, ErrRemote):
		return missing
	case errors.Is(err, ErrChanged):
		return changed
	case errors.Is(err, errTooLong):
		return tooLong
	case errors.Is(err, errShape), errors.Is(err, errVector), errors.Is(err, errNull):
		return bad
	case errors.As(err, &status):
		switch status.StatusCode {
		case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
			return busy
		}
		return bad
	}
	return down
}

// translate gives the errors of Ollama's client the forms that judge knows, and keeps
// what the peer wrote out of them.
func translate(model string, err error) error {
	var status api.StatusError
	if !errors.As(err, &status) {
		return err
	}
	said := strings.ToLower(status.ErrorMessage)
	switch {
	case status.StatusCode == http.StatusNotFound:
		return missingModel(model)
	case status.StatusCode == http.StatusBadRequest && (strings.Contains(said, "context length") || strings.Contains(said, "input length") || strings.Contains(said, "too long")):
		return errTooLong
	}
	return api.StatusError{StatusCode: status.StatusCode, Status: fmt.Sprintf("the embedder answered %d", status.StatusCode)}
}

// missingModel is the one message for a model that was never pulled.
func missingModel(model string) error {
	return &Unavailable{Reason: fmt.Sprintf("the model %s is not there: run ollama pull %s", model, model), Err: ErrMissing}
}

// unavailable wraps a fault in its reason.
func unavailable(err error) *Unavailable {
	var u *Unavailable
	if errors.As(err, &u) {
		return u
	}
	reason := "the embedder failed"
	var status api.StatusError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		reason = "the embedder did not answer in time"
	case errors.Is(err, ErrChanged):
		reason = "the embedding model has changed"
	case errors.Is(err, errOwner):
		reason = "the port of Ollama belongs to another user of this machine"
	case errors.As(err, &status):
		reason = fmt.Sprintf("the embedder answered with status %d", status.StatusCode)
	case errors.Is(err, errShape), errors.Is(err, errVector), errors.Is(err, errNull),
		errors.Is(err, errRedirect), errors.Is(err, errEncoding), errors.Is(err, errTooLarge), errors.Is(err, errStatus):
		reason = "the embedder's answer could not be used"
	case judge(context.Background(), err) == down:
		reason = "the embedder does not answer"
	}
	return &Unavailable{Reason: reason, Err: err}
}
