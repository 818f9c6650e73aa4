package provenance

// Rollout is how far the checking of claims goes, so that it can be brought in step by
// step.
type Rollout string

// The steps. Results are stamped in all of them.
const (
	StepStamp   Rollout = "stamp"   // claims are judged when somebody asks
	StepShadow  Rollout = "shadow"  // verdicts are counted for the owner, never shown
	StepGate    Rollout = "gate"    // a claim that is not shown to be right fails a run
	StepEnforce Rollout = "enforce" // and is not shown as it is
)

// Answer is verdicts as they may be shown.
type Answer struct {
	Results []Result `json:"results"` // never nil
	Grid    Grid     `json:"grid"`
	Mode    Rollout  `json:"mode"`
	Warning string   `json:"warning"`
}

// Warning stands in every answer about claims.
const Warning = "Right means that the passage supports the claim, not that it is true."

// shadowWarning stands in an answer that shows no verdict.
const shadowWarning = "The claims were counted; in mode shadow no verdict is shown."

// Show gives the verdicts on claims as this step shows them.
func (s Rollout) Show(claims []Claim, results []Result, grid Grid) Answer {
	if s == StepShadow { // the counts of a single claim would be its verdict
		return Answer{Results: []Result{}, Grid: Grid{Claims: grid.Claims}, Mode: s, Warning: shadowWarning}
	}
	if s == StepEnforce {
		shown := make([]Result, len(results))
		for i, r := range results {
			r.Shown = r.showing(claims[i].Text)
			shown[i] = r
		}
		results = shown
	}
	return Answer{Results: results, Grid: grid, Mode: s, Warning: Warning}
}

// showing is the sentence as a reader may see it, "" where they may not.
func (r Result) showing(text string) string {
	switch r.Render {
	case Strip:
		return ""
	case Downgrade:
		return text + " (the given source does not bear this out)"
	case Flag:
		return text + " (not verified)"
	}
	return text + " " + r.Marker
}

// Passes reports whether a run over claims with these counts is good enough. What cannot
// be told passes until a gate is wanted.
func (s Rollout) Passes(g Grid) bool {
	switch s {
	case StepShadow:
		return true
	case StepGate, StepEnforce:
		return g.BothRight == g.Claims
	}
	return g.Failures() == 0
}
