package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"candor"
	"candor/internal/vaulttest"
)

// bound is a claim about the first hit of a search, as a client would bind it.
type bound struct {
	text, callID, citation string
}

// bindTo searches and binds a sentence to what came first.
func bindTo(c *served, query, sentence string) bound {
	c.t.Helper()
	a := c.call("search", map[string]any{"query": query})
	hits, _ := a.data["hits"].([]any)
	stamp, _ := a.data["stamp"].(map[string]any)
	if len(hits) == 0 || stamp == nil {
		c.t.Fatalf("%s: %s", query, a.raw)
	}
	id := stamp["call_id"].(string)
	marker := "[candor call " + id + "]"
	if lines := strings.Split(a.text, "\n"); lines[0] != marker || lines[len(lines)-1] != marker {
		c.t.Errorf("the text form does not stand between its markers: %s ... %s", lines[0], lines[len(lines)-1])
	}
	return bound{sentence, id, hits[0].(map[string]any)["citation"].(map[string]any)["id"].(string)}
}

// verdicts judges claims over the wire, in one call, and gives "quadrant cause" for each.
func verdicts(c *served, claims ...bound) (out []string, markers []string) {
	c.t.Helper()
	var list []any
	for i, b := range claims {
		list = append(list, map[string]any{
			"claim_id": fmt.Sprint(i), "claim_text": b.text,
			"origin": map[string]any{"call_id": b.callID}, "span": map[string]any{"block": b.citation},
		})
	}
	a := c.call("verify", map[string]any{"claims": list})
	results, _ := a.data["results"].([]any)
	for _, r := range results {
		m := r.(map[string]any)
		out = append(out, strings.TrimSpace(fmt.Sprint(m["quadrant"], " ", m["cause"])))
		markers = append(markers, m["marker"].(string))
	}
	if len(out) != len(claims) {
		c.t.Fatalf("%d verdicts: %s", len(out), a.raw)
	}
	return out, markers
}

const claimZones = `
vaults: [{name: v, root: ./vault}]
profiles: {staff: {allow: ["**"], deny: ["board/**"]}, board: {allow: ["**"]}}
default_profile: staff
trust: [{paths: ["forum/**"], tier: T2}]
trust_default: T0
`

