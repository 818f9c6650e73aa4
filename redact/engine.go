package redact

import (
	"math"
	"slices"
	"strings"
)

// kindUnscanned marks what was masked because looking at it would cost too much.
const kindUnscanned = "unscanned"

// kindGeneric is gitleaks' rule for any key, token or secret that is assigned.
const kindGeneric = "generic-api-key"

// engine is the compiled rule set: one automaton, and for each of its patterns what to
// try where it stands.
type engine struct {
	machine  *automaton
	patterns []pattern
	cut      map[string][]*vendorRule // by what a line may end with of a head
}

// pattern is a keyword and what it may begin.
type pattern struct {
	size  int
	rules []*vendorRule
	own   []detector
}

// detector looks at text where a keyword of its own stands, bytes start to end. It
// gives the place from which the scan goes on, or 0.
type detector func(s *scan, start, end int) int

func newEngine(flags []string) *engine {
	e := &engine{cut: map[string][]*vendorRule{}}
	at := map[string]int{}
	slot := func(word string) *pattern {
		i, ok := at[word]
		if !ok {
			i = len(e.patterns)
			at[word] = i
			e.patterns = append(e.patterns, pattern{size: len(word)})
		}
		return &e.patterns[i]
	}
	for _, r := range loadRules() {
		for _, word := range r.keywords {
			p := slot(word)
			p.rules = append(p.rules, r)
		}
		if r.anchored && r.spaceless {
			e.cutBy(r)
		}
	}
	for _, d := range ownDetectors(flags) {
		for _, word := range d.words {
			p := slot(word)
			p.own = append(p.own, d.try)
		}
	}
	words := make([]string, len(e.patterns))
	for word, i := range at {
		words[i] = word
	}
	e.machine = newAutomaton(words)
	return e
}

// cutBy enters the pieces of two bytes and more of the heads of a rule.
func (e *engine) cutBy(r *vendorRule) {
	for _, head := range r.keywords {
		for n := 2; n < len(head); n++ {
			if rules := e.cut[head[:n]]; !slices.Contains(rules, r) {
				e.cut[head[:n]] = append(rules, r)
			}
		}
	}
}

// keyed is a detector with its keywords, lower case.
type keyed struct {
	words []string
	try   detector
}

func ownDetectors(flags []string) []keyed {
	return []keyed{
		{[]string{"data:"}, (*scan).dataURI},
		{keyBlockWords, (*scan).keyBlock},
		{[]string{"://"}, (*scan).urlCredentials},
		{[]string{"authorization", "bearer "}, (*scan).authorization},
		{hashWords, (*scan).passwordHash},
		{passwordWords, (*scan).password},
		{passwordWords, (*scan).column},
		{loginWords, (*scan).login},
		{[]string{"| admin |", "| root |"}, (*scan).adminCell},
		{pinWords, (*scan).pin},
		{secretWords, (*scan).nearby},
		{[]string{"{"}, flagDetector(flags)},
		{encodedFlags(flags), (*scan).encodedFlag},
	}
}

// find scans the text itself and, where it could hide a split secret, its view.
func (e *engine) find(text string) []span {
	s := scan{engine: e, text: text}
	s.run()
	if v := newView(text); v != nil {
		n := scan{engine: e, text: v.text}
		n.run()
		for _, sp := range n.spans {
			if strings.IndexByte(v.text[sp.start:sp.end], 0) < 0 {
				s.spans = append(s.spans, v.original(sp))
			}
		}
	}
	return s.spans
}

// scan is one pass over one text.
type scan struct {
	engine *engine
	text   string
	spans  []span

	valueEnd int // the answer of valueFollows for the keyword that ends here
	valueIs  value

	keyFrom, keyTo int // the answer of keyEnd from keyFrom on

	spent              int // bytes that expressions looked at
	lineStart, lineEnd int // the line last looked at
	lineSpent          int
}

func (s *scan) run() {
	s.engine.machine.scan(s.text, s.hit)
	s.cutHeads()
}

func (s *scan) hit(ids []uint16, end int) int {
	switch {
	case s.lineSpent < 0 && s.lineStart < end && end <= s.lineEnd:
		return s.lineEnd // masked unseen
	case s.keyFrom < end && end+keyMost < s.keyTo:
		return s.keyTo - keyMost // within a long key that is masked
	}
	to := end
	for _, id := range ids {
		p := &s.engine.patterns[id]
		start := end - p.size
		for _, try := range p.own {
			to = max(to, try(s, start, end))
		}
		for _, r := range p.rules {
			s.vendor(r, start, end)
		}
	}
	return to
}

func (s *scan) add(start, end int, kind string) {
	if start < end {
		s.spans = append(s.spans, span{start, end, kind})
	}
}

// The bounds on expressions: for a line and for the text, a floor and a multiple of
// its size. Ordinary notes stay below a tenth of them.
const (
	lineFloor, lineFactor = 32 << 10, 4
	longLine              = 256 << 10 // what is beyond it adds nothing to the bound
	textFloor, textFactor = 1 << 20, 4
)

// line gives the line around a place, as bytes start to end of the text. It remembers
// the last one: a line may be a megabyte.
func (s *scan) line(at int) (start, end int) {
	if at >= s.lineEnd || at < s.lineStart {
		s.lineStart = strings.LastIndexByte(s.text[:at], '\n') + 1
		s.lineEnd, s.lineSpent = lineEndAt(s.text, at), 0
	}
	return s.lineStart, s.lineEnd
}

// near gives the text up to the end of the line of at, or less of it.
func (s *scan) near(at, most int) string {
	_, end := s.line(at)
	return s.text[:max(at, min(end, at+most))]
}

