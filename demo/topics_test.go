package demo_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"candor/demo"
	"candor/evals"
	"candor/evals/baseline"
)

// topics reads the embedded topics, by the file they stand in.
func topics(t *testing.T) map[string][]evals.Topic {
	t.Helper()
	names, err := fs.Glob(demo.Topics(), "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d topic files: %v", len(names), err)
	}
	out := map[string][]evals.Topic{}
	for _, name := range names {
		if out[name], err = evals.ReadTopics(demo.Topics(), name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := evals.ReadTopics(demo.Topics(), "."); err != nil {
		t.Errorf("the files together: %v", err)
	}
	return out
}

// kind is a slice with its sub-slice.
func kind(t evals.Topic) string {
	return strings.TrimSuffix(string(t.Slice)+"/"+t.Sub, "/")
}

func TestTopicsAreAsManyAsPromised(t *testing.T) {
	slices, profiles := map[string]int{}, map[string]int{}
	for _, list := range topics(t) {
		for _, topic := range list {
			slices[string(topic.Slice)]++
			if topic.Sub != "" {
				slices[kind(topic)]++
			}
			profiles[topic.Profile]++
		}
	}
	for name, least := range map[string]int{
		"answerable": 150, "answerable/easy": 40, "answerable/paraphrase": 30, "answerable/paraphrase-zero": 15,
		"answerable/identifier": 25, "answerable/language": 20, "answerable/table": 20,
		"unsupported/near": 60, "unsupported/plain": 20, "denied": 30, "superseded": 20, "secret": 20,
	} {
		if slices[name] < least {
			t.Errorf("%s: %d topics, %d are promised", name, slices[name], least)
		}
	}
	for _, name := range []string{"guest", "staff", "admin"} {
		if profiles[name] < 15 {
			t.Errorf("%s asks %d questions", name, profiles[name])
		}
	}
}

// TestHalvesAreSplitByNumber holds the rule by which topics are held out: odd numbers
// train, even numbers test, so that nobody picks.
func TestHalvesAreSplitByNumber(t *testing.T) {
	count := map[string]map[string]int{}
	for name, list := range topics(t) {
		half, slice, _ := strings.Cut(strings.TrimSuffix(name, ".yaml"), "-")
		for _, topic := range list {
			_, digits, _ := strings.Cut(topic.ID, "-")
			n, err := strconv.Atoi(digits)
			if err != nil || string(topic.Slice) != slice || half != []string{"test", "train"}[n%2] {
				t.Errorf("%s does not belong in %s", topic.ID, name)
			}
			if count[kind(topic)] == nil {
				count[kind(topic)] = map[string]int{}
			}
			count[kind(topic)][half]++
		}
	}
	for kind, n := range count {
		if d := n["train"] - n["test"]; d < 0 || d > 1 {
			t.Errorf("%s: %d to train on, %d held out", kind, n["train"], n["test"])
		}
	}
}

func TestNoQuestionIsAskedTwice(t *testing.T) {
	seen := map[string]string{}
	for _, list := range topics(t) {
		for _, topic := range list {
			key := topic.Profile + ": " + strings.Join(tokens(topic.Question), " ")
			if other := seen[key]; other != "" {
				t.Errorf("%s and %s ask the same", topic.ID, other)
			}
			seen[key] = topic.ID
		}
	}
}

// tokens are the words of a text in lower case.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// section gives the lines at and under a heading; the whole note without one.
func section(note, heading string) string {
	var out strings.Builder
	level := 0
	for line := range strings.Lines(note) {
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if marks > 0 && line[marks] == ' ' {
			if level > 0 && marks <= level {
				level = 0
			}
			if strings.TrimSpace(line[marks:]) == heading {
				level = marks
			}
		}
		if level > 0 || heading == "" {
			out.WriteString(line)
		}
	}
	return out.String()
}

// common are words that carry nothing.
var common = strings.Fields(`a all am an and any are as at be by can could do does for from get has have how i in is it
	may me must my of on or our so some that the there to up was we what when where which who whom will with would you your`)

// TestQuestionsHaveWordsOfTheirOwn holds that no question repeats four words in a row of
// a passage that answers it, addresses and versions aside.
func TestQuestionsHaveWordsOfTheirOwn(t *testing.T) {
	vault := notes(t)
	for _, list := range topics(t) {
		for _, topic := range list {
			if topic.Slice == evals.Secret || topic.Sub == "identifier" {
				continue
			}
			words := tokens(topic.Question)
			for _, e := range topic.Expect {
				text := " " + strings.Join(tokens(section(vault[string(e.Path)], e.Heading)), " ") + " "
				for i := 0; i+4 <= len(words); i++ {
					if run := strings.Join(words[i:i+4], " "); carries(words[i:i+4]) && strings.Contains(text, " "+run+" ") {
						t.Errorf("%s: %q stands in %s too", topic.ID, run, e.Path)
					}
				}
			}
		}
	}
}

// carries reports whether at least two of the words are no common ones.
func carries(words []string) bool {
	n := 0
	for _, w := range words {
		if !slices.Contains(common, w) {
			n++
		}
	}
	return n > 1
}

// fields are the lines of front matter that are searched as well.
var fields = regexp.MustCompile(`(?m)^(title|tags|aliases|# ).*$`)

// TestZeroSharesNoWord holds that a question of paraphrase-zero and the passages that
// answer it share no word that carries anything, in no form of it.
func TestZeroSharesNoWord(t *testing.T) {
	vault := notes(t)
	for _, list := range topics(t) {
		for _, topic := range list {
			if topic.Sub != "paraphrase-zero" {
				continue
			}
			for _, e := range topic.Expect {
				note := vault[string(e.Path)]
				text := section(note, e.Heading) + strings.Join(fields.FindAllString(note, -1), "\n") + string(e.Path)
				if both := shared(tokens(topic.Question), tokens(text)); len(both) > 0 {
					t.Errorf("%s shares %q with %s", topic.ID, both, e.Path)
				}
			}
		}
	}
}

// shared gives the words of a that b has in some form.
func shared(a, b []string) (out []string) {
	for _, w := range a {
		if !slices.Contains(common, w) && slices.ContainsFunc(b, func(v string) bool { return akin(w, v) }) {
			out = append(out, w)
		}
	}
	return out
}

// akin reports whether two words may be forms of one: they begin alike for five letters,
// or one of four or more begins the other.
func akin(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	long := min(len(a), 5)
	return a == b || long >= 4 && strings.HasPrefix(b, a[:long])
}

// TestSecretsAreAskedForInWords holds that every planted credential is asked for, and
// that no question holds one: such a question is refused, whatever the masks do.
func TestSecretsAreAskedForInWords(t *testing.T) {
	asked := map[string]bool{}
	for name, list := range topics(t) {
		for _, topic := range list {
			for _, s := range demo.Secrets() {
				if strings.Contains(topic.Question, s.Value) {
					t.Errorf("%s: %s holds a planted %s", name, topic.ID, s.Kind)
				}
			}
			if topic.Slice != evals.Secret {
				continue
			}
			for _, value := range topic.Never {
				asked[value] = true
			}
		}
	}
	want := map[string]bool{}
	for _, s := range demo.Secrets() {
		want[s.Value] = true
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("credentials (-planted +asked for):\n%s", diff)
	}
}

// TestExpectedNotesExist holds paths and headings to the vault, where the command does so
// too before it asks.
func TestExpectedNotesExist(t *testing.T) {
	vault := notes(t)
	for _, list := range topics(t) {
		for _, topic := range list {
			for _, e := range topic.Expect {
				if section(vault[string(e.Path)], e.Heading) == "" {
					t.Errorf("%s: nothing at %s", topic.ID, e.ID())
				}
			}
			for _, stale := range topic.Stale {
				if vault[string(stale)] == "" {
					t.Errorf("%s: no note %s", topic.ID, stale)
				}
			}
		}
	}
}

func TestBaselineIsOfTheseTopics(t *testing.T) {
	b, err := baseline.Read(demo.Baseline(), "baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	all, err := evals.ReadTopics(demo.Topics(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if got := evals.NewSuite("", all).Digest; got != b.Topics {
		t.Errorf("the baseline is of topics %s, these are %s: write it anew as README.md says", b.Topics, got)
	}
}
