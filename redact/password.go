package redact

import "strings"

const (
	kindPassword = "password"
	kindPIN      = "pin"
)

// passwordWords name a value that is secret whatever it looks like.
var passwordWords = []string{
	"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contraseña", "pwd", "pass", "secret", "psk",
}

// pinWords name a short number.
var pinWords = []string{"pin", "passcode", "otp", "cvv", "door code", "alarm code"}

// secretWords name a value that is secret if it looks random.
var secretWords = []string{"password", "passwd", "secret", "token", "api key", "apikey", "api-key", "access key", "credential", "license key"}

// password judges the value of an assignment to a name with "password" in it.
func (s *scan) password(start, end int) int {
	name, ok := s.name(start, end)
	if !ok {
		return 0
	}
	a, ok := parseAssigned(s.text, name, end)
	if !ok || !a.secret(s.text) {
		return 0
	}
	s.add(a.start, a.end, kindPassword)
	return 0
}

// name gives the end of the identifier around a keyword, if it can name a password.
func (s *scan) name(start, end int) (int, bool) {
	stop := end
	for stop < len(s.text) && stop-end < 24 && (isWord(s.text[stop]) || s.text[stop] == '-') {
		stop++
	}
	short := end-start <= 4
	if short && start > 0 && classes[s.text[start-1]]&(classLetter|classDigit) != 0 {
		if !isUpper(s.text[start]) || isUpper(s.text[start-1]) && s.text[start:end] == "PASS" { // compass, bypass, BYPASS; not dbPass
			return 0, false
		}
	}
	return stop, nameTail(s.text[end:stop])
}

// nameTail accepts what may follow "password" in an identifier that holds one.
func nameTail(tail string) bool {
	tail = strings.Trim(strings.ToLower(tail), "_-0123456789")
	return tail == "" || tails[tail]
}

var tails = wordSet(`value val text plain string str b64 base64 raw prod production dev staging stage test local live
	root admin user db database main old new current default key enc word phrase code`)

// assigned is a value behind an operator.
type assigned struct {
	start, end int
	quoted     bool // between quotes or backticks
	prose      bool // behind "is" or ":" in running text
	last       bool // nothing follows on its line
	code       bool // behind an operator of programs
}

// parseAssigned reads operator and value behind the name that ends at i; end is where
// its keyword ends.
func parseAssigned(text string, i, end int) (assigned, bool) {
	var a assigned
	line := text[:lineEndAt(text, i)]
	i = skip(line, i, "\"'`*_]) \t", 6)
	op := i
	for i < len(line) && i-op < 4 && strings.IndexByte(":=>|,", line[i]) >= 0 {
		i++
	}
	switch sign := line[op:i]; sign {
	case "":
		at, ok := copula(line, op)
		if !ok {
			return a, false
		}
		a.prose, i = true, at
	case ":":
		a.prose = true
	case "|":
	case ",":
		if i = skip(line, i, " \t", 2); i >= len(line) || line[i] != '"' && line[i] != '\'' {
			return a, false
		}
		a.code = true
	case ">":
		if text[max(0, end-1)] == '>' {
			return a, false
		}
	default:
		if strings.Contains(sign, ",") || sign == "==" || sign == "||" || sign == "::" || sign == ">>" || sign == ">=" {
			return a, false
		}
		a.code = true
	}
	i = skip(line, i, " \t*", 12)
	a.value(line, i)
	return a, a.start < a.end
}

// value finds the value that begins at i: up to its closing quote, else to white
// space, less the punctuation of the sentence around it.
func (a *assigned) value(line string, i int) {
	if i >= len(line) {
		return
	}
	if q := line[i]; q == '"' || q == '\'' || q == '`' {
		if j := strings.IndexByte(line[i+1:], q); j > 0 {
			a.start, a.end, a.quoted = i+1, i+1+j, true
			a.last = strings.TrimRight(line[a.end+1:], " \t,;*|)}]") == ""
			return
		}
		i++
	}
	j := i
	for j < len(line) && line[j] > ' ' && line[j] != '<' && line[j] != '`' && !(line[j] == '&' && !a.prose) && !(line[j] == ';' && a.code) {
		j++
	}
	for j > i && strings.IndexByte(".,;:!?)]}>\"'*|\\", line[j-1]) >= 0 {
		j--
	}
	a.start, a.end = i, j
	a.last = strings.TrimRight(line[j:], " \t.,;*|)}]\"'\r") == ""
}

