package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// The environment variables that override the gates of evidence.
const (
	EnvMinScore    = "CANDOR_MIN_SCORE"
	EnvMinCoverage = "CANDOR_MIN_COVERAGE"
)

// check makes paths absolute and looks at what no single key can say. Relative paths
// start at base.
func (r *reader) check(c *Config, base string) {
	r.checkVaults(c, base)
	r.checkProfiles(c)
	r.checkTrust(c)
	r.checkWrite(c, base)
	r.checkTelemetry(c.Telemetry)
	r.override(&c.Evidence)
	if c.Retrieval.Weights == (Weights{}) {
		r.fail("retrieval.weights", "are both 0", "give one leg a weight, or leave them out")
	}
	if c.Evals.Topics != "" {
		c.Evals.Topics, _ = r.path("evals.topics", base, c.Evals.Topics)
	}
	if c.Ollama != nil && c.Ollama.URL == "" {
		var err error
		if c.Ollama.URL, err = OllamaURL(os.Getenv("OLLAMA_HOST")); err != nil {
			r.fail("ollama", err.Error(), "")
		}
	}
}

func (r *reader) checkVaults(c *Config, base string) {
	for i := range c.Vaults {
		v := &c.Vaults[i]
		at := fmt.Sprintf("vaults[%d]", i)
		if v.Name != "" {
			for j, other := range c.Vaults[:i] {
				if other.Name == v.Name {
					r.fail(at+".name", fmt.Sprintf("is the name of vaults[%d] too", j), "give each vault a name of its own")
					break
				}
			}
		}
		if !r.sound(at+".root") || v.Root == "" {
			v.Root = ""
			continue
		}
		root, ok := r.path(at+".root", base, v.Root)
		if v.Root = root; !ok || !r.checkFolder(at+".root", root, c.Places) {
			v.Root = ""
			continue
		}
		for j, other := range c.Vaults[:i] {
			if other.Root != "" && (within(root, other.Root) || within(other.Root, root)) {
				r.fail(at+".root", fmt.Sprintf("%s overlaps vaults[%d], %s", root, j, other.Root), "give each vault a folder outside the others")
			}
		}
	}
}

// checkFolder reports a vault's root that cannot be one.
func (r *reader) checkFolder(at, root string, own Places) bool {
	info, err := os.Stat(root)
	switch {
	case os.IsNotExist(err):
		start := "the folder of " + FileName
		if at == flagVault {
			start = "the current folder"
		}
		r.fail(at, root+" does not exist", "relative paths start at "+start+"; make the folder or correct the path")
		return false
	case err != nil:
		r.fail(at, root+" cannot be read: "+plain(err).Error(), "")
		return false
	case !info.IsDir():
		r.fail(at, root+" is a file", "name the folder that holds the notes")
		return false
	}
	for _, p := range []struct{ path, holds, move string }{
		{own.Config, "the key", "XDG_CONFIG_HOME"}, {own.Cache, "the cache", "XDG_CACHE_HOME"}, {own.State, "the journal and verdicts", "XDG_STATE_HOME"},
	} {
		if p.path != "" && within(p.path, root) {
			r.fail(at, fmt.Sprintf("%s would hold %s, which candor keeps in %s", root, p.holds, p.path),
				"choose a folder of notes further down; on Linux "+p.move+" can move candor's own")
			return false
		}
	}
	return true
}

func (r *reader) checkProfiles(c *Config) {
	if !r.sound("profiles") {
		return
	}
	names := c.ProfileNames()
	switch {
	case c.DefaultProfile == "" && !r.sound("default_profile"):
	case c.DefaultProfile == "" && len(names) == 1:
		c.DefaultProfile = names[0]
	case c.DefaultProfile == "":
		r.fail("default_profile", "is needed with several profiles", "write one of "+strings.Join(names, ", "))
	case !slices.Contains(names, c.DefaultProfile):
		hint := "profiles are " + strings.Join(names, ", ")
		if c.Profiles == nil {
			hint = "there are no profiles here: leave the key out, or write profiles"
		} else if near := nearest(c.DefaultProfile, names); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		r.fail("default_profile", fmt.Sprintf("%q is not a profile", c.DefaultProfile), hint)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		rules := c.Profiles[name]
		r.checkGlobs("profiles."+name+".allow", rules.Allow, c.Vaults)
		r.checkGlobs("profiles."+name+".deny", rules.Deny, c.Vaults)
		if len(rules.Allow) == 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("profile %s allows nothing: it has deny globs and no allow globs", name))
		}
	}
}

