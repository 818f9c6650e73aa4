package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

var variable = regexp.MustCompile(`\$\$|%%|\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_()]*)%`)

// expand replaces a leading ~ and the variables of a path, or says why it cannot.
func expand(path string) (expanded, what, hint string) {
	switch {
	case path == "":
		return "", "must not be empty", "write a path, or . for the folder itself"
	case strings.ContainsFunc(path, unicode.IsControl):
		return "", "has a control character", ""
	}
	home := ""
	if rest, tilde := strings.CutPrefix(path, "~"); tilde {
		if rest != "" && !os.IsPathSeparator(rest[0]) {
			return "", path + " names the home of another user", "write the whole path; ./~name is a folder of that name"
		}
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", "~ cannot be expanded: there is no home", "write the whole path"
		}
		home, path = dir, rest
	}
	missing := ""
	path = variable.ReplaceAllStringFunc(path, func(m string) string {
		if m == "$$" || m == "%%" {
			return m[:1]
		}
		v := os.Getenv(strings.Trim(m, "${}%"))
		if v == "" && missing == "" {
			missing = m
		}
		return v
	})
	if missing != "" {
		return "", missing + " is not set", "set it, or write the whole path; $$ and %% stand for the signs themselves"
	}
	return home + path, "", ""
}

// path makes what a key says an absolute path. Relative ones start at base.
func (r *reader) path(at, base, raw string) (string, bool) {
	p, what, hint := expand(raw)
	if what != "" {
		r.fail(at, what, hint)
		return "", false
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return filepath.Clean(p), true
}

// real resolves the links of a path as far as it exists.
func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	dir, name := filepath.Split(filepath.Clean(path))
	if dir == "" || name == "" {
		return path
	}
	return filepath.Join(real(dir), name)
}

// within reports whether path is root or lies below it, whatever links or spellings
// lead there. Root exists.
func within(path, root string) bool {
	top, err := os.Stat(root)
	if err != nil {
		return false
	}
	for p := real(path); ; p = filepath.Dir(p) {
		if info, err := os.Stat(p); err == nil && os.SameFile(info, top) {
			return true
		}
		if p == filepath.Dir(p) {
			return false
		}
	}
}

// Unindexed are globs over paths, as the policy matches them, of what lies in a vault
// and is not a note of it: candor.yaml and the write zone.
func (c *Config) Unindexed() []string {
	globs := []string{}
	for _, own := range []struct{ path, below string }{{c.File, ""}, {c.Write.Ledger, ""}, {c.Write.Drafts, "/**"}} {
		for _, path := range c.VaultPaths(own.path) {
			globs = append(globs, literal.Replace(path)+own.below)
		}
	}
	return globs
}

// VaultPaths are the paths, as the policy matches them, that a place on the disk has in
// the vaults: none outside of them, several where one vault lies in another.
func (c *Config) VaultPaths(place string) []string {
	paths := []string{}
	for _, v := range c.Vaults {
		if place == "" || !within(place, v.Root) {
			continue
		}
		rel, err := filepath.Rel(real(v.Root), real(place))
		if err != nil {
			continue
		}
		path := filepath.ToSlash(rel)
		if len(c.Vaults) > 1 {
			path = v.Name + "/" + path
		}
		paths = append(paths, path)
	}
	return paths
}

// literal writes a path as the glob that matches only it.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)
