package mcpserver

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Limits of one message. They bound what decoding may cost before anything is decoded.
const (
	maxMessage = 1 << 20 // bytes
	maxDepth   = 64      // open arrays and objects
	maxValues  = 20_000  // values, counting containers
)

// member is one name and value of the outermost object.
type member struct {
	name       string
	start, end int // of the value in the message
}

// scanner checks the whole syntax of one JSON text without building it. A breach of a
// limit is kept in breach and the scan goes on, so that the id can still be read; a
// breach of the syntax ends it.
type scanner struct {
	src     []byte
	pos     int
	open    []byte                // '{' or '[' for each open container
	names   []map[string]struct{} // of the open objects while they are within the limits
	values  int
	members []member
	breach  *rpcError
}

// scan reads a JSON text to its end.
func (s *scanner) scan() *rpcError {
	for {
		opened, err := s.begin()
		if err != nil {
			return err
		}
		if opened {
			continue
		}
		done, err := s.leave()
		if err != nil || done {
			return err
		}
	}
}

// leave closes what ends after a value. It reports done at the end of the text and
// returns otherwise where another value must begin.
func (s *scanner) leave() (done bool, err *rpcError) {
	for {
		if len(s.open) == 1 && s.open[0] == '{' {
			s.members[len(s.members)-1].end = s.pos
		}
		c := s.peek()
		if len(s.open) == 0 {
			if c != 0 || s.pos < len(s.src) {
				return false, errNotJSON
			}
			return true, nil
		}
		inObject := s.open[len(s.open)-1] == '{'
		s.pos++
		switch {
		case c == ',' && inObject:
			return false, s.name()
		case c == ',':
			return false, nil
		case c == '}' && inObject, c == ']' && !inObject:
			s.pop()
		default:
			return false, errNotJSON
		}
	}
}

// begin reads a scalar, an empty container or the opening of a container.
func (s *scanner) begin() (opened bool, err *rpcError) {
	c := s.peek()
	if s.values++; s.values > maxValues {
		s.refuse(errTooMany)
	}
	if len(s.open) == 1 && s.open[0] == '{' {
		s.members[len(s.members)-1].start = s.pos
	}
	switch {
	case c == '{' || c == '[':
		return s.container(c)
	case c == '"':
		_, err := s.text()
		return false, err
	case c == '-' || isDigit(c):
		return false, s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.src[s.pos:], []byte(word)) {
			s.pos += len(word)
			return false, nil
		}
	}
	return false, errNotJSON
}

func (s *scanner) container(c byte) (opened bool, err *rpcError) {
	s.pos++
	s.push(c)
	switch next := s.peek(); {
	case c == '{' && next == '}', c == '[' && next == ']':
		s.pos++
		s.pop()
		return false, nil
	case c == '{':
		return true, s.name()
	}
	return true, nil
}

func (s *scanner) push(c byte) {
	s.open = append(s.open, c)
	if len(s.open) > maxDepth {
		s.refuse(errTooDeep)
	}
	if c == '{' && s.breach == nil {
		s.names = append(s.names, map[string]struct{}{})
	}
}

func (s *scanner) pop() {
	if s.open[len(s.open)-1] == '{' && s.breach == nil {
		s.names = s.names[:len(s.names)-1]
	}
	s.open = s.open[:len(s.open)-1]
}

// name reads a member's name and its colon.
func (s *scanner) name() *rpcError {
	if s.peek() != '"' {
		return errNotJSON
	}
	raw, err := s.text()
	if err != nil {
		return err
	}
	if s.peek() != ':' {
		return errNotJSON
	}
	s.pos++
	if s.breach != nil && len(s.open) > 1 {
		return nil
	}
	name := plain(raw)
	if len(s.open) == 1 {
		s.member(name)
	}
	s.unique(name)
	return nil
}

// member begins a member of the outermost object. Of a great many, which are refused in
// any case, only the ids are kept.
func (s *scanner) member(name string) {
	if n := len(s.members); n > 16 && s.members[n-1].name != "id" {
		s.members = s.members[:n-1]
	}
	s.members = append(s.members, member{name: name})
}

// unique refuses a name that its object already has, and one that some readers would
// cut short or hide.
func (s *scanner) unique(name string) {
	if s.breach != nil {
		return
	}
	seen := s.names[len(s.names)-1]
	if _, twice := seen[name]; twice {
		s.refuse(errDuplicate)
		return
	}
	for i := range len(name) {
		if name[i] < ' ' || name[i] == 0x7f {
			s.refuse(errName)
			return
		}
	}
	seen[name] = struct{}{}
}

// refuse keeps the first breach of a limit.
func (s *scanner) refuse(err *rpcError) {
	if s.breach == nil {
		s.breach, s.names = err, nil
	}
}

// text reads a string and returns it with its quotes.
func (s *scanner) text() ([]byte, *rpcError) {
	start := s.pos
	s.pos++
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return s.src[start:s.pos], nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, errNotJSON
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, n := utf8.DecodeRune(s.src[s.pos:])
			if r == utf8.RuneError && n == 1 || isNoncharacter(r) {
				return nil, errNotUnicode
			}
			s.pos += n
		}
	}
	return nil, errNotJSON
}

// escape reads a backslash sequence; surrogates must come in pairs, since decoders
// replace a lone one and a replaced path is another path.
func (s *scanner) escape() *rpcError {
	if s.pos+1 >= len(s.src) {
		return errNotJSON
	}
	if c := s.src[s.pos+1]; c != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), c) < 0 {
			return errNotJSON
		}
		s.pos += 2
		return nil
	}
	unit, ok := s.unit()
	switch {
	case !ok:
		return errNotJSON
	case unit >= 0xDC00 && unit <= 0xDFFF, isNoncharacter(unit):
		return errNotUnicode
	case unit >= 0xD800 && unit <= 0xDBFF:
		low, ok := s.unit()
		if !ok || low < 0xDC00 || low > 0xDFFF {
			return errNotUnicode
		}
	}
	return nil
}

// unit reads one \uXXXX.
func (s *scanner) unit() (rune, bool) {
	if s.pos+6 > len(s.src) || s.src[s.pos] != '\\' || s.src[s.pos+1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range s.src[s.pos+2 : s.pos+6] {
		switch {
		case isDigit(c):
			unit = unit<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.pos += 6
	return unit, true
}

// number reads a number as RFC 8259 writes it.
func (s *scanner) number() *rpcError {
	if s.at('-') {
		s.pos++
	}
	if s.at('0') {
		s.pos++
	} else if !s.digits() {
		return errNotJSON
	}
	if s.at('.') {
		s.pos++
		if !s.digits() {
			return errNotJSON
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if !s.digits() {
			return errNotJSON
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.src) && isDigit(s.src[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.src) && s.src[s.pos] == c }

// peek skips white space and returns the byte there, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// plain decodes a string that scanned well.
func plain(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	_ = json.Unmarshal(raw, &text) // cannot fail: the syntax is checked
	return text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNoncharacter reports the two code points that betray a wrong byte order.
func isNoncharacter(r rune) bool { return r == 0xFFFE || r == 0xFFFF }
