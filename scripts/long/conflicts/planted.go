package main

import (
	"context"
	"fmt"
	"log"
	"path/filepath"
	"slices"

	"candor"
	"candor/config"
	"candor/demo"
	"candor/kb"
)

// planted are the pairs of "Pages that disagree" in demo/README.md with two wordings each,
// written before either was tried and without a look at the rules.
var planted = []struct {
	counts, otherwise candor.Path
	first, second     string
}{
	{
		"public/products/heron-r40.md", "public/forum/r40-mounting-tips.md",
		"What clearance above the water does an R40 need?", "minimum installation height of a radar gauge over high tide",
	},
	{
		"public/products/warranty.md", "public/forum/r40-mounting-tips.md",
		"If my instrument breaks after two and a half years, is it still under warranty?", "For how many months are gauges covered by warranty?",
	},
	{
		"public/products/limpet-p8.md", "public/forum/limpet-battery-life.md",
		"How often do I have to swap the battery in a Limpet?", "battery lifetime of the P8",
	},
	{
		"public/docs/webhooks.md", "public/forum/webhook-retries.md",
		"What happens if my server does not answer a webhook, how many attempts are made?", "After how many failed tries does Slackwater give up on a webhook?",
	},
	{
		"public/docs/install-heron.md", "public/forum/r40-mounting-tips.md",
		"How far away from the logger can the gauge be when wired by RS-485?", "RS-485 cable limit in metres for the Heron",
	},
	{
		"internal/policies/leave.md", "internal/wiki/onboarding.md",
		"How much holiday do employees get?", "number of vacation days per year",
	},
	{
		"internal/policies/expenses.md", "internal/wiki/expenses-cheat-sheet.md",
		"Up to what sum can I claim without a receipt?", "receipt threshold for expenses in pounds",
	},
	{
		"public/products/quay-g3.md", "internal/wiki/gateway-bench-setup.md",
		"Is plain MQTT still possible with the Quay G3?", "MQTT port of the gateway",
	},
	{
		"internal/policies/information-security.md", "internal/community/personal-phone-vpn.md",
		"Am I allowed to install the company VPN on my private phone?", "VPN from a personal device: allowed or not?",
	},
	{
		"internal/policies/working-at-sea.md", "internal/community/boat-tips.md",
		"Is it okay to go out on the boat by myself?", "May one person sail the Plover alone?",
	},
	{
		"internal/policies/employment-terms.md", "internal/de/arbeitszeit-und-urlaub.md",
		"During which hours do I have to be at work?", "Kernarbeitszeit: von wann bis wann?",
	},
	{
		"internal/wiki/release-calendar.md", "internal/meetings/2026-11-03-firmware.md",
		"When will version 4.4.0 come out for the R40?", "release day of heron firmware 4.4.0",
	},
	{
		"internal/oncall/on-call-policy.md", "internal/meetings/2026-10-14-platform.md",
		"What's the compensation for being on call?", "How much money does the first person on call receive each week?",
	},
}

// pairs asks for the planted pairs and says where each was missed.
func pairs(dir string) {
	if err := demo.WriteTo(dir); err != nil {
		log.Fatal(err)
	}
	base := bases(must(config.Load(filepath.Join(dir, demo.ConfigName))))["staff"]
	for _, half := range []string{"first", "second"} {
		count := map[string]int{}
		for _, p := range planted {
			q := p.first
			if half == "second" {
				q = p.second
			}
			a := must(base.Search(context.Background(), kb.SearchRequest{Query: q, Limit: kb.DefaultResults}))
			got := outcome(a, p.counts, p.otherwise)
			if count[got]++; *show {
				fmt.Printf("%s: %s\n", got, q)
			}
		}
		fmt.Printf("planted, %-11s %5d asked %5d found %3d abstained %3d not both retrieved %3d not both compared %3d not judged so\n",
			half, len(planted), count["found"], count["abstained"], count["retrieved"], count["compared"], count["judged"])
	}
}

// outcome says how far a pair came.
func outcome(a kb.SearchAnswer, one, other candor.Path) string {
	at := func(p candor.Path) int {
		return slices.IndexFunc(a.Hits, func(h kb.SearchHit) bool { return h.Citation.Path == p })
	}
	i, k := at(one), at(other)
	for _, h := range a.Hits {
		for _, d := range h.Disagrees {
			if h.Citation.Path == one && d.Citation.Path == other {
				return "found"
			}
		}
	}
	switch {
	case a.Abstained:
		return "abstained"
	case i < 0 || k < 0:
		return "retrieved"
	case max(i, k) >= compared:
		return "compared"
	}
	return "judged"
}

// compared is how many passages of an answer kb compares.
const compared = 6