// checkGlobs reports globs that cannot match: with several vaults a path begins with
// the name of its vault, and a deny glob that matches nothing would deny nothing.
func (r *reader) checkGlobs(at string, globs []string, vaults []Vault) {
	if len(vaults) < 2 || !r.sound("vaults") {
		return
	}
	for i, glob := range globs {
		first, _, _ := strings.Cut(glob, "/")
		reaches := func(v Vault) bool {
			ok, err := doublestar.Match(strings.ToLower(first), v.Name)
			return ok || err != nil // a brace or bracket that holds a /: not judged here
		}
		if !slices.ContainsFunc(vaults, reaches) {
			r.fail(at+"["+strconv.Itoa(i)+"]", fmt.Sprintf("%q is in no vault", glob),
				fmt.Sprintf("with several vaults a glob begins with the name of one, as in %s/%s, or with **/", vaults[0].Name, glob))
		}
	}
}

func (r *reader) checkTrust(c *Config) {
	if !r.sound("trust") {
		return
	}
	for i, t := range c.Trust {
		r.checkGlobs(fmt.Sprintf("trust[%d].paths", i), t.Paths, c.Vaults)
	}
	if _, said := r.lines["trust_default"]; len(c.Trust) > 0 && !said {
		r.fail("trust", "needs trust_default beside it", "say what the other notes are, as in trust_default: T1")
	}
}

func (r *reader) checkWrite(c *Config, base string) {
	w := &c.Write
	for _, p := range []struct {
		at   string
		path *string
		fits func(os.FileMode) bool
		name string
	}{{"write.drafts", &w.Drafts, os.FileMode.IsDir, "a folder"}, {"write.ledger", &w.Ledger, os.FileMode.IsRegular, "a regular file"}} {
		if *p.path == "" {
			continue
		}
		path, ok := r.path(p.at, base, *p.path)
		if *p.path = path; !ok {
			continue
		}
		if info, err := os.Lstat(path); err == nil && !p.fits(info.Mode()) {
			r.fail(p.at, path+" is "+kind(info), "name "+p.name+", or what is not there yet")
		}
		for _, v := range c.Vaults {
			if v.Root != "" && within(v.Root, path) {
				r.fail(p.at, path+" holds the vault "+v.Name, "name a folder of its own: the write zone is never indexed")
			}
		}
	}
	if w.Drafts != "" && filepath.Clean(w.Drafts) == filepath.Clean(w.Ledger) {
		r.fail("write.ledger", "is the folder of drafts", "name a file")
	}
}

func kind(info os.FileInfo) string {
	switch {
	case info.IsDir():
		return "a folder"
	case info.Mode()&os.ModeSymlink != 0:
		return "a link"
	case !info.Mode().IsRegular():
		return "a pipe or a device"
	}
	return "a file"
}

func (r *reader) checkTelemetry(t *Telemetry) {
	if t == nil || t.Endpoint == "" || !r.sound("telemetry") {
		return
	}
	u, err := endpoint(t.Endpoint, t.AllowRemote)
	if err != nil {
		hint := "write http://127.0.0.1:4318"
		if !t.AllowRemote {
			hint += ", or add allow_remote: on to let traces leave this machine"
		}
		r.fail("telemetry.endpoint", err.Error(), hint)
	}
	t.Endpoint = u
}

// override lets the environment set the gates, as the sabotage run of the evals does.
func (r *reader) override(e *Evidence) {
	for _, o := range []struct {
		name string
		into **float64
	}{{EnvMinScore, &e.MinScore}, {EnvMinCoverage, &e.MinCoverage}} {
		v, set := os.LookupEnv(o.name)
		if !set || v == "" {
			continue
		}
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			r.fail(o.name, "must be a number from 0 to 1", "it overrides evidence of "+FileName+"; unset it if that is not meant")
			continue
		}
		*o.into = &f
	}
}
