package mcpserver

import (
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

var (
	errHeaders  = &rpcError{Code: mcp.HEADER_MISMATCH, Message: "header mismatch: MCP-Protocol-Version, Mcp-Method and Mcp-Name must say, once each, what the body says"}
	errNoMeta   = badParams("_meta must have " + mcp.MetaKeyProtocolVersion + " and " + mcp.MetaKeyClientCapabilities)
	namedParams = map[string]string{
		string(mcp.MethodToolsCall): "name", string(mcp.MethodPromptsGet): "name", string(mcp.MethodResourcesRead): "uri",
	}
)

// era tells by headers and body whether a message is of a protocol without sessions,
// and refuses one whose headers say other than its body: whoever stands between client
// and server decides by the headers, and must not be led to let pass what it would stop.
func era(header http.Header, m message) (modern bool, _ *rpcError) {
	said, ok := one(header, mcp.HeaderProtocolVersion)
	if !ok {
		return false, errHeaders
	}
	params := map[string]json.RawMessage{}
	meta := map[string]json.RawMessage{}
	if len(m.params) > 0 && m.params[0] == '{' {
		_ = json.Unmarshal(m.params, &params) // the syntax is checked
	}
	if raw := params["_meta"]; len(raw) > 0 && raw[0] == '{' {
		_ = json.Unmarshal(raw, &meta)
	}
	written, _ := stringOf(meta[mcp.MetaKeyProtocolVersion])
	switch {
	case said != "" && !mcp.IsValidProtocolVersion(said):
		return false, unsupported(said)
	case !mcp.IsModernProtocol(said) && !mcp.IsModernProtocol(written):
		return false, nil
	case m.kind != request:
		return true, sameMethod(header, m)
	case written == "":
		return true, errNoMeta
	case said != written:
		return true, errHeaders
	case len(meta[mcp.MetaKeyClientCapabilities]) == 0 || meta[mcp.MetaKeyClientCapabilities][0] != '{':
		return true, errNoMeta
	}
	if err := sameMethod(header, m); err != nil {
		return true, err
	}
	if param, named := namedParams[m.method]; named {
		value, ok := one(header, mcp.HeaderName)
		name, sound := mcp.DecodeHeaderValue(value)
		want, _ := stringOf(params[param])
		if !ok || !sound || name == "" || name != want {
			return true, errHeaders
		}
	}
	return true, nil
}

// sameMethod refuses a message whose Mcp-Method is not its method. A response has none.
func sameMethod(header http.Header, m message) *rpcError {
	if value, ok := one(header, mcp.HeaderMethod); !ok || value != m.method {
		return errHeaders
	}
	return nil
}

// one gives a header that may stand only once; "" if it is not there.
func one(header http.Header, name string) (value string, ok bool) {
	switch values := header.Values(name); len(values) {
	case 0:
		return "", true
	case 1:
		return values[0], true
	}
	return "", false
}

// unsupported tells which versions there are. A version is short; what is not, is none.
func unsupported(version string) *rpcError {
	return &rpcError{
		Code: mcp.UNSUPPORTED_PROTOCOL_VERSION, Message: "unsupported protocol version",
		Data: map[string]any{"supported": mcp.ValidProtocolVersions, "requested": version[:min(len(version), 32)]},
	}
}
