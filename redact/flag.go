package redact

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const kindFlag = "flag"

// knownFlags are the prefixes of well-known games; their content is taken as it is.
// Those in capitals must stand so.
var knownFlags = []string{
	"flag", "ctf", "htb", "thm", "picoctf", "OOO", "SEE", "nullcon", "csaw", "hitcon", "seccon", "uiuctf",
	"ductf", "tjctf", "actf", "bctf", "rwctf", "asis", "sekai", "lactf", "dice", "synt",
}

var flagName = regexp.MustCompile(`^[A-Za-z0-9_]{1,32}$`)

// flagPrefixes checks the owner's prefixes and gives them with the known ones.
func flagPrefixes(own []string) ([]string, error) {
	for _, f := range own {
		if !flagName.MatchString(f) {
			return nil, fmt.Errorf("redaction flag prefix %q: write 1 to 32 letters or digits, without the brace", f)
		}
	}
	return slices.Concat(own, knownFlags), nil
}

const flagMost = 256 // bytes of a flag's content

// flagDetector masks prefix{content}. A known prefix suffices; after another word the
// content must look like a flag, for braces are common in code and prose.
func flagDetector(prefixes []string) detector {
	exact, folded := map[string]bool{}, map[string]bool{}
	for _, p := range prefixes {
		exact[p] = true
		if p != strings.ToUpper(p) || len(p) > 3 {
			folded[strings.ToLower(p)] = true
		}
	}
	return func(s *scan, start, end int) int {
		from, word := wordBefore(s.text, start)
		if len(word) < 2 || len(word) > 32 {
			return 0
		}
		known := exact[word] || folded[strings.ToLower(word)] && !qualifiedType(s.text, from, word)
		size := flagContent(s.text[end:], known)
		if size == 0 {
			return 0
		}
		content := s.text[end : end+size]
		if known && !looksLikeCode(content) || !known && start == from+len(word) && plainBefore(s.text, from) && isFlag(word, content) {
			s.add(from, end+size+1, kindFlag)
			return end + size + 1
		}
		return 0
	}
}

// qualifiedType tells a type of a program, as in cli.Flag{Name: n}, from a flag: a
// capital before small letters behind a dot.
func qualifiedType(text string, from int, word string) bool {
	return from > 0 && text[from-1] == '.' && word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'a' && word[1] <= 'z'
}

// wordBefore gives the word that ends at i; one space may stand between.
func wordBefore(text string, i int) (from int, word string) {
	end := i
	if end > 0 && text[end-1] == ' ' {
		end--
	}
	from = end
	for from > 0 && end-from <= 32 && isWord(text[from-1]) {
		from--
	}
	return from, text[from:end]
}

// plainBefore refuses LaTeX commands, variables, paths and calls.
func plainBefore(text string, from int) bool {
	return from == 0 || strings.IndexByte(`\$.@#/%&-:)]}`, text[from-1]) < 0
}

// flagContent gives the bytes before the closing brace: the last one of an unbroken
// word (flags may hold braces), else the first on the line.
func flagContent(s string, known bool) int {
	s = s[:min(len(s), flagMost)]
	if i := strings.IndexAny(s, " \t\r\n`\"'<|"); i > 0 {
		if j := strings.LastIndexByte(s[:i], '}'); j > 0 {
			return j
		}
	} else if i < 0 {
		return max(0, strings.LastIndexByte(s, '}'))
	}
	if !known {
		return 0
	}
	i := strings.IndexAny(s, "}\n")
	if i <= 0 || s[i] == '\n' {
		return 0
	}
	return i
}

// looksLikeCode tells what a known word such as flag may hold in a program.
func looksLikeCode(content string) bool {
	return strings.ContainsAny(content, ";\t") || strings.Contains(content, ": ") || strings.Contains(content, "://") ||
		strings.HasPrefix(content, " ") && strings.HasSuffix(content, " ") || strings.Contains(content, "...") && len(content) < 8 ||
		strings.HasPrefix(content, "[^") || strings.ContainsAny(content[:1], "'\"`$<{") || len(content) > 1 && strings.Trim(content, "xX.…* ") == ""
}

// isFlag judges content after an unknown word: several words joined by '_' with a
// digit or a capital among them, or a hash.
func isFlag(word, content string) bool {
	if len(content) < 8 || len(word) > 16 || strings.HasPrefix(content, "$") {
		return false
	}
	var letters, digits, joints int
	for i := range len(content) {
		c := content[i]
		switch {
		case isDigit(c):
			digits++
		case c == '_' || c == '-':
			joints++
		case isAlnum(c):
			letters++
		case strings.IndexByte("!?@$.'*+", c) < 0:
			return false
		}
	}
	if letters < 3 || digits == 0 {
		return false
	}
	return joints >= 2 || joints >= 1 && digits >= 2 && leet(content) || joints == 0 && len(content) >= 16 && isRandom(content)
}

// leet reports whether a digit stands within letters.
func leet(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if isDigit(s[i]) && (isLower(s[i-1]) || isUpper(s[i-1])) && (isLower(s[i+1]) || isUpper(s[i+1])) {
			return true
		}
	}
	return false
}

// encodedFlags are the base64 beginnings of the flags' prefixes, lower case.
func encodedFlags(prefixes []string) []string {
	var out []string
	for _, p := range prefixes {
		for _, form := range []string{p, strings.ToUpper(p)} {
			plain := form + "{"
			e := base64.StdEncoding.EncodeToString([]byte(plain[:len(plain)/3*3]))
			if len(plain)%3 != 0 { // the last letters depend on what follows
				e = base64.RawStdEncoding.EncodeToString([]byte(plain))
				e = e[:len(plain)*8/6]
			}
			if len(e) >= 5 {
				out = append(out, strings.ToLower(e))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// encodedFlag masks a base64 word that decodes to a flag.
func (s *scan) encodedFlag(start, _ int) int {
	if start > 0 && isAlnum(s.text[start-1]) {
		return 0
	}
	n := run(s.text[start:min(len(s.text), start+4*flagMost/3+1)])
	if n > 4*flagMost/3 {
		return 0
	}
	plain := decode64(s.text[start : start+n])
	if i := strings.IndexByte(plain, '{'); i > 1 && strings.HasSuffix(strings.TrimSpace(plain), "}") && isPrintable(plain) {
		s.add(start, start+n, kindFlag)
	}
	return 0
}

func decode64(s string) string {
	s = strings.TrimRight(s, "=.")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		b, err = base64.RawURLEncoding.DecodeString(s)
	}
	if err != nil {
		return ""
	}
	return string(b)
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' })
}
