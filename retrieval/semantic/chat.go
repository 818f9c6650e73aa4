package semantic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// ErrNoChat says that the Ollama has no language model of its own.
var ErrNoChat = errors.New("no model that writes text")

// errChat is an answer of a language model that has no use.
var errChat = errors.New("the model's answer can't be used")

// The bounds of one answer of a language model.
const (
	chatTokens  = 160
	chatBytes   = 4 << 10
	chatTimeout = 3 * time.Minute // on a slow machine, the loading of the model included
	chatLooks   = 32              // models that are looked at for one that writes
)

// ChatOptions say where the language model is.
type ChatOptions struct {
	URL      string // as of the embedder
	Model    string // "" takes the newest that runs here and writes text
	AnyOwner bool   // leaves out the check of who listens on the port
	Dial     Dial   // replaces the network in tests
}

// Chat asks a language model of the same Ollama for a few words, under what the embedder
// is held to: one loopback address, no model that runs on another machine, and bounds on
// size and time.
type Chat struct {
	api   *api.Client
	wire  *transport
	model string
}

// NewChat makes a chat. It connects to nothing: that is left to Find.
func NewChat(opt ChatOptions) (*Chat, error) {
	at, err := parseAddress(opt.URL)
	if err != nil {
		return nil, err
	}
	if opt.Model != "" && cloud(opt.Model) {
		return nil, remoteModel(opt.Model)
	}
	wire := newTransport(at.peer, opt.AnyOwner, opt.Dial)
	return &Chat{api: api.NewClient(at.base, wire.client()), wire: wire, model: opt.Model}, nil
}

// Close ends the connections.
func (c *Chat) Close() { c.wire.inner.CloseIdleConnections() }

// Find settles which model answers and gives its name: the one of the options, else the
// first that the Ollama lists, newest first, runs itself and says to write text.
func (c *Chat) Find(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if c.model != "" {
		if _, err := c.writes(ctx, c.model); err != nil {
			return "", unavailable(err)
		}
		return c.model, nil
	}
	list, err := c.api.List(ctx)
	if err != nil {
		return "", unavailable(translate("", err))
	}
	for _, m := range list.Models[:min(chatLooks, len(list.Models))] {
		if m.RemoteHost != "" || m.RemoteModel != "" || cloud(m.Name) {
			continue
		}
		if ok, err := c.writes(ctx, m.Name); err == nil && ok {
			c.model = m.Name
			return c.model, nil
		}
	}
	return "", ErrNoChat
}

// writes reports whether a model says that it writes text; one that another machine runs
// is an error.
func (c *Chat) writes(ctx context.Context, name string) (bool, error) {
	resp, err := c.api.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return false, translate(name, err)
	}
	if resp.RemoteHost != "" || resp.RemoteModel != "" {
		return false, remoteModel(name)
	}
	return slices.Contains(resp.Capabilities, model.CapabilityCompletion), nil
}

// Ask gives the one string that the model writes into a field of that name. Where the
// model runs is asked anew before text goes out. Its errors are Unavailable.
func (c *Chat) Ask(ctx context.Context, system, text, field string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, chatTimeout)
	defer cancel()
	if _, err := c.writes(ctx, c.model); err != nil {
		return "", unavailable(err)
	}
	form, err := json.Marshal(map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]string{"type": "string"}}, "required": []string{field},
	})
	if err != nil {
		return "", err
	}
	var said strings.Builder
	whole := false
	err = c.api.Generate(ctx, &api.GenerateRequest{
		Model: c.model, System: system, Prompt: text, Stream: &whole, Format: form, Think: &api.ThinkValue{Value: false},
		Options: map[string]any{"num_predict": chatTokens, "temperature": 0, "seed": 1},
	}, func(r api.GenerateResponse) error {
		if r.RemoteHost != "" || r.RemoteModel != "" {
			return remoteModel(c.model)
		}
		if said.Len()+len(r.Response) > chatBytes {
			return errTooLarge
		}
		said.WriteString(r.Response)
		return nil
	})
	if err != nil {
		return "", unavailable(translate(c.model, err))
	}
	fields := map[string]string{}
	if err := json.Unmarshal([]byte(said.String()), &fields); err != nil || fields[field] == "" {
		return "", &Unavailable{Reason: fmt.Sprintf("the answer of %s could not be used", c.model), Err: errChat}
	}
	return fields[field], nil
}
