package wrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract is what a tool's output schema promises.
type contract struct {
	schema *jsonschema.Schema // nil: nothing
	broken bool               // it promises something that cannot be read
	open   bool               // its object has room for a stamp
}

// maxLists bounds how often a server is asked for its tools, which may have no end.
const maxLists = 200

var errBroken = errors.New("the result breaks its tool's output schema")

// check holds the structured half of a result to the contract.
func (c contract) check(structured any) error {
	switch {
	case c.broken:
		return errBroken
	case c.schema == nil:
		return nil
	case structured == nil:
		return errBroken
	}
	if c.schema.Validate(structured) != nil {
		return errBroken
	}
	return nil
}

// learned takes in a page of the server's tools.
func (p *Proxy) learned(list object, meta any) error {
	tools, _ := list["tools"].([]any)
	p.mu.Lock()
	next := maps.Clone(p.contracts)
	if next == nil {
		next = map[string]contract{}
	}
	for _, t := range tools {
		tool, _ := t.(object)
		if name, ok := tool["name"].(string); ok {
			next[name] = promise(tool["outputSchema"])
		}
	}
	p.contracts = next
	cursor, _ := list["nextCursor"].(string)
	if cursor == "" || len(tools) == 0 || p.asked >= maxLists {
		p.open()
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return p.list(cursor, meta)
}

// open lets calls pass; the caller holds the lock.
func (p *Proxy) open() {
	select {
	case <-p.known:
	default:
		close(p.known)
	}
}

// promise compiles an output schema. It fetches nothing: a schema that refers to another
// place cannot be held, and so is broken.
func promise(schema any) contract {
	o, isObject := schema.(object)
	switch {
	case schema == nil:
		return contract{}
	case !isObject:
		return contract{broken: true}
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nowhere{})
	if compiler.AddResource("tool.json", plain(o)) != nil {
		return contract{broken: true}
	}
	compiled, err := compiler.Compile("tool.json")
	if err != nil {
		return contract{broken: true}
	}
	return contract{schema: compiled, open: o["type"] == "object"}
}

// nowhere loads no schema.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) { return nil, errors.New("schemas are not fetched") }

// plain gives a copy with which the schema library may do what it likes.
func plain(o object) any {
	raw, err := json.Marshal(o)
	if err != nil {
		return o
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return o
	}
	return v
}

// filter takes tools that may not be called out of a list and makes room for the stamp
// in the output schemas of the others.
func (p *Proxy) filter(list object) {
	tools, _ := list["tools"].([]any)
	tools = slices.DeleteFunc(tools, func(t any) bool {
		tool, _ := t.(object)
		name, _ := tool["name"].(string)
		return !p.allows(name)
	})
	for _, t := range tools {
		schema, _ := t.(object)["outputSchema"].(object)
		if schema == nil || schema["type"] != "object" {
			continue
		}
		properties, _ := schema["properties"].(object)
		if properties == nil {
			properties = object{}
		}
		properties["stamp"] = object{"type": "object", "description": "who fetched this, when, by which call"}
		schema["properties"] = properties
	}
	if tools == nil {
		tools = []any{}
	}
	list["tools"] = tools
}
