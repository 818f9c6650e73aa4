package semantic

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// maxWidth is the widest vector that is believed; the widest known is half of it.
const maxWidth = 8192

// peer is Ollama as we use it: three calls, each checked.
type peer struct {
	api       *api.Client
	wire      *transport
	model     string
	keepAlive *api.Duration // nil: the server's own
}

// embed gives a unit vector for each text, in their order.
func (p *peer) embed(ctx context.Context, texts []string) ([]Vector, error) {
	whole := false // an input that is too long is refused, never cut silently
	resp, err := p.api.Embed(ctx, &api.EmbedRequest{
		Model: p.model, Input: texts, KeepAlive: p.keepAlive, Truncate: &whole,
	})
	if err != nil {
		return nil, translate(p.model, err)
	}
	if len(resp.Embeddings) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", errShape, len(resp.Embeddings), len(texts))
	}
	out := make([]Vector, len(texts))
	for i, raw := range resp.Embeddings {
		if len(raw) != len(resp.Embeddings[0]) {
			return nil, fmt.Errorf("%w: vectors of two widths", errShape)
		}
		if out[i], err = unit(raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listed is what Ollama's list says of the model.
type listed struct {
	digest string
	remote bool
}

// list reads the model's digest anew.
func (p *peer) list(ctx context.Context) (listed, error) {
	resp, err := p.api.List(ctx)
	if err != nil {
		return listed{}, translate(p.model, err)
	}
	want := canonical(p.model)
	for _, m := range resp.Models {
		if canonical(m.Name) == want || canonical(m.Model) == want {
			return listed{digest: m.Digest, remote: m.RemoteHost != "" || m.RemoteModel != ""}, nil
		}
	}
	return listed{}, missingModel(p.model)
}

// show reads the model's context, 0 where it isn't told, and whether another machine
// runs it.
func (p *peer) show(ctx context.Context) (context int, remote bool, err error) {
	resp, err := p.api.Show(ctx, &api.ShowRequest{Model: p.model})
	if err != nil {
		return 0, false, translate(p.model, err)
	}
	for key, value := range resp.ModelInfo {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") && n >= 1 && n < math.MaxInt32 {
			context = int(n)
		}
	}
	return context, resp.RemoteHost != "" || resp.RemoteModel != "", nil
}

// canonical is a model's name in the one spelling: the tag latest is what no tag means,
// and Ollama doesn't tell cases apart.
func canonical(name string) string {
	name = strings.ToLower(name)
	if !strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":") {
		name += ":latest"
	}
	return name
}

// cloud reports whether a name is one of those that Ollama forwards.
func cloud(name string) bool {
	_, tag, _ := strings.Cut(canonical(name)[strings.LastIndexByte(name, '/')+1:], ":")
	return tag == "cloud" || strings.HasSuffix(tag, "-cloud")
}

// keepAlive is the duration as Ollama's client sends it. Below zero is for ever, which
// goes out as the number -1: the string "-1" is refused.
func keepAlive(d *time.Duration) *api.Duration {
	if d == nil {
		return nil
	}
	return &api.Duration{Duration: *d}
}
