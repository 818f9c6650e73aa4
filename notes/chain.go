package notes

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line of the ledger that is read; those that are written are shorter.
const maxLine = 16 << 20

// origin is the sum before the first line.
var origin = strings.Repeat("0", 2*sha256.Size)

// chain is how far a ledger has been read: its good lines.
type chain struct {
	size  int64 // bytes
	lines int
	head  string           // the sum of the last one
	held  map[string]int64 // bytes by profile
}

func newChain() chain { return chain{head: origin, held: map[string]int64{}} }

// record is one line.
type record struct {
	Length int             `json:"length"`
	Prev   string          `json:"prev"`
	Sum    string          `json:"sum"`
	Entry  json.RawMessage `json:"entry"`
}

// frame gives the line of an entry after another, and its sum.
func frame(prev, entry string) (line, sum string) {
	h := sha256.Sum256([]byte(prev + entry)) // prev has one length
	sum = hex.EncodeToString(h[:])
	return fmt.Sprintf(`{"length":%d,"prev":"%s","sum":"%s","entry":%s}`+"\n", len(entry), prev, sum, entry), sum
}

// follow takes one line, or says why it is not the next. A good line is, byte for byte,
// what its entry is framed as behind the line before.
func (c *chain) follow(line []byte) (why string) {
	var r record
	var e Entry
	if json.Unmarshal(line, &r) != nil || json.Unmarshal(r.Entry, &e) != nil {
		return "is not an entry"
	}
	want, sum := frame(c.head, string(r.Entry))
	switch {
	case string(line) == want:
	case !bytes.HasSuffix(line, []byte("\n")):
		return "is torn"
	case r.Prev != c.head:
		return "does not follow the line before it"
	default:
		return "was changed"
	}
	c.size += int64(len(line))
	c.lines++
	c.head = sum
	c.held[e.Profile] += int64(len(line))
	return ""
}

// flaw is the first line that does not follow.
type flaw struct {
	line int
	why  string
	torn bool // it is the last and bears the marks of a write that a crash ended
}

// read follows lines to the end, or to a flaw.
func (c *chain) read(r io.Reader) (*flaw, error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	s.Split(lines)
	for s.Scan() {
		why := c.follow(s.Bytes())
		if why == "" {
			continue
		}
		f := &flaw{line: c.lines + 1, why: why}
		// What never reached the disk is missing at the end or reads as zeros.
		torn := !bytes.HasSuffix(s.Bytes(), []byte("\n")) || bytes.IndexByte(s.Bytes(), 0) >= 0
		f.torn = torn && !s.Scan() && s.Err() == nil
		if f.torn {
			f.why = "is torn: the write of it was never finished"
		}
		return f, nil
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return &flaw{line: c.lines + 1, why: "is too long to be an entry"}, nil
	}
	return nil, s.Err()
}

// lines splits at LF and keeps it, so that a last line without one is seen to lack it.
func lines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
