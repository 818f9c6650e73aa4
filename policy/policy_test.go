package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/policy"
)

func must(t *testing.T, opt policy.Options) *policy.Policy {
	t.Helper()
	p, err := policy.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func one(rules policy.Rules) policy.Options {
	return policy.Options{Profiles: map[string]policy.Rules{"p": rules}}
}

var decisions = []struct {
	name          string
	allow, deny   string // globs parted by white space
	may, mayNever string // paths parted by '|'
}{
	{
		name:  "deny wins over any allow",
		allow: "**/*.md restricted/ok.md", deny: "restricted/** *secret*",
		may:      "a.md|public/a.md|public/secret.md",
		mayNever: "restricted/ok.md|restricted/x/y.md|my-secret.md",
	},
	{
		name:  "nothing is allowed again inside a denied folder",
		allow: "work/** work/salaries/public.md", deny: "work/salaries/**",
		may:      "work/a.md",
		mayNever: "work/salaries/public.md|Work/Salaries/public.md|work/Salaries/a.md|work/SALARIES/a.md",
	},
	{
		name:  "denied by default",
		allow: "team/**", may: "team/x.md|team/a/b.md",
		mayNever: "team-hr/x.md|teams/x.md|TEAM/x.md|x.md|hr/team/x.md",
	},
	{
		name:  "other spellings are no paths",
		allow: "**", may: "team/x.md",
		mayNever: "|.|/|..|team/../hr/x.md|/etc/hostname|team/|team//x.md|./team/x.md|team\\x.md|../x.md|team/x\xff.md|cafe\u0301.md",
	},
	{
		name:  "a star stays in its folder",
		allow: "notes/*.md", may: "notes/a.md", mayNever: "notes/sub/deep.md|notes.md",
	},
	{
		name:  "a negated set stays in its folder",
		allow: "a[^x]b.md", may: "a-b.md", mayNever: "a/b.md|axb.md",
	},
	{
		name:  "a denied name is the folder too",
		allow: "**", deny: "hr **/private diary.md draft-*",
		may:      "hrx/a.md|draft-1/a.md|x/hr/a.md",
		mayNever: "hr/a.md|HR/b/c.md|x/private/a.md|private/a.md|diary.md|draft-1.md",
	},
	{
		name:  "deny folds more than ASCII",
		allow: "**", deny: "straße/** ÅRSMÖTE/** [Kk]elvin/**",
		may:      "strasbourg/a.md",
		mayNever: "straße/a.md|STRASSE/a.md|STRAẞE/a.md|årsmöte/a.md|\u212aelvin/a.md|KELVIN/a.md",
	},
	{
		name:  "allow written composed or not",
		allow: "cafe\u0301/** \u00fcber/**", may: "caf\u00e9/a.md|\u00fcber/a.md",
	},
	{
		name:  "hidden names are written out",
		allow: "** .github/** a/.x/y.md", deny: "",
		may:      ".github/a.md|a/.x/y.md",
		mayNever: ".git/a.md|.obsidian/a.md|a/.trash/b.md|.stversions/a.md|node_modules/x.md|a/Node_Modules/x.md|.github/.x/b.md|.a.md|$RECYCLE.BIN/a.md",
	},
	{
		name:  "no wildcard stands for a hidden name",
		allow: "*.md */a.md ?git/b.md [.]x/c.md", may: "a.md|x/a.md",
		mayNever: ".a.md|.x/a.md|.git/b.md|.x/c.md|node_modules/a.md",
	},
	{
		name:  "deny needs no writing out",
		allow: ".github/**", deny: "**/drafts/** *hub*/x.md",
		may:      ".github/a.md",
		mayNever: ".github/drafts/x.md|.github/x.md",
	},
	{
		name:  "names full of punctuation",
		allow: `\].md [[]draft].md --help.md a#b[?].md \*.md {🧙‍♂️,\{x\}}/*`,
		may:   `].md|[draft].md|--help.md|a#b?.md|*.md|🧙‍♂️/notes.md|{x}/a.md`, mayNever: "x.md|d.md|a#bc.md",
	},
	{
		name:  "brackets that are only names just work",
		allow: "**", may: "].md|[a].md|[.md|{b}.md|a,b.md|*.md|🧙‍♂️/notes.md|end .md|" + strings.Repeat("n", 250) + ".md",
	},
}

func TestDecide(t *testing.T) {
	for _, test := range decisions {
		t.Run(test.name, func(t *testing.T) {
			p := must(t, one(policy.Rules{Allow: strings.Fields(test.allow), Deny: strings.Fields(test.deny)}))
			check := func(paths string, want bool) {
				for _, path := range strings.Split(paths, "|") {
					permit := p.Decide(candor.Path(path))
					if permit.Allows("p") != want || permit.Allowed() != want {
						t.Errorf("%q: allowed %v, want %v", path, permit.Allowed(), want)
					}
				}
			}
			if test.may != "" {
				check(test.may, true)
			}
			if test.mayNever != "" {
				check(test.mayNever, false)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		name string
		opt  policy.Options
		want string // in the error
	}{
		{"no profiles", policy.Options{Profiles: map[string]policy.Rules{}}, "profiles is empty"},
		{"empty profile", one(policy.Rules{}), "allows nothing"},
		{"only deny", one(policy.Rules{Deny: []string{"a"}}), "allows nothing"},
		{"profile name", policy.Options{Profiles: map[string]policy.Rules{"a b": {Allow: []string{"**"}}}}, "a name is"},
		{"empty glob", one(policy.Rules{Allow: []string{""}}), "empty glob"},
		{"open set", one(policy.Rules{Allow: []string{"[a"}}), "malformed"},
		{"open brace", one(policy.Rules{Allow: []string{"{a"}}), "malformed"},
		{"lone backslash", one(policy.Rules{Allow: []string{`a\`}}), "malformed"},
		{"trailing slash", one(policy.Rules{Allow: []string{"**"}, Deny: []string{"hr/"}}), "folder/**"},
		{"leading slash", one(policy.Rules{Allow: []string{"/hr/**"}}), "empty part"},
		{"dots", one(policy.Rules{Allow: []string{"../**"}}), "no path has"},
		{"slash in set", one(policy.Rules{Allow: []string{"a[/]b"}}), "bare /"},
		{"mixed range", one(policy.Rules{Allow: []string{"**"}, Deny: []string{"[A-z]x"}}), "brackets"},
		{"set of a letter that folds to two", one(policy.Rules{Allow: []string{"**"}, Deny: []string{"[ß]"}}), "brackets"},
		{"negated set of one case", one(policy.Rules{Allow: []string{"**"}, Deny: []string{"[^a]x"}}), "brackets"},
		{"too many alternatives", one(policy.Rules{Allow: []string{strings.Repeat("{a,b}", 20)}}), "alternatives"},
		{"too long", one(policy.Rules{Allow: []string{strings.Repeat("a", 513)}}), "512"},
		{"too deep", one(policy.Rules{Allow: []string{strings.Repeat("a/", 70) + "a"}}), "63"},
		{"write", policy.Options{Write: []string{"/drafts"}}, "write"},
		{"trust without paths", policy.Options{Trust: []policy.TrustRule{{}}}, "trust rule 1"},
		{"trust tier", policy.Options{Trust: []policy.TrustRule{{Paths: []string{"**"}, Tier: 4}}}, "T0 to T3"},
		{"default tier", policy.Options{TrustDefault: 9}, "trust_default"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := policy.New(test.opt)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	many := map[string]policy.Rules{}
	for i := range 65 {
		many[fmt.Sprint("p", i)] = policy.Rules{Allow: []string{"**"}}
	}
	if _, err := policy.New(policy.Options{Profiles: many}); err == nil {
		t.Error("65 profiles were taken")
	}
}

func TestDenySetsThatFold(t *testing.T) {
	for glob, path := range map[string]string{
		"[A-Z]x.md":     "bX.md",
		"[a-z]x.md":     "BX.md",
		"[0-9]*.md":     "7up.md",
		"[^0-9]*.md":    "Up.md",
		"[^a-zA-Z].md":  "7.md",
		`[\]\-].md`:     "-.md",
		"[Ss]alary*.md": "SALARY-7.md",
	} {
		p := must(t, one(policy.Rules{Allow: []string{"**"}, Deny: []string{glob}}))
		if p.Decide(candor.Path(path)).Allowed() {
			t.Errorf("deny %q leaves %q", glob, path)
		}
	}
}

func TestWithoutProfilesOneSeesAll(t *testing.T) {
	p := must(t, policy.Options{})
	if diff := cmp.Diff([]string{policy.DefaultProfile}, p.Profiles()); diff != "" {
		t.Error(diff)
	}
	if !p.Decide("a/b.md").Allows(policy.DefaultProfile) || p.Decide("a/b.md").Allows("staff") {
		t.Error("the one profile sees all, an unknown one nothing")
	}
	if p.Decide(".git/b.md").Allowed() {
		t.Error("a hidden folder is not for it either")
	}
}

func TestWriteZoneIsNeverRead(t *testing.T) {
	p := must(t, policy.Options{Write: []string{"drafts", "log/ledger.md"}})
	for _, path := range []candor.Path{"drafts/a.md", "Drafts/a.md", "drafts/x/y.md", "log/ledger.md"} {
		if p.Decide(path).Allowed() {
			t.Errorf("%s is read", path)
		}
	}
	if !p.Decide("log/a.md").Allowed() || p.Walk("drafts") || !p.Walk("log") {
		t.Error("only the zone is closed")
	}
}

func TestPermit(t *testing.T) {
	p := must(t, policy.Options{Profiles: map[string]policy.Rules{
		"guest": {Allow: []string{"public/**"}},
		"staff": {Allow: []string{"public/**", "internal/**"}},
		"admin": {Allow: []string{"**"}},
	}})
	all := p.Decide("public/a.md")
	for _, test := range []struct {
		permit policy.Permit
		want   []string
	}{
		{all, []string{"admin", "guest", "staff"}},
		{p.Decide("internal/a.md"), []string{"admin", "staff"}},
		{p.Decide("internal/a.md").Narrow([]string{"guest"}), nil},
		{p.Decide("internal/a.md").Narrow([]string{"guest", "staff", "staff", "nobody"}), []string{"staff"}},
		{all.Narrow(nil), nil},
		{all.Narrow([]string{"staff"}).Narrow([]string{"guest", "staff"}), []string{"staff"}},
		{policy.Permit{}, nil},
		{policy.Permit{}.Narrow([]string{"admin"}), nil},
	} {
		if diff := cmp.Diff(test.want, test.permit.Profiles()); diff != "" {
			t.Errorf("%s: %s", test.permit.Path(), diff)
		}
	}
	if (policy.Permit{}).Allowed() || (policy.Permit{}).Allows("admin") || (policy.Permit{}).Allows("") {
		t.Error("the zero permit allows")
	}
	if all != p.Decide("public/a.md") {
		t.Error("equal permits differ")
	}
}

func TestWalk(t *testing.T) {
	p := must(t, policy.Options{Profiles: map[string]policy.Rules{
		"a": {Allow: []string{"public/**", "x/*/deep/*.md", ".github/notes/**"}, Deny: []string{"public/hr/**"}},
		"b": {Allow: []string{"internal/*.md"}, Deny: []string{"internal/old"}},
	}})
	for _, test := range []struct {
		folders string
		want    bool
	}{
		{"|public|public/a|x|x/y|x/y/deep|.github|.github/notes|internal", true},
		{"restricted|public/hr|PUBLIC|public/HR|public/hr/x|x/y/z|x/y/deep/er|internal/sub|internal/old|.github/x|public/.git|.|..|public/", false},
	} {
		for _, folder := range strings.Split(test.folders, "|") {
			if got := p.Walk(candor.Path(folder)); got != test.want {
				t.Errorf("Walk(%q) = %v", folder, got)
			}
		}
	}
}

func TestTrust(t *testing.T) {
	day := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	p := must(t, policy.Options{
		TrustDefault: candor.T1,
		Trust: []policy.TrustRule{
			{Paths: []string{"policies/old/**"}, Tier: candor.T2},
			{Paths: []string{"policies/**"}, Tier: candor.T0, ReviewBy: day},
			{Paths: []string{"web/**", "clips"}, Tier: candor.T3},
		},
	})
	for _, test := range []struct {
		path    candor.Path
		now     time.Time
		tier    candor.Tier
		overdue bool
	}{
		{"policies/a.md", day, candor.T0, false},
		{"policies/a.md", day.Add(24*time.Hour - 1), candor.T0, false},
		{"policies/a.md", day.Add(24 * time.Hour), candor.T0, true},
		{"policies/old/a.md", day.AddDate(9, 0, 0), candor.T2, false},
		{"Policies/Old/a.md", day, candor.T2, false},
		{"Policies/a.md", day, candor.T1, false},
		{"other.md", day, candor.T1, false},
		{"web/a.md", day, candor.T3, false},
	} {
		tier, overdue := p.Trust(test.path, test.now)
		if tier != test.tier || overdue != test.overdue {
			t.Errorf("%s: %s overdue %v", test.path, tier, overdue)
		}
	}
	for _, path := range []candor.Path{"web/a.md", "WEB/a.md", "clips/x.md"} {
		if p.Decide(path).Allowed() {
			t.Errorf("%s is T3 and allowed", path)
		}
	}
}
