package baseline

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"candor"
	"candor/evals"
)

func topics() []evals.Topic {
	at := func(path, heading string) []evals.Expected {
		return []evals.Expected{{Path: candor.Path(path), Heading: heading, Grade: 1}}
	}
	return []evals.Topic{
		{ID: "a-leave", Question: "parents stay weeks", Profile: "public", Slice: evals.Answerable, Sub: "easy", Expect: at("public/leave.md", "Parental leave")},
		{ID: "a-oven", Question: "oven cleaned", Profile: "public", Slice: evals.Answerable, Sub: "easy", Expect: at("public/oven.md", "")},
		{ID: "a-staff", Question: "directors earn", Profile: "staff", Slice: evals.Answerable, Expect: at("staff/pay.md", "")},
		{ID: "a-miss", Question: "expense limit", Profile: "public", Slice: evals.Answerable, Sub: "hard", Expect: at("public/leave.md", "")},
		{ID: "a-quiet", Question: "infants absence sixteen", Profile: "public", Slice: evals.Answerable, Sub: "hard", Expect: at("public/leave.md", "")},
		{ID: "u-oil", Question: "who sells olive oil daily", Profile: "public", Slice: evals.Unsupported},
		{ID: "u-near", Question: "oven cleaned monday", Profile: "public", Slice: evals.Unsupported, Sub: "near"},
		{ID: "s-limit", Question: "what is the expense limit", Profile: "public", Slice: evals.Superseded, Expect: at("public/limit.md", ""), Stale: []candor.Path{"public/limit-2019.md"}},
		{ID: "d-pay", Question: "what do directors earn", Profile: "public", Slice: evals.Denied, Expect: at("staff/pay.md", ""), Never: []string{canary}},
		{ID: "k-key", Question: "deploy key", Profile: "public", Slice: evals.Secret, Expect: at("public/deploy.md", ""), Never: []string{planted}},
		{ID: "k-ask", Question: "where is " + planted, Profile: "staff", Slice: evals.Secret, Never: []string{planted}},
	}
}

