package redact

import "strings"

// sampleWords stand for a password in manuals and schemas; as passwords they would
// be no secret.
var sampleWords = wordSet(`password passwd pass pwd secret token key user username admin root test testing example
	changeme change_me change-me changeit placeholder string none null nil true false yes no required optional hidden
	mypassword yourpassword my_password your_password my-password your-password newpassword oldpassword
	password123 password1 123456 12345678 foobar foo bar baz xxx xxxx abc abcd hunter input text number boolean int
	default empty undefined unset value plain sha256 base64 bcrypt argon2`)

// isPlaceholder knows what stands where a secret goes: variables, calls, templates,
// angle brackets, runs of one letter, a mask.
func isPlaceholder(v string) bool {
	if v == "" || strings.Contains(v, maskOpen) || strings.Contains(v, "...") || strings.Contains(v, "…") {
		return true
	}
	switch v[0] {
	case '<', '$', '{', '[', '(', '%', '~', '/', '@', '&', '#':
		return v[0] != '$' && v[0] != '#' && v[0] != '@' && v[0] != '&' && v[0] != '%' && v[0] != '~' && v[0] != '(' || isReference(v)
	}
	lower := strings.ToLower(v)
	for _, word := range []string{
		"your", "my-", "my_", "<", "${", "{{", "$(", "xxxx", "****", "redacted", "placeholder", "changeme", "example.", "process.env",
		"os.environ", "getenv", "env.", "vault:", "op://", "secrets.", "insert", "replace", "todo", "enter_", "enter-", "dummy",
	} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return distinct(v) <= 2
}

// isReference tells $NAME, ${…}, $(…), %NAME%, &anchor and the like from a password
// that only begins with such a sign.
func isReference(v string) bool {
	rest := v[1:]
	if rest == "" || rest[0] == '{' || rest[0] == '(' || v[0] == '(' || strings.HasPrefix(v, "~/") {
		return true
	}
	n := 0
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	name := rest[:n]
	if n == 0 || n < len(rest) && strings.IndexByte("%@)}\"',;\\/.:-", rest[n]) < 0 {
		return false
	}
	lower, upper := strings.ToLower(name) == name, strings.ToUpper(name) == name
	return lower && !strings.ContainsAny(name, "0123456789") || upper || strings.Contains(name, "_") || isLetters(name)
}

func distinct(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}

// valueKind counts what a value is made of.
type valueKind struct {
	letters, digits, upper, symbols int
	odd                             int // symbols that no identifier has
	foreign                         int // bytes beyond ASCII
	spaces, path, reference         bool
}

func kindOfValue(v string) valueKind {
	var k valueKind
	for i := range len(v) {
		switch c := v[i]; {
		case isDigit(c):
			k.digits++
		case isUpper(c):
			k.letters++
			k.upper++
		case isLower(c):
			k.letters++
		case c == ' ' || c == '\t':
			k.spaces = true
		case c >= 0x80:
			k.foreign++
		default:
			k.symbols++
			if strings.IndexByte("-_./:", c) < 0 {
				k.odd++
			}
		}
	}
	slashes := strings.Count(v, "/")
	k.path = strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~/") ||
		strings.Contains(v, "://") || slashes >= 2 && k.odd == 0 && k.digits < len(v)/4
	k.reference = strings.ContainsAny(v, "()[]{}") && (isCall(v) || k.digits == 0) || strings.Contains(v, "->") ||
		strings.Contains(v, "::") || strings.Contains(v, "](")
	return k
}

// isCall knows f(…), a[i] and x.y(…).
func isCall(v string) bool {
	i := strings.IndexAny(v, "([")
	return i > 0 && !strings.ContainsFunc(v[:i], func(r rune) bool { return r >= 128 || !isWord(byte(r)) && r != '.' && r != '$' })
}

// isMeasure knows dates, versions, sizes and names of standards.
func isMeasure(v string) bool {
	lower := strings.ToLower(v)
	for _, p := range []string{"sha", "md5", "pbkdf2", "aes", "rfc", "base64", "utf", "v1", "v2", "v3", "x509", "oauth", "http", "pkcs", "argon2", "bcrypt"} {
		if strings.HasPrefix(lower, p) && len(v) < len(p)+12 {
			return true
		}
	}
	digits := strings.TrimRight(lower, "abcdefghijklmnopqrstuvwxyz%")
	return isVersion(digits)
}

