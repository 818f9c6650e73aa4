package redact

import "strings"

const (
	kindPassword = "password"
	kindPIN      = "pin"
)

// passwordWords name a value that is secret whatever it looks like.
var passwordWords = []string{
	"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contraseña", "pwd", "pass", "secret", "psk", "pw",
}

// pinWords name a short number.
var pinWords = []string{"pin", "passcode", "otp", "cvv", "door code", "alarm code"}

// secretWords name a value that is secret if it looks random.
var secretWords = []string{"password", "passwd", "secret", "token", "api key", "apikey", "api-key", "access key", "credential", "license key", "key is "}

// password judges the value of an assignment to a name with "password" in it.
func (s *scan) password(start, end int) int {
	name, ok := s.name(start, end)
	if !ok || strings.HasSuffix(s.text[:start], maskOpen) {
		return 0
	}
	a, ok := parseAssigned(s.near(name, lookMost), name, end)
	a.env = isUpper(s.text[start])
	a.sure = a.last && a.prose && !a.bare && s.text[end-1] != 't' && isPassphrase(s.text[a.start:a.end])
	if !ok || !a.secret(s.text) {
		return 0
	}
	s.add(a.start, a.end, kindPassword)
	return 0
}

// name gives the end of the identifier around a keyword, if it can name a password.
func (s *scan) name(start, end int) (int, bool) {
	if start > 0 && strings.IndexByte("$/.", s.text[start-1]) >= 0 && isLower(s.text[start]) && s.text[start-1:end] != ".password" || start > 1 && s.text[start-2:start] == "${" {
		return 0, false
	}
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
	env        bool // the name is in capitals, as in DB_PASSWORD
	bare       bool // behind the name without any sign
	sure       bool // the place says that it is a password: no name of a thing
}

const lookMost = 512 // how far behind a name its value may end

