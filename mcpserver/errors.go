package mcpserver

import (
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"candor"
	"candor/notes"
)

// The constant words of errors. What was asked for, and why it failed, is never in them.
const (
	notFoundText = "not found: no note or citation of this name can be read. Hint: search and outline give names that can."
	loadingText  = "still reading the vault. Hint: this is no abstention; ask again in a few seconds."
	internalText = "internal error"
	writeText    = "not written: the write zone is not available. Hint: take nothing as saved, and tell the owner."
)

var (
	errNoMethod = &rpcError{Code: mcp.METHOD_NOT_FOUND, Message: "method not found"}
	errInternal = &rpcError{Code: mcp.INTERNAL_ERROR, Message: internalText}
	errClosing  = &rpcError{Code: mcp.INTERNAL_ERROR, Message: "the server is shutting down"}
	errBusy     = &rpcError{Code: mcp.INTERNAL_ERROR, Message: "too many requests are being answered: ask again later"}
)

// errTooLarge is an answer that no page of the base makes small enough.
var errTooLarge = &candor.InputError{Why: "the answer is larger than a result may be: ask for less at a time"}

// public gives the words for an error that a client may see, and whether the error is
// one that the owner should know of.
func public(err error) (text string, unexpected bool) {
	var input *candor.InputError
	switch {
	case errors.Is(err, candor.ErrNotFound):
		return notFoundText, false
	case errors.Is(err, candor.ErrLoading):
		return loadingText, false
	case errors.Is(err, notes.ErrUnavailable):
		return writeText, true
	case errors.As(err, &input):
		return input.Error(), false
	}
	return internalText, true
}

// rewrite puts our words in place of mcp-go's, which repeat input and name Go types.
// The framing is sound by then, so a request it finds invalid has bad parameters.
func rewrite(method string, e mcp.JSONRPCErrorDetails) *rpcError {
	if e.Code == mcp.INVALID_PARAMS && method == string(mcp.MethodResourcesRead) {
		return &rpcError{Code: e.Code, Message: notFoundText}
	}
	switch e.Code {
	case mcp.METHOD_NOT_FOUND:
		return errNoMethod
	case mcp.RESOURCE_NOT_FOUND:
		return &rpcError{Code: e.Code, Message: notFoundText}
	case mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return &rpcError{Code: e.Code, Message: "unsupported protocol version", Data: e.Data}
	case mcp.INVALID_PARAMS, mcp.INVALID_REQUEST, mcp.PARSE_ERROR:
		return badParams("they do not fit the method or the protocol version")
	}
	return errInternal
}
