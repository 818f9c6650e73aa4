package main

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"candor"
	"candor/kb"
)

// openDemo opens the embedded vault as staff.
func openDemo(t *testing.T) *site {
	t.Helper()
	m := &Main{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}
	a := &app{Main: m, global: global{Demo: true, Profile: "staff"}}
	s, err := a.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// TestPlantedConflicts asks for each subject of "Pages that disagree" in demo/README.md:
// what counts comes first, what says otherwise right after it, and each names the other.
func TestPlantedConflicts(t *testing.T) {
	base := openDemo(t).bases["staff"]
	for _, c := range []struct{ counts, otherwise, questions string }{
		{
			"public/products/heron-r40.md", "public/forum/r40-mounting-tips.md",
			"How high above the water must the radar gauge be mounted?|what is the minimum mounting height of the R40 above highest tide",
		},
		{
			"public/products/warranty.md", "public/forum/r40-mounting-tips.md",
			"how long is the warranty on an instrument?|warranty in months for a gauge",
		},
		{
			"public/products/limpet-p8.md", "public/forum/limpet-battery-life.md",
			"How long does a BP-8 pack last?|how many years does a BP-8 last",
		},
		{
			"public/docs/webhooks.md", "public/forum/webhook-retries.md",
			"How many times is a webhook retried?|How often is a webhook retried?",
		},
		{
			"public/docs/install-heron.md", "public/forum/r40-mounting-tips.md",
			"How long may the RS-485 cable be?|maximum length of the RS-485 line",
		},
		{
			"internal/policies/leave.md", "internal/wiki/onboarding.md",
			"how many days of annual leave do I get?|annual leave days per year",
		},
		{
			"internal/policies/expenses.md", "internal/wiki/expenses-cheat-sheet.md",
			"From what amount do I need a receipt?|above how many GBP is a receipt needed for expenses",
		},
		{
			"public/products/quay-g3.md", "internal/wiki/gateway-bench-setup.md",
			"Which port does the Quay G3 use to talk to Slackwater?|Is port 1883 still in use on the gateway?",
		},
		{
			"internal/policies/information-security.md", "internal/community/personal-phone-vpn.md",
			"May I use the VPN on my own phone?|Can I use the VPN on a personal phone?",
		},
		{
			"internal/policies/working-at-sea.md", "internal/community/boat-tips.md",
			"Can I take the Plover out alone inside the harbour?|How many persons does the Plover need inside the harbour?",
		},
		// In English alone the German page is not found by words.
		{
			"internal/policies/employment-terms.md", "internal/de/arbeitszeit-und-urlaub.md",
			"Kernzeit / core time: from when to when?|wann ist Kernzeit (core time)?",
		},
		{
			"internal/wiki/release-calendar.md", "internal/meetings/2026-11-03-firmware.md",
			"When is firmware R40 4.4.0 released?|What is the release date of Heron R40 firmware 4.4.0?",
		},
		{
			"internal/oncall/on-call-policy.md", "internal/meetings/2026-10-14-platform.md",
			"how much do I get for an on-call week as first person?|on-call pay for a week as first person",
		},
	} {
		for q := range strings.SplitSeq(c.questions, "|") {
			a, err := base.Search(t.Context(), kb.SearchRequest{Query: q})
			if err != nil {
				t.Fatal(err)
			}
			var marked []kb.SearchHit
			for _, h := range a.Hits {
				if slices.Contains(h.Flags, candor.FlagConflict) {
					marked = append(marked, h)
				}
			}
			if len(marked) != 2 {
				t.Errorf("%s: %d passages disagree", q, len(marked))
				continue
			}
			got := []string{string(marked[0].Citation.Path), string(marked[1].Citation.Path)}
			want := []string{c.counts, c.otherwise}
			if marked[0].Tier == marked[1].Tier {
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) || marked[0].Tier > marked[1].Tier || marked[1].Rank != marked[0].Rank+1 {
				t.Errorf("%s: %v, ranks %d and %d", q, got, marked[0].Rank, marked[1].Rank)
			}
			if !slices.Equal(marked[0].ConflictsWith, []string{marked[1].Citation.ID}) || !slices.Equal(marked[1].ConflictsWith, []string{marked[0].Citation.ID}) {
				t.Errorf("%s: %v, %v", q, marked[0].ConflictsWith, marked[1].ConflictsWith)
			}
		}
	}
}

// TestOverdueComesSecond: of two pages that disagree the one whose review is overdue counts
// less, although its rule gives it the same tier and it fits the question better; a forum
// counts least. Text for models and for people says how far each is trusted.
func TestOverdueComesSecond(t *testing.T) {
	_, flag := configured(t, `
vaults: [{name: v, root: ./vault}]
profiles: {staff: {allow: ["**"]}}
default_profile: staff
trust:
  - {paths: ["old/**"], tier: T1, review_by: 2020-01-01}
  - {paths: ["forum/**"], tier: T2}
trust_default: T1
`, map[string]string{
		"old/trial.md":   "# Trial period\n\nThe trial period of a lighthouse keeper is six months.\n",
		"keepers.md":     "# Keepers\n\nFor keepers, of a lighthouse or of a lightship, as agreed by both, the trial period is 3 months.\n",
		"forum/ferry.md": "# Ferries\n\nThe ferry to the island costs 12 EUR.\n",
		"ferry.md":       "# Timetable\n\nThe boat of the line, a ferry to the island that takes bicycles as well, costs 14 EUR.\n",
	})
	c := dial(t, flag)
	for _, q := range []struct{ question, first, second, standing string }{
		{"how long is the trial period of a lighthouse keeper", "keepers.md", "old/trial.md", "review due: past its date, so trusted one tier less"},
		{"how much does the ferry to the island cost", "ferry.md", "forum/ferry.md", "attributed: name the source; it never backs a definitive claim"},
	} {
		served := c.call("search", map[string]any{"query": q.question}).text
		cmd := exec.Command("candor", "search", flag, q.question)
		cmd.Env = c.cmd.Env
		printed, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, printed)
		}
		for form, text := range map[string]string{"served": served, "printed": string(printed)} {
			at := 0
			for _, want := range []string{
				q.first, "T1", "disagrees with ", q.second, ", which is trusted less",
				q.second, "T2", "disagrees with ", q.first, ", which is trusted more", q.standing,
			} {
				i := strings.Index(text[at:], want)
				if i < 0 {
					t.Errorf("%s, %s: no %q in its place:\n%s", q.question, form, want, text)
					break
				}
				at += i + len(want)
			}
		}
	}
}
