package provenance

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// spelled finds a call id in whatever a model made of it: the nonce, and before it
// perhaps the id of the request.
var spelled = regexp.MustCompile(`(?i)(?:([0-9a-z._-]{1,64})\s*:\s*)?\b([0-9a-f]{32})\b`)

// nonceOf gives the nonce of a call id in any spelling: alone, in its marker, in other
// case. An id with two nonces in it names no call.
func nonceOf(callID string) (nonce, bool) {
	var n nonce
	if _, digits, _ := strings.Cut(callID, ":"); isNonce(digits) { // as it was issued
		_, err := hex.Decode(n[:], []byte(digits))
		return n, err == nil
	}
	_, digits, ok := splitCall(callID)
	if !ok {
		return nonce{}, false
	}
	_, err := hex.Decode(n[:], []byte(digits))
	return n, err == nil
}

// splitCall takes a call id apart; request is "" where only the nonce is given.
func splitCall(callID string) (request, digits string, ok bool) {
	found := spelled.FindAllStringSubmatch(callID, 2)
	if len(found) == 0 || len(found) > 1 && !strings.EqualFold(found[0][2], found[1][2]) {
		return "", "", false
	}
	return found[0][1], strings.ToLower(found[0][2]), true
}

// sameCall reports whether a spelling means the call of an id: the nonce is the same,
// and so is the request's id if it is given.
func sameCall(id, spelling string) bool {
	request, digits, ok := splitCall(id)
	as, other, also := splitCall(spelling)
	return ok && also && digits == other && (as == "" || strings.EqualFold(as, request) || label.MatchString(as))
}

// label is what a model writes before a nonce to say what it is.
var label = regexp.MustCompile(`(?i)^(?:candor[._-]?)?(?:call|call[._-]?id|id|nonce)$`)
