package mcpserver

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/mark3labs/mcp-go/mcp"
)

// kind tells what a message wants of the server.
type kind int

const (
	request      kind = iota // wants one answer
	notification             // wants none
	response                 // to a request that the server never sent
)

// message is one JSON-RPC message that passed the framing guard.
type message struct {
	kind   kind
	id     json.RawMessage // as the client wrote it; nil if there is none to answer to
	key    string          // the id's value: "1" and 1 differ, "a" and "\u0061" do not
	method string
	params json.RawMessage // nil when absent or null
	raw    json.RawMessage
}

// rpcError is a JSON-RPC error. All of its words are ours.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// maxID is the longest string that is taken as an id, in bytes.
const maxID = 128

var (
	errNotJSON    = &rpcError{Code: mcp.PARSE_ERROR, Message: "parse error: a message must be one line of valid JSON"}
	errNotUnicode = &rpcError{Code: mcp.PARSE_ERROR, Message: "parse error: text must be valid Unicode in UTF-8"}

	errTooLong   = invalid("a message may have at most 1048576 bytes")
	errTooDeep   = invalid("a message may be nested at most 64 levels deep")
	errTooMany   = invalid("a message may hold at most 20000 values")
	errDuplicate = invalid("a name may stand only once in an object")
	errName      = invalid("a name may hold no control characters")
	errBatch     = invalid("batches are not supported: send one message a line")
	errNotObject = invalid("a message must be an object")
	errMember    = invalid("a message may have only jsonrpc, id, method, params, result and error")
	errVersion   = invalid(`jsonrpc must be "2.0"`)
	errID        = invalid("id must be an integer of at most 19 digits or a string of at most 128 bytes")
	errMethod    = invalid("method must be a string of 1 to 128 bytes")
	errNoID      = invalid("a request must have an id")
	errOddID     = invalid("a notification may have no id")
	errShape     = invalid("a message must have a method, or a result, or an error")
	errInFlight  = invalid("a request with this id is still being answered")
)

func invalid(why string) *rpcError {
	return &rpcError{Code: mcp.INVALID_REQUEST, Message: "invalid request: " + why}
}

// parseMessage checks the framing of one message: its size, encoding, syntax, limits,
// names, version, id and shape. With an error the id is set if one can be told.
func parseMessage(text []byte) (message, *rpcError) {
	if len(text) > maxMessage {
		return message{}, errTooLong
	}
	s := scanner{src: text}
	if err := s.scan(); err != nil {
		return message{}, err
	}
	switch text[firstByte(text)] {
	case '{':
	case '[':
		return message{}, errBatch
	default:
		return message{}, errNotObject
	}
	m := message{raw: text}
	found := map[string]json.RawMessage{}
	stray := false
	for _, part := range s.members {
		switch part.name {
		case "jsonrpc", "id", "method", "params", "result", "error":
			found[part.name] = text[part.start:part.end]
		default:
			stray = true
		}
	}
	readable := m.setID(found["id"])
	switch {
	case s.breach != nil:
		if repeated(s.members, "id") {
			m.id = nil
		}
		return m, s.breach
	case stray:
		return m, errMember
	case string(found["jsonrpc"]) != `"2.0"`:
		return m, errVersion
	}
	return m, m.setShape(found, readable)
}

// setShape tells requests, notifications and responses apart.
func (m *message) setShape(found map[string]json.RawMessage, readable bool) *rpcError {
	_, hasID := found["id"]
	_, hasResult := found["result"]
	_, hasError := found["error"]
	raw, hasMethod := found["method"]
	switch {
	case !hasMethod && hasResult != hasError:
		m.kind = response
		return nil
	case hasID && !readable:
		return errID
	case !hasMethod || hasResult || hasError:
		return errShape
	case raw[0] != '"':
		return errMethod
	}
	m.method = plain(raw)
	if m.method == "" || len(m.method) > 128 {
		return errMethod
	}
	if p := found["params"]; string(p) != "null" {
		m.params = p
	}
	switch noted := isNotification(m.method); {
	case noted && hasID:
		return errOddID
	case !noted && !hasID:
		return errNoID
	case noted:
		m.kind = notification
	}
	return nil
}

// setID keeps the id if it is one that can be given back exactly.
func (m *message) setID(raw json.RawMessage) bool {
	key, ok := idKey(raw)
	if ok {
		m.id, m.key = raw, key
	}
	return ok
}

var integer = regexp.MustCompile(`^(?:0|-?[1-9][0-9]{0,18})$`)

// idKey gives the value of an id as a map key. Fractions, exponents and -0 are refused:
// they have several spellings, and a client may look for another than it sent.
func idKey(raw json.RawMessage) (string, bool) {
	switch {
	case len(raw) == 0:
		return "", false
	case raw[0] == '"':
		text := plain(raw)
		return "s" + text, len(text) <= maxID
	}
	return "n" + string(raw), integer.Match(raw)
}

func repeated(members []member, name string) bool {
	n := 0
	for _, m := range members {
		if m.name == name {
			n++
		}
	}
	return n > 1
}

func isNotification(method string) bool {
	return len(method) > len("notifications/") && method[:len("notifications/")] == "notifications/"
}

func firstByte(text []byte) int {
	return len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
}
