package wrap

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor"
)

// object is a JSON object whose members the proxy does not know all of. What is sent on
// is always written anew from what was read here, so that both ends see one message:
// of a name that stands twice, the last.
type object = map[string]any

// The codes of JSON-RPC errors.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeServer  = -32603
)

// The words for what is refused. They are the same whatever was in the message.
const (
	unknownTool = "invalid params: name: no such tool; tools/list names them"
	secretText  = "The request holds what looks like a secret. Nothing was sent to the server. Ask without it."
	brokenText  = "The server's answer does not keep to what its own tool promises, so it is withheld."
	noStampText = "The answer could not be stamped, so it is withheld."
)

// fromClient deals with a message of the client. It gives an error only where the
// session is over. Only members that are known are sent on: servers may read names in
// any case, and would then see another message than was checked here.
func (p *Proxy) fromClient(ctx context.Context, line []byte) error {
	m, ok := value(line).(object)
	if !ok {
		return p.refuse(nil, codeParse, "parse error: a message must be one line of JSON, and no batch")
	}
	method, isText := m["method"].(string)
	id, isRequest := m["id"]
	switch {
	case m["method"] == nil: // the answer to something that the server asked
		return p.tell.server.send(pick(m, "jsonrpc", "id", "result", "error"))
	case !isText:
		return p.refuse(id, codeRequest, "invalid request: method must be a string")
	case !isRequest:
		return p.notify(method, m)
	}
	r := request{id: id, method: method}
	m = pick(m, "jsonrpc", "id", "method", "params")
	if refused, err := p.check(m, &r); refused || err != nil {
		return err
	}
	if r.method == "tools/call" {
		if err := p.ready(ctx, m); err != nil {
			return err
		}
	}
	if !p.expect(r) {
		return p.refuse(nil, codeRequest, "invalid request: a request with this id is still being answered")
	}
	return p.tell.server.send(m)
}

// pick gives a message with the named members alone.
func pick(m object, names ...string) object {
	out := object{}
	for _, name := range names {
		if v, ok := m[name]; ok {
			out[name] = v
		}
	}
	return out
}

// notify passes on a notification. What is none by its name is dropped: a server might
// do what it says though nobody waits for an answer.
func (p *Proxy) notify(method string, m object) error {
	m = pick(m, "jsonrpc", "method", "params")
	if !strings.HasPrefix(method, "notifications/") || p.guarded() && p.secret(m["params"]) {
		return nil
	}
	if err := p.tell.server.send(m); err != nil || method != "notifications/initialized" {
		return err
	}
	return p.ask(nil)
}

// guarded reports whether the server may get no secret.
func (p *Proxy) guarded() bool { return p.opt.Tier > candor.T0 }

// check refuses a call of a tool that is not allowed, and any request in which a secret
// would leave; it notes what a call is about.
func (p *Proxy) check(m object, r *request) (refused bool, err error) {
	params, isObject := m["params"].(object)
	if r.method == "tools/call" {
		r.tool, _ = params["name"].(string)
		if !p.allows(r.tool) {
			return true, p.refuse(r.id, codeParams, unknownTool)
		}
		params = pick(params, "name", "arguments", "_meta")
		if r.arguments, err = encode(params["arguments"]); err != nil {
			return true, p.refuse(r.id, codeParams, "invalid params: arguments")
		}
	}
	if isObject {
		m["params"] = params
	}
	if !p.guarded() || !p.secret(m["params"]) {
		return false, nil
	}
	p.log.Warn("a request was not sent: it looks like it holds a secret", "server", p.opt.Name, "tool", r.tool)
	if r.method == "tools/call" {
		return true, p.answer(r.id, failure(secretText))
	}
	return true, p.refuse(r.id, codeParams, "invalid params: "+secretText)
}

// ready waits until it is known what the server's tools promise.
func (p *Proxy) ready(ctx context.Context, m object) error {
	params, _ := m["params"].(object)
	if err := p.ask(params["_meta"]); err != nil {
		return err
	}
	wait := time.NewTimer(learning)
	defer wait.Stop()
	select {
	case <-p.known:
	case <-wait.C: // the answer is then held to nothing
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// allows reports whether the owner named a tool.
func (p *Proxy) allows(tool string) bool {
	return tool != "" && (slices.Contains(p.opt.Tools, "*") || slices.Contains(p.opt.Tools, tool))
}

// secret reports whether any text in a value looks like it holds a secret: each string,
// names of members too, and the whole, over which a secret may be spread.
func (p *Proxy) secret(v any) bool {
	whole, err := encode(v)
	found := err != nil || p.opt.Redactor.Finds(string(whole))
	walk(v, func(s string) string {
		found = found || p.opt.Redactor.Finds(s)
		return s
	})
	return found
}

// expect notes a request that is about to be sent, unless its id is in use.
func (p *Proxy) expect(r request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := idKey(r.id)
	if _, used := p.pending[key]; used {
		return false
	}
	p.pending[key] = r
	return true
}

// ask has the server's tools listed, once, so that their contracts are known whether or
// not the client asks. A client without a handshake lends the metadata of its call.
func (p *Proxy) ask(meta any) (err error) {
	p.once.Do(func() { err = p.list("", meta) })
	return err
}

// list asks the server for a page of its tools.
func (p *Proxy) list(cursor string, meta any) error {
	p.mu.Lock()
	p.asked++
	r := request{id: fmt.Sprintf("candor-wrap-%d", p.asked), method: "tools/list", own: true, meta: meta}
	p.mu.Unlock()
	params := object{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	if meta != nil {
		params["_meta"] = meta
	}
	p.expect(r)
	return p.tell.server.send(object{"jsonrpc": "2.0", "id": r.id, "method": r.method, "params": params})
}

// refuse answers a request with an error.
func (p *Proxy) refuse(id any, code int, words string) error {
	return p.tell.client.send(refusal(id, code, words))
}

func refusal(id any, code int, words string) object {
	return object{"jsonrpc": "2.0", "id": id, "error": object{"code": code, "message": words}}
}

// answer sends the client a result.
func (p *Proxy) answer(id, result any) error {
	return p.tell.client.send(object{"jsonrpc": "2.0", "id": id, "result": result})
}

// failure is the result of a call that did not work, in our own words.
func failure(words string) object {
	return object{"isError": true, "content": []any{object{"type": "text", "text": words}}}
}

// idKey is an id by its value: 1 and "1" differ.
func idKey(id any) string {
	raw, err := json.Marshal(id)
	if err != nil {
		return ""
	}
	return string(raw)
}