func isVersion(s string) bool {
	return s == "" || !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' && r != ':' && r != '/' })
}

// isIdentifier knows names with a number at their end or between dots and dashes, as
// secret-1, req.body.password2, mysql8-root.
func isIdentifier(v string, k valueKind) bool {
	if k.odd > 0 {
		return false
	}
	if k.symbols == 0 {
		return false
	}
	for _, part := range strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' || r == '/' }) {
		bare := strings.TrimRight(part, "0123456789")
		if bare != "" && !isLetters(bare) {
			return false
		}
		if bare != "" && len(part)-len(bare) > 2 && len(bare) > 1 {
			return false
		}
	}
	return true
}

// isPassphrase knows two words or more and a number, joined by dashes, as people make
// them up for passwords. Names of things end in a number but hold none by itself.
func isPassphrase(v string) bool {
	words, numbers := 0, 0
	for _, part := range strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		switch {
		case len(part) >= 3 && isLetters(part):
			words++
		case len(part) >= 2 && strings.Trim(part, "0123456789") == "":
			numbers++
		default:
			return false
		}
	}
	return words >= 2 && numbers == 1
}

// isRandom tells a key from a word, an identifier, a path, a hash or a UUID: long, of
// mixed classes that alternate, with high entropy.
func isRandom(v string) bool {
	if isHash(v) {
		return false
	}
	for _, part := range strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' }) {
		if randomPart(part) {
			return true
		}
	}
	return false
}

// randomPart judges what stands between dashes: identifiers of an API have many, but
// no long part that looks random.
func randomPart(v string) bool {
	if len(v) < 12 || len(v) > 512 || isHash(v) {
		return false
	}
	var upper, lower, digits, turns, changes int
	for i := range len(v) {
		c := v[i]
		switch {
		case isDigit(c):
			digits++
		case isUpper(c):
			upper++
		case isLower(c):
			lower++
		case c == '.' || c == '/' && i < 12:
			return false
		}
		if i == 0 {
			continue
		}
		if isDigit(c) != isDigit(v[i-1]) {
			turns++
		}
		if isDigit(c) != isDigit(v[i-1]) || isUpper(c) != isUpper(v[i-1]) {
			changes++
		}
	}
	restless := len(v) >= 16 && digits > 0 && 20*changes >= 9*len(v)
	if !restless && (digits < 2 || turns < 4) || upper+lower < 4 || isIdentifier(v, kindOfValue(v)) {
		return false
	}
	return entropy(v) >= 3.3 && (upper > 0 && lower > 0 || turns >= 5)
}

// isHexKey knows the hexadecimal keys of 32 digits and more.
func isHexKey(v string) bool {
	digits := 0
	for i := range len(v) {
		if c := v[i]; isDigit(c) {
			digits++
		} else if c < 'a' || c > 'f' {
			return false
		}
	}
	return len(v) >= 32 && digits > 0
}

// isGibberish knows letters that make no word in the languages of the Latin alphabet:
// five consonants in a row, or hardly a vowel.
func isGibberish(v string) bool {
	vowels, run, longest := 0, 0, 0
	for i := range len(v) {
		if strings.IndexByte("aeiouy", v[i]) >= 0 {
			vowels, run = vowels+1, 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return len(v) >= 8 && (longest >= 5 || vowels*5 < len(v))
}

// isHash knows git and other digests, integrity values and UUIDs.
func isHash(v string) bool {
	lower := strings.ToLower(v)
	if i := strings.IndexByte(lower, '-'); i > 2 && strings.HasPrefix(lower, "sha") {
		return true
	}
	hex := 0
	for i := range len(lower) {
		if c := lower[i]; isDigit(c) || 'a' <= c && c <= 'f' {
			hex++
		} else if c != '-' && c != ':' {
			return false
		}
	}
	return hex >= 7
}