// A session asks five questions and binds a claim to each. A note is edited, another is
// replaced, the server starts anew: each claim gets the quadrant it deserves, and the
// markers lead to lines of files that say so.
func TestClaimsOverARestart(t *testing.T) {
	dir, flag := configured(t, claimZones, map[string]string{
		"leave.md":       "# Leave\n\nParental leave is 26 weeks at full pay.\n",
		"travel.md":      "# Travel\n\nTrains are booked in second class.\n",
		"badge.md":       "# Badges\n\nA lost badge is reported to the front desk.\n",
		"forum/lunch.md": "# Lunch\n\nThe canteen serves lunch until 14:30.\n",
		"backup.md":      "# Backups\n\nBackups are kept for 35 days.\n",
	})
	home := t.TempDir()
	c := startAt(t, home, flag).greet()
	claims := []bound{
		bindTo(c, "how long is parental leave", "Parental leave is 26 weeks."),
		bindTo(c, "which class are trains booked in", "Trains are booked in second class."),
		bindTo(c, "where is a lost badge reported", "A lost badge is reported to the front desk."),
		bindTo(c, "until when does the canteen serve lunch", "The canteen serves lunch until 14:30."),
		bindTo(c, "how long are backups kept", "Backups are kept for 53 days."),
	}
	if code := c.close(); code != 0 {
		t.Fatalf("status %d: %s", code, c.stderr)
	}
	vaulttest.Put(t, dir, "vault/travel.md", "# Travel\n\nTrains are booked in first class.\n")
	vaulttest.Put(t, dir, "vault/badge-2027.md", "---\nsupersedes: badge.md\n---\n# Badges\n\nA lost badge is reported in the portal.\n")
	vaulttest.Put(t, dir, "vault/leave.md", "# Leave\n\nBefore all else:\n\n## Length\n\nParental leave is 26 weeks at full pay.\n")
	again := startAt(t, home, flag).greet()
	got, markers := verdicts(again, claims...)
	want := []string{
		"fact_right_source_wrong stale", "fact_right_source_wrong stale", "fact_right_source_wrong superseded",
		"fact_right_source_wrong low_tier", "fact_wrong_source_right",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || strings.Join(markers, "") != "" {
		t.Errorf("got %q, want %q, markers %q", got, want, markers)
	}
	fresh := bindTo(again, "how long is parental leave", "Parental leave is 26 weeks.")
	got, markers = verdicts(again, fresh)
	if got[0] != "both_right" {
		t.Fatalf("a fresh claim: %q", got)
	}
	path, lines, _, ok := candor.ParseCitationID(strings.Trim(markers[0], "[]"))
	data, err := os.ReadFile(filepath.Join(dir, "vault", filepath.FromSlash(string(path))))
	if err != nil || !ok {
		t.Fatalf("the marker %s leads to no file: %v", markers[0], err)
	}
	cited := strings.Join(strings.Split(string(data), "\n")[lines.Start-1:lines.End], "\n")
	if !strings.Contains(cited, "Parental leave is 26 weeks") {
		t.Errorf("the marker %s leads to %q", markers[0], cited)
	}
	// The same stamps are nobody's for another profile.
	board := startAt(t, home, flag, "--profile=board").greet()
	for i, verdict := range first(verdicts(board, append(claims, fresh)...)) {
		if !strings.HasSuffix(verdict, " invalid") {
			t.Errorf("claim %d of another profile: %s", i, verdict)
		}
	}
}

// Counts that cannot be written cost no verdict, neither a client's nor a command's; the log
// and check say so.
func TestClaimsWithoutCounts(t *testing.T) {
	_, flag := configured(t, claimZones, map[string]string{"leave.md": "# Leave\n\nParental leave is 26 weeks at full pay.\n"})
	home := t.TempDir()
	c := startAt(t, home, flag).greet()
	claim := bindTo(c, "how long is parental leave", "Parental leave is 26 weeks.")
	dirs, err := filepath.Glob(filepath.Join(home, "*", "*", "candor", "journal", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v: want the folder of the journal", dirs, err)
	}
	if err := os.Mkdir(filepath.Join(dirs[0], "grid.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, _ := verdicts(c, claim); got[0] != "both_right" {
		t.Errorf("verdict %q", got)
	}
	if code := c.close(); code != 0 || !strings.Contains(c.stderr.String(), "verdicts were not counted") {
		t.Errorf("status %d, log %q", code, c.stderr)
	}
	file := filepath.Join(t.TempDir(), "claims.jsonl")
	line := fmt.Sprintf(`{"claim_text": %q, "origin": %q, "span": %q}`, claim.text, claim.callID, claim.citation)
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"verify " + file: "the verdicts were not counted: ", "check": "note the counts of claims cannot be written: "} {
		cmd := exec.Command("candor", append(strings.Fields(args), flag)...)
		cmd.Env = c.cmd.Env
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", args, err, out)
		}
	}
}

func first(out, _ []string) []string { return out }

// Two sessions at once ask under the same ids: each claim resolves to the call of its own
// session, whichever of the two judges it, and to no other.
func TestClaimsOfParallelSessions(t *testing.T) {
	_, flag := configured(t, claimZones, map[string]string{
		"heron.md": "# Heron\n\nThe heron is grey.\n", "swan.md": "# Swan\n\nThe swan is white.\n",
	})
	home := t.TempDir()
	one, two := startAt(t, home, flag).greet(), startAt(t, home, flag).greet()
	two.next = one.next
	heron, swan := bindTo(one, "heron", "The heron is grey."), bindTo(two, "swan", "The swan is white.")
	if a, b := strings.Split(heron.callID, ":")[0], strings.Split(swan.callID, ":")[0]; a != b {
		t.Fatalf("the requests are %s and %s: the test proves nothing", a, b)
	}
	crossed := []bound{heron, swan, {heron.text, swan.callID, heron.citation}, {swan.text, heron.callID, swan.citation}}
	want := "[both_right both_right fact_right_source_wrong not_served fact_right_source_wrong not_served]"
	for name, c := range map[string]*served{"the first": one, "the second": two} {
		if got, _ := verdicts(c, crossed...); fmt.Sprint(got) != want {
			t.Errorf("%s says %q, want %s", name, got, want)
		}
	}
}