// copula finds the " is " of "the password for the router is …".
func copula(line string, i int) (int, bool) {
	rest := line[i:min(len(line), i+48)]
	at, n := -1, 0
	for _, verb := range []string{" is ", " was ", " are ", " = ", " is: ", " -> ", "is "} {
		if k := strings.Index(rest, verb); k >= 0 && (at < 0 || k < at) && (verb != "is " || k == 0) {
			at, n = k, len(verb)
		}
	}
	if at < 0 || strings.ContainsAny(rest[:at], ".;:?!\n") {
		return 0, false
	}
	for _, filler := range []string{"now ", "still ", "currently ", "just ", "set to "} {
		if strings.HasPrefix(rest[at+n:], filler) {
			n += len(filler)
		}
	}
	return i + at + n, true
}

// secret judges the value.
func (a assigned) secret(text string) bool {
	v := text[a.start:a.end]
	if len(v) < 4 || len(v) > 200 || isPlaceholder(v) || sampleWords[strings.ToLower(v)] {
		return false
	}
	k := kindOfValue(v)
	switch {
	case k.path || k.reference:
		return false
	case k.spaces:
		return a.quoted && a.code && k.digits > 0
	case k.letters == len(v):
		return a.plainWord(v)
	case k.digits == len(v):
		return len(v) >= 4 && a.last
	case k.digits > 0 && k.letters > 0:
		return len(v) >= 6 && !isMeasure(v) && !isIdentifier(v, k)
	case k.symbols > 0 && k.letters > 0:
		return len(v) >= 6 && (a.quoted || a.last) && k.odd > 0
	}
	return false
}

// plainWord judges a value of letters alone. In prose it is a word; as the whole value
// of a setting it is a password, if a weak one.
func (a assigned) plainWord(v string) bool {
	lower := strings.ToLower(v)
	if len(v) < 6 || !a.last || strings.Contains(lower, "pass") || strings.Contains(lower, "secret") {
		return false
	}
	return a.quoted && a.code && lower == v
}

// pin masks the number in "PIN: 4821".
func (s *scan) pin(start, end int) int {
	if start > 0 && isAlnum(s.text[start-1]) || end < len(s.text) && isAlnum(s.text[end]) {
		return 0
	}
	i := end
	for _, word := range []string{" code", " number"} {
		if strings.HasPrefix(s.text[i:], word) {
			i += len(word)
		}
	}
	i = skip(s.text, i, "*`\" ", 3)
	switch rest := s.text[i:]; {
	case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "="):
		i++
	case strings.HasPrefix(rest, "is "):
		i += 3
	default:
		return 0
	}
	i = skip(s.text, i, "*`\"' ", 4)
	j := i
	for j < len(s.text) && isDigit(s.text[j]) {
		j++
	}
	if n := j - i; n >= 3 && n <= 10 && (j == len(s.text) || !isWord(s.text[j])) {
		s.add(i, j, kindPIN)
	}
	return 0
}

// nearby masks a random-looking word within reach of "token", "secret" and the like,
// as in: the token for staging is `…`.
func (s *scan) nearby(_, end int) int {
	stop := min(lineEndAt(s.text, end), end+80)
	for i := end; i < stop; {
		if !isAlnum(s.text[i]) {
			i++
			continue
		}
		n := run(s.text[i:])
		v := strings.TrimRight(s.text[i:i+n], ".=-")
		if len(v) >= 16 && isRandom(v) {
			s.add(i, i+len(v), "token")
		}
		i += max(n, 1)
	}
	return 0
}

func skip(s string, i int, set string, most int) int {
	for stop := min(len(s), i+most); i < stop && strings.IndexByte(set, s[i]) >= 0; {
		i++
	}
	return i
}

func lineEndAt(s string, i int) int {
	if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(s)
}

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
