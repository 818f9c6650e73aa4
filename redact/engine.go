package redact

import (
	"math"
	"slices"
	"strings"
)

// kindUnscanned marks what was masked because looking at it would cost too much.
const kindUnscanned = "unscanned"

// engine is the compiled rule set: one automaton, and for each of its patterns what to
// try where it stands.
type engine struct {
	machine  *automaton
	patterns []pattern
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
	e := &engine{}
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

	spent              int // bytes that expressions looked at
	lineStart, lineEnd int // the line of the last expense
	lineSpent          int
}

func (s *scan) run() { s.engine.machine.scan(s.text, s.hit) }

func (s *scan) hit(ids []uint16, end int) int {
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
	textFloor, textFactor = 1 << 20, 4
)

// afford books n bytes of work at a place. Over a bound it masks the line and says no.
func (s *scan) afford(at, n int) bool {
	if at >= s.lineEnd || at < s.lineStart {
		s.lineStart = strings.LastIndexByte(s.text[:at], '\n') + 1
		s.lineEnd = len(s.text)
		if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
			s.lineEnd = at + i
		}
		s.lineSpent = 0
	}
	if s.lineSpent < 0 {
		return false
	}
	s.spent, s.lineSpent = s.spent+n, s.lineSpent+n
	size := s.lineEnd - s.lineStart
	if s.lineSpent <= lineFloor+lineFactor*size && s.spent <= textFloor+textFactor*len(s.text) {
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
	case !r.assigned && r.spaceless && !solid(s.text[start:], r.least):
		s.joined(r, start)
		return
	case !r.bounded && r.anchored && !r.assigned && start > 0 && end-start < 6 && inToken(s.text[start-1]) && isAlnum(s.text[start]):
		return // a short head inside a longer word or a base64 block
	}
	from := max(0, start-r.back)
	window := s.text[from:min(len(s.text), start+r.window-r.back)]
	if !s.afford(start, len(window)) {
		return
	}
	if a, b, ok := r.match(window); ok {
		if from+b == from+len(window) {
			b += run(s.text[from+b:])
		}
		s.add(from+a, from+b, r.kind)
	}
}

// match gives the secret in a window.
func (r *vendorRule) match(window string) (start, end int, ok bool) {
	m := r.expr().FindStringSubmatchIndex(window)
	if m == nil {
		return 0, 0, false
	}
	start, end = r.secret(m)
	start, end = unquote(window, start, end)
	value := window[start:end]
	if entropy(value) <= r.entropy || r.assigned && end-start < 24 && isLetters(value) {
		return 0, 0, false
	}
	for i := range r.allow {
		if r.allow[i].holds(value, window, m) {
			return 0, 0, false
		}
	}
	return start, end, true
}

// secret picks the group that holds the secret: the one the rule names, else the
// first that matched, else the whole.
func (r *vendorRule) secret(m []int) (start, end int) {
	if i := 2 * r.group; i > 0 && i < len(m) && m[i] >= 0 {
		return m[i], m[i+1]
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

func (a *ruleAllow) holds(value, window string, m []int) bool {
	if a.words != nil && a.words.in(value) {
		return true
	}
	if a.expr == nil {
		return false
	}
	switch a.target {
	case "match":
		return a.expr().MatchString(window[m[0]:m[1]])
	case "line":
		return a.expr().MatchString(lineAround(window, m[0], m[1]))
	}
	return a.expr().MatchString(value)
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

// solid reports whether s begins with n bytes without white space.
func solid(s string, n int) bool {
	return len(s) >= n && !slices.ContainsFunc([]byte(s[:n]), func(c byte) bool { return c <= ' ' })
}