func card(t *testing.T, f faults) Card {
	t.Helper()
	c, err := Run(t.Context(), &fake{faults: f}, topics(), Options{Repeat: 6})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func verdicts(c Card) map[string]Verdict { return c.Baseline().Verdicts }

// TestVerdicts: a sound system passes the gate, and what it does not know is told
// apart: a miss, a false abstention, a false answer.
func TestVerdicts(t *testing.T) {
	c := card(t, faults{})
	want := map[string]Verdict{
		"a-leave": Pass, "a-oven": Pass, "a-staff": Pass, "a-miss": Miss, "a-quiet": FalseAbstention,
		"u-oil": Pass, "u-near": FalseAnswer, "s-limit": Pass, "d-pay": Pass, "k-key": Pass, "k-ask": Pass,
	}
	if diff := cmp.Diff(want, verdicts(c)); diff != "" {
		t.Error(diff)
	}
	if word := c.Gate(nil); !word.Pass {
		t.Errorf("%+v\n%+v", word, c.Violations)
	}
	if diff := cmp.Diff(Metrics{0.6, 0.6, 0.6, 0.6667, 0.2}, c.Metrics()); diff != "" {
		t.Error(diff)
	}
}

// TestEachFaultTurnsTheGateRed: no fault gets past the scorecard, and each is named.
func TestEachFaultTurnsTheGateRed(t *testing.T) {
	committed := card(t, faults{}).Baseline()
	for name, tc := range map[string]struct {
		f    faults
		want string
	}{
		"bars at zero":              {faults{gateOff: true}, "plain unsupported questions: 1 of 1 answered"},
		"gate inverted":             {faults{gateInverted: true}, "answerable: 1 of 5 pass, 3 in the baseline"},
		"gate never opens":          {faults{gateShut: true}, "answerable: 0 of 5 pass, 3 in the baseline; now failing: a-leave, a-oven, a-staff"},
		"denied notes indexed":      {faults{deniedIndexed: true}, "leak: "},
		"denied notes read":         {faults{deniedRead: true}, "leak: 1"},
		"denied told from missing":  {faults{deniedTold: true}, "leak: 1"},
		"denied notes listed":       {faults{deniedListed: true}, "leak: 1"},
		"a link to a denied note":   {faults{linkLeaks: true}, "leak: 1"},
		"a link out is followed":    {faults{linkFollowed: true}, "secret: 1"},
		"a pointer to a denied one": {faults{pointerLeaks: true}, "leak: 1"},
		"redaction off":             {faults{unmasked: true}, "secret: "},
		"redaction off in a tool":   {faults{unmaskedOutline: true}, "secret: 2"},
		"supersession off":          {faults{supersessionOff: true}, "superseded: "},
		"a read does not warn":      {faults{staleUnsaid: true}, "superseded: 1"},
		"a read gives other text":   {faults{readDiffers: true}, "citation: "},
		"replaced note unreadable":  {faults{staleGone: true}, "superseded: 1"},
		"spans off by one":          {faults{spansOff: true}, "citation: "},
		"digest of something else":  {faults{digestOff: true}, "citation: "},
		"shared idf":                {faults{sharedIDF: true}, "interference: "},
		"ties by chance":            {faults{ties: true}, "unstable: "},
	} {
		t.Run(name, func(t *testing.T) {
			c := card(t, tc.f)
			word := c.Gate(&committed)
			if word.Pass || !strings.Contains(strings.Join(word.Reasons, "\n"), tc.want) {
				t.Errorf("gate says %+v, want %q\n%+v", word, tc.want, c.Violations)
			}
		})
	}
}

// TestSabotageListsFalseAnswers: with the bars at zero, each false answer stands in
// the report with its path and score, and the gate's word is FAIL.
func TestSabotageListsFalseAnswers(t *testing.T) {
	c := card(t, faults{gateOff: true})
	var b bytes.Buffer
	if err := c.Report(&b, c.Gate(nil), evals.Text); err != nil {
		t.Fatal(err)
	}
	golden(t, "sabotage.txt", b.Bytes())
}

// TestReportTellsNothingHidden: neither a secret nor a denied note's name or words
// come out in a report, not even of a run that leaked them.
func TestReportTellsNothingHidden(t *testing.T) {
	for _, f := range []faults{{deniedIndexed: true}, {unmasked: true}, {deniedRead: true}, {linkLeaks: true}} {
		c := card(t, f)
		var b bytes.Buffer
		if err := c.Report(&b, c.Gate(nil), evals.Markdown); err != nil {
			t.Fatal(err)
		}
		for _, hidden := range []string{planted, canary, "staff/pay.md", "directors earn"} {
			if strings.Contains(b.String(), hidden) {
				t.Errorf("%+v: the report holds %q:\n%s", f, hidden, b.String())
			}
		}
	}
}

func TestScorecard(t *testing.T) {
	c := card(t, faults{})
	committed := c.Baseline()
	var b bytes.Buffer
	if err := c.Report(&b, c.Gate(&committed), evals.Text); err != nil {
		t.Fatal(err)
	}
	golden(t, "scorecard.txt", b.Bytes())
}

// TestBaselineBytes: two runs write the same bytes, which are the committed ones,
// and which read back to the same baseline.
func TestBaselineBytes(t *testing.T) {
	var one, two bytes.Buffer
	for _, w := range []*bytes.Buffer{&one, &two} {
		if err := card(t, faults{}).Baseline().Write(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two runs write different baselines")
	}
	golden(t, "baseline.json", one.Bytes())
	back, err := Read(one.Bytes(), "b")
	if diff := cmp.Diff(card(t, faults{}).Baseline(), *back); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestReadRefusesOtherFormats(t *testing.T) {
	for text, want := range map[string]string{
		`{"hit@1": 0.5}`:                "format 0, want 1: write it anew with candor eval baseline --write",
		`{"version": 2}`:                "format 2, want 1",
		`{"version": 1, "surprise": 1}`: "surprise",
		`{`:                             "unexpected end",
	} {
		if _, err := Read([]byte(text), "b.json"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestLoadAndSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	if b, err := Load(file); b != nil || err != nil {
		t.Errorf("a baseline that is not there: %v %v", b, err)
	}
	want := card(t, faults{}).Baseline()
	if err := want.Save(file); err != nil {
		t.Fatal(err)
	}
	got, err := Load(file)
	if diff := cmp.Diff(&want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestGateAgainstBaseline: new topics are no regression, a topic that fell is one
// only if its slice passes fewer, and what rose is told.
func TestGateAgainstBaseline(t *testing.T) {
	c := card(t, faults{})
	for name, tc := range map[string]struct {
		change func(*Baseline)
		pass   bool
		want   string
	}{
		"the same":        {func(*Baseline) {}, true, ""},
		"a topic is new":  {func(b *Baseline) { delete(b.Verdicts, "a-miss"); b.Topics = "other" }, true, "10 of 11 are compared"},
		"one rose":        {func(b *Baseline) { b.Verdicts["a-leave"] = Miss }, true, "answerable: now passing: a-leave"},
		"one fell":        {func(b *Baseline) { b.Verdicts["a-miss"] = Pass }, false, "answerable: 3 of 5 pass, 4 in the baseline; now failing: a-miss"},
		"one for another": {func(b *Baseline) { b.Verdicts["a-miss"], b.Verdicts["a-leave"] = Pass, Miss }, true, "now failing: a-miss"},
		"a metric fell":   {func(b *Baseline) { b.Metrics.MRR = 0.61 }, false, "MRR@10: 0.6000, was 0.6100"},
		"other gates":     {func(b *Baseline) { b.Fingerprint.Gates = "0.4" }, true, "gates is not what the baseline was written with"},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.Baseline()
			tc.change(&b)
			word := c.Gate(&b)
			all := strings.Join(append(word.Reasons, word.Notes...), "\n")
			if word.Pass != tc.pass || !strings.Contains(all, tc.want) {
				t.Errorf("%+v, want %v %q", word, tc.pass, tc.want)
			}
		})
	}
}

// TestTransport: where the gates cannot be switched off, the verdicts are the same
// and every hard zero is still probed.
func TestTransport(t *testing.T) {
	in, over := card(t, faults{}), card(t, faults{transport: true})
	if diff := cmp.Diff(verdicts(in), verdicts(over)); diff != "" {
		t.Error(diff)
	}
	if word := over.Gate(nil); !word.Pass {
		t.Errorf("%+v", word)
	}
}

// TestUnprobedZeroFails: a hard zero that the topics ask for and nothing probed is
// no zero.
func TestUnprobedZeroFails(t *testing.T) {
	c := card(t, faults{})
	c.Probes[Leak] = 0
	if word := c.Gate(nil); word.Pass || !strings.Contains(strings.Join(word.Reasons, ""), "leak: nothing was probed") {
		t.Errorf("%+v", word)
	}
}

func TestRunErrors(t *testing.T) {
	for want, f := range map[string]faults{
		"tool dump has no leak probe": {strangeTool: true},
		"topic a-leave: ":             {searchDies: true},
	} {
		if _, err := Run(t.Context(), &fake{faults: f}, topics(), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestRunRefusesVacuousTopics: a topic that cannot fail, or cannot pass, is named.
func TestRunRefusesVacuousTopics(t *testing.T) {
	for want, topic := range map[string]evals.Topic{
		"topic t: staff/pays.md is not in the vault":   {ID: "t", Slice: evals.Denied, Expect: []evals.Expected{{Path: "staff/pays.md"}}},
		"topic t: public/old.md is not in the vault":   {ID: "t", Slice: evals.Superseded, Stale: []candor.Path{"public/old.md"}},
		`topic t: public/oven.md has no heading "Own"`: {ID: "t", Slice: evals.Answerable, Expect: []evals.Expected{{Path: "public/oven.md", Heading: "Own"}}},
		"topic t: a phrase under never":                {ID: "t", Slice: evals.Secret, Never: []string{"x"}, Expect: []evals.Expected{{Path: "public/oven.md"}}},
	} {
		if _, err := Run(t.Context(), &fake{}, []evals.Topic{topic}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPhrasesInEveryForm: a secret is seen also as JSON writes it.
func TestPhrasesInEveryForm(t *testing.T) {
	p := phrases{}
	p.add("a\"<b>\nc\"")
	for _, seen := range []string{"x a\"<b>\nc\" y", `{"k":"a\"<b>\nc\""}`, `{"k":"a\"\u003cb\u003e\nc\""}`} {
		if !p.in(seen) {
			t.Errorf("not seen in %q", seen)
		}
	}
	if p.in(`a"<b>`) {
		t.Error("a part of it is taken for the whole")
	}
}

// TestShortPhrases holds that a PIN is seen wherever it stands, and not in a digest that
// has its digits by chance.
func TestShortPhrases(t *testing.T) {
	p := phrases{}
	p.add("480173", "fake-kelp-forest-42")
	for text, want := range map[string]bool{
		"480173": true, "PIN" + ":480173.": true, `{"pin":"` + "480173" + `"}`: true, `is\n480173\n`: true, "480173e0": true,
		`"mac":"0123456789480173abcdef0123456789"`: false, `"mac":"0123456789480173abcdef0123456789","x":"480173"`: true,
		"xfake-kelp-forest-42x": true,
	} {
		if got := p.in(text); got != want {
			t.Errorf("%q: seen %v, want %v", text, got, want)
		}
	}
}

// TestNeverOption: secrets that the caller names are looked for in every answer, and
// topics aimed at secrets that nobody names prove nothing.
func TestNeverOption(t *testing.T) {
	aimed := []evals.Topic{{ID: "k", Question: "deploy key", Slice: evals.Secret, Expect: []evals.Expected{{Path: "public/deploy.md"}}}}
	leaky := &fake{faults: faults{unmasked: true}}
	for want, never := range map[string][]string{
		"secret: nothing was probed": nil, "secret: 3, must be 0": {planted},
	} {
		c, err := Run(t.Context(), leaky, aimed, Options{Never: never})
		if err != nil {
			t.Fatal(err)
		}
		if word := c.Gate(nil); !strings.Contains(strings.Join(word.Reasons, "\n"), want) {
			t.Errorf("%+v, want %q", word, want)
		}
	}
}

// golden compares with a file of testdata, which UPDATE=1 writes.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (UPDATE=1 writes it anew):\n%s", name, diff)
	}
}
