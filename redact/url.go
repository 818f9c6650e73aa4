package redact

import "strings"

const (
	kindURL           = "url-credentials"
	kindAuthorization = "authorization"
	kindHash          = "password-hash"
)

// urlCredentials masks the password of scheme://user:password@host, and a token that
// stands alone before the '@'.
func (s *scan) urlCredentials(start, end int) int {
	if start == 0 || !isAlnum(s.text[start-1]) {
		return 0
	}
	info := s.text[end:min(len(s.text), end+512)]
	if i := strings.IndexAny(info, " \t\r\n/?#\"'<>`|\\,"); i >= 0 {
		info = info[:i]
	}
	i := strings.LastIndexByte(info, '@')
	if i <= 0 {
		return 0
	}
	info = info[:i]
	user, password, ok := strings.Cut(info, ":")
	switch {
	case ok && len(password) > 0 && !isPlaceholder(password) && !samplePassword(user, password):
		s.add(end+len(user)+1, end+i, kindURL)
	case !ok && isRandom(user):
		s.add(end, end+i, kindURL)
	}
	return 0
}

// samplePassword knows the user:password of every manual.
func samplePassword(user, password string) bool {
	p := strings.ToLower(password)
	return sampleWords[p] || strings.EqualFold(user, password) && isLetters(password)
}

// authorization masks what follows a Basic, Bearer or Token scheme.
func (s *scan) authorization(_, end int) int {
	line := s.text[end:min(len(s.text), end+64)]
	i := 0
	for i < len(line) && strings.IndexByte(" \t:='\"`", line[i]) >= 0 {
		i++
	}
	for _, scheme := range []string{"bearer ", "basic ", "token ", "bot ", "apikey "} {
		if len(line)-i > len(scheme) && strings.EqualFold(line[i:i+len(scheme)], scheme) {
			i += len(scheme)
			break
		}
	}
	for i < len(line) && strings.IndexByte(" '\"`", line[i]) >= 0 {
		i++
	}
	at := end + i
	n := run(s.text[at:min(len(s.text), at+keyMost)])
	v := strings.TrimRight(s.text[at:at+n], ".-")
	if n > len(line) && !s.afford(at, n) {
		return 0
	}
	if len(v) >= 12 && (isRandom(v) || isHexKey(v) || isBasic(v)) {
		s.add(at, at+len(v), kindAuthorization)
	}
	return 0
}

// isBasic reports whether v is the base64 of user:password.
func isBasic(v string) bool {
	user, password, ok := strings.Cut(decode64(v), ":")
	return ok && user != "" && password != "" && isPrintable(user+password)
}

// hashWords begin the crypt(3) forms of a hashed password.
var hashWords = []string{"$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$apr1$", "$argon2", "$scrypt$", "$pbkdf2"}

const (
	hashMost  = 512 // bytes of a crypt hash
	hashParts = 6   // '$' in one
)

// passwordHash masks a crypt hash: it can be guessed at leisure.
func (s *scan) passwordHash(start, _ int) int {
	at, parts := start, 0
	for at < min(len(s.text), start+hashMost) && parts <= hashParts {
		c := s.text[at]
		if c == '$' {
			parts++
		} else if !isAlnum(c) && strings.IndexByte("./+=,-_", c) < 0 {
			break
		}
		at++
	}
	for at > start && strings.IndexByte(".,-$", s.text[at-1]) >= 0 {
		at--
	}
	last := s.text[strings.LastIndexByte(s.text[:at], '$')+1 : at]
	if parts >= 3 && len(last) >= 22 {
		s.add(start, at, kindHash)
		return at
	}
	return 0
}
