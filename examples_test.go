package candor_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"candor/evals/hybrid"
)

// TestExampleWorkflow holds what makes the example safe for forks and repeatable.
func TestExampleWorkflow(t *testing.T) {
	data, err := os.ReadFile("doc/examples/candor-evals.yml")
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		On          map[string]any
		Permissions map[string]string
		Jobs        map[string]struct {
			If          string
			Permissions map[string]string
			Steps       []struct{ Uses, Run string }
		}
	}
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.On["pull_request"]; !ok || len(w.On) != 2 || len(w.Permissions) != 0 || len(w.Jobs) != 2 {
		t.Errorf("on %v, permissions %v, %d jobs", w.On, w.Permissions, len(w.Jobs))
	}
	measure, comment := w.Jobs["measure"], w.Jobs["comment"]
	if len(measure.Permissions) != 1 || measure.Permissions["contents"] != "read" {
		t.Errorf("the job that runs the pull request may %v", measure.Permissions)
	}
	if !strings.Contains(comment.If, "head.repo.full_name == github.repository") {
		t.Errorf("the comment is for %q", comment.If)
	}
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	runs := ""
	for name, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Uses != "" && !pinned.MatchString(s.Uses) {
				t.Errorf("%s uses %s", name, s.Uses)
			}
			if name == "comment" && strings.Contains(s.Uses, "checkout") {
				t.Error("the job that may comment checks the pull request out")
			}
			runs += s.Run
		}
	}
	for _, want := range []string{"--confidence 0.95", "env -i PATH", "GITHUB_STEP_SUMMARY", hybrid.Marker, "Hybrid not measured"} {
		if !strings.Contains(runs, want) {
			t.Errorf("no step has %q", want)
		}
	}
	for _, bad := range []string{"secrets.", "pull_request_target", "${{ github.event.pull_request.title", "|| true"} {
		if strings.Contains(string(data), bad) {
			t.Errorf("the workflow holds %q", bad)
		}
	}
}
