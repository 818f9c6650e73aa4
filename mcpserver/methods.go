package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// shape is the form of one parameter.
type shape struct {
	name     string
	first    byte // of its JSON: '"' a string, '{' an object, 0 anything
	required bool
}

var cursorOnly = []shape{{name: "cursor", first: '"'}}

// methods holds the parameters of each method that is served. They are checked before
// mcp-go decodes them, which matches names in any case and blames with Go's words.
var methods = map[mcp.MCPMethod][]shape{
	mcp.MethodInitialize: {
		{name: "protocolVersion", first: '"'}, {name: "capabilities", first: '{'}, {name: "clientInfo", first: '{'},
	},
	mcp.MethodPing:                   nil,
	mcp.MethodServerDiscover:         nil,
	mcp.MethodSubscriptionsListen:    {{name: "notifications", first: '{'}},
	mcp.MethodToolsList:              cursorOnly,
	mcp.MethodPromptsList:            cursorOnly,
	mcp.MethodResourcesList:          cursorOnly,
	mcp.MethodResourcesTemplatesList: cursorOnly,
	mcp.MethodToolsCall:              {{name: "name", first: '"', required: true}, {name: "arguments"}},
	mcp.MethodPromptsGet:             {{name: "name", first: '"', required: true}, {name: "arguments", first: '{'}},
	mcp.MethodResourcesRead:          {{name: "uri", first: '"', required: true}},
}

// check refuses a request whose method or parameters cannot be served.
func (s *Server) check(m message) *rpcError {
	shapes, known := methods[mcp.MCPMethod(m.method)]
	if !known {
		return errNoMethod
	}
	params := map[string]json.RawMessage{}
	if m.params != nil {
		if m.params[0] != '{' || json.Unmarshal(m.params, &params) != nil {
			return badParams("params must be an object")
		}
	}
	shapes = append(slices.Clip(shapes), shape{name: "_meta", first: '{'})
	if err := checkShapes(params, shapes); err != nil {
		return err
	}
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodToolsCall:
		if !slices.ContainsFunc(s.tools, func(t tool) bool { return t.name == plain(params["name"]) }) {
			return badParams("name: no such tool; tools/list names them")
		}
	case mcp.MethodPromptsGet:
		return checkPrompt(params)
	case mcp.MethodSubscriptionsListen:
		if len(m.id) > 15 && m.id[0] != '"' {
			return errID // mcp-go gives it back inside the result, as a float
		}
	}
	return nil
}

func checkShapes(params map[string]json.RawMessage, shapes []shape) *rpcError {
	for name := range params {
		for _, want := range shapes {
			if name != want.name && strings.EqualFold(name, want.name) {
				return badParams("a parameter's name is in the wrong case")
			}
		}
	}
	for _, want := range shapes {
		raw := params[want.name]
		absent := raw == nil || string(raw) == "null"
		switch {
		case absent && want.required:
			return badParams(want.name + " is required")
		case !absent && want.first != 0 && raw[0] != want.first:
			return badParams(want.name + " must be " + map[byte]string{'"': "a string", '{': "an object"}[want.first])
		}
	}
	return nil
}

func badParams(why string) *rpcError {
	return &rpcError{Code: mcp.INVALID_PARAMS, Message: "invalid params: " + why}
}
