package kb

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"

	"candor"
)

// cursorMAC is the length in bytes of the authenticator of a cursor.
const cursorMAC = 16

// errCursor is the one answer to a cursor that is forged, of another profile, of
// other arguments, or damaged.
var errCursor = &candor.InputError{
	Field: "cursor", Why: "was not given for these arguments; repeat the call without it",
}

// cursor makes the token for going on at an offset. It is bound to the profile, the
// tool and the arguments, so it can be neither moved between them nor made up.
func (b *Base) cursor(tool string, args any, offset int) string {
	head := binary.AppendUvarint(nil, uint64(offset))
	return base64.RawURLEncoding.EncodeToString(append(head, b.sealCursor(tool, args, head)...))
}

// offset reads a cursor; "" is the beginning.
func (b *Base) offset(cursor, tool string, args any) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) <= cursorMAC || strings.ContainsAny(cursor, "\r\n") { // which base64 skips
		return 0, errCursor
	}
	head, mac := raw[:len(raw)-cursorMAC], raw[len(raw)-cursorMAC:]
	offset, n := binary.Uvarint(head)
	if n != len(head) || offset > 1<<30 || !hmac.Equal(mac, b.sealCursor(tool, args, head)) {
		return 0, errCursor
	}
	return int(offset), nil
}

// sealCursor authenticates an offset under everything that it belongs to. args is the
// request without its cursor.
func (b *Base) sealCursor(tool string, args any, head []byte) []byte {
	mac := hmac.New(sha256.New, b.opt.CursorKey)
	// The request types hold strings, numbers and lists alone, which always marshal;
	// JSON also keeps the parts apart.
	bound, _ := json.Marshal([]any{b.opt.Profile, tool, args, head})
	mac.Write(bound)
	return mac.Sum(nil)[:cursorMAC]
}
