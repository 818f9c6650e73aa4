package kb

import (
	"encoding/json"
	"unicode/utf8"
)

// overhead is what a result holds beside its items, in bytes: mode, reason, cursor,
// warning, stamp.
const overhead = 2048

// tokenBytes is the number of bytes that is counted as one token.
const tokenBytes = 3

// budget is the room, in bytes, that the items of an answer still have.
type budget struct{ left int }

// budget is the room of one half of a result.
func (b *Base) budget() budget {
	return budget{left: b.opt.Limits.ResultTokens*tokenBytes - overhead}
}

// take reports whether an item fits, and takes its room if so.
func (b *budget) take(item any) bool {
	data, _ := json.Marshal(item) // answer types always marshal
	if len(data)+1 > b.left {
		return false
	}
	b.left -= len(data) + 1
	return true
}

// cutText shortens text to a number of bytes at a character border.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