// parseAssigned reads operator and value behind a name that ends at name, in a text cut
// at the end of its line; end is where its keyword ends.
func parseAssigned(line string, name, end int) (assigned, bool) {
	var a assigned
	i := skip(line, name, "\"'`*_]) \t", 6)
	op := i
	for i < len(line) && i-op < 4 && strings.IndexByte(":=>|,", line[i]) >= 0 {
		i++
	}
	switch sign := line[op:i]; sign {
	case "":
		at, ok := copula(line, op-spaceBefore(line, op))
		if !ok && (op == 0 || line[op-1] != ' ' || end != name || isUpper(line[end-1]) || line[end-1] == 't') { // a "secret" is often an object
			return a, false
		}
		a.prose, a.bare, i = true, !ok, max(at, op)
	case ":":
		a.prose = true
	case "|":
	case ",":
		if i = skip(line, i, " \t", 2); i >= len(line) || line[i] != '"' && line[i] != '\'' {
			return a, false
		}
		a.code = true
	case ">":
		if line[max(0, end-1)] == '>' {
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
	for _, verb := range []string{" is ", " was ", " are ", " = ", " is: ", " -> "} {
		if k := strings.Index(rest, verb); k >= 0 && (at < 0 || k < at) {
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
	if a.bare && (k.digits == 0 || k.letters < 3 || !a.quoted && k.symbols == k.odd && k.odd == 0 && k.upper == 0) {
		return false
	}
	switch {
	case k.path || k.reference || k.foreign > 0 && k.digits == 0:
		return false
	case k.spaces:
		return a.quoted && a.code && k.digits > 0
	case k.letters == len(v):
		return a.plainWord(v)
	case k.digits == len(v):
		return len(v) >= 4 && a.last
	case k.digits > 0 && k.letters > 0:
		return len(v) >= 6 && !isMeasure(v) && (a.sure || !isIdentifier(v, k))
	case k.symbols > 0 && k.letters > 0:
		return len(v) >= 6 && (a.quoted || a.last) && k.odd > 0
	}
	return false
}

// plainWord judges a value of letters alone. In prose it is a word; as the whole value
// of a setting it is a password, if a weak one.
func (a assigned) plainWord(v string) bool {
	if len(v) < 6 || strings.Contains(v, "pass") || strings.Contains(v, "secret") || strings.ToLower(v) != v {
		return false
	}
	return a.last && a.code && (a.quoted || a.env) || isGibberish(v)
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
func (s *scan) nearby(start, end int) int {
	if start > 0 && isAlnum(s.text[start-1]) && !isUpper(s.text[start]) {
		return 0 // 1password.com
	}
	_, stop := s.line(end)
	stop = min(stop, end+80)
	s.before(start)
	for i := end; i < stop; {
		if rest := s.text[i:stop]; strings.HasPrefix(rest, "](") || strings.HasPrefix(rest, "://") || strings.HasPrefix(rest, "href=") {
			for i < stop && strings.IndexByte(" )<>\t", s.text[i]) < 0 {
				i++
			}
			continue
		}
		if !isAlnum(s.text[i]) {
			i++
			continue
		}
		n := run(s.text[i:min(len(s.text), i+keyMost)])
		if n > stop-i && !s.afford(i, n) {
			return 0
		}
		v := strings.TrimRight(s.text[i:i+n], ".=-")
		if len(v) >= 16 && (isRandom(v) || isHexKey(v) && namesValue(s.text[end:i])) {
			s.add(i, i+len(v), "token")
		}
		i += max(n, 1)
	}
	return 0
}

const keyMost = 4096 // bytes of the longest key

// namesValue reports whether what stands between a name and a word makes the word its
// value: nothing, or a verb. A digest near a token is not one.
func namesValue(between string) bool {
	b := strings.ToLower(strings.Trim(between, " `\"':=*"))
	for _, other := range []string{"hash", "sha", "commit", "digest", "checksum", "fingerprint", "revision"} {
		if strings.Contains(b, other) {
			return false
		}
	}
	return b == "" || b == "key" || strings.HasSuffix(" "+b, " is") || strings.HasSuffix(" "+b, " was")
}

// before masks the value in: use … as the access token.
func (s *scan) before(start int) {
	from := max(0, start-24)
	i := strings.LastIndex(s.text[from:start], " as ")
	if i < 0 {
		return
	}
	end := from + i
	for end > 0 && strings.IndexByte("`\"'*", s.text[end-1]) >= 0 {
		end--
	}
	at := end
	for at > 0 && end-at < 512 && inToken(s.text[at-1]) {
		at--
	}
	if v := s.text[at:end]; len(v) >= 16 && (isRandom(v) || isHexKey(v)) {
		s.add(at, end, "token")
	}
}

// loginWords introduce a pair of name and password.
var loginWords = []string{"log in", "login", "sign in", "credentials", "creds"}

// login masks the password in "log in with admin / …" and "credentials: admin:…".
func (s *scan) login(_, end int) int {
	line := s.near(end, 96)[end:]
	for _, sign := range []string{" / ", ":"} {
		i := strings.Index(line, sign)
		if i < 2 || !isAlnum(line[i-1]) {
			continue
		}
		a := assigned{prose: true, bare: true}
		a.value(line, i+len(sign))
		if a.start < a.end && a.secret(line) {
			s.add(end+a.start, end+a.end, kindPassword)
			return 0
		}
	}
	return 0
}

// adminCell masks the password in a row such as "| grafana | admin | … |".
func (s *scan) adminCell(_, end int) int {
	line := s.near(end, 96)[end:]
	a := assigned{prose: true, bare: true}
	a.value(line, skip(line, 0, " ", 96))
	if rest := strings.TrimLeft(line[a.end:], " `"); a.start < a.end && strings.HasPrefix(rest, "|") && a.secret(line) {
		s.add(end+a.start, end+a.end, kindPassword)
	}
	return 0
}

func spaceBefore(s string, i int) int {
	if i > 0 && s[i-1] == ' ' {
		return 1
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