// afford books n bytes of work at a place. Over a bound it masks the line and says no.
func (s *scan) afford(at, n int) bool {
	s.line(at)
	if s.lineSpent < 0 {
		return false
	}
	s.spent, s.lineSpent = s.spent+n, s.lineSpent+n
	size := s.lineEnd - s.lineStart
	if s.lineSpent <= lineFloor+lineFactor*min(size, longLine) && s.spent <= textFloor+textFactor*len(s.text) {
		return true
	}
	s.lineSpent = math.MinInt
	s.add(s.lineStart, s.lineEnd, kindUnscanned)
	return false
}

// vendor tries a provider's rule at a keyword.
func (s *scan) vendor(r *vendorRule, start, end int) {
	if r.bounded && start > 0 && isWord(s.text[start-1]) {
		return
	}
	switch {
	case r.assigned && !s.valueFollows(end).worth(r):
		return
	case !r.assigned && r.spaceless && !s.whole(r, start):
		return
	case !r.bounded && r.anchored && !r.assigned && start > 0 && end-start < 6 && isBase64(s.text[start-1]) && isAlnum(s.text[start]):
		return // a short head inside a longer word or a base64 block
	}
	from := max(0, start-r.back)
	window := s.text[from:min(len(s.text), start+r.window-r.back)]
	if !s.afford(start, len(window)) {
		return
	}
	before := start
	for before > 0 && start-before < 50 && (isWord(s.text[before-1]) || s.text[before-1] == '-' || s.text[before-1] == '.') {
		before--
	}
	if a, b, ok := r.match(window, s.text[before:start]); ok {
		end := from + b
		if !r.assigned {
			end = s.keyEnd(end)
		}
		s.add(from+a, end, r.kind)
	}
}

// keyEnd gives the end of a key that is longer than its rule says. It remembers the last
// one: a token may be a megabyte of keys.
func (s *scan) keyEnd(at int) int {
	if at < s.keyFrom || at > s.keyTo {
		for s.keyFrom, s.keyTo = at, at; s.keyTo < len(s.text) && inToken(s.text[s.keyTo]) && s.text[s.keyTo] != '.'; {
			s.keyTo++
		}
	}
	return s.keyTo
}

// match gives the secret in a window; name is the part of the identifier that stands
// before it.
func (r *vendorRule) match(window, name string) (start, end int, ok bool) {
	m := r.expr().FindStringSubmatchIndex(window)
	if m == nil {
		return 0, 0, false
	}
	start, end = r.secret(m)
	start, end = unquote(window, start, end)
	value := window[start:end]
	if entropy(value) <= r.entropy || r.assigned && end == m[3] && end-start < 24 && isLetters(value) {
		return 0, 0, false
	}
	if r.back > 0 && start > 0 && strings.IndexByte("/@", window[start-1]) >= 0 || r.kind == "curl-auth-user" && strings.Contains(value, "://") {
		return 0, 0, false // part of an address
	}
	f := found{value: value, match: name + window[m[0]:m[1]], line: lineAround(window, m[0], m[1])}
	if r.kind == kindGeneric && strings.Contains(strings.ToLower(f.match), "public") {
		return 0, 0, false
	}
	return start, end, !slices.ContainsFunc(r.allow, f.allowed)
}

// secret picks the group that holds the secret: the one the rule names, else the
// first that matched, else the whole.
func (r *vendorRule) secret(m []int) (start, end int) {
	if i := 2 * r.group; i > 0 && i < len(m) && m[i] >= 0 {
		return m[i], m[i+1]
	}
	if r.expr().SubexpNames()[min(1, len(m)/2-1)] != "" {
		return m[0], m[1] // its groups are alternatives within the secret
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 && m[i] < m[i+1] {
			return m[i], m[i+1]
		}
	}
	return m[0], m[1]
}

func unquote(text string, start, end int) (int, int) {
	if end-start > 2 && (text[start] == '"' || text[start] == '\'') && text[end-1] == text[start] {
		return start + 1, end - 1
	}
	return start, end
}

// found is a match with what allowances look at.
type found struct{ value, match, line string }

// allowed applies an allowance. A word of it in an EXAMPLE key does not count.
func (f found) allowed(a ruleAllow) bool {
	if a.words != nil && a.words.in(strings.ReplaceAll(f.value, "EXAMPLE", "")) {
		return true
	}
	if a.expr == nil {
		return false
	}
	target := f.value
	switch a.target {
	case "match":
		target = f.match
	case "line":
		target = f.line
	}
	return a.expr().MatchString(target)
}

func lineAround(text string, start, end int) string {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return text[from : end+i]
	}
	return text[from:]
}

// in reports whether any of the patterns stands in s.
func (a *automaton) in(s string) bool {
	found := false
	a.scan(s, func([]uint16, int) int { found = true; return len(s) })
	return found
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits, n := 0.0, float64(len(s))
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// whole reports whether a whole key may stand at a place; where one may stand in pieces
// it looks for that.
func (s *scan) whole(r *vendorRule, start int) bool {
	n, ok := run(s.text[start:min(len(s.text), start+r.least)]), solid(s.text[start:], r.least)
	if n >= 4 && n < r.least && (!ok || strings.IndexByte("<|", s.text[start+n]) >= 0) {
		s.joined(r, start, n)
	}
	return ok
}

// solid reports whether s begins with n bytes without white space.
func solid(s string, n int) bool {
	return len(s) >= n && !slices.ContainsFunc([]byte(s[:n]), func(c byte) bool { return c <= ' ' })
}
