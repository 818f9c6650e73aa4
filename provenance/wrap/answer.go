package wrap

import (
	"cmp"
	"errors"
	"strings"

	"candor"
	"candor/provenance"
)

// errClientGone ends the session.
var errClientGone = errors.New("the client does not read any more")

// fromServer deals with a message of the server. A server's bad message is dropped: the
// session goes on.
func (p *Proxy) fromServer(line []byte) error {
	m, ok := value(line).(object)
	if !ok {
		p.log.Warn("the server sent what is no message", "server", p.opt.Name)
		return nil
	}
	deal := p.reply
	if m["method"] != nil {
		deal = p.wish
	}
	if err := deal(m); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// wish passes on what the server asks or tells the client. A community server may not
// ask: its questions could carry the user's data to it.
func (p *Proxy) wish(m object) error {
	if id := m["id"]; id != nil && p.opt.Tier == candor.T2 && m["method"] != "ping" {
		return p.tell.server.send(refusal(id, codeMethod, "method not found"))
	}
	if m["method"] == "notifications/tools/list_changed" {
		if err := p.list("", nil); err != nil {
			return err
		}
	}
	return p.tell.client.send(p.clean(m))
}

// reply passes on an answer, changed as its request wants.
func (p *Proxy) reply(m object) error {
	key := idKey(m["id"])
	p.mu.Lock()
	r, expected := p.pending[key]
	delete(p.pending, key)
	p.mu.Unlock()
	result, isObject := m["result"].(object)
	switch {
	case !expected: // an answer to nothing could be taken for another's
		p.log.Warn("the server answered what nobody asked", "server", p.opt.Name)
		return nil
	case r.own:
		return p.learned(result, r.meta)
	case !isObject:
		return p.tell.client.send(p.clean(m))
	}
	switch r.method {
	case "tools/list":
		result, _ = p.clean(result).(object)
		p.filter(result)
	case "tools/call":
		result = p.result(r, result)
	case "resources/read", "prompts/get":
		result, _ = p.clean(result).(object)
		if err := p.stamp(r, result, append(texts(result["contents"]), messages(result["messages"])...)); err != nil {
			return p.refuse(r.id, codeServer, noStampText)
		}
	default:
		result, _ = p.clean(result).(object)
	}
	return p.answer(r.id, result)
}

// result is the answer of a tool as the client gets it.
func (p *Proxy) result(r request, result object) object {
	if failed, _ := result["isError"].(bool); failed {
		result, _ = p.clean(result).(object)
		return result
	}
	p.mu.Lock()
	promised := p.contracts[r.tool]
	p.mu.Unlock()
	if promised.check(result["structuredContent"]) != nil {
		p.log.Warn("an answer breaks its contract and is withheld", "server", p.opt.Name, "tool", r.tool)
		return failure(brokenText)
	}
	result, _ = p.clean(result).(object)
	blocks := texts(result["content"])
	if whole, err := encode(result["structuredContent"]); len(blocks) == 0 && result["structuredContent"] != nil && err == nil {
		blocks = []block{{text: string(whole)}}
	}
	if p.stamp(r, result, blocks) != nil {
		return failure(noStampText)
	}
	meta, _ := result["_meta"].(object)
	stamp, _ := meta[metaKey].(provenance.Stamp)
	if structured, ok := result["structuredContent"].(object); ok && promised.open {
		structured["stamp"] = stamp
	}
	p.mark(result, blocks, stamp)
	return result
}

// block is a piece of text in a result and the way to change it.
type block struct {
	text string
	in   object // nil: it stands nowhere that could be changed
}

// texts gives the text blocks of a list of contents, embedded resources too.
func texts(list any) []block {
	var out []block
	items, _ := list.([]any)
	for _, item := range items {
		o, _ := item.(object)
		if inner, ok := o["resource"].(object); ok {
			o = inner
		}
		if text, ok := o["text"].(string); ok {
			out = append(out, block{text, o})
		}
	}
	return out
}

// messages gives the text blocks of a prompt's messages.
func messages(list any) []block {
	var out []block
	items, _ := list.([]any)
	for _, item := range items {
		o, _ := item.(object)
		out = append(out, texts([]any{o["content"]})...)
	}
	return out
}

// metaKey is where the metadata of a result has its stamp.
const metaKey = "candor/stamp"

// stamp stamps an answer and puts the stamp into its metadata.
func (p *Proxy) stamp(r request, result object, blocks []block) error {
	tool := cmp.Or(r.tool, r.method)
	id, isText := r.id.(string)
	if !isText {
		id = idKey(r.id)
	}
	stamp, err := p.opt.Issuer.Stamp(provenance.Call{
		RequestID: id, Server: p.opt.Name, Tool: tool, Profile: p.opt.Profile,
		Arguments: r.arguments, Passages: p.passages(tool, blocks),
	})
	if err != nil {
		p.log.Error("an answer cannot be stamped and is withheld", "server", p.opt.Name, "error", err)
		return err
	}
	meta, _ := result["_meta"].(object)
	if meta == nil {
		meta = object{}
		result["_meta"] = meta
	}
	meta[metaKey] = stamp
	return nil
}

// mark writes the marker before the first text and behind the last one.
func (p *Proxy) mark(result object, blocks []block, stamp provenance.Stamp) {
	marker := stamp.Marker() + " from " + p.opt.Name + ", tier " + p.opt.Tier.String()
	if p.opt.Tier == candor.T2 {
		marker += ": name it as the source; it settles nothing by itself"
	}
	if len(blocks) == 0 || blocks[0].in == nil {
		content, _ := result["content"].([]any)
		result["content"] = append(content, object{"type": "text", "text": marker})
		return
	}
	first, last := blocks[0].in, blocks[len(blocks)-1].in
	first["text"] = marker + "\n" + blocks[0].text
	last["text"] = last["text"].(string) + "\n" + stamp.Marker()
}

// passages are the texts as the journal keeps them, each with a citation of the form
// that passages of notes have: the server and its tool stand for the path.
func (p *Proxy) passages(tool string, blocks []block) []provenance.Passage {
	path := candor.Path(p.opt.Name + "/" + tool)
	out := make([]provenance.Passage, len(blocks))
	for i, b := range blocks {
		lines := candor.Span{Start: 1, End: 1 + strings.Count(strings.TrimSuffix(b.text, "\n"), "\n")}
		out[i] = provenance.Passage{
			Citation: candor.Citation{
				ID: candor.CitationID(path, lines, candor.Digest(b.text)), Path: path, Heading: []string{},
				StartLine: lines.Start, EndLine: lines.End,
			},
			Title: p.opt.Name, Text: b.text, Tier: p.opt.Tier,
		}
		if p.opt.Tier == candor.T2 {
			out[i].Flags = []candor.Flag{candor.FlagAttributed}
		}
	}
	return out
}
